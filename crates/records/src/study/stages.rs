//! Wall time of a study, divided into stages.

use crate::{Costs, StudyRecord, StudyView};

/// Wall time of a study in seconds, divided into stages.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stages {
    /// Working time over all sessions; for a recorded space, the recorded time of the trials.
    pub wall: f64,
    /// Costs of trials and rounds.
    pub costs: Costs,
    /// Seconds in which the strategy chose configurations.
    pub strategy: f64,
    /// Whether the times come from a recorded space.
    pub simulated: bool,
}

impl Stages {
    /// Stages of a study, finished or not.
    #[must_use]
    pub fn of(record: &StudyRecord, view: &StudyView) -> Self {
        let mut costs = Costs::default();
        for row in &view.trials {
            costs += row.event.trial.outcome.costs;
        }
        for event in &view.rounds {
            costs += event.costs;
        }
        let simulated = record.is_replayed();
        let wall = if simulated { costs.total() } else { view.hours.wall(record.started) };
        let strategy = if simulated { 0.0 } else { view.hours.choosing };
        Self { wall, costs, strategy, simulated }
    }

    /// Stages with their seconds, in the order of reports. They add up to [`Self::whole`]; the rest
    /// is `own`. Records of older versions have no separate time of kernels.
    #[must_use]
    pub fn parts(&self) -> Vec<(&'static str, f64)> {
        let Costs { compile, fill, verify, measure, .. } = self.costs;
        let kernels = self.kernels();
        let mut parts = match kernels > 0.0 {
            true => vec![("kernels", kernels), ("rest of measuring", measure - kernels)],
            false => vec![("measuring", measure)],
        };
        parts.extend([("compile", compile), ("fill", fill), ("verify", verify)]);
        parts.extend([("strategy", self.strategy), ("own", self.whole() - self.accounted())]);
        parts
    }

    /// The wall time; or the sum of the stages, if devices working in parallel made that longer.
    #[must_use]
    pub fn whole(&self) -> f64 {
        self.wall.max(self.accounted())
    }

    /// Whether the stages add up to more than the wall time, because devices worked in parallel.
    #[must_use]
    pub fn is_side_by_side(&self) -> bool {
        self.accounted() > self.wall
    }

    /// Share of measuring that was spent inside kernels, if known.
    #[must_use]
    pub fn share_in_kernels(&self) -> Option<f64> {
        let share = self.kernels() / self.costs.measure;
        (share > 0.0 && share.is_finite()).then_some(share)
    }

    /// The stages as JSON.
    #[must_use]
    pub fn document(&self) -> serde_json::Value {
        let parts: serde_json::Map<String, serde_json::Value> = self
            .parts()
            .into_iter()
            .map(|(word, seconds)| (word.replace(' ', "_"), seconds.into()))
            .collect();
        serde_json::json!({
            "wall": self.wall,
            "simulated": self.simulated,
            "seconds": parts,
            "share_of_measuring_in_kernels": self.share_in_kernels(),
        })
    }

    fn kernels(&self) -> f64 {
        self.costs.kernel.min(self.costs.measure)
    }

    fn accounted(&self) -> f64 {
        self.costs.total() - self.costs.overhead + self.strategy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages(wall: f64) -> Stages {
        let costs = Costs {
            compile: 2.0,
            fill: 1.0,
            verify: 1.0,
            measure: 5.0,
            kernel: 4.0,
            overhead: 0.5,
            compare: 0.25,
        };
        Stages { wall, costs, strategy: 0.5, simulated: false }
    }

    #[test]
    fn the_parts_add_up_to_the_wall_time() {
        let stages = stages(12.0);
        let parts = stages.parts();
        let sum: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
        assert!((sum - 12.0).abs() < 1e-12, "{parts:?}");
        assert_eq!(parts[0], ("kernels", 4.0));
        assert_eq!(parts.last().map(|(word, own)| (*word, (own * 2.0) as i64)), Some(("own", 5)));
        assert_eq!(stages.share_in_kernels(), Some(0.8));
        assert_eq!(stages.document()["seconds"]["rest_of_measuring"], 1.0);
        assert!(!stages.is_side_by_side());
    }

    #[test]
    fn devices_side_by_side_do_more_than_the_clock_shows() {
        let stages = stages(4.0);
        assert!(stages.is_side_by_side());
        let sum: f64 = stages.parts().iter().map(|(_, seconds)| seconds).sum();
        assert!((sum - stages.whole()).abs() < 1e-12 && stages.whole() > 9.0);
    }

    #[test]
    fn older_records_do_not_tell_kernels_from_the_rest() {
        let mut stages = stages(12.0);
        stages.costs.kernel = 0.0;
        assert_eq!(stages.parts()[0], ("measuring", 5.0));
        assert_eq!(stages.share_in_kernels(), None);
    }
}
