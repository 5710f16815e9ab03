//! What the compilers of all backends need: headers, texts of several configurations, a cache, and
//! an ELF reader.

pub mod cache;
pub mod elf;
pub mod headers;
pub mod variants;
