//! What every strategy must stand.

mod contract;
mod fronts;
mod knobs;
mod memory;

use search as _;
use search_api::{STRATEGIES, Strategy};

/// Every strategy of the program.
fn every_strategy() -> impl Iterator<Item = &'static Strategy> {
    STRATEGIES.iter().copied()
}
