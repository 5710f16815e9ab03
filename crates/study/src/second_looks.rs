//! Second looks at sizes once growth has ended: a search of a few dozen evaluations can miss what
//! the search at the next size finds, and that bends the curve. At every size, untried winners of
//! other sizes are measured in turn with the size's own winner; where the curve dips, so are those
//! that its search tried and turned down. One-step neighbours of a winner in one parameter are
//! tried, too: where the curve dips, and at a few sizes behind its middle, from where they are lent
//! to all others, those that were looked at before them among these.

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

/// Most winners of other sizes tried at a size, those of the nearest first.
const LENT: usize = 6;

/// A size dips if it reaches less than this share of what its neighbours suggest.
const DIPS: f64 = 0.95;
/// Most dips looked at, the deepest first, and most neighbours tried in each.
const DEEPEST: usize = 4;
const TRIED: usize = 12;
/// Sizes that climb: each begins with what the one before it has found.
const CLIMBS: usize = 3;

/// Winners of other sizes that are not known at this one, the nearest first.
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

/// Positions of the sizes where the curve dips, the deepest first.
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
    /// Makes all second looks: at most one around the winner of each size, then those for what others found. An
    /// earlier life of the study decided from the curve as it was then, and this one follows its decisions.
    pub(super) fn look_around(&mut self, journal: &mut StudyJournal) -> Result<(), StudyFault> {
        // The search of a single size has had the whole budget, and no other size lends it anything.
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
        // What is lent to most may then win at several, and be new to those that were looked at before.
        for _ in 0..2 {
            self.look(journal, Self::due)?;
        }
        Ok(())
    }

    /// Decides on looks unless the journal has the decision, and makes those not made yet.
    fn look(
        &mut self,
        journal: &mut StudyJournal,
        decide: impl FnOnce(&mut Self, &StudyJournal) -> Result<Vec<SecondLook>, StudyFault>,
    ) -> Result<(), StudyFault> {
        if journal.looks().len() <= self.decided {
            // What takes part in the rounds of the answer was decided before them.
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

    /// A look at a size with one-step neighbours of its winner.
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

    /// A look at a size with winners of other sizes and neighbours of the winners at `near`; `None`
    /// if all are known. A winner is known only if it was a finalist here: a search that meets it
    /// in a bad moment turns it down.
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

    /// Looks at sizes that do not know winners of others, by ascending size. One that was looked at before others found
    /// theirs is lent what wins at several, if there is time.
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

    /// The looks that are due at dips, by ascending size; none if the metric is no rate.
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

    /// Measures winner, default and challengers of a closed size; a faster challenger takes over.
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
            // Closed again nevertheless, so that a study that was cut knows how far the looks are.
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
                // It failed this time.
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

    /// The configurations that the size's own space holds.
    fn valid(&mut self, size: u64, names: &[Named]) -> Result<Vec<Named>, StudyFault> {
        let space = self.subject.space(size).map_err(StudyFault::Benchmark)?;
        Ok(names.iter().filter(|name| holds(&space, name)).cloned().collect())
    }
}

/// Whether a configuration is one of a space.
fn holds(space: &Space, name: &Named) -> bool {
    space.id_of_named(name.0.iter().map(|(name, value)| (name.as_str(), value))).is_some()
}

/// Neighbours of a configuration in one parameter, by one step of its values.
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
