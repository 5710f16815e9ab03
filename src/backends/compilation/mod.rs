//! What all backends' compilers need: headers, texts of several configurations, a cache, ELF files.

pub(super) mod cache;
pub(super) mod elf;
pub(super) mod headers;
pub(super) mod variants;
