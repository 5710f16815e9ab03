//! A comparison in words, as Markdown, as a page and as tables.

mod best;
mod page;
mod table;
mod words;

pub use best::{best_configurations, best_header};
pub use page::page;
pub use table::table;
pub use words::{lines, markdown};
