//! What every backend's compiler needs: headers, several configurations in one text, kernels kept on
//! disk, and what is read from a compiled one.

pub(super) mod cache;
pub(super) mod elf;
pub(super) mod headers;
pub(super) mod variants;
