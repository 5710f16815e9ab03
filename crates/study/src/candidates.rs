//! The candidates of a size: configurations that may be the best there.
//!
//! A search of a few dozen evaluations can miss what the search at the next size finds. So every
//! size tries winners of other sizes before its finals. What is nearly as fast as the best takes
//! part in the rounds of the answer, where all are compared at the machine speed that counts.

use std::collections::BTreeMap;

use records::{Named, SizeClosed};

use super::{StudyJournal, running::RunningStudy};

/// Returns winners of other sizes: those of finished sizes first, then those that win at more sizes,
/// then those of nearer sizes.
pub(super) fn winners_elsewhere(
    journal: &StudyJournal,
    size: u64,
    is_new: impl Fn(&Named) -> bool,
) -> Vec<Named> {
    let closed = journal.tuned();
    let mut others: Vec<&SizeClosed> =
        closed.into_values().filter(|other| other.size != size).collect();
    let distance = |other: u64| (other as f64 / size as f64).ln().abs();
    others.sort_by(|a, b| distance(a.size).total_cmp(&distance(b.size)));
    let mut wins: Vec<((bool, usize), &Named)> = Vec::new();
    for other in others {
        let Some(best) = &other.best else { continue };
        let name = &best.configuration;
        match wins.iter_mut().find(|(_, known)| *known == name) {
            Some(((finished, count), _)) => {
                *finished |= !other.provisional;
                *count += 1;
            }
            None => wins.push(((!other.provisional, 1), name)),
        }
    }
    wins.sort_by_key(|(of, _)| std::cmp::Reverse(*of));
    let names = wins.into_iter().map(|(_, name)| name).filter(|name| is_new(name));
    names.cloned().collect()
}

impl RunningStudy<'_> {
    /// Returns the candidates of a size besides its best and its default, with their run times:
    /// first winners of other sizes, so that neighbours are compared by the same configurations,
    /// then the fastest. Returns none unless run time is the only objective.
    pub(super) fn candidates(
        &self,
        journal: &StudyJournal,
        closed: &SizeClosed,
    ) -> Vec<(Named, f64)> {
        let (ranking, policy) = (&self.plan.ranking, self.policy());
        let Some(best) = &closed.best else { return Vec::new() };
        // A size that skips rounds has too few samples to compare candidates.
        let skips = best.seconds.median > policy.sample;
        if !ranking.follows_time() || skips {
            return Vec::new();
        }
        let mut least: BTreeMap<String, (&Named, f64)> = BTreeMap::new();
        for trial in journal.before_rounds(closed.size) {
            let name = &trial.configuration;
            let measured = trial.outcome.measurement.as_ref();
            // What failed or broke a bound in any trial does not take part.
            let seconds = match ranking.admissible(&trial.outcome).and(measured) {
                Some(measurement) => measurement.seconds.median,
                None => f64::NAN,
            };
            let known = least.entry(name.key()).or_insert((name, f64::INFINITY));
            known.1 =
                if known.1.is_nan() || seconds.is_nan() { f64::NAN } else { known.1.min(seconds) };
        }
        let own = least.get(&best.configuration.key()).map_or(best.seconds.median, |own| own.1);
        let default = closed.default.as_ref().map(|default| &default.configuration);
        let mut near: Vec<(Named, f64)> = least
            .into_values()
            .filter(|(name, _)| **name != best.configuration && Some(*name) != default)
            .filter(|(_, seconds)| *seconds <= policy.near * own)
            .map(|(name, seconds)| (name.clone(), seconds))
            .collect();
        let elsewhere = winners_elsewhere(journal, closed.size, |_| true);
        let place = |name: &Named| elsewhere.iter().position(|other| other == name);
        let rank = |of: &(Named, f64)| place(&of.0).unwrap_or(elsewhere.len());
        near.sort_by(|a, b| rank(a).cmp(&rank(b)).then(a.1.total_cmp(&b.1)));
        near.truncate(policy.candidates as usize);
        near
    }
}
