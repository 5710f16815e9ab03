//! What all checks at a size need.

use std::time::Duration;

use plugins::Benchmark;
use space::{Space, Value};

use crate::terminal::Failure;

/// Time limit for describing a benchmark, opening a device, or one measurement.
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

pub(super) fn space_at(benchmark: &Benchmark, size: u64) -> Result<Space, Failure> {
    let whole = i64::try_from(size).map_err(Failure::plugin)?;
    let constants = [("size".to_owned(), Value::Int(whole))];
    Space::build(benchmark.parameters(), benchmark.restrictions(), &constants)
        .map_err(Failure::plugin)
}
