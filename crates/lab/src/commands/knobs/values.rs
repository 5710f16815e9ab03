//! Values of knobs that a search tries.

use autobench::terminal::Failure;
use registry::{Allowed, Grid, Knob, Written};
use scoring::ScoredStrategy;

/// Factors of a knob's default that are tried if the user names no values.
const FACTORS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// If the default is 0: shares of the range between the bounds.
const SHARES: [f64; 4] = [0.0, 0.1, 0.3, 1.0];

/// A strategy with values in braces, and its name. If the text has no braces, every knob that is
/// not set gets values around its default.
pub(super) fn grid(text: &str) -> Result<(String, String), Failure> {
    let name = text.split(':').next().unwrap_or(text).trim();
    let found = search_api::strategy(name, "").map_err(Failure::settings)?;
    let name = found.strategy.name.to_owned();
    if text.contains(['{', '}']) {
        return Ok((text.to_owned(), name));
    }
    let written = Written::parse(text).map_err(Failure::settings)?;
    let given = |knob: &&Knob| written.knobs.iter().any(|(name, _)| name == knob.name);
    let mut all = written.label();
    let mut any = false;
    for knob in found.strategy.knobs.iter().filter(|knob| !given(knob)) {
        let values = around(knob);
        if values.len() > 1 {
            any = true;
            all += &format!(":{}={{{}}}", knob.name, values.join(","));
        }
    }
    match any {
        true => Ok((all, name)),
        false => Err(Failure::settings(format!("`{text}` has no knob to search"))
            .hint(format!("see its knobs with `autobench list {name}`"))),
    }
}

/// Values around the default of a knob. The default itself keeps its declared text.
fn around(knob: &Knob) -> Vec<String> {
    let default = knob.default.parse::<f64>().unwrap_or(0.0);
    let numbers = |low: f64, high: f64, whole: bool| {
        let of = |value: f64| {
            let value = value.clamp(low, high);
            if whole { value.round() } else { value }
        };
        let mut values: Vec<f64> = match default == 0.0 {
            false => FACTORS.map(|factor| of(default * factor)).to_vec(),
            true => SHARES.map(|share| of(low + share * (high - low))).to_vec(),
        };
        values.push(default);
        values.sort_by(f64::total_cmp);
        values.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let written = |value: &f64| match value.total_cmp(&default).is_eq() {
            true => knob.default.to_owned(),
            false => value.to_string(),
        };
        values.iter().map(written).collect()
    };
    match knob.allowed {
        Allowed::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        Allowed::Integer(low, high) => numbers(low as f64, high as f64, true),
        Allowed::Number(low, high) => numbers(low, high, false),
        Allowed::Points => vec![knob.default.to_owned()],
    }
}

/// Indices of the defaults in a grid; for a knob whose default is missing, the first value.
pub(super) fn defaults(grid: &Grid, name: &str) -> Result<Vec<usize>, Failure> {
    let found = search_api::strategy(name, "").map_err(Failure::settings)?;
    let place = |(knob, values): (&str, &[String])| {
        let own = found.strategy.knobs.iter().find(|one| one.name == knob);
        own.and_then(|own| values.iter().position(|value| same(value, own.default))).unwrap_or(0)
    };
    Ok(grid.dimensions().into_iter().map(place).collect())
}

/// Whether two texts are the same value: `2` is `2.0`.
fn same(a: &str, b: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    a == b || number(a).zip(number(b)).is_some_and(|(a, b)| a.total_cmp(&b).is_eq())
}

/// Refuses invalid settings of the strategy before anything runs.
pub(super) fn check(grid: &Grid, defaults: &[usize]) -> Result<(), Failure> {
    let dimensions = grid.dimensions();
    for (dimension, (_, values)) in dimensions.iter().enumerate() {
        for place in 0..values.len() {
            let mut places = defaults.to_vec();
            places[dimension] = place;
            ScoredStrategy::parse(&grid.entry(&places)).map_err(Failure::settings)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use scoring::KnobSearch;
    use search_api::STRATEGIES;

    use super::*;

    #[test]
    fn every_knob_that_is_not_given_has_values_around_its_default() {
        let (text, name) = grid("genetic_algorithm:population=10").expect("a grid");
        assert_eq!(name, "genetic_algorithm");
        assert!(text.starts_with("genetic_algorithm:population=10:"), "{text}");
        let read = Grid::read(&text).expect("a grid");
        let dimensions = read.dimensions();
        assert!(dimensions.iter().all(|(knob, values)| *knob != "population" && values.len() > 1));
        let places = defaults(&read, &name).expect("known");
        let found = search_api::strategy(&name, "").expect("known");
        for ((knob, values), place) in dimensions.iter().zip(places) {
            let own = found.strategy.knobs.iter().find(|one| one.name == *knob).expect("a knob");
            assert_eq!(values[place], own.default, "{knob}");
        }
        assert!(grid("random").is_err(), "it has no knobs");
    }

    #[test]
    fn every_strategy_with_knobs_has_settings_that_begin_at_its_own_defaults() {
        let with = ScoredStrategy::parse("random").expect("known");
        let mut searched = 0;
        for strategy in STRATEGIES.iter() {
            let Ok((text, name)) = grid(strategy.name) else { continue };
            let grid = Grid::read(&text).expect("a grid");
            let defaults = defaults(&grid, &name).expect("known");
            check(&grid, &defaults).expect("allowed");
            for ((knob, values), place) in grid.dimensions().iter().zip(&defaults) {
                let own = strategy.knobs.iter().find(|one| one.name == *knob).expect("a knob");
                assert_eq!(values[*place], own.default, "{name}: {knob}");
            }
            let search = KnobSearch {
                grid: &grid,
                defaults: &defaults,
                landscapes: &[],
                with: &with,
                evaluations: 1,
                repeats: 1,
                seed: 1,
            };
            assert!(search.size().is_ok_and(|size| size > 1), "{text}: {:?}", search.size());
            searched += 1;
        }
        assert!(searched > 10, "{searched}");
    }

    #[test]
    fn a_default_is_found_among_values_that_are_written_otherwise() {
        let read = Grid::read("pso:social={1,2}:cognitive={2,3}").expect("a grid");
        assert_eq!(defaults(&read, "pso").ok(), Some(vec![1, 0]), "both are 2.0");
        assert!(same("2", "2.0") && !same("2", "2.5") && same("one", "one") && !same("one", "1"));
    }
}
