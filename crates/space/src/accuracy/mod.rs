//! Numeric formats, error metrics, the choice of compared elements, and error penalties.

mod element;
mod encode;
mod indices;
mod labels;
mod metric;
mod penalty;
mod small_formats;
mod to_odd;

pub use element::{Element, UnknownElement};
pub use indices::{Coverage, IndexSet, index_set};
pub use metric::{Compared, ErrorMetric, UnknownMetric, Worst, worst_element};
pub use penalty::{Penalty, PenaltyKind};
pub use small_formats::{E4m3, E5m2, Tf32};
pub use to_odd::to_odd;
