//! What kernels are given: values in their formats, and where a launch reads them.

pub(super) mod formats;
pub(super) mod parameters;
