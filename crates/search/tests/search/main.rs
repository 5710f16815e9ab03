//! The contract that every strategy must keep.

mod contract;
mod fronts;
mod knobs;
mod memory;

use search as _;
use search_api::{STRATEGIES, Strategy};

fn every_strategy() -> impl Iterator<Item = &'static Strategy> {
    STRATEGIES.iter().copied()
}
