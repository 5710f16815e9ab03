//! Random search: configurations drawn uniformly, without repetition.

use super::{Knobs, Problem, Stop, Strategy};
use crate::registry::Entry;

/// Configurations announced ahead.
const AHEAD: usize = 8;

inventory::submit!(Entry::<dyn Strategy>(&Random));

struct Random;

impl Strategy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["random_sample"]
    }

    fn about(&self) -> &'static str {
        "draws configurations at random, none twice; the yardstick for every other strategy"
    }

    fn reference(&self) -> &'static str {
        "Bergstra and Bengio, Random Search for Hyper-Parameter Optimization, JMLR 13, 2012"
    }

    fn search(&self, problem: &mut dyn Problem, _knobs: &Knobs) -> Result<(), Stop> {
        problem.evaluate_all(&problem.starts())?;
        let mut shuffle = problem.space().shuffle();
        loop {
            let draw = |_| shuffle.next(problem.rng());
            let batch: Vec<_> = (0..AHEAD).map_while(draw).collect();
            if batch.is_empty() {
                return Ok(());
            }
            problem.evaluate_all(&batch)?;
        }
    }
}
