//! What kernels are given: values in their formats, and where a launch reads them, and what lies
//! around their buffers.

pub(super) mod formats;
pub(super) mod guards;
pub(super) mod parameters;
