//! Re-tunes sizes once growth has ended: a search of a few dozen evaluations can miss a
//! configuration that the search at another size finds, and that bends the curve.
//!
//! At every size, winners of other sizes that the size has not tried are measured alternating with
//! its own winner. Where the curve dips, this includes winners that the size's search tried and
//! rejected. One-step neighbours of winners are also tried: where the curve dips, and at a few
//! sizes from the middle of the curve on. What these find is transferred to all other sizes, also
//! to those that were re-tuned before.

use std::sync::atomic::Ordering;

use records::{
    Event, Measurement, Named, Phase, RoundsPurpose, SecondLook, SizeClosed,
    settings::{Goal, Sense},
};
use space::{ConfigurationId, Neighbourhood, Space};

use super::{
    StudyFault, StudyJournal,
    rivals::often,
    running::{self, RunningStudy},
};
use crate::tuning::{
    holds_on_fresh_inputs, is_faster, measured_together, paced_costs, speed_up, speed_up_of_medians,
};

/// Maximum number of other sizes' winners tried at a size; the nearest sizes come first.
const LENT: usize = 6;

/// A size dips if its value is less than this share of the value interpolated from its neighbours.
const DIPS: f64 = 0.95;
/// Maximum number of dips that are re-tuned, the deepest first.
const DEEPEST: usize = 4;
/// Maximum number of neighbours tried at a size.
const TRIED: usize = 12;
/// Number of sizes that try neighbours of their winner; each starts from the results of the one
/// before.
const CLIMBS: usize = 3;

/// Returns winners of other sizes that are not known at this size, the nearest sizes first.
fn lent(points: &[&SizeClosed], at: usize, known: impl Fn(&Named) -> bool) -> Vec<Named> {
    let mut others: Vec<usize> = (0..points.len()).collect();
    others.sort_by_key(|other| (other.abs_diff(at), *other < at));
    let mut challengers: Vec<Named> = Vec::new();
    for other in others.into_iter().filter_map(|other| points[other].best.as_ref()) {
        let name = &other.configuration;
        let room = challengers.len() < LENT;
        if room && !challengers.contains(name) && !known(name) {
            challengers.push(name.clone());
        }
    }
    challengers
}

/// Returns the positions where the curve dips, the deepest first.
fn dips(points: &[(u64, f64)]) -> Vec<usize> {
    let share = |at: usize| {
        let [(a, low), (x, y), (b, high)] = [points[at - 1], points[at], points[at + 1]];
        let [a, x, b] = [a, x, b].map(|size| (size as f64).ln());
        y / (low + (high - low) * (x - a) / (b - a))
    };
    let mut found: Vec<(f64, usize)> = (1..points.len().saturating_sub(1))
        .map(|at| (share(at), at))
        .filter(|(share, _)| *share < DIPS)
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, at)| at).take(DEEPEST).collect()
}

impl RunningStudy<'_> {
    /// Does all re-tuning: first with neighbours of winners, at most once for each size, then with
    /// winners of other sizes. A resumed study follows the decisions in its journal, which were
    /// made from the curve of that time.
    pub(super) fn look_around(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        // A single size was searched with the whole budget, and there is no size to transfer from.
        if self.plan.settings.goal == Goal::Tune {
            return Ok(());
        }
        if self.plan.inherits() {
            let sizes = journal.grown_sizes();
            for size in sizes.iter().skip(sizes.len() / 2).take(CLIMBS) {
                self.look(journal, |visit, known| visit.climb(known, *size))?;
            }
            self.look(journal, Self::dips)?;
        }
        // Configurations transferred in the first pass may then win at several sizes, and be new to
        // sizes that were re-tuned before.
        for _ in 0..2 {
            self.look(journal, Self::due)?;
        }
        Ok(())
    }

    /// Takes the next re-tuning decision from the journal, or makes and writes it, and re-tunes the
    /// sizes that are not done yet.
    fn look(
        &mut self,
        journal: &mut StudyJournal,
        decide: impl FnOnce(&mut Self, &StudyJournal) -> Result<Vec<SecondLook>, StudyFault>,
    ) -> Result<(), StudyFault> {
        if journal.looks().len() <= self.decided {
            // The participants of the answer's rounds are fixed once these rounds have begun.
            if journal.rounds(RoundsPurpose::Answer).next().is_some() {
                return Ok(());
            }
            let looks = decide(self, journal)?;
            journal.write(Event::Looks { looks })?;
        }
        let decisions: Vec<Vec<SecondLook>> =
            journal.looks()[..=self.decided].iter().map(|looks| looks.to_vec()).collect();
        let looks = &decisions[self.decided];
        self.decided += 1;
        for look in looks {
            let number = decisions.iter().flatten().filter(|other| other.size == look.size).count();
            if journal.looks_at(look.size) < number {
                self.look_again(journal, look)?;
            }
        }
        Ok(())
    }

    /// Decides to re-tune a size with one-step neighbours of its winner and of the winner at the
    /// size before.
    fn climb(&mut self, journal: &StudyJournal, size: u64) -> Result<Vec<SecondLook>, StudyFault> {
        if journal.looks_at(size) > 0 {
            return Ok(Vec::new());
        }
        let closed = journal.closed();
        let points: Vec<&SizeClosed> =
            closed.values().copied().filter(|closed| closed.best.is_some()).collect();
        let Some(at) = points.iter().position(|point| point.size == size) else {
            return Ok(Vec::new());
        };
        let near = [at, at.saturating_sub(1)];
        Ok(self.around(journal, &points, at, &near)?.into_iter().collect())
    }

    /// Returns a re-tuning of a size with winners of other sizes and with one-step neighbours of
    /// the winners at `near`; `None` if all are known. A winner is known only if it was a finalist
    /// here: a search may reject it after one disturbed measurement.
    fn around(
        &mut self,
        journal: &StudyJournal,
        points: &[&SizeClosed],
        at: usize,
        near: &[usize],
    ) -> Result<Option<SecondLook>, StudyFault> {
        let size = points[at].size;
        let space = self.subject.space(size).map_err(StudyFault::Benchmark)?;
        let is_known = |name: &Named| journal.was_finalist(size, name) || !holds(&space, name);
        let mut challengers = lent(points, at, is_known);
        for winner in near.iter().filter_map(|at| points[*at].best.as_ref()) {
            for name in beside(&space, &winner.configuration) {
                let room = challengers.len() < LENT + TRIED;
                if room && !challengers.contains(&name) && !journal.tried(size, &name) {
                    challengers.push(name);
                }
            }
        }
        Ok((!challengers.is_empty()).then_some(SecondLook { size, challengers }))
    }

    /// Returns a re-tuning for each size that has not tried winners of other sizes, by ascending
    /// size. A size that was re-tuned before gets only configurations that win at several sizes, if
    /// there is time.
    fn due(&mut self, journal: &StudyJournal) -> Result<Vec<SecondLook>, StudyFault> {
        let may_look_on = self.may_look_once_more(journal);
        let closed = journal.closed();
        let points: Vec<&SizeClosed> =
            closed.values().copied().filter(|closed| closed.best.is_some()).collect();
        let winners = points.iter().filter_map(|point| point.best.as_ref());
        let often = often(winners.map(|best| &best.configuration));
        let mut looks = Vec::new();
        for (at, point) in points.iter().enumerate() {
            let size = point.size;
            let is_first = !journal.was_looked_at(size);
            let is_lent = |name: &Named| is_first || (may_look_on && often.contains(name));
            let is_new = |name: &Named| {
                is_lent(name) && !journal.tried(size, name) && !journal.looked_at(size, name)
            };
            if lent(&points, at, |name| !is_new(name)).is_empty() {
                continue;
            }
            let space = self.subject.space(size).map_err(StudyFault::Benchmark)?;
            let challengers = lent(&points, at, |name| !is_new(name) || !holds(&space, name));
            if !self.in_time(journal, challengers.clone()).is_empty() {
                looks.push(SecondLook { size, challengers });
            }
        }
        Ok(looks)
    }

    /// Returns a re-tuning for each size where the curve dips, by ascending size; none if less of
    /// the metric is better.
    fn dips(&mut self, journal: &StudyJournal) -> Result<Vec<SecondLook>, StudyFault> {
        if self.plan.secondary.sense != Sense::Maximise {
            return Ok(Vec::new());
        }
        let value = |closed: &SizeClosed| Some(closed.best.as_ref()?.metric.as_ref()?.value);
        let closed = journal.closed();
        let points: Vec<&SizeClosed> =
            closed.values().copied().filter(|closed| value(closed).is_some()).collect();
        let curve: Vec<(u64, f64)> =
            points.iter().filter_map(|closed| Some((closed.size, value(closed)?))).collect();
        let mut looks = Vec::new();
        for at in dips(&curve) {
            if journal.looks_at(curve[at].0) == 0 {
                looks.extend(self.around(journal, &points, at, &[at, at - 1, at + 1])?);
            }
        }
        looks.sort_by_key(|look| look.size);
        Ok(looks)
    }

    /// Measures winner, default and challengers of a closed size. A faster challenger becomes the
    /// winner.
    fn look_again(
        &mut self,
        journal: &mut StudyJournal,
        look: &SecondLook,
    ) -> Result<(), StudyFault> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(StudyFault::Interrupted);
        }
        let size = look.size;
        self.listener.looks_again(size, journal.charged());
        let Some(before) = journal.closed().get(&size).copied().cloned() else { return Ok(()) };
        let Some(best) = before.best.clone() else { return Ok(()) };
        let default = before.default.as_ref().map(|default| default.configuration.clone());
        let mut names = vec![best.configuration.clone()];
        names.extend(default.clone().filter(|default| *default != best.configuration));
        let challengers = self.valid(size, &look.challengers)?;
        let challengers = self.in_time(journal, challengers);
        if challengers.is_empty() {
            // The size is closed again anyway: a resumed study counts closings to tell which
            // re-tunings are done.
            let why = format!("{}; there was no time to look again", before.why);
            return journal.write(Event::SizeClosed(SizeClosed { why, ..before }));
        }
        let again =
            if journal.was_looked_at(size) { ", then once more" } else { "; looked at again" };
        let in_turn = names.clone();
        names.extend(challengers.into_iter().filter(|name| !in_turn.contains(name)));
        let share = journal.opened(size).and_then(|opened| opened.seconds);
        let patience = running::patience(share.unwrap_or(f64::INFINITY));
        let phase = Phase::Again;
        let ranking = &self.plan.ranking;
        let outcomes =
            measured_together(size, phase, &names, ranking, self.evaluator, journal, patience)
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
                && (!by_time || is_faster(challenger, holder))
                && holds_on_fresh_inputs(size, name, ranking, self.evaluator, journal, &mut seconds)
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
            let figure_of_default =
                default.zip(of_default.as_ref()).map(|(name, m)| self.figure(size, &name, m));
            closed.default = figure_of_default.or(before.default);
            let speed_up = match &of_default {
                Some(of_default) => Some(speed_up(&fresh, of_default)),
                // The default failed this time.
                None => closed
                    .default
                    .as_ref()
                    .map(|default| speed_up_of_medians(&figure.seconds, &default.seconds)),
            };
            (closed.gain, closed.gain_interval) = speed_up.unzip();
            closed.best = Some(figure);
        }
        let what = match winner {
            0 => "the same configuration won",
            at if look.challengers.contains(&names[at]) => "another size lent its winner",
            _ => "the default won",
        };
        closed.why = format!("{}{again}, and {what}", before.why);
        journal.write(Event::SizeClosed(closed))
    }

    /// Returns those of the configurations that are in the size's space.
    fn valid(&mut self, size: u64, names: &[Named]) -> Result<Vec<Named>, StudyFault> {
        let space = self.subject.space(size).map_err(StudyFault::Benchmark)?;
        Ok(names.iter().filter(|name| holds(&space, name)).cloned().collect())
    }
}

/// Whether a space contains a configuration.
fn holds(space: &Space, name: &Named) -> bool {
    space.id_of_named(name.0.iter().map(|(name, value)| (name.as_str(), value))).is_some()
}

/// Returns the neighbours of a configuration that differ in one parameter by one step.
fn beside(space: &Space, of: &Named) -> Vec<Named> {
    let pairs = of.0.iter().map(|(name, value)| (name.as_str(), value));
    let Some(id) = space.id_of_named(pairs) else { return Vec::new() };
    let own = space.configuration(id).0;
    let by_one = |other: &ConfigurationId| {
        let other = space.configuration(*other).0;
        own.iter().zip(&other).all(|(a, b)| a.abs_diff(*b) <= 1)
    };
    let all = space.neighbours(id, Neighbourhood::Hamming).into_iter();
    all.filter(by_one).map(|id| Named::of(space, id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_below_what_its_neighbours_suggest_dips() {
        let curve = [(64, 35.0), (96, 36.0), (128, 57.0), (192, 51.0), (256, 63.0), (384, 66.0)];
        assert_eq!(dips(&curve), [1, 3]);
        let smooth: Vec<(u64, f64)> =
            (1..9).map(|at| (1 << at, f64::from(at) / (f64::from(at) + 2.0))).collect();
        assert!(dips(&smooth).is_empty() && dips(&curve[..2]).is_empty() && dips(&[]).is_empty());
    }
}
