//! Many studies: suites from one file, their folders and job scripts, and the history of a folder
//! of results.
//!
//! It never knows kernels and searching. Begin with `suites/document.rs`.

pub mod history;
pub mod suites;
