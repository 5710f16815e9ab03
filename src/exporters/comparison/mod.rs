//! A comparison in words, as Markdown and as tables.

mod best;
mod table;
mod words;

pub use best::{best_configurations, best_header};
pub use table::table;
pub use words::{lines, markdown};
