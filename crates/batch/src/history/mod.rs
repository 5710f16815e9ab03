//! The history of a folder of results: all studies in it with their values, from an index.
//!
//! The folders are authoritative. The index is a file of JSON lines in the folder of results. It
//! only saves reading unchanged journals, and is rebuilt wherever it does not match the folders.

mod changes;
mod cleaning;
mod entry;
mod figure;
mod filter;
mod index;
mod scan;
mod table;
mod tags;
mod trend;

pub use changes::{Change, MARGIN, changes};
pub use cleaning::{Candidate, Kept, Rule, candidates, delete};
pub use entry::{Answer, Entry, SizeLevel, State, StudyFacts};
pub use figure::half_interval;
pub use filter::Filter;
pub use index::{History, INDEX_FILE, INDEX_FORMAT, INDEX_VERSION};
pub use table::table;
pub use tags::{TAGS_FILE, change_tags, read_tags};
pub use trend::{Series, Trend, trends};
