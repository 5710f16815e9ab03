//! Scores of strategies compared with published ones.

mod reference;
mod strategies;
#[path = "../../../../tests/support/shared.rs"]
mod support;
mod units;

// Links the strategies, which register themselves.
use search as _;
