//! Runs and checks random configurations at one size. They show faults that the default
//! configuration at a round size hides.

use math::seeded_search;
use plugins::Benchmark;
use records::{Named, Outcome, Status, settings::Verification};
use study::scaling::Rounding;
use worker::{Checking, Client, MeasurePlan};

use super::at_size::{REQUEST_TIMEOUT, space_at};
use crate::terminal::{Failure, output};

/// Configurations that are compiled in one batch.
const TOGETHER: usize = 20;

/// The sizes to check if none are named: the first size, and an odd size near it that no block or
/// tile divides, if the benchmark accepts odd sizes.
pub(super) fn usual_sizes(benchmark: &Benchmark) -> Vec<u64> {
    let rule = &benchmark.document().size;
    let odd = rule.start.saturating_add(rule.start / 2) | 1;
    let odd = Rounding::of(rule).named(odd.min(rule.largest.unwrap_or(u64::MAX)));
    let mut sizes = vec![rule.start, odd];
    sizes.dedup();
    sizes
}

/// Runs `count` configurations once each and checks their results. The sample covers the values of
/// every parameter evenly. Prints a summary.
///
/// # Errors
/// If a configuration fails for another reason than a limit of the device.
pub(super) fn check(
    client: &mut Client,
    benchmark: &Benchmark,
    size: u64,
    count: usize,
    seed: u64,
) -> Result<(), Failure> {
    let space = space_at(benchmark, size)?;
    let drawn = space.latin_hypercube(count, &mut seeded_search(seed, 0));
    let configurations: Vec<Named> = drawn.into_iter().map(|id| Named::of(&space, id)).collect();
    let mut tally = Tally::default();
    for together in configurations.chunks(TOGETHER) {
        // If the batch cannot be compiled, measuring shows which configuration is at fault.
        let _ = client.compile(size, together, REQUEST_TIMEOUT * 5);
        for configuration in together {
            let outcome = client.measure(size, configuration, &once(), REQUEST_TIMEOUT);
            tally.add(benchmark, configuration, &outcome);
        }
    }
    output::line(&format!("  sampled        {}", tally.in_words(size)))?;
    for wrong in &tally.wrong {
        output::line(&format!("    {wrong}"))?;
    }
    if tally.wrong.is_empty() {
        return Ok(());
    }
    let (wrong, all) = (tally.wrong.len(), configurations.len());
    let failure = Failure::plugin(format!("{wrong} of {all} configurations fail at size {size}"));
    Err(failure.hint("a restriction should exclude them, or the kernel should be right for them"))
}

/// One checked run, whose time does not matter.
fn once() -> MeasurePlan {
    MeasurePlan {
        warmup: 0,
        min_samples: 1,
        max_samples: 1,
        min_seconds: 0.0,
        max_seconds: 0.1,
        checking: Checking { verification: Verification::Thorough, seed: None },
        ..MeasurePlan::default()
    }
}

/// The results of the configurations at one size.
#[derive(Debug, Default)]
struct Tally {
    right: usize,
    /// Correct, but with an error above the benchmark's bound, as in low-precision formats.
    imprecise: usize,
    /// How many the device does not allow, and the last reason.
    refused: Option<(usize, String)>,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, benchmark: &Benchmark, configuration: &Named, outcome: &Outcome) {
        let bound = benchmark.document().error.bound;
        let error = outcome.measurement.as_ref().and_then(|measured| measured.error);
        match outcome.status {
            Status::Measured if error.is_some_and(|error| error > bound) => self.imprecise += 1,
            Status::Measured => self.right += 1,
            Status::Invalid => {
                let count = self.refused.as_ref().map_or(0, |(count, _)| *count) + 1;
                self.refused = Some((count, outcome.reason.clone()));
            }
            status => {
                self.wrong.push(format!("{}: {configuration}: {}", status.word(), outcome.reason));
            }
        }
    }

    fn in_words(&self, size: u64) -> String {
        let mut words = format!("{} right", self.right);
        if self.imprecise > 0 {
            words += &format!(", {} right but above the bound on the error", self.imprecise);
        }
        if let Some((count, reason)) = &self.refused {
            words += &format!(", {count} that the device does not allow ({reason})");
        }
        if !self.wrong.is_empty() {
            words += &format!(", {} wrong", self.wrong.len());
        }
        format!("{words}, at size {size}")
    }
}
