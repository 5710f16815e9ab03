//! The state of a running study in words: best value, knee, failures, and the time left.

use std::time::Instant;

use records::{BenchmarkRecord, Status, Trial, uncertainty};
use report::exporters::{
    quantities::{grouped, seconds},
    words::trade_offs,
};
use search_api::Spent;
use study::tuning::Ranking;

/// Charged seconds from which on the ratio of real time to charged time is used.
const ENOUGH: f64 = 3.0;

/// Evaluations from which on the time per evaluation is used.
const SEVERAL: u64 = 3;

/// The state of a running study.
pub(super) struct SoFar {
    ranking: Ranking,
    benchmark: BenchmarkRecord,
    /// The size that is searched.
    pub(super) size: u64,
    /// What is searched at this size; empty for everything.
    pub(super) phase: &'static str,
    /// The cost of the best reportable configuration of the size, and its description.
    best: Option<(f64, String)>,
    knee: Option<f64>,
    failures: usize,
    /// When the search of the size began, and its number of evaluations since.
    search: (Instant, u64),
}

impl SoFar {
    pub(super) fn new(ranking: Ranking, benchmark: BenchmarkRecord) -> Self {
        let search = (Instant::now(), 0);
        Self { ranking, benchmark, size: 0, phase: "", best: None, knee: None, failures: 0, search }
    }

    /// Begins the search of a size.
    pub(super) fn begin(&mut self, size: u64) {
        self.size = size;
        self.phase = "";
        self.best = None;
        self.search = (Instant::now(), 0);
    }

    pub(super) fn located(&mut self, knee: Option<f64>) {
        self.knee = knee;
    }

    /// Adds a trial. `is_new` is false for trials that an earlier process measured.
    pub(super) fn tried(&mut self, trial: &Trial, is_new: bool) {
        self.search.1 += u64::from(is_new);
        if trial.outcome.status != Status::Measured {
            self.failures += 1;
        }
        let cost = self.ranking.cost(&trial.outcome);
        if cost.is_finite() && self.best.as_ref().is_none_or(|(best, _)| cost < *best) {
            self.best = Some((cost, self.in_words(trial)));
        }
    }

    /// Describes a trial by its objective and time. If time is the objective, by time and the
    /// metric that saturates.
    fn in_words(&self, trial: &Trial) -> String {
        let Some(measurement) = &trial.outcome.measurement else { return String::new() };
        let time = seconds(measurement.seconds.median);
        let objective = self.ranking.objective.metric.as_str();
        let by_time = objective == "seconds";
        let metric = if by_time { self.benchmark.secondary.name.as_str() } else { objective };
        let value = measurement.value(metric).filter(|_| !["", "seconds"].contains(&metric));
        let Some(value) = value else { return time };
        let uncertainty = uncertainty(&measurement.metrics, metric);
        let value = trade_offs::with_uncertainty(metric, value, uncertainty);
        let figure = format!("{value} {}", self.benchmark.unit(metric));
        match by_time {
            true => format!("{time}, {}", figure.trim_end()),
            false => format!("{metric} {} ({time})", figure.trim_end()),
        }
    }

    /// Progress of the search of a size: `size 4096, 3/24, best 1.25 ms, 34.1 GB/s`.
    pub(super) fn search(&self, spent: &Spent) -> String {
        let limit = spent.limit.map(|limit| format!("/{limit}")).unwrap_or_default();
        let (size, number) = (grouped(self.size), spent.evaluations + 1);
        let mut words = format!("{}size {size}, {number}{limit}", self.phase);
        if let Some((_, best)) = &self.best {
            words += &format!(", best {best}");
        }
        words
    }

    /// The knee so far, and the number of failures.
    pub(super) fn knee(&self) -> String {
        let knee = self.knee.map(|knee| format!(", knee so far {}", grouped(knee as u64)));
        let failures = (self.failures > 0).then(|| format!(", {} failed", self.failures));
        knee.unwrap_or_default() + &failures.unwrap_or_default()
    }

    /// Seconds until the search reaches its limit of evaluations, if that can be estimated.
    pub(super) fn search_left(&self, spent: &Spent) -> Option<f64> {
        let left = spent.limit?.saturating_sub(spent.evaluations);
        let (begun, done) = self.search;
        let pace = begun.elapsed().as_secs_f64() / done as f64;
        (done >= SEVERAL).then_some(pace * left as f64)
    }
}

/// Upper limit of a study's remaining time: the unspent budget times the ratio of real to charged
/// time.
pub(super) struct Clock {
    /// The study's budget in seconds; infinite without a limit.
    limit: f64,
    /// Seconds charged so far.
    charged: f64,
    /// Seconds that earlier processes charged, once known.
    earlier: Option<f64>,
    begun: Instant,
    /// When the first size began.
    opened: Instant,
}

impl Clock {
    pub(super) fn new(limit: f64) -> Self {
        let now = Instant::now();
        Self { limit, charged: 0.0, earlier: None, begun: now, opened: now }
    }

    pub(super) fn charge(&mut self, seconds: f64) {
        self.charged += seconds;
    }

    /// Sets the seconds charged so far.
    pub(super) fn set(&mut self, charged: f64) {
        if self.earlier.is_none() {
            // The time until now opened devices, which no budget is charged for.
            self.earlier = Some(charged);
            self.opened = Instant::now();
        }
        self.charged = charged;
    }

    /// Sets the seconds of the budget that are left.
    pub(super) fn set_left(&mut self, left: f64) {
        if self.limit.is_finite() {
            self.charged = self.limit - left;
        }
    }

    pub(super) fn elapsed(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// Share of the budget that is spent; 0 without a budget.
    pub(super) fn share(&self) -> f64 {
        if self.limit.is_finite() { (self.charged / self.limit).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Real seconds until the budget is spent; infinite without a budget.
    pub(super) fn left(&self) -> f64 {
        self.left_after(self.opened.elapsed().as_secs_f64())
    }

    fn left_after(&self, elapsed: f64) -> f64 {
        let own = self.charged - self.earlier.unwrap_or(0.0);
        let pace = if own > ENOUGH { elapsed / own } else { 1.0 };
        (self.limit - self.charged).max(0.0) * pace
    }
}

#[cfg(test)]
mod tests {
    use records::{
        Costs, Exit, Measurement, MetricRecord, Named, Outcome, Phase, Summary,
        settings::{Objective, Sense},
    };

    use super::*;

    fn so_far(objective: &str) -> SoFar {
        let metric = objective.to_owned();
        let ranking = Ranking {
            objective: Objective { metric, sense: Sense::Minimise },
            ..Ranking::default()
        };
        let secondary = MetricRecord {
            name: "bandwidth".to_owned(),
            unit: "GB/s".to_owned(),
            sense: Sense::Maximise,
        };
        let benchmark = BenchmarkRecord { secondary, ..BenchmarkRecord::default() };
        let mut so_far = SoFar::new(ranking, benchmark);
        so_far.begin(65_536);
        so_far
    }

    fn trial(seconds: f64) -> Trial {
        let metrics = [("bandwidth".to_owned(), 0.012 / seconds), ("energy".to_owned(), 0.5)];
        let measurement = Measurement {
            seconds: Summary::of(&[seconds]).expect("a sample"),
            exit: Exit::Precise,
            batch: 1,
            cold: None,
            flushed: false,
            samples: Vec::new(),
            disturbed: Vec::new(),
            beside: None,
            error: None,
            metrics: metrics.into(),
        };
        let outcome = Outcome::measured(measurement, Costs::default());
        let (phase, configuration) = (Phase::Search, Named::default());
        Trial { size: 65_536, phase, configuration, outcome, score: None }
    }

    #[test]
    fn the_best_is_told_in_the_unit_of_its_metric() {
        let spent = Spent { evaluations: 3, limit: Some(24), ..Spent::default() };
        let mut by_time = so_far("seconds");
        [2e-3, 1e-3, 4e-3].iter().for_each(|seconds| by_time.tried(&trial(*seconds), true));
        let words = by_time.search(&spent).replace('\u{a0}', " ");
        assert_eq!(words, "size 65 536, 4/24, best 1 ms, 12 GB/s");
        let failed = Outcome::failed(Status::Crashed, "why", Costs::default());
        by_time.tried(&Trial { outcome: failed, ..trial(1.0) }, true);
        by_time.located(Some(4096.0));
        assert_eq!(by_time.knee(), ", knee so far 4096, 1 failed");
        let mut by_energy = so_far("energy");
        by_energy.tried(&trial(2e-3), true);
        assert!(by_energy.search(&spent).ends_with("best energy 0.5 J (2 ms)"));
        by_energy.begin(7);
        assert_eq!(by_energy.search(&spent), "size 7, 4/24", "that was of another size");
    }

    #[test]
    fn what_is_left_follows_the_clock_and_not_what_earlier_lives_spent() {
        let mut clock = Clock::new(100.0);
        assert!((clock.left_after(0.1) - 100.0).abs() < 1e-9);
        clock.set(40.0);
        clock.charge(10.0);
        // 10 s of the budget took 20 s of real time.
        assert!((clock.left_after(20.0) - 100.0).abs() < 1e-9);
        clock.set_left(30.0);
        assert!((clock.left_after(60.0) - 60.0).abs() < 1e-9);
        assert!((clock.share() - 0.7).abs() < 1e-9);
        assert!(Clock::new(f64::INFINITY).left_after(5.0).is_infinite());
    }
}
