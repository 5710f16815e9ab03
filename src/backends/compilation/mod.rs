//! What all compilers of backends need: headers, several configurations in one text, kernels kept
//! on disk, and ELF files.

pub(super) mod cache;
pub(super) mod elf;
pub(super) mod headers;
pub(super) mod variants;
