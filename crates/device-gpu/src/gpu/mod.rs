//! What GPUs of different vendors have in common, which is nearly everything: drivers and run-time
//! compilers have the same functions under other names. A vendor's module says where the libraries
//! are, names the functions, describes the devices, and reads the compiler's log.

pub(crate) mod api;
mod batches;
mod buffers;
pub(crate) mod builder;
pub(crate) mod calls;
pub(crate) mod compile_pool;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod driver;
pub(crate) mod facts;
pub(crate) mod fault;
pub(crate) mod graph;
pub(crate) mod launch;
pub(crate) mod library_search;
pub(crate) mod loaded;
pub(crate) mod memory;
mod pace;
pub(crate) mod program;
mod queue;
pub(crate) mod runs;
pub(crate) mod service;
pub(crate) mod stopwatch;
pub(crate) mod unit;
