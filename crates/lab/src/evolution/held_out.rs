//! The final table: the best candidate and other strategies on held-out spaces.

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

/// Standard errors on each side of a 95 % interval.
const ERRORS: f64 = 1.96;
/// Number of resamples of the spaces.
const RESAMPLES: usize = 10_000;
/// Fewest spaces for an interval over similar spaces.
const SEVERAL: usize = 3;

/// The strategies and spaces that the best candidate is compared on.
pub struct HeldOut<'a> {
    /// The plan of the table.
    pub plan: &'a TestPlan,
    /// The spaces of the plan.
    pub landscapes: &'a [Landscape],
    /// The strategies of the plan.
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

    /// Makes the table; `None` if the user stopped it. Run `i` has the same seed as in `autobench
    /// score`, so that the values can be reproduced there.
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
    // Runs of two strategies are independent.
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
        // Over two spaces, each total has the error √(0.03² + 0.04²) / 2 = 0.025.
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
