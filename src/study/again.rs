//! A second look at sizes once growth has ended: a search of a few dozen evaluations can miss what the
//! search at the next size finds, and that bends the curve. What won beside a size and was never tried
//! there is measured in turn with the size's own winner.

use std::sync::atomic::Ordering;

use super::{Chronicle, StudyFault, point, point::Visit};
use crate::{
    records::{Event, Measurement, Named, Phase, SizeClosed},
    tuning::{holds_on_fresh_inputs, measured_together, paced_costs, told_apart},
};

/// How many winners of other sizes are tried at a size, those of the nearest first.
const LENT: usize = 6;

/// A size to look at again, with winners of larger sizes that it never tried.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Look {
    size: u64,
    challengers: Vec<Named>,
}

/// The looks that are due, by ascending size. Every size has one at most, once growth has ended.
pub(super) fn due(chronicle: &Chronicle) -> Vec<Look> {
    let closed = chronicle.closed();
    let points: Vec<&SizeClosed> = closed.values().copied().filter(|c| c.best.is_some()).collect();
    let mut looks = Vec::new();
    for (at, point) in points.iter().enumerate() {
        if chronicle.closed_again(point.size) {
            continue;
        }
        let mut challengers: Vec<Named> = Vec::new();
        let mut others: Vec<usize> = (0..points.len()).collect();
        others.sort_by_key(|other| (other.abs_diff(at), *other < at));
        for other in others.into_iter().filter_map(|other| points[other].best.as_ref()) {
            let name = &other.configuration;
            let room = challengers.len() < LENT;
            if room && !challengers.contains(name) && !chronicle.tried(point.size, name) {
                challengers.push(name.clone());
            }
        }
        if !challengers.is_empty() {
            looks.push(Look { size: point.size, challengers });
        }
    }
    looks
}

impl Visit<'_> {
    /// Measures the winner, the default and the challengers of a closed size together. A
    /// challenger that is faster takes over.
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
        let costs = paced_costs(ranking, &names, &outcomes);
        let by_time = ranking.objective.metric == "seconds";
        let mut winner = 0;
        for (at, name) in names.iter().enumerate().skip(1) {
            if let Some((challenger, holder)) = fresh(at).zip(fresh(winner))
                && costs[at] < costs[winner]
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
        if winner != 0
            && let Some(fresh) = fresh(winner)
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
            at if look.challengers.contains(&names[at]) => "another size lent its winner",
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
