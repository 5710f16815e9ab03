//! What kernels are given: values in their formats, and where a launch reads them, and what lies
//! around their buffers.

pub mod formats;
pub mod guards;
pub mod parameters;
