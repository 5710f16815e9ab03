//! A second look at a size once two larger ones are closed. On a shared machine whole seconds can
//! be slow, and a search can miss what the next one finds: a size that fell out of the curve, or
//! that never tried what won at a larger size, is measured once more before anything is made of it.

use std::sync::atomic::Ordering;

use super::{Chronicle, StudyFault, point, point::Visit};
use crate::{
    records::{Event, Measurement, Named, Phase, SizeClosed},
    tuning::{holds_on_fresh_inputs, measured_together, told_apart},
};

/// A size is a dip if it falls this share below what smaller and what larger sizes reach.
const DIP: f64 = 0.06;
/// How many larger sizes are closed before a size is looked at again, and lend their winners.
const LARGER: usize = 2;

/// A size to look at again, with winners of larger sizes that it never tried.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Look {
    size: u64,
    challengers: Vec<Named>,
}

/// The looks that are due, by ascending size. Every size has one at most.
pub(super) fn due(chronicle: &Chronicle) -> Vec<Look> {
    let closed = chronicle.closed();
    let points: Vec<&SizeClosed> = closed.values().copied().filter(|c| c.best.is_some()).collect();
    let value = |point: &&SizeClosed| Some(point.best.as_ref()?.metric.as_ref()?.value);
    let curve: Vec<f64> = points.iter().map(|point| value(point).unwrap_or(0.0)).collect();
    let highest = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
    let mut looks = Vec::new();
    for (at, point) in points.iter().enumerate().take(points.len().saturating_sub(LARGER)) {
        if chronicle.closed_again(point.size) {
            continue;
        }
        let level = highest(&curve[..at]).min(highest(&curve[at + 1..]));
        let mut challengers: Vec<Named> = Vec::new();
        for larger in points[at + 1..].iter().take(LARGER).filter_map(|p| p.best.as_ref()) {
            let name = &larger.configuration;
            if !challengers.contains(name) && !chronicle.tried(point.size, name) {
                challengers.push(name.clone());
            }
        }
        if !challengers.is_empty() || curve[at] < (1.0 - DIP) * level {
            looks.push(Look { size: point.size, challengers });
        }
    }
    looks
}

impl Visit<'_> {
    /// Measures the winner, the default and the challengers of a closed size together. A
    /// challenger that is faster takes over; else the faster look at the winner stays, for what
    /// disturbs a measurement makes it slower.
    pub(super) fn look_again(
        &mut self,
        chronicle: &mut Chronicle,
        look: &Look,
    ) -> Result<(), StudyFault> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(StudyFault::Interrupted);
        }
        let size = look.size;
        self.audience.looks_again(size);
        let Some(before) = chronicle.closed().get(&size).copied().cloned() else { return Ok(()) };
        let Some(best) = before.best.clone() else { return Ok(()) };
        let default = before.default.as_ref().map(|default| default.configuration.clone());
        let mut names = vec![best.configuration.clone()];
        names.extend(default.clone().filter(|default| *default != best.configuration));
        names.extend(self.valid(size, &look.challengers)?);
        let share = chronicle.opened(size).and_then(|opened| opened.seconds);
        let patience = point::patience(share.unwrap_or(f64::INFINITY));
        let phase = Phase::Again;
        let ranking = &self.plan.ranking;
        let outcomes =
            measured_together(size, phase, &names, ranking, self.evaluator, chronicle, patience)
                .map_err(StudyFault::Records)?;

        let mut seconds = outcomes.iter().map(|outcome| outcome.costs.total()).sum::<f64>();
        let fresh = |at: usize| -> Option<&Measurement> {
            ranking.admissible(&outcomes[at])?;
            outcomes[at].measurement.as_ref()
        };
        let cost = |at: usize| ranking.cost(&outcomes[at]);
        let by_time = ranking.objective.metric == "seconds";
        let mut winner = 0;
        for (at, name) in names.iter().enumerate().skip(1) {
            if let Some((challenger, holder)) = fresh(at).zip(fresh(winner))
                && cost(at) < cost(winner)
                && (!by_time || told_apart(challenger, holder))
                && holds_on_fresh_inputs(
                    size,
                    name,
                    ranking,
                    self.evaluator,
                    chronicle,
                    &mut seconds,
                )
                .map_err(StudyFault::Records)?
            {
                winner = at;
            }
        }
        let mut closed = SizeClosed { seconds: before.seconds + seconds, ..before.clone() };
        let kept = winner == 0;
        if let Some(fresh) = fresh(winner)
            && !(kept && fresh.seconds.median >= best.seconds.median)
        {
            let fresh = fresh.clone();
            let figure = self.figure(size, &names[winner], &fresh);
            let of_default = names.iter().position(|name| Some(name) == default.as_ref());
            let of_default = of_default.and_then(|at| outcomes[at].measurement.clone());
            let of_default = default.zip(of_default).map(|(name, m)| self.figure(size, &name, &m));
            closed.default = of_default.or(before.default);
            (closed.gain, closed.gain_interval) =
                point::gain(Some(&figure), closed.default.as_ref());
            closed.best = Some(figure);
        }
        let what = match winner {
            0 => "the same configuration won",
            at if look.challengers.contains(&names[at]) => "a larger size lent its winner",
            _ => "the default won",
        };
        closed.why = format!("{}; looked at again, and {what}", before.why);
        chronicle.write(Event::SizeClosed(closed))
    }

    /// Those that the size's own space holds.
    fn valid(&mut self, size: u64, names: &[Named]) -> Result<Vec<Named>, StudyFault> {
        let space = self.subject.space(size).map_err(StudyFault::Benchmark)?;
        let holds = |name: &&Named| {
            space.id_of_named(name.0.iter().map(|(name, value)| (name.as_str(), value))).is_some()
        };
        Ok(names.iter().filter(holds).cloned().collect())
    }
}
