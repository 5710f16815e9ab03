//! Tables of functions in libraries that are opened at run time.
//!
//! cudarc knows every signature, but cannot be told which file to load, and panics where a file or
//! a symbol is missing. So its bindings serve as the declarations: each function below is loaded
//! by name, and its type is compared with cudarc's when this is compiled. Results are taken as
//! numbers, since a newer library may answer what an enumeration of today does not list.
/// Declares a table of functions of a library, with a loader that says which one is missing.
/// `sys` must be in scope: the bindings to compare with.
macro_rules! functions {
    (
        $(#[$doc:meta])* struct $table:ident gives $status:ty;
        $(fn $name:ident($($argument:ty),*);)*
        optional $(fn $extra:ident($($wanted:ty),*);)*
    ) => {
        $(#[$doc])*
        #[expect(non_snake_case, reason = "the library's own names")]
        pub(super) struct $table {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> u32,)*
            $(pub(super) $extra: Option<unsafe extern "C" fn($($wanted),*) -> u32>,)*
        }

        impl $table {
            /// Finds every function; the name of the first that is missing otherwise.
            #[expect(unsafe_code, reason = "types of symbols are asserted")]
            pub(super) fn load(library: &libloading::Library) -> Result<Self, &'static str> {
                // SAFETY: the types are those of the bindings generated from the vendor's headers,
                // as the constant below has the compiler check; the library is never unloaded.
                unsafe {
                    Ok(Self {
                        $($name: *library
                            .get(concat!(stringify!($name), "\0").as_bytes())
                            .map_err(|_| stringify!($name))?,)*
                        $($extra: library
                            .get(concat!(stringify!($extra), "\0").as_bytes())
                            .ok()
                            .map(|symbol| *symbol),)*
                    })
                }
            }
        }

        const _: () = {
            $(let _: unsafe fn($($argument),*) -> $status = sys::$name;)*
            $(let _: unsafe fn($($wanted),*) -> $status = sys::$extra;)*
        };
    };
}

pub(super) use functions;
