//! Numeric formats, error metrics, which elements are compared, and what an error costs a score.

mod element;
mod encode;
mod indices;
mod metric;
mod penalty;

pub use element::{Element, UnknownElement};
pub use indices::{Coverage, IndexSet, index_set};
pub use metric::{Compared, ErrorMetric, UnknownMetric, Worst, worst_element};
pub use penalty::{Penalty, PenaltyKind};
