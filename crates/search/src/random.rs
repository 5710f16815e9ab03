//! Random search: configurations drawn uniformly, without repetition.

use registry::Knobs;
use search_api::{Problem, Stop, Strategy};

/// Configurations per call of `evaluate_all`.
const AHEAD: usize = 8;

inventory::submit!(Strategy {
    name: "random",
    aliases: &["random_sample"],
    about: "draws configurations at random, none twice; the yardstick for every other strategy",
    reference: "Bergstra and Bengio, Random Search for Hyper-Parameter Optimization, JMLR 13, 2012",
    knobs: &[],
    presets: &[],
    search: &search,
});

fn search(problem: &mut dyn Problem, _knobs: &Knobs) -> Result<(), Stop> {
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
