//! A loaded library of kernels, and the table that `launch.h` puts into it.
#![expect(unsafe_code, reason = "loads code and reads a table that it exports")]

use std::{collections::BTreeSet, ffi::c_void, path::Path, sync::Arc};

use libloading::Library;

use super::symbols::{self, DataSymbol};

/// The supported value of `ab_table::version`.
const TABLE_VERSION: u64 = 1;

/// Mirrors `ab::worker` of `cpu/index.h`: what a host thread needs to run blocks.
#[repr(C)]
pub(super) struct WorkerContext {
    pub(super) grid: [i32; 3],
    pub(super) block: [i32; 3],
    pub(super) shared: *mut u8,
    pub(super) stacks: *mut u8,
    pub(super) stack_bytes: u64,
    pub(super) fibers: u64,
}

/// Runs blocks `first .. last` of a grid on the calling thread.
pub(super) type EntryFunction =
    unsafe extern "C" fn(*mut WorkerContext, u64, u64, *const *const c_void);

/// Mirrors `ab_entry`.
#[repr(C)]
struct RawEntry {
    launch: EntryFunction,
    sizes: *const u32,
    parameters: i32,
    block: [i32; 3],
}

/// Mirrors `ab_variant`.
#[repr(C)]
struct RawVariant {
    entries: *const RawEntry,
    count: u32,
    number: u32,
}

/// Mirrors `ab_table`.
#[repr(C)]
struct RawTable {
    version: u64,
    variants: *const RawVariant,
    count: u64,
    barriers: *const u8,
    barriers_end: *const u8,
}

pub(super) struct EntryPoint {
    pub(super) launch: EntryFunction,
    pub(super) sizes: Vec<u32>,
    /// Threads per block that the entry was compiled for; zeros if any number works.
    pub(super) block: [u32; 3],
}

/// A shared object in memory. Entries point into it, so it must outlive them.
pub(super) struct Loaded {
    library: Library,
    data: Vec<DataSymbol>,
    barriers: BTreeSet<u8>,
}

impl Loaded {
    pub(super) fn open(path: &Path) -> Result<Arc<Self>, String> {
        // SAFETY: compiled by this backend. The only constructors are those of the user's kernels,
        // which run in this process anyway.
        let library = unsafe { Library::new(path) }.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            format!("cannot load {}: {}", path.display(), cause.unwrap_or(error.to_string()))
        })?;
        let file = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut loaded =
            Self { library, data: symbols::exported_data(&file), barriers: BTreeSet::new() };
        let table = loaded.table()?;
        // SAFETY: the linker sets both ends of one section, and the header puts a byte there.
        let barriers = unsafe {
            let length = table.barriers_end.offset_from(table.barriers);
            std::slice::from_raw_parts(table.barriers, usize::try_from(length).unwrap_or(0))
        };
        let barriers = barriers.iter().copied().collect();
        loaded.barriers = barriers;
        Ok(Arc::new(loaded))
    }

    fn table(&self) -> Result<&RawTable, String> {
        // SAFETY: the symbol has this type in every library of this backend, and lives as long as
        // the library.
        let table = unsafe {
            let symbol = self.library.get::<*const RawTable>(b"autobench_table");
            symbol.ok().and_then(|symbol| symbol.as_ref())
        };
        table
            .filter(|table| table.version == TABLE_VERSION)
            .ok_or_else(|| "a cached kernel has no table of this version: empty the cache".into())
    }

    pub(super) fn entries(&self, variant: usize) -> Result<Vec<EntryPoint>, String> {
        let table = self.table()?;
        if variant as u64 >= table.count {
            return Err(format!("a cached library has no variant {variant}: empty the cache"));
        }
        // SAFETY: the table holds `count` variants, each with `count` entries, and each entry the
        // sizes of its parameters.
        unsafe {
            let variant = &*table.variants.add(variant);
            let entries = std::slice::from_raw_parts(variant.entries, variant.count as usize);
            let entry = |raw: &RawEntry| {
                let count = usize::try_from(raw.parameters).unwrap_or(0);
                EntryPoint {
                    launch: raw.launch,
                    sizes: std::slice::from_raw_parts(raw.sizes, count).to_vec(),
                    block: raw.block.map(i32::unsigned_abs),
                }
            };
            Ok(entries.iter().map(entry).collect())
        }
    }

    /// Whether a variant has barriers outside of phases.
    pub(super) fn has_barriers(&self, variant: usize) -> bool {
        u8::try_from(variant).is_ok_and(|variant| self.barriers.contains(&variant))
    }

    pub(super) fn constant(&self, name: &str, variant: usize) -> Option<(*mut u8, u64)> {
        let symbol =
            self.data.iter().find(|symbol| symbols::is_named(&symbol.mangled, name, variant))?;
        // SAFETY: only the address is taken.
        let address = unsafe { self.library.get::<*mut u8>(symbol.mangled.as_bytes()) }.ok()?;
        Some((*address, symbol.bytes))
    }
}
