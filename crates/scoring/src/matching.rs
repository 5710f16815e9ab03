//! What a strategy needs to become as good as another one is at its end.

use super::{Attained, Landscape, Simulated};

/// What runs need to reach a cost; infinite if more than half of them never reach it.
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
    pub fn of(landscape: &Landscape, runs: &[Simulated], target: f64) -> Self {
        let needed: Vec<(f64, f64)> =
            runs.iter().map(|run| needed(landscape, run, target)).collect();
        let over = |of: fn(&(f64, f64)) -> f64| {
            Attained::ordered(&needed.iter().map(of).collect::<Vec<_>>())
        };
        Self { evaluations: over(|needed| needed.0), seconds: over(|needed| needed.1) }
    }
}

/// Different configurations and seconds that a run needs to find something as good as the target.
fn needed(landscape: &Landscape, run: &Simulated, target: f64) -> (f64, f64) {
    let reached = |value: Option<f64>| value.is_some_and(|value| value <= target);
    let evaluations = run.order.iter().position(|id| reached(landscape.cell(*id).value));
    let never = (f64::INFINITY, f64::INFINITY);
    evaluations.map_or(never, |at| ((at + 1) as f64, run.seconds[at]))
}

#[cfg(test)]
mod tests {
    use exchange::RecordedSpace;
    use records::{Named, RecordedTrial};
    use space::{ConfigurationId, Value};

    use super::*;
    use crate::Run;

    #[test]
    fn evaluations_and_seconds_are_those_of_the_first_that_is_as_good() {
        let values: Vec<Value> = (0..4_i64).map(Value::from).collect();
        let mut recorded = RecordedSpace::new(vec![("a".to_owned(), values)]);
        for at in 0..4_i64 {
            let trial =
                RecordedTrial { time_ms: Some(1.0 + at as f64), ..RecordedTrial::default() };
            recorded.insert(Named(vec![("a".to_owned(), Value::from(at))]), trial);
        }
        let landscape = Landscape::new("made", &recorded).expect("valid");
        let run = |order: &[u64]| {
            let ids: Vec<ConfigurationId> = order.iter().map(|id| ConfigurationId(*id)).collect();
            let values = ids.iter().map(|id| landscape.cell(*id).value).collect();
            let times: Vec<f64> = (1..=ids.len()).map(|n| 10.0 * n as f64).collect();
            let seconds = times.clone();
            Simulated { run: Run { times, values }, order: ids, seconds, ..Simulated::default() }
        };
        // The runs reach 2 ms or better after 3, 1 and 2 evaluations.
        let runs = [run(&[3, 2, 1]), run(&[0, 3]), run(&[2, 1, 0])];
        let matching = Matching::of(&landscape, &runs, 2e-3);
        assert!((matching.evaluations.median - 2.0).abs() < 1e-12);
        assert!((matching.seconds.median - 20.0).abs() < 1e-12);
        let never = Matching::of(&landscape, &[run(&[3]), run(&[2]), run(&[0])], 1e-3);
        assert!(never.evaluations.median.is_infinite());
    }
}
