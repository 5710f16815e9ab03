//! Finds sizes whose buffers lie in slower memory than those of other sizes.
//!
//! In rounds, such a size is slower than its neighbours suggest: either clearly slower, or slightly
//! and also slower than in its own trials, which may have used other buffers. More rounds cannot
//! tell slow memory from a property of the size. So the buffers of the size are moved to other
//! memory, once.

use std::collections::BTreeSet;

use math::{median, median_interval};
use records::RoundsPurpose;

use super::{StudyJournal, round_samples::RoundSamples};

/// Fewest samples of a size in rounds before the size is judged.
const LEAST_SAMPLES: usize = 12;
const CONFIDENCE: f64 = 0.95;
/// A size is slower than in its trials if its run time in rounds, relative to its trial, is this
/// multiple of the median of all sizes.
const SLOWER: f64 = 1.04;
/// A size is slower than its neighbours if its run time is this multiple of the time interpolated
/// between them. The comparison with trials alone is not enough: the machine may have been faster
/// then.
const DIPS: f64 = 1.03;
/// From this multiple of the interpolated time on, the comparison with trials is not needed: slow
/// memory may have slowed the trials as well.
const DIPS_DEEP: f64 = 1.04;
/// Maximum number of sizes moved at a time. With more slow sizes, memory would not be the cause.
const MOST: usize = 4;

/// The run time of a size in rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Told {
    size: u64,
    /// Median run time, and the lower end of its interval.
    seconds: (f64, f64),
    /// Both relative to the trial: the median to its median, the lower end to its upper end.
    times: (f64, f64),
}

/// Returns the sizes to move to other memory, without those that were moved already.
pub(super) fn on_slow_memory(journal: &StudyJournal, purpose: RoundsPurpose) -> BTreeSet<u64> {
    let rounds = RoundSamples::of(journal, purpose);
    let had = had_other(journal);
    let mut told = Vec::new();
    for closed in journal.tuned().into_values() {
        let Some(best) = &closed.best else { continue };
        if journal.dropped(closed.size, &best.configuration).is_some() {
            continue;
        }
        let samples = rounds.of_one(closed.size, &best.configuration);
        let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
        let Some((least, _)) = median_interval(&seconds, CONFIDENCE) else { continue };
        if seconds.len() >= LEAST_SAMPLES {
            let (seconds, size) = (median(&seconds), closed.size);
            let times = (seconds / best.seconds.median, least / best.seconds.interval.1);
            told.push(Told { size, seconds: (seconds, least), times });
        }
    }
    let mut slow = slow_among(&told);
    slow.retain(|size| !had.contains(size));
    slow.into_iter().take(MOST).collect()
}

/// Returns the slow sizes, the slowest first. `told` ascends by size. The first and the last size
/// have only one neighbour and are not judged.
fn slow_among(told: &[Told]) -> Vec<u64> {
    let usual: Vec<f64> = told.iter().map(|of| of.times.0).collect();
    if usual.is_empty() {
        return Vec::new();
    }
    let usual = median(&usual);
    let mut slow: Vec<(f64, u64)> = Vec::new();
    for three in told.windows(3) {
        let at = |of: &Told| ((of.size as f64).ln(), of.seconds.0.ln());
        let [(a, low), (x, _), (b, high)] = [0, 1, 2].map(|position| at(&three[position]));
        // Run times are convex over the size: a straight line between neighbours lies above them.
        let beside = (low + (high - low) * (x - a) / (b - a)).exp();
        let of = three[1];
        let (dip, least) = (of.seconds.0 / beside, of.seconds.1 / beside);
        if least >= DIPS_DEEP || (dip >= DIPS && of.times.1 >= SLOWER * usual) {
            slow.push((dip, of.size));
        }
    }
    slow.sort_by(|a, b| b.0.total_cmp(&a.0));
    slow.into_iter().map(|(_, size)| size).collect()
}

/// Whether any size was moved to other memory.
pub(super) fn has_given_other_memory(journal: &StudyJournal) -> bool {
    !had_other(journal).is_empty()
}

/// Returns the sizes that were moved to other memory.
fn had_other(journal: &StudyJournal) -> BTreeSet<u64> {
    let purposes = [RoundsPurpose::Growth, RoundsPurpose::Answer];
    let entries = purposes.into_iter().flat_map(|purpose| journal.rounds(purpose));
    let anew = entries.flat_map(|event| &event.entries).filter(|entry| entry.anew);
    anew.map(|entry| entry.size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten sizes of a kernel that takes 1 µs plus 1 ns for each element. `but` gives the slowdown
    /// of a size in rounds and in trials.
    fn told(but: impl Fn(u64) -> (f64, f64)) -> Vec<Told> {
        let of = |at: u32| {
            let size = 1000 << at;
            let (in_rounds, in_trials) = but(size);
            let usual = 1e-6 + 1e-9 * size as f64;
            let (seconds, times) = (usual * in_rounds, in_rounds / in_trials);
            Told { size, seconds: (seconds, 0.98 * seconds), times: (times, 0.98 * times) }
        };
        (0..10).map(of).collect()
    }

    #[test]
    fn a_size_is_slow_if_it_was_faster_before_and_its_neighbours_are_faster() {
        let only = |size: u64, of: (f64, f64)| {
            slow_among(&told(|at| if at == size { of } else { (1.1, 1.0) }))
        };
        assert_eq!(only(16_000, (1.25, 1.0)), [16_000]);
        // Also slow in trials, a little and then clearly; then fast trials; then a small dip.
        assert_eq!(only(16_000, (1.16, 1.05)), [0_u64; 0]);
        assert_eq!(only(16_000, (1.25, 1.14)), [16_000]);
        assert_eq!(only(16_000, (1.1, 0.9)), [0_u64; 0]);
        assert_eq!(only(16_000, (1.12, 1.0)), [0_u64; 0]);
        assert_eq!(slow_among(&told(|at| (if at > 10_000 { 1.06 } else { 1.0 }, 1.0))), [0_u64; 0]);
        let two = told(|at| {
            (if matches!(at, 8_000 | 64_000) { 1.1 + at as f64 / 1e6 } else { 1.0 }, 1.0)
        });
        assert_eq!(slow_among(&two), [64_000, 8_000]);
        assert_eq!(slow_among(&two[..2]), [0_u64; 0]);
        assert_eq!(slow_among(&[]), [0_u64; 0]);
    }
}
