//! Fresh samples of configurations that a search has tried, for finals.

use math::{Pair, PairedRatio, is_lower_in_pairs};
use records::{Measurement, Named, Outcome, Phase, Summary, Trial};

use super::{Evaluator, Hints, Ranking, TrialStore};

const LEAST_PAIRS: usize = 3;

/// Measures configurations interleaved and returns their fresh outcomes. Outcomes in the store are
/// not measured again: a resumed study may compare outcomes from before and after the interruption.
/// What is observed over a span of time, such as energy, comes from samples of each configuration
/// alone.
pub fn measured_together(
    size: u64,
    phase: Phase,
    names: &[Named],
    ranking: &Ranking,
    evaluator: &mut dyn Evaluator,
    store: &mut dyn TrialStore,
    patience: f64,
) -> Result<Vec<Outcome>, String> {
    let known = names.iter().map(|name| Some(store.recall(size, phase, name)?.outcome));
    let known: Vec<Option<Outcome>> = known.collect();
    let of = names.iter().zip(&known).filter(|(_, outcome)| outcome.is_none());
    let missing: Vec<Named> = of.map(|(name, _)| name.clone()).collect();
    let mut fresh = Vec::new();
    if !missing.is_empty() {
        let hints = Hints { beside: None, patience };
        fresh = evaluator.measure_again(size, &missing, &hints);
        for (name, outcome) in missing.iter().zip(&mut fresh) {
            let Some(measurement) = &mut outcome.measurement else { continue };
            if !ranking.is_observed(measurement) {
                let alone = evaluator.evaluate(size, name, &hints);
                outcome.costs += alone.costs;
                for (metric, value) in alone.measurement.into_iter().flat_map(|m| m.metrics) {
                    measurement.metrics.entry(metric).or_insert(value);
                }
            }
        }
        evaluator.lacking().map_or(Ok(()), Err)?;
        let trial = |(configuration, outcome): (&Named, &Outcome)| {
            let (configuration, outcome) = (configuration.clone(), outcome.clone());
            Trial { size, phase, configuration, outcome, score: None }
        };
        store.record(&missing.iter().zip(&fresh).map(trial).collect::<Vec<_>>())?;
    }
    let mut fresh = fresh.into_iter();
    Ok(known.into_iter().filter_map(|outcome| outcome.or_else(|| fresh.next())).collect())
}

/// Returns the costs of configurations that were measured alternately. Costs by run time come from
/// the ratio to the common reference, because the machine speed may have changed after some
/// configurations dropped out.
#[must_use]
pub fn paced_costs(ranking: &Ranking, names: &[Named], outcomes: &[Outcome]) -> Vec<f64> {
    let median = |outcome: &Outcome| Some(outcome.measurement.as_ref()?.seconds.median);
    let pace = |outcome: &Outcome| {
        let measurement = outcome.measurement.as_ref()?;
        let beside = measurement.beside.as_ref().filter(|_| ranking.follows_time())?;
        let reference = names.iter().position(|name| *name == beside.configuration)?;
        let seconds = beside.ratio * median(&outcomes[reference])?;
        Some(seconds / measurement.seconds.median).filter(|pace| pace.is_finite())
    };
    outcomes.iter().map(|o| ranking.cost(o) * pace(o).unwrap_or(1.0)).collect()
}

/// Whether a configuration's results are right on fresh inputs. Adds the cost to `seconds`.
pub fn holds_on_fresh_inputs(
    size: u64,
    name: &Named,
    ranking: &Ranking,
    evaluator: &mut dyn Evaluator,
    store: &mut dyn TrialStore,
    seconds: &mut f64,
) -> Result<bool, String> {
    let phase = Phase::Check;
    let outcome = match store.recall(size, phase, name) {
        Some(trial) => trial.outcome,
        None => {
            let outcome = evaluator.check_again(size, name);
            evaluator.lacking().map_or(Ok(()), Err)?;
            let (configuration, checked) = (name.clone(), outcome.clone());
            store.record(&[Trial { size, phase, configuration, outcome: checked, score: None }])?;
            outcome
        }
    };
    *seconds += outcome.costs.total();
    Ok(ranking.is_right(&outcome))
}

/// Whether two series of run times that were taken alternately differ by more than chance.
#[must_use]
pub(super) fn told_apart(a: &Measurement, b: &Measurement) -> bool {
    is_faster(a, b) || is_faster(b, a)
}

/// Whether the first of two series that were taken alternately is faster by more than chance. They
/// are compared pair by pair, because the machine speed may change and one series may end early.
#[must_use]
pub(super) fn is_faster(a: &Measurement, b: &Measurement) -> bool {
    let both = a.samples.iter().zip(&b.samples);
    is_lower_in_pairs(both.map(|(a, b)| (f64::from(*a), f64::from(*b))))
}

/// Returns the speed of the first as a multiple of the second's, and its interval. The ratio is
/// taken pair by pair, or of medians if the series were not taken alternately (as in recordings) or
/// have too few pairs.
#[must_use]
pub fn speed_up(of: &Measurement, over: &Measurement) -> (f64, (f64, f64)) {
    let in_turn = of.beside.is_some() || over.beside.is_some();
    let ratio = paired(over, of).filter(|_| in_turn);
    ratio.map_or_else(
        || speed_up_of_medians(&of.seconds, &over.seconds),
        |ratio| (ratio.value, ratio.stated),
    )
}

/// Returns the speed of the first as a multiple of the second's, and its interval, from medians.
#[must_use]
pub(super) fn speed_up_of_medians(of: &Summary, over: &Summary) -> (f64, (f64, f64)) {
    let interval = (over.interval.0 / of.interval.1, over.interval.1 / of.interval.0);
    (over.median / of.median, interval)
}

/// Returns the run time of the first as a multiple of the second's, if there are enough pairs.
fn paired(a: &Measurement, b: &Measurement) -> Option<PairedRatio> {
    let disturbed = |at: usize| {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        a.disturbed.contains(&at) || b.disturbed.contains(&at)
    };
    let both = a.samples.iter().zip(&b.samples).enumerate();
    PairedRatio::of(both.map(|(at, (first, second))| Pair {
        first: f64::from(*first),
        second: f64::from(*second),
        disturbed: disturbed(at),
    }))
    .filter(|ratio| ratio.pairs >= LEAST_PAIRS)
}

#[cfg(test)]
mod tests {
    use records::{Beside, Exit};

    use super::*;

    fn series(samples: &[f32]) -> Measurement {
        let seconds: Vec<f64> = samples.iter().map(|seconds| f64::from(*seconds)).collect();
        let seconds = Summary::of(&seconds).expect("samples");
        Measurement {
            seconds,
            samples: samples.to_vec(),
            exit: Exit::Precise,
            batch: 1,
            cold: None,
            flushed: false,
            disturbed: Vec::new(),
            beside: None,
            error: None,
            metrics: Default::default(),
        }
    }

    #[test]
    fn series_are_compared_pair_by_pair_whatever_the_machine_did_meanwhile() {
        // The second series goes on after the machine became twice as fast: its median is lower.
        let early = [2.0, 2.1, 1.9, 2.2, 2.0, 2.1, 1.9, 2.0, 2.1, 2.0, 1.9, 2.0];
        let slow: Vec<f32> = early.iter().map(|seconds| 1.06 * seconds).collect();
        let fast = [early.as_slice(), &[1.0; 30]].concat();
        let (slow, fast) = (series(&slow), series(&fast));
        assert!(is_faster(&fast, &slow) && !is_faster(&slow, &fast) && told_apart(&slow, &fast));
        let beside =
            Beside { configuration: Named::default(), ratio: 1.06, interval: (1.06, 1.06) };
        let in_turn = Measurement { beside: Some(beside), ..slow.clone() };
        let (faster, (low, high)) = speed_up(&fast, &in_turn);
        assert!((faster - 1.06).abs() < 1e-3 && low > 1.05 && high < 1.07, "{faster} {low} {high}");
        // Series that were not taken alternately have no pairs.
        let (faster, (_, high)) = speed_up(&fast, &slow);
        assert!(faster > 1.9 && high > 2.0, "{faster} {high}");
        // Disturbed samples do not count.
        let mut disturbed = in_turn.clone();
        disturbed.samples[0] = 99.0;
        disturbed.disturbed = vec![0];
        assert!(speed_up(&fast, &disturbed).1.1 < 1.07);
        assert!(!told_apart(&fast, &fast) && !told_apart(&series(&[1.0; 9]), &series(&[2.0; 9])));
    }
}
