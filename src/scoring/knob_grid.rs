//! The settings of a strategy as a space: its knobs are the parameters, so that any strategy can search it.

use std::sync::Arc;

use super::{ScoredStrategy, ScoredStrategyError};
use crate::{
    registry::{Allowed, GridError, Knob, combined},
    scripts,
    space::{ConfigurationId, Parameter, Space, SpaceError, Value},
};

/// Where no values are given, these multiples of a number's default are tried.
const MULTIPLES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Steps over the range of a number whose default is nothing.
const STEPS: usize = 5;

/// Settings of a strategy.
#[derive(Debug, Clone)]
pub struct KnobGrid {
    /// The strategy, with the knobs that are fixed: `name`, or `name:knob=value`.
    fixed: String,
    /// Names of the knobs that are searched, each with its values as a user would write them.
    knobs: Vec<(String, Vec<String>)>,
    /// The settings by number.
    pub space: Arc<Space>,
}

/// Why a text stands for no settings.
#[derive(Debug, thiserror::Error)]
pub enum KnobGridError {
    /// The strategy or a setting is unknown, or a value is not allowed.
    #[error(transparent)]
    Strategy(#[from] ScoredStrategyError),
    /// Braces cannot be read.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// There are too many settings.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// There is nothing to search.
    #[error("`{0}` has no knobs that could be searched")]
    NoKnobs(String),
}

impl KnobGrid {
    /// Reads `name:knob={a,b,c}:other=d`: knobs with braces are searched, those without are fixed. Without
    /// any braces, every knob that is not fixed is searched around its default.
    ///
    /// # Errors
    /// If the strategy, a knob or a value is unknown, or nothing is left to search.
    pub fn parse(text: &str) -> Result<Self, KnobGridError> {
        let mut parts = text.split(':');
        let mut fixed = parts.next().unwrap_or_default().trim().to_owned();
        let name = fixed.clone();
        let mut knobs = Vec::new();
        let mut known = Vec::new();
        for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some((knob, values)) if values.contains('{') => {
                    knobs.push((knob.trim().to_owned(), combined(values.trim())?));
                }
                _ => {
                    fixed += &format!(":{part}");
                    known.extend(part.split_once('=').map(|(knob, _)| knob.trim().to_owned()));
                }
            }
        }
        ScoredStrategy::parse(&fixed)?;
        let strategy = scripts::strategy(&name, "").map_err(ScoredStrategyError::from)?.strategy;
        if knobs.is_empty() {
            let open = strategy.knobs.iter().filter(|knob| !known.iter().any(|k| k == knob.name));
            knobs = open.map(|knob| (knob.name.to_owned(), around(knob))).collect();
        }
        knobs.retain(|(_, values)| !values.is_empty());
        if knobs.iter().all(|(_, values)| values.len() < 2) {
            return Err(KnobGridError::NoKnobs(text.to_owned()));
        }
        let default = |name: &str| strategy.knobs.iter().find(|knob| knob.name == name);
        let parameter = |(name, values): &(String, Vec<String>)| {
            let parameter = Parameter::new(name.as_str(), values.iter().map(|text| value(text)));
            match default(name) {
                Some(knob) => parameter.with_default(value(knob.default)),
                None => parameter,
            }
        };
        let space = Space::build(knobs.iter().map(parameter).collect(), &[] as &[&str], &[])?;
        let grid = Self { fixed, knobs, space: Arc::new(space) };
        // Every value is tried once before hours are spent.
        for (name, values) in &grid.knobs {
            for value in values {
                ScoredStrategy::parse(&format!("{}:{name}={value}", grid.fixed))?;
            }
        }
        Ok(grid)
    }

    /// The strategy as it is without a search.
    #[must_use]
    pub fn plain(&self) -> &str {
        &self.fixed
    }

    /// Names of the knobs that are searched.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.knobs.iter().map(|(name, _)| name.as_str())
    }

    /// Values of a setting, in the order of [`Self::names`].
    #[must_use]
    pub fn values(&self, id: ConfigurationId) -> Vec<&str> {
        let indices = self.space.configuration(id).0;
        let knobs = self.knobs.iter().zip(indices);
        knobs.map(|((_, values), index)| values[index as usize].as_str()).collect()
    }

    /// A setting as a user would write it.
    #[must_use]
    pub fn entry(&self, id: ConfigurationId) -> String {
        let knobs = self.names().zip(self.values(id));
        knobs.fold(self.fixed.clone(), |entry, (name, value)| format!("{entry}:{name}={value}"))
    }
}

/// A value as a search sees it: numbers have an order and distances.
fn value(text: &str) -> Value {
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(whole), _) => whole.into(),
        (_, Ok(number)) if number.is_finite() => number.into(),
        _ => Value::Text(text.into()),
    }
}

/// Values around the default of a knob, all of them allowed and different.
fn around(knob: &Knob) -> Vec<String> {
    let default: f64 = knob.default.parse().unwrap_or(0.0);
    let spread = |low: f64, high: f64| -> Vec<f64> {
        let step = |at: usize| low + (high - low) * at as f64 / (STEPS - 1) as f64;
        match default.abs() > 0.0 {
            true => MULTIPLES.iter().map(|times| (times * default).clamp(low, high)).collect(),
            false => (0..STEPS).map(step).collect(),
        }
    };
    let mut values: Vec<String> = match knob.allowed {
        Allowed::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        Allowed::Integer(low, high) => {
            // A range without an end is searched near its beginning.
            let high = if default.abs() > 0.0 { high as f64 } else { (low + 4).min(high) as f64 };
            spread(low as f64, high).iter().map(|x| format!("{}", x.round() as u64)).collect()
        }
        Allowed::Number(low, high) => {
            let high = if default.abs() > 0.0 { high } else { high.min(low + 1.0) };
            spread(low, high).iter().map(|x| format!("{x}")).collect()
        }
    };
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::STRATEGIES;

    #[test]
    fn knobs_in_braces_are_searched_and_others_are_fixed() {
        let text = "genetic_algorithm:population={10,20,40}:mutation_chance=55";
        let grid = KnobGrid::parse(text).expect("settings");
        assert_eq!(grid.plain(), "genetic_algorithm:mutation_chance=55");
        assert_eq!(grid.space.len(), 3);
        let entries: Vec<String> = grid.space.ids().map(|id| grid.entry(id)).collect();
        assert_eq!(entries[2], "genetic_algorithm:mutation_chance=55:population=40");
    }

    #[test]
    fn without_braces_every_knob_of_every_strategy_is_searched_around_its_default() {
        for strategy in STRATEGIES.iter() {
            let grid = KnobGrid::parse(strategy.name);
            match grid {
                Ok(grid) => {
                    assert!(grid.space.len() > 1, "{}", strategy.name);
                    let default = grid.space.default_id().expect("a default");
                    ScoredStrategy::parse(&grid.entry(default)).expect("allowed");
                }
                Err(KnobGridError::NoKnobs(_)) => {
                    let searched = |knob: &&Knob| around(knob).len() > 1;
                    assert!(
                        !strategy.knobs.iter().any(|knob| searched(&knob)),
                        "{}",
                        strategy.name
                    );
                }
                Err(other) => panic!("{}: {other}", strategy.name),
            }
        }
    }

    #[test]
    fn what_no_strategy_or_knob_is_is_refused() {
        let refused = |text: &str| KnobGrid::parse(text).expect_err("refused").to_string();
        assert!(refused("anealing").contains("no strategy named"));
        assert!(refused("local_search:kik={1,2}").contains("`kik`"));
        assert!(refused("local_search:kick={1,2").contains("no partner"));
        assert!(refused("local_search:kick={1,two}").contains("two"));
        assert!(refused("random").contains("no knobs"));
    }
}
