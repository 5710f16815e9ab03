//! The final table: the best candidate and others on spaces that no candidate was scored on.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use math::{bootstrap_interval, mean};
use records::{
    CandidateRecord, Difference, EventLog, FamilyEvent, FamilyRules, TestPlan, TestRow, TestTable,
};
use scoring::{
    Landscape, ScoredStrategy, Standing, StrategyComparison, Thinking, Watch, Wins, standings,
    total,
};

use super::{
    evolving::{FamilyError, file_name},
    family::Family,
    fitness::stoppable,
};
use crate::scripts::{Deadline, Script, ScriptFault};

/// Standard errors on both sides of a 95 % interval.
const ERRORS: f64 = 1.96;
/// Resamples of the spaces.
const RESAMPLES: usize = 10_000;
/// Fewest spaces that say something of others like them.
const SEVERAL: usize = 3;

/// What the best candidate is compared with, and where.
pub struct HeldOut<'a> {
    /// The plan.
    pub plan: &'a TestPlan,
    /// Its spaces.
    pub landscapes: &'a [Landscape],
    /// Its strategies.
    pub against: &'a [ScoredStrategy],
}

impl HeldOut<'_> {
    /// Number of runs.
    #[must_use]
    pub fn runs(&self) -> u64 {
        let pairs = (1 + self.against.len()) * self.landscapes.len();
        pairs as u64 * u64::from(self.plan.repeats)
    }

    /// Makes the table of a family's best candidate, once; `false` if the user stopped it.
    ///
    /// # Errors
    /// If it cannot be made or written.
    pub fn conclude(
        &self,
        family: &mut Family,
        journal: &mut EventLog<FamilyEvent>,
        watch: Watch<'_>,
    ) -> Result<bool, FamilyError> {
        let view = family.view();
        let Some(best) = view.best().filter(|_| view.test.is_none()) else { return Ok(true) };
        let Some(table) = self.table(&view.record.rules, best, watch)? else { return Ok(false) };
        family.write(journal, FamilyEvent::Tested(table))?;
        Ok(true)
    }

    /// The table; nothing if the user stopped it. Run `i` has the seed that `autobench score` gives
    /// it, so that the figures can be had again there.
    fn table(
        &self,
        rules: &FamilyRules,
        best: &CandidateRecord,
        watch: Watch<'_>,
    ) -> Result<Option<TestTable>, ScriptFault> {
        let began = Instant::now();
        let path = file_name(best.number);
        let deadline = Arc::new(Deadline::after(Duration::MAX));
        let script = Script::load(&path, &best.code)?.until(Arc::clone(&deadline));
        let mut strategies =
            vec![ScoredStrategy::of_search(&best.name, move |problem| script.search(problem))];
        strategies.extend(self.against.iter().cloned());
        let comparison = StrategyComparison {
            landscapes: self.landscapes,
            strategies: &strategies,
            repeats: self.plan.repeats as usize,
            seed: rules.seed,
            thinking: Thinking::Free,
            budget: None,
        };
        let runs = stoppable(&deadline, watch.stopped, || comparison.hold(watch));
        if (watch.stopped)() {
            return Ok(None);
        }
        let all = standings(&comparison, &runs, &[]);
        let row = |(at, own): (usize, &Vec<Standing>)| {
            let (score, standard_error) = total(own);
            TestRow {
                strategy: strategies[at].label.clone(),
                score,
                standard_error,
                spaces: own.iter().map(|one| (one.score, one.standard_error)).collect(),
                difference: (at > 0).then(|| difference(&all[0], own, rules.seed)),
            }
        };
        Ok(Some(TestTable {
            best: best.number,
            repeats: self.plan.repeats,
            seed: rules.seed,
            spaces: self.landscapes.iter().map(|landscape| landscape.name.clone()).collect(),
            rows: all.iter().enumerate().map(row).collect(),
            seconds: began.elapsed().as_secs_f64(),
        }))
    }
}

/// How much better one strategy is than another over the same spaces.
fn difference(one: &[Standing], other: &[Standing], seed: u64) -> Difference {
    let of_spaces: Vec<f64> = one.iter().zip(other).map(|(a, b)| a.score - b.score).collect();
    let score = mean(&of_spaces);
    let errors = total(one).1.zip(total(other).1);
    // Runs of two strategies are independent of each other.
    let half = errors.map(|(a, b)| ERRORS * a.hypot(b));
    let over_spaces = match of_spaces.len() >= SEVERAL {
        true => bootstrap_interval(&of_spaces, mean, 0.95, RESAMPLES, seed),
        false => None,
    };
    Difference {
        score,
        interval: half.map(|half| (score - half, score + half)),
        over_spaces,
        better_on: of_spaces.iter().filter(|difference| **difference > 0.0).count() as u64,
        wins: Wins::over_spaces(one, other).probability,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(score: f64, error: f64) -> Standing {
        Standing {
            score,
            standard_error: Some(error),
            performance: Vec::new(),
            errors: Vec::new(),
            fractions: Vec::new(),
            bests: Vec::new(),
            progress: Vec::new(),
            deviations: Vec::new(),
            finals: vec![1.0 - score],
        }
    }

    #[test]
    fn errors_of_both_add_in_squares_and_spaces_are_resampled_in_pairs() {
        // Each total has the error (0.03² + 0.04²)^½ / 2 = 0.025 over two spaces.
        let one = [standing(0.6, 0.03), standing(0.4, 0.04)];
        let other = [standing(0.5, 0.03), standing(0.5, 0.04)];
        let two = difference(&one, &other, 1);
        assert!(two.score.abs() < 1e-12 && two.better_on == 1);
        let (low, high) = two.interval.expect("errors");
        let half = ERRORS * 0.025 * 2.0_f64.sqrt();
        assert!((low + half).abs() < 1e-12 && (high - half).abs() < 1e-12);
        assert_eq!(two.over_spaces, None, "two spaces say nothing of others");
        let ahead: Vec<Standing> = [0.5, 0.6, 0.7].map(|score| standing(score, 0.1)).into();
        let behind: Vec<Standing> = [0.4, 0.5, 0.6].map(|score| standing(score, 0.1)).into();
        let (low, high) = difference(&ahead, &behind, 1).over_spaces.expect("three spaces");
        assert!((low - 0.1).abs() < 1e-9 && (high - 0.1).abs() < 1e-9, "{low} {high}");
    }
}
