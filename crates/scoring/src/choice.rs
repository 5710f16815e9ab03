//! Chooses among settings: the middle of the front of typical distance and its spread.
//!
//! As in *NSGA-II and NSGA-III in Kernel Tuner* (2025): the median and the interquartile range over
//! repeated runs are averaged over the devices of a kernel, and then over the kernels. The middle
//! of the front of both averages is chosen. If two are in the middle, a coin decides.

use std::collections::BTreeMap;

use math::{front, mean, seeded};
use rand::RngExt;

/// A candidate on one space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Median over the runs, less being better.
    pub median: f64,
    /// Interquartile range over the runs.
    pub range: f64,
}

/// The chosen candidate, and what it was chosen from.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Median and range of every candidate, averaged over kernels.
    pub averages: Vec<Candidate>,
    /// The candidates that no other beats in both averages, the smallest median first.
    pub front: Vec<usize>,
    /// The chosen candidate: the middle of the front.
    pub chosen: usize,
}

/// Chooses among so many candidates, of which `candidate` gives each on every space. `kernels` names
/// the kernel of each space, and `seed` decides the coin. `None` without candidates, spaces, or finite
/// values.
#[must_use]
pub fn choose(
    many: usize,
    kernels: &[String],
    candidate: impl Fn(usize, usize) -> Candidate,
    seed: u64,
) -> Option<Choice> {
    let of = |at| (0..kernels.len()).map(|space| candidate(at, space)).collect::<Vec<_>>();
    let averages: Vec<Candidate> = (0..many).map(|at| average(&of(at), kernels)).collect();
    let is_known = |at: &usize| averages[*at].median.is_finite() && averages[*at].range.is_finite();
    let known: Vec<usize> = (0..averages.len()).filter(is_known).collect();
    let points: Vec<[f64; 2]> =
        known.iter().map(|at| [averages[*at].median, averages[*at].range]).collect();
    let mut on_front: Vec<usize> = front(&points).into_iter().map(|at| known[at]).collect();
    // Equal medians stay in the order in which they were given.
    on_front.sort_by(|a, b| averages[*a].median.total_cmp(&averages[*b].median));
    let middle = match on_front.len() {
        0 => return None,
        odd if odd % 2 == 1 => odd / 2,
        even => even / 2 - usize::from(seeded(seed, 0xC017).random_range(0..2_u32) == 0),
    };
    Some(Choice { averages, chosen: on_front[middle], front: on_front })
}

/// Means over the spaces of each kernel, then over the kernels.
fn average(of_spaces: &[Candidate], kernels: &[String]) -> Candidate {
    let mut by_kernel: BTreeMap<&str, Vec<Candidate>> = BTreeMap::new();
    for (candidate, kernel) in of_spaces.iter().zip(kernels) {
        by_kernel.entry(kernel).or_default().push(*candidate);
    }
    let over = |of: fn(&Candidate) -> f64| {
        let kernels = by_kernel.values();
        mean(&kernels.map(|all| mean(&all.iter().map(of).collect::<Vec<_>>())).collect::<Vec<_>>())
    };
    Candidate { median: over(|one| one.median), range: over(|one| one.range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The choice among candidates with these medians and ranges on two devices with one kernel, and
    /// on one with another.
    fn chosen(table: &[[(f64, f64); 3]], seed: u64) -> Option<Choice> {
        let kernels = ["a", "a", "b"].map(str::to_owned);
        let of = |at: usize, space: usize| {
            let (median, range) = table[at][space];
            Candidate { median, range }
        };
        choose(table.len(), &kernels, of, seed)
    }

    #[test]
    fn devices_are_averaged_before_kernels() {
        let table = [[(1.0, 4.0), (3.0, 0.0), (8.0, 1.0)]];
        let choice = chosen(&table, 1).expect("one");
        // (1 + 3) / 2 = 2 and 8 give 5; ranges (4 + 0) / 2 = 2 and 1 give 1.5.
        assert_eq!(choice.averages, [Candidate { median: 5.0, range: 1.5 }]);
    }

    #[test]
    fn the_middle_of_the_front_is_chosen() {
        let same = |median: f64, range: f64| [(median, range); 3];
        // The third is beaten by the first; the front is 4, 0, 1 by rising median.
        let table = [
            same(0.2, 0.10),
            same(0.3, 0.05),
            same(0.25, 0.20),
            same(f64::INFINITY, 0.0),
            same(0.1, 0.30),
        ];
        let choice = chosen(&table, 7).expect("a choice");
        assert_eq!((choice.front, choice.chosen), (vec![4, 0, 1], 0));
        assert_eq!(chosen(&[], 7), None);
    }

    #[test]
    fn of_two_in_the_middle_a_coin_decides_that_its_seed_repeats() {
        let same = |median: f64, range: f64| [(median, range); 3];
        let table = [same(0.1, 0.3), same(0.2, 0.2)];
        let chosen = |seed| chosen(&table, seed).expect("a choice").chosen;
        let all: Vec<usize> = (0..20).map(chosen).collect();
        assert!(all.contains(&0) && all.contains(&1), "{all:?}");
        assert_eq!(all, (0..20).map(chosen).collect::<Vec<_>>());
    }
}
