//! Tables of functions in libraries that are opened at run time. Two vendors have the same
//! functions under different names. A table has neutral names and plain types, and each vendor
//! names its functions. Results are numbers, since a newer library may return codes that no
//! enumeration lists.

use libloading::Library;

/// A function and its name in the library.
pub(crate) type Call<F> = (F, &'static str);

/// Declares a table of functions. Functions after `optional` may be missing from a library.
macro_rules! table {
    (
        $(#[$doc:meta])* struct $table:ident;
        $(fn $name:ident($($argument:ty),* $(,)?);)*
        optional $(fn $extra:ident($($wanted:ty),* $(,)?);)*
    ) => {
        $(#[$doc])*
        pub(crate) struct $table {
            $(pub(crate) $name: $crate::gpu::api::Call<
                unsafe extern "C" fn($($argument),*) -> u32,
            >,)*
            $(pub(crate) $extra: Option<$crate::gpu::api::Call<
                unsafe extern "C" fn($($wanted),*) -> u32,
            >>,)*
        }
    };
}

/// Declares `load`, which fills a table from a library or names a missing function. The functions
/// are those of both vendors, the vendor's own (`own`), and optional ones, each with the vendor's
/// types. The compiler compares these types with the vendor's bindings (`sys` must be in scope if
/// `checked` holds), and the size of every argument with the table's.
macro_rules! functions {
    (@bound ($($bound:tt)*) ($($argument:ty),*) $status:ty) => {
        $($bound)*($($argument),*) -> $status
    };
    (
        $(#[$checked:meta])* $table:ident gives $status:ty, bound as $bound:tt;
        $($name:ident = $function:ident($($argument:ty),* $(,)?);)*
        $([own] $own:ident = $special:ident($($taken:ty),* $(,)?);)*
        $([optional] $extra:ident = $wished:ident($($wanted:ty),* $(,)?);)*
        $([absent] $absent:ident;)*
    ) => {
        /// Finds every function, or returns the name of the first missing one.
        #[expect(unsafe_code, reason = "types of symbols are asserted")]
        pub(super) fn load(library: &libloading::Library) -> Result<$table, &'static str> {
            use $crate::gpu::api::symbol;
            // SAFETY: the types are those of the vendor's headers, which the constants below make
            // the compiler check. The library is never unloaded.
            unsafe {
                Ok($table {
                    $($name: symbol(library, stringify!($function))?,)*
                    $($own: Some(symbol(library, stringify!($special))?),)*
                    $($extra: symbol(library, stringify!($wished)).ok(),)*
                    $($absent: None,)*
                })
            }
        }

        $(#[$checked])*
        const _: () = {
            use $crate::gpu::api::functions;
            $(let _: functions!(@bound $bound ($($argument),*) $status) = sys::$function;)*
            $(let _: functions!(@bound $bound ($($taken),*) $status) = sys::$special;)*
            $(let _: functions!(@bound $bound ($($wanted),*) $status) = sys::$wished;)*
        };

        const _: () = {
            use $crate::gpu::api;
            assert!(size_of::<$status>() == size_of::<u32>());
            $(api::same::<$table, _, unsafe extern "C" fn($($argument),*) -> u32>(|all| all.$name);)*
            $(api::same_if_there::<$table, _, unsafe extern "C" fn($($taken),*) -> u32>(
                |all| all.$own,
            );)*
            $(api::same_if_there::<$table, _, unsafe extern "C" fn($($wanted),*) -> u32>(
                |all| all.$extra,
            );)*
        };
    };
}

pub(crate) use {functions, table};

/// Finds a function of a library by its name. The error is the name.
///
/// # Safety
/// `F` must be the function's type, and the library must never be unloaded.
#[expect(unsafe_code, reason = "the type of a symbol is asserted")]
pub(crate) unsafe fn symbol<F: Copy>(
    library: &Library,
    name: &'static str,
) -> Result<Call<F>, &'static str> {
    // SAFETY: by the contract above.
    let found = unsafe { library.get::<F>(name.as_bytes()) };
    found.map(|symbol| (*symbol, name)).map_err(|_| name)
}

pub(crate) trait CallSignature {
    const ARGUMENTS: &'static [usize];
}

macro_rules! shapes {
    ($($argument:ident)*) => {
        impl<$($argument),*> CallSignature for unsafe extern "C" fn($($argument),*) -> u32 {
            const ARGUMENTS: &'static [usize] = &[$(size_of::<$argument>()),*];
        }
    };
}

shapes!(A);
shapes!(A B);
shapes!(A B C);
shapes!(A B C D);
shapes!(A B C D E);
shapes!(A B C D E F);
shapes!(A B C D E F G H I J K);

/// Fails compilation if a vendor's function takes other arguments than the table's.
pub(crate) const fn same<Table, F: CallSignature, Vendor: CallSignature>(_: fn(&Table) -> Call<F>) {
    compare(F::ARGUMENTS, Vendor::ARGUMENTS);
}

pub(crate) const fn same_if_there<Table, F: CallSignature, Vendor: CallSignature>(
    _: fn(&Table) -> Option<Call<F>>,
) {
    compare(F::ARGUMENTS, Vendor::ARGUMENTS);
}

const fn compare(table: &[usize], vendor: &[usize]) {
    assert!(table.len() == vendor.len(), "a function has as many arguments as its table says");
    let mut at = 0;
    while at < table.len() {
        assert!(table[at] == vendor[at], "an argument is as large as its table says");
        at += 1;
    }
}
