//! Whole studies of devices whose run times are formulas.

mod deepening;
mod formula;
mod fronts;
mod generated;
mod growth;
mod invariants;
mod learning;
mod race;
mod synthetic;

#[path = "../../../knees/tests/knees/curves/mod.rs"]
mod curves;

// Links the strategies, which register themselves.
use search as _;
