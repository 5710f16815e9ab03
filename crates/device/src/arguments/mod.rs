//! Kernel arguments: element formats, launch parameters, and the guard zones around buffers.

pub mod formats;
pub mod guards;
pub mod parameters;
