//! Numeric formats and error metrics: how numbers are stored, how wrong a result is, which
//! elements are looked at, and what an error costs a score.

mod element;
mod encode;
mod indices;
mod metric;
mod penalty;

pub use element::{Element, UnknownElement};
pub use indices::{Coverage, IndexSet, index_set};
pub use metric::{ErrorMetric, UnknownMetric, Worst, worst_element};
pub use penalty::{Penalty, PenaltyKind};
