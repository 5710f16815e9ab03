//! A search for the settings of a strategy: a setting costs what it lacks of the optimum, in the mean over
//! recorded spaces.

use super::{
    KnobGrid, Landscape, ScoredStrategy, ScoredStrategyError, StrategyComparison, Thinking, Watch,
    standings,
};
use crate::{
    numeric::mean,
    space::ConfigurationId,
    strategies::{Analytic, Budget, Evaluation, Ledger, Lookup, Stop},
    tuning::Searcher,
};

/// A setting with its scores.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredSetting {
    /// The setting as a user would write it.
    pub entry: String,
    /// Its number in the grid; `None` of the strategy as it is.
    pub id: Option<ConfigurationId>,
    /// Its score on every space: 0 is random search, 1 the optimum.
    pub scores: Vec<f64>,
    /// Standard errors of these over the runs; `None` of a single run.
    pub errors: Vec<Option<f64>>,
}

impl ScoredSetting {
    /// Mean over the spaces.
    #[must_use]
    pub fn score(&self) -> f64 {
        mean(&self.scores)
    }

    /// Standard error of the mean over the spaces, which stay the same ones.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        let squares: Option<Vec<f64>> =
            self.errors.iter().map(|error| error.map(|e| e * e)).collect();
        let squares = squares?;
        Some(squares.iter().sum::<f64>().sqrt() / squares.len() as f64)
    }
}

/// What settings are scored on.
#[derive(Clone, Copy)]
pub struct KnobSearch<'a> {
    /// The settings.
    pub grid: &'a KnobGrid,
    /// Recorded spaces.
    pub landscapes: &'a [Landscape],
    /// Runs on each space.
    pub repeats: usize,
    /// Seed of the first run of every setting, and of the search.
    pub seed: u64,
}

impl KnobSearch<'_> {
    /// Scores one setting, or the strategy as it is.
    ///
    /// # Errors
    /// If values that are allowed alone are not allowed together.
    pub fn scored(
        &self,
        id: Option<ConfigurationId>,
        watch: Watch<'_>,
    ) -> Result<ScoredSetting, ScoredStrategyError> {
        let entry = id.map_or_else(|| self.grid.plain().to_owned(), |id| self.grid.entry(id));
        let strategies = [ScoredStrategy::parse(&entry)?];
        let comparison = StrategyComparison {
            landscapes: self.landscapes,
            strategies: &strategies,
            repeats: self.repeats,
            seed: self.seed,
            thinking: Thinking::Free,
            budget: None,
        };
        let runs = comparison.hold(watch);
        if (watch.stopped)() {
            let (scores, errors) = (Vec::new(), Vec::new());
            return Ok(ScoredSetting { entry, id, scores, errors });
        }
        let of_spaces = standings(&comparison, &runs, &[]).into_iter().flatten();
        let (scores, errors) =
            of_spaces.map(|standing| (standing.score, standing.standard_error)).unzip();
        Ok(ScoredSetting { entry, id, scores, errors })
    }

    /// Searches for at most so many settings, and tells every one as soon as it is scored. How the search
    /// itself ended is returned.
    pub fn search(
        &self,
        searcher: Searcher<'_>,
        evaluations: u64,
        watch: Watch<'_>,
        told: &mut dyn FnMut(&ScoredSetting),
    ) -> Result<(), Stop> {
        let budget = Budget { evaluations: Some(evaluations), ..Budget::default() };
        let answer = |ledger: &mut Ledger, id| match ledger.ask(id)? {
            Lookup::Known(evaluation) => Ok(evaluation),
            Lookup::New => {
                let scored = self.scored(Some(id), watch);
                if (watch.stopped)() {
                    return Err(Stop::Interrupted);
                }
                let evaluation = match &scored {
                    Ok(setting) => Evaluation::scored(1.0 - setting.score()),
                    Err(_) => Evaluation::failed(),
                };
                ledger.record(id, evaluation.clone(), 1.0);
                scored.iter().for_each(&mut *told);
                Ok(evaluation)
            }
        };
        let space = std::sync::Arc::clone(&self.grid.space);
        let mut problem = Analytic::answering(space, budget, self.seed, answer);
        searcher.search(&mut problem)
    }
}

/// The setting with the best mean over the spaces, but for one that is left out.
fn best_without(settings: &[ScoredSetting], left_out: Option<usize>) -> Option<&ScoredSetting> {
    let mean_of = |setting: &ScoredSetting| {
        let counts = |at: &usize| Some(*at) != left_out;
        let places = (0..setting.scores.len()).filter(counts);
        mean(&places.map(|at| setting.scores[at]).collect::<Vec<_>>())
    };
    settings.iter().max_by(|a, b| mean_of(a).total_cmp(&mean_of(b)))
}

/// The setting with the best mean over the spaces.
#[must_use]
pub fn best_setting(settings: &[ScoredSetting]) -> Option<&ScoredSetting> {
    best_without(settings, None)
}

/// What settings score that were chosen without the space they are scored on: of each space in turn, the score
/// there of the setting that is best on the others. `None` of a single space.
#[must_use]
pub fn left_one_out(settings: &[ScoredSetting]) -> Option<Vec<f64>> {
    let places = settings.first()?.scores.len();
    if places < 2 {
        return None;
    }
    (0..places)
        .map(|at| best_without(settings, Some(at)).map(|setting| setting.scores[at]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(entry: &str, scores: &[f64]) -> ScoredSetting {
        let errors = vec![Some(0.03); scores.len()];
        ScoredSetting { entry: entry.to_owned(), id: None, scores: scores.to_vec(), errors }
    }

    #[test]
    fn a_space_has_no_say_in_its_own_setting_when_it_is_left_out() {
        let settings = [setting("a", &[0.9, 0.1, 0.1]), setting("b", &[0.2, 0.4, 0.4])];
        assert_eq!(best_setting(&settings).map(|s| s.entry.as_str()), Some("a"));
        // Without the first space `b` is better, without another one `a`.
        assert_eq!(left_one_out(&settings), Some(vec![0.2, 0.1, 0.1]));
        assert_eq!(left_one_out(&[setting("a", &[0.5])]), None);
        let error = settings[0].error().expect("repeats");
        assert!((error - 0.03 / 3.0_f64.sqrt()).abs() < 1e-12, "{error}");
    }
}
