//! Recorded trial of one configuration.

use std::collections::BTreeMap;

use math::mean;

use crate::{Costs, Exit, Measurement, Outcome, Status, Summary};

/// Recorded trial of one configuration; times in milliseconds, as in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTrial {
    /// How the trial ended.
    pub status: Status,
    /// Why the trial failed; empty if measured.
    pub reason: String,
    /// Time that the recording program reported (Kernel Tuner: the mean).
    pub time_ms: Option<f64>,
    /// Times of the single runs.
    pub times_ms: Vec<f64>,
    /// Time of compiling.
    pub compile_ms: f64,
    /// Time of checking.
    pub verification_ms: f64,
    /// Time of running.
    pub benchmark_ms: f64,
    /// Time of choosing the configuration.
    pub strategy_ms: f64,
    /// Time of everything else that the recording program did.
    pub framework_ms: f64,
    /// When the trial was recorded, as text in the recording program's format.
    pub timestamp: String,
    /// Other metrics, by name.
    pub metrics: BTreeMap<String, f64>,
    /// Other members of the row, as JSON by name: kept so that writing loses nothing.
    pub more: Vec<(String, String)>,
}

impl Default for RecordedTrial {
    fn default() -> Self {
        Self {
            status: Status::Measured,
            reason: String::new(),
            time_ms: None,
            times_ms: Vec::new(),
            compile_ms: 0.0,
            verification_ms: 0.0,
            benchmark_ms: 0.0,
            strategy_ms: 0.0,
            framework_ms: 0.0,
            timestamp: String::new(),
            metrics: BTreeMap::new(),
            more: Vec::new(),
        }
    }
}

impl RecordedTrial {
    /// Converts an outcome to the units of recorded spaces.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        let costs = &outcome.costs;
        let mut trial = Self {
            status: outcome.status,
            reason: outcome.reason.clone(),
            compile_ms: costs.compile * 1e3,
            verification_ms: costs.verify * 1e3,
            benchmark_ms: costs.measure * 1e3,
            framework_ms: costs.overhead * 1e3,
            ..Self::default()
        };
        let Some(measurement) = &outcome.measurement else { return trial };
        // The median, which studies report; a mean would depend on disturbances.
        trial.time_ms = Some(measurement.seconds.median * 1e3);
        trial.times_ms = measurement.samples.iter().map(|s| f64::from(*s) * 1e3).collect();
        trial.metrics.clone_from(&measurement.metrics);
        if let Some(error) = measurement.error {
            trial.metrics.insert("error".to_owned(), error);
        }
        if outcome.status == Status::Measured
            && let Some(cold) = measurement.cold
        {
            let caches = if cold { "cold" } else { "hot" };
            trial.keep("caches", format!("\"{caches}\""));
        }
        trial
    }

    /// The reported time, or the mean of the single runs.
    #[must_use]
    pub fn reported_ms(&self) -> Option<f64> {
        self.time_ms.or_else(|| Some(mean(&self.times_ms)).filter(|_| !self.times_ms.is_empty()))
    }

    /// Costs at the time of recording.
    #[must_use]
    pub fn costs(&self) -> Costs {
        Costs {
            compile: self.compile_ms / 1e3,
            verify: self.verification_ms / 1e3,
            measure: self.benchmark_ms / 1e3,
            overhead: self.framework_ms / 1e3,
            ..Costs::default()
        }
    }

    /// Converts the trial to an outcome. Its time is the reported one, whatever the runs say: a study
    /// of the recorded space then finds what the record calls best, and nothing better.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let seconds: Vec<f64> = self.times_ms.iter().map(|ms| ms / 1e3).collect();
        let reported = self.time_ms.map(|ms| ms / 1e3);
        let summary = match (Summary::of(&seconds), reported) {
            (Some(summary), Some(time)) => {
                let (low, high) = summary.interval;
                let interval = (low.min(time), high.max(time));
                Some(Summary { mean: time, median: time, interval, ..summary })
            }
            (Some(summary), None) => Some(summary),
            (None, Some(time)) => Summary::of(&[time]),
            (None, None) => None,
        };
        let Some(seconds) = summary.filter(|_| self.status == Status::Measured) else {
            return Outcome::failed(self.status, self.reason.clone(), self.costs());
        };
        Outcome {
            device: String::new(),
            status: Status::Measured,
            reason: String::new(),
            measurement: Some(Measurement {
                seconds,
                exit: Exit::Settled,
                batch: 1,
                cold: None,
                disturbed: Vec::new(),
                beside: None,
                flushed: false,
                samples: self.times_ms.iter().take(256).map(|ms| (ms / 1e3) as f32).collect(),
                error: self.metrics.get("error").copied(),
                metrics: self.metrics.clone(),
            }),
            costs: self.costs(),
        }
    }

    /// Keeps another member of the row; of several with one name, the last counts.
    pub fn keep(&mut self, name: &str, json: String) {
        match self.more.iter_mut().find(|(known, _)| known == name) {
            Some((_, kept)) => *kept = json,
            None => self.more.push((name.to_owned(), json)),
        }
    }
}
