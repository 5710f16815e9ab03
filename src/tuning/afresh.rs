//! Fresh samples for configurations that a search has tried: what finals and second looks share.

use super::{Book, Evaluator, Hints, Ranking};
use crate::{
    numeric::mann_whitney,
    records::{Measurement, Named, Outcome, Phase, Status, Trial},
};

/// The level at which two series count as different.
const SIGNIFICANCE: f64 = 0.05;

/// Fresh outcomes, interleaved: from the book if they are all there, else measured together
/// (samples taken in different lives of a study are not interleaved). An objective that is observed
/// over a span of time, like energy, has no value where configurations take turns; then each is
/// measured by itself.
pub fn measured_together(
    size: u64,
    phase: Phase,
    names: &[Named],
    ranking: &Ranking,
    evaluator: &mut dyn Evaluator,
    book: &mut dyn Book,
    patience: f64,
) -> Result<Vec<Outcome>, String> {
    let known = names.iter().map(|name| book.recall(size, phase, name));
    if let Some(all) = known.collect::<Option<Vec<Trial>>>() {
        return Ok(all.into_iter().map(|trial| trial.outcome).collect());
    }
    let hints = Hints { best_seconds: None, patience };
    let mut outcomes = evaluator.measure_again(size, names, hints);
    let silent = |o: &Outcome| o.measurement.as_ref().is_some_and(|m| !ranking.complete(m));
    if outcomes.iter().any(silent) {
        for (name, outcome) in names.iter().zip(&mut outcomes) {
            let spent = outcome.costs.total();
            *outcome = evaluator.evaluate(size, name, hints);
            outcome.costs.overhead += spent;
        }
    }
    let trial = |(configuration, outcome): (&Named, &Outcome)| {
        let (configuration, outcome) = (configuration.clone(), outcome.clone());
        Trial { size, phase, configuration, outcome, score: None }
    };
    let trials: Vec<Trial> = names.iter().zip(&outcomes).map(trial).collect();
    book.record(&trials)?;
    Ok(outcomes)
}

/// Whether a configuration's results hold on fresh inputs; adds what that cost.
pub fn holds_on_fresh_inputs(
    size: u64,
    name: &Named,
    ranking: &Ranking,
    evaluator: &mut dyn Evaluator,
    book: &mut dyn Book,
    seconds: &mut f64,
) -> Result<bool, String> {
    let phase = Phase::Check;
    let outcome = match book.recall(size, phase, name) {
        Some(trial) => trial.outcome,
        None => {
            let outcome = evaluator.check_again(size, name);
            let (configuration, checked) = (name.clone(), outcome.clone());
            book.record(&[Trial { size, phase, configuration, outcome: checked, score: None }])?;
            outcome
        }
    };
    *seconds += outcome.costs.total();
    Ok(outcome.status == Status::Measured && ranking.admissible(&outcome).is_some())
}

/// Whether two interleaved series of run times differ by more than chance.
#[must_use]
pub fn told_apart(a: &Measurement, b: &Measurement) -> bool {
    let samples = |m: &Measurement| m.samples.iter().copied().map(f64::from).collect::<Vec<_>>();
    mann_whitney(&samples(a), &samples(b)).is_some_and(|test| test.p <= SIGNIFICANCE)
}
