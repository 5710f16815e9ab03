//! What the simulated time of a strategy's runs is spent on: figure 6 of *Accuracy-aware
//! mixed-precision GPU auto-tuning* (2026).

use super::{Landscape, Simulated};

/// Shares of the simulated time of runs on one space.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TimeShares {
    /// Mean seconds of a run.
    pub seconds: f64,
    /// Compiling.
    pub compile: f64,
    /// Comparing results with the reference.
    pub check: f64,
    /// The recorded runs of the kernel.
    pub benchmark: f64,
    /// The tuner's overhead.
    pub framework: f64,
    /// The strategy's own computing; 0 where it is not charged.
    pub strategy: f64,
}

impl TimeShares {
    /// The shares of these runs' time together.
    #[must_use]
    pub fn of(landscape: &Landscape, runs: &[Simulated]) -> Self {
        let mut sums = Self::default();
        for run in runs {
            sums.seconds += run.run.times.last().copied().unwrap_or(0.0);
            sums.strategy += run.thinking;
            for id in &run.order {
                let stages = landscape.cell(*id).stages;
                sums.compile += stages.compile;
                sums.check += stages.check;
                sums.framework += stages.framework;
            }
        }
        // The rest are runs of the kernel, also at further visits.
        let rest = sums.seconds - sums.compile - sums.check - sums.framework - sums.strategy;
        let share = |seconds: f64| if sums.seconds > 0.0 { seconds / sums.seconds } else { 0.0 };
        Self {
            seconds: sums.seconds / runs.len().max(1) as f64,
            compile: share(sums.compile),
            check: share(sums.check),
            benchmark: share(rest.max(0.0)),
            framework: share(sums.framework),
            strategy: share(sums.strategy),
        }
    }

    /// The shares with their names in files.
    #[must_use]
    pub const fn named(&self) -> [(&'static str, f64); 5] {
        [
            ("compile_share", self.compile),
            ("check_share", self.check),
            ("benchmark_share", self.benchmark),
            ("framework_share", self.framework),
            ("strategy_share", self.strategy),
        ]
    }
}

#[cfg(test)]
mod tests {
    use exchange::RecordedSpace;
    use records::{Named, RecordedTrial};
    use search_api::Budget;
    use space::Value;

    use super::*;
    use crate::{ScoredStrategy, Thinking, simulate};

    #[test]
    fn all_time_is_in_some_stage_and_further_visits_only_run() {
        let mut recorded = RecordedSpace::new(vec![(
            "a".to_owned(),
            vec![Value::from(1_i64), Value::from(2_i64)],
        )]);
        for a in [1_i64, 2] {
            let trial = RecordedTrial {
                time_ms: Some(100.0),
                times_ms: vec![100.0; 10],
                compile_ms: 3000.0,
                verification_ms: 500.0,
                framework_ms: 500.0,
                ..RecordedTrial::default()
            };
            recorded.insert(Named(vec![("a".to_owned(), Value::from(a))]), trial);
        }
        let landscape = Landscape::new("made", &recorded).expect("valid");
        let random = ScoredStrategy::parse("random").expect("known");
        let budget = Budget::evaluations(2);
        let mut run = simulate(&landscape, random.searcher(), budget, 1, Thinking::Free);
        let shares = TimeShares::of(&landscape, std::slice::from_ref(&run));
        assert!((shares.seconds - 10.0).abs() < 1e-9);
        let wanted = [0.6, 0.1, 0.2, 0.1, 0.0];
        for ((name, share), wanted) in shares.named().into_iter().zip(wanted) {
            assert!((share - wanted).abs() < 1e-9, "{name}: {share}");
        }
        // Ten further seconds of runs, and five of the strategy.
        run.run.times.push(25.0);
        run.thinking = 5.0;
        let shares = TimeShares::of(&landscape, &[run]);
        assert!((shares.benchmark - 12.0 / 25.0).abs() < 1e-9);
        assert!((shares.strategy - 0.2).abs() < 1e-9);
    }
}
