//! Overview of a recorded space: outcomes, times, and costs.

use std::collections::HashSet;

use records::{Costs, RecordedTrial, Status};

use crate::RecordedSpace;

/// Summary of a recorded space.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// Number of rows for each outcome that occurs, in the order of [`Status::ALL`].
    pub outcomes: Vec<(Status, usize)>,
    /// Row with the shortest time.
    pub best: Option<usize>,
    /// Times of measured rows in milliseconds: shortest, median, longest.
    pub times_ms: Option<(f64, f64, f64)>,
    /// Fewest and most runs of a measured row.
    pub runs: Option<(usize, usize)>,
    /// Total costs of all rows.
    pub costs: Costs,
    /// Names of the metrics that occur.
    pub metrics: Vec<String>,
}

impl Overview {
    /// Overview of a space. Costs a sort of its times.
    #[must_use]
    pub fn of(space: &RecordedSpace) -> Self {
        let trials = space.trials();
        let count = |status| trials.iter().filter(|trial| trial.status == status).count();
        let counts = Status::ALL.map(|status| (status, count(status)));
        let measured = || trials.iter().enumerate().filter(|(_, t)| t.status == Status::Measured);
        let timed = |(row, trial): (usize, &RecordedTrial)| Some((row, time(trial)?));
        let best = measured().filter_map(timed).min_by(|a, b| a.1.total_cmp(&b.1));
        let sorted = math::sorted(&measured().filter_map(|(_, t)| time(t)).collect::<Vec<_>>());
        let runs = || measured().map(|(_, trial)| trial.times_ms.len());
        let mut seen = HashSet::new();
        let names = trials.iter().flat_map(|trial| trial.metrics.keys());
        let metrics: Vec<String> = names.filter(|name| seen.insert(*name)).cloned().collect();
        let mut costs = Costs::default();
        trials.iter().for_each(|trial| costs += trial.costs());
        Self {
            outcomes: counts.into_iter().filter(|(_, count)| *count > 0).collect(),
            best: best.map(|(row, _)| row),
            times_ms: best.map(|(_, best)| (best, math::median(&sorted), sorted[sorted.len() - 1])),
            runs: runs().min().zip(runs().max()),
            costs,
            metrics,
        }
    }
}

/// The reported time, or the mean of the runs.
fn time(trial: &RecordedTrial) -> Option<f64> {
    let mean = || (!trial.times_ms.is_empty()).then(|| math::mean(&trial.times_ms));
    trial.time_ms.or_else(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_and_times_are_ordered() {
        let mut space = RecordedSpace::new(vec![("a".to_owned(), Vec::new())]);
        for (value, status, time_ms) in [
            (1, Status::Measured, Some(3.0)),
            (2, Status::Measured, Some(1.0)),
            (3, Status::CompileFailed, None),
            (4, Status::Measured, Some(9.0)),
        ] {
            let configuration = super::super::Named(vec![("a".to_owned(), value.into())]);
            let trial =
                RecordedTrial { status, time_ms, compile_ms: 500.0, ..RecordedTrial::default() };
            space.insert(configuration, trial);
        }
        let overview = Overview::of(&space);
        assert_eq!(overview.outcomes, [(Status::Measured, 3), (Status::CompileFailed, 1)]);
        assert_eq!((overview.best, overview.times_ms), (Some(1), Some((1.0, 3.0, 9.0))));
        assert!((overview.costs.compile - 2.0).abs() < 1e-12);
        assert_eq!(Overview::of(&RecordedSpace::default()).times_ms, None);
    }
}
