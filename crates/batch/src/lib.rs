//! Many studies: suites from one file, their folders and job scripts, and the history of a folder of results.

pub mod history;
pub mod suites;
