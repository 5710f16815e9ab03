//! Samples several configurations alternately (through a callback) until their differences are
//! known.

use math::{self, Rng};
use rand::seq::SliceRandom as _;
use records::Exit;

use super::{
    MeasurePlan,
    measuring::{BatchChoice, Clock, Measured, Samplers},
    ratio::{is_precise, ratio, verdict},
    series::Series,
};

/// Samples configurations alternately, in a new random order each time. A configuration that fails
/// or is clearly worse than the best drops out. The others go on until their differences are known
/// or do not matter. The time limit is the plan's `max_seconds` times their number.
///
/// Also returns the position of the reference, to which all ratios refer. The reference is one of
/// the configurations sampled longest, since the machine speed may have changed after others
/// dropped out.
pub(super) fn measure<Fault>(
    choices: Vec<Result<BatchChoice, Fault>>,
    samplers: &mut Samplers<'_, Fault>,
    plan: &MeasurePlan,
    rng: &mut Rng,
    clock: &mut dyn Clock,
) -> (Vec<Result<Measured, Fault>>, Option<usize>) {
    let start = clock.seconds();
    let count = choices.len();
    let most_seconds = plan.max_seconds * count as f64;
    let most = plan.max_samples.max(1) as usize;
    let batches: Vec<u32> =
        choices.iter().map(|choice| choice.as_ref().map_or(1, |choice| choice.batch)).collect();
    let mut states: Vec<Result<Measured, Fault>> = choices
        .into_iter()
        .map(|choice| {
            // Ratios pair samples that were taken next to each other, so a pilot does not count.
            let series = Series::new(choice?.batch);
            Ok(Measured { series, exit: Exit::OutOfTime, beside: None })
        })
        .collect();
    let mut open: Vec<bool> = states.iter().map(Result::is_ok).collect();
    let mut order: Vec<usize> = (0..count).collect();
    for turn in 1.. {
        order.shuffle(rng);
        for which in order.iter().copied() {
            if !open[which] {
                continue;
            }
            let Ok(measured) = &mut states[which] else { continue };
            match samplers(which, batches[which]) {
                Ok(sample) => measured.series.push(sample),
                Err(fault) => {
                    states[which] = Err(fault);
                    open[which] = false;
                }
            }
        }
        close(&mut states, &mut open, plan);
        if turn >= most || clock.seconds() - start >= most_seconds || !open.contains(&true) {
            break;
        }
    }
    let reference = compare(&mut states);
    (states, reference)
}

/// Sets the ratio of all others to the best of the configurations that were sampled longest.
fn compare<Fault>(states: &mut [Result<Measured, Fault>]) -> Option<usize> {
    let seen = |(at, state): (usize, &Result<Measured, Fault>)| {
        let samples = state.as_ref().ok()?.series.samples();
        Some((at, samples.len(), math::median(samples)))
    };
    let sound = states.iter().enumerate().filter_map(seen);
    let (reference, ..) = sound.min_by(|a, b| b.1.cmp(&a.1).then(a.2.total_cmp(&b.2)))?;
    let series = states[reference].as_ref().ok()?.series.clone();
    let others = states.iter_mut().enumerate().filter(|(at, _)| *at != reference);
    for measured in others.filter_map(|(_, state)| state.as_mut().ok()) {
        measured.beside = ratio(&measured.series, &series);
    }
    Some(reference)
}

/// Closes configurations that need no more samples to compare them with the best.
fn close<Fault>(states: &mut [Result<Measured, Fault>], open: &mut [bool], plan: &MeasurePlan) {
    let median = |state: &Result<Measured, Fault>| match state {
        Ok(measured) => math::median(measured.series.samples()),
        Err(_) => f64::INFINITY,
    };
    let participants = || (0..states.len()).filter(|at| open[*at]);
    let Some(best) =
        participants().min_by(|a, b| median(&states[*a]).total_cmp(&median(&states[*b])))
    else {
        return;
    };
    let Ok(leader) = &states[best] else { return };
    let leader = leader.series.clone();
    // Two configurations are compared to get their ratio, and go on until it is precise.
    let only_two = states.iter().filter(|state| state.is_ok()).count() == 2;
    let (mut undecided, mut goes_on) = (false, false);
    let others: Vec<usize> = participants().filter(|at| *at != best).collect();
    for at in others {
        let Ok(measured) = &mut states[at] else { continue };
        let apart = ratio(&measured.series, &leader);
        goes_on |= only_two && !apart.is_some_and(|apart| is_precise(&apart, plan.precision));
        match apart.and_then(|apart| verdict(&apart, plan.precision, only_two)) {
            Some(exit) => {
                measured.exit = exit;
                open[at] = exit != Exit::Hopeless || only_two;
            }
            None => {
                measured.exit = Exit::OutOfTime;
                undecided = true;
            }
        }
    }
    // The best and those as good go on until no configuration is undecided.
    let long = leader.kernel_seconds() >= plan.min_seconds;
    let enough = leader.samples().len() >= plan.min_samples as usize;
    if let Ok(measured) = &mut states[best] {
        let decided = !undecided && long && enough;
        measured.exit = if decided { Exit::Precise } else { Exit::OutOfTime };
        if decided && !goes_on {
            open.fill(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use math::seeded;

    use super::{
        super::measuring::tests::{Steps, timed},
        *,
    };

    #[test]
    fn several_take_turns_in_new_orders_and_one_fault_stops_one_of_them() {
        let order = std::cell::RefCell::new(Vec::new());
        let mut samplers = |who: usize, _: u32| {
            order.borrow_mut().push(who);
            let taken = order.borrow().iter().filter(|w| **w == who).count();
            match who {
                1 if taken > 4 => Err("broke"),
                3 => Ok(timed(5e-3)),
                _ => Ok(timed(1e-3)),
            }
        };
        let plan = MeasurePlan { min_seconds: 0.0, ..MeasurePlan::default() };
        let choice = || Ok(BatchChoice { batch: 1, first: None, too_short: None });
        let choices = vec![choice(), choice(), choice(), choice()];
        let (measured, reference) =
            measure(choices, &mut samplers, &plan, &mut seeded(1, 0), &mut Steps(0.0));
        assert_eq!(measured[1].as_ref().err(), Some(&"broke"));
        let far = measured[3].as_ref().expect("fine");
        assert_eq!((far.exit, far.series.samples().len()), (Exit::Hopeless, 3));
        for at in [0, 2] {
            let close = measured[at].as_ref().expect("fine");
            assert_eq!((close.exit, close.series.samples().len()), (Exit::Precise, 10));
        }
        assert!(reference == Some(0) || reference == Some(2), "{reference:?}");
        let order = order.borrow();
        let rounds: Vec<&[usize]> = order[..12].chunks(4).collect();
        assert!(rounds.windows(2).any(|pair| pair[0] != pair[1]), "{rounds:?}");
    }

    #[test]
    fn what_dropped_out_in_a_fast_while_is_no_faster_than_what_went_on() {
        let mut taken = 0;
        // The machine gets slower. The second configuration is always a tenth behind the first.
        let mut samplers = |who: usize, _: u32| {
            taken += 1;
            let drift = if taken <= 21 { 1.0 } else { 2.0 };
            let wobble = 1.0 + 0.01 * f64::from(taken % 3);
            Ok::<_, ()>(timed(drift * [1e-3 * wobble, 1.15e-3, 2e-3][who]))
        };
        let plan = MeasurePlan { min_seconds: 0.2, ..MeasurePlan::default() };
        let choice = || Ok(BatchChoice { batch: 1, first: None, too_short: None });
        // With two configurations, the ratio itself would be wanted.
        let choices = vec![choice(), choice(), choice()];
        let (measured, reference) =
            measure(choices, &mut samplers, &plan, &mut seeded(1, 0), &mut Steps(0.0));
        let [first, second] = [&measured[0], &measured[1]].map(|m| m.as_ref().expect("fine"));
        let median = |measured: &Measured| measured.series.summary().median;
        assert!(second.exit == Exit::Hopeless && median(second) < median(first));
        let ratio = second.beside.expect("compared").value;
        assert!(reference == Some(0) && first.beside.is_none() && ratio > 1.1, "{ratio}");
    }
}
