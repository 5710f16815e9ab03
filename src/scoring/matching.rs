//! What a strategy needs to be as good as another one at its end.

use super::{Attained, Landscape, Simulated};

/// What runs need to reach a cost; infinite where more than half of them do not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matching {
    /// Different configurations, over the runs.
    pub evaluations: Attained,
    /// Simulated seconds, over the runs.
    pub seconds: Attained,
}

impl Matching {
    /// What these runs need to reach `target` or better.
    #[must_use]
    pub fn of(landscape: &Landscape, runs: &[Simulated], target: f64, seed: u64) -> Self {
        let needed: Vec<(f64, f64)> =
            runs.iter().map(|run| needed(landscape, run, target)).collect();
        let over = |of: fn(&(f64, f64)) -> f64| {
            Attained::over(&needed.iter().map(of).collect::<Vec<_>>(), seed)
        };
        Self { evaluations: over(|needed| needed.0), seconds: over(|needed| needed.1) }
    }
}

/// Different configurations and seconds of a run until it has something as good as the target.
fn needed(landscape: &Landscape, run: &Simulated, target: f64) -> (f64, f64) {
    let reached = |value: Option<f64>| value.is_some_and(|value| value <= target);
    let evaluations = run.order.iter().position(|id| reached(landscape.cell(*id).value));
    let answer = run.run.values.iter().position(|value| reached(*value));
    let seconds = answer.map_or(f64::INFINITY, |at| run.run.times[at]);
    (evaluations.map_or(f64::INFINITY, |at| (at + 1) as f64), seconds)
}
