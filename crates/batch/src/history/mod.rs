//! What a folder of results holds over time: every study below it with its figures, from an index
//! that is made from the folders and made again wherever it does not fit them.
//!
//! The folders are the truth. The index is a file of JSON lines beside them, and only saves reading
//! journals that have not changed; nothing is lost with it.

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
pub use tags::{TAGS_FILE, read_tags, write_tags};
pub use trend::{Series, Trend, trends};
