//! What all backends' compilers need: headers, texts of several configurations, a cache, ELF files.

pub mod cache;
pub mod elf;
pub mod headers;
pub mod variants;
