//! Sizes whose copies lie in slower memory than those of other sizes: in rounds they are slower than the sizes beside them
//! suggest, clearly so or slower than in their own trials, too, which may have had other copies. No number of rounds tells that
//! from a property of the size, so other memory takes the place of theirs, once for each size.

use std::collections::BTreeSet;

use math::{median, median_interval};
use records::RoundsPurpose;

use super::{StudyJournal, counted_rounds::CountedRounds};

/// Rounds in which a size was measured before it is asked how it did.
const LEAST_SAMPLES: usize = 12;
const CONFIDENCE: f64 = 0.95;
/// From so many times the usual on a size is slower than in its trials.
const SLOWER: f64 = 1.04;
/// From so many times what its neighbours suggest on it is slower than they are: trials of a moment at which the machine was
/// faster make it seem slower alone.
const DIPS: f64 = 1.03;
/// From so many times on its neighbours tell enough: memory that was slow from the first is so in trials, too.
const DIPS_DEEP: f64 = 1.04;
/// Most sizes at a time: were they more, it would not be their memory.
const MOST: usize = 4;

/// What rounds say of a size.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Told {
    size: u64,
    /// In the middle, and at least.
    seconds: (f64, f64),
    /// In the middle, as a multiple of what it took in its trial, and at least.
    times: (f64, f64),
}

/// Sizes that are to have other memory, of those that had none yet.
pub(super) fn on_slow_memory(journal: &StudyJournal, purpose: RoundsPurpose) -> BTreeSet<u64> {
    let rounds = CountedRounds::of(journal, purpose);
    let had = had_other(journal);
    let mut told = Vec::new();
    for closed in journal.tuned().into_values() {
        let Some(best) = &closed.best else { continue };
        if journal.dropped(closed.size, &best.configuration).is_some() {
            continue;
        }
        let samples = rounds.samples(closed.size, &best.configuration);
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

/// Sizes that are slow by these signs, the slowest first. They come in order; the first and the last, which have one
/// neighbour alone, are not judged.
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
        // Run times bend upwards, so that a straight line between neighbours lies above them.
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

/// Whether any size had other memory.
pub(super) fn has_given_other_memory(journal: &StudyJournal) -> bool {
    !had_other(journal).is_empty()
}

/// Sizes that had other memory.
fn had_other(journal: &StudyJournal) -> BTreeSet<u64> {
    let purposes = [RoundsPurpose::Growth, RoundsPurpose::Answer];
    let entries = purposes.into_iter().flat_map(|purpose| journal.rounds(purpose));
    let anew = entries.flat_map(|event| &event.entries).filter(|entry| entry.anew);
    anew.map(|entry| entry.size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of a kernel that takes a microsecond and a nanosecond for an element, with what is slower about them.
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
        // In trials as well, a little and clearly, and a trial of a faster moment.
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
