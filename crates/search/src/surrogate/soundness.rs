//! Tests of a source before anything is evaluated: whether a search should begin with it.

use math::{quantile, sorted};
use search_api::{Provenance, Source};
use space::{Configuration, Parameter, Space};

/// Least share of a source's rows that the space allows, among rows whose values it lists.
/// Restrictions forbid 24 to 75 % of the rows of another kernel, and few of those that a search
/// found valid on another device.
const LEAST_ALLOWED: f64 = 0.85;
/// Fewest rows that can be tested.
const LEAST_ROWS: usize = 40;
/// Largest share of a space that counts as the log of a search.
const MOST_OF_SPACE: f64 = 0.5;
/// Largest position of the middle row between the fastest (0) and the slowest (1), by ln cost, in a
/// log of times. Run times have a long slow tail, and a search stays near its best: in logs of 220
/// evaluations the middle is at 0.03 to 0.39, in whole spaces at 0.11 to 0.50 (in one of twelve at
/// 0.68), and in logs with rates in place of times at 0.65 to 0.97.
const FURTHEST_MIDDLE: f64 = 0.6;

/// How far a source can be trusted at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Soundness {
    /// It may be of this kernel.
    Sound,
    /// It may be of this kernel, but is of one device of another vendor, and there is no other
    /// source.
    Foreign,
    /// Many of its configurations are not allowed here: it is of another kernel, or of one that
    /// changed much.
    Unrelated,
    /// Most of its rows are near the slowest, as in a recording with rates in place of times.
    Inverted,
}

impl Soundness {
    pub(super) fn of(space: &Space, source: &Source) -> Self {
        if source.from == Provenance::OwnStudy {
            return Self::Sound;
        }
        // A recording of most of a space is not tested: the space decides where its middle is.
        let is_of_search = source.trials.len() as f64 <= MOST_OF_SPACE * space.len() as f64;
        if is_of_search && middle(source).is_some_and(|middle| middle > FURTHEST_MIDDLE) {
            return Self::Inverted;
        }
        // Another size allows other tiles, so its rows are not tested.
        let is_unrelated = source.from == Provenance::SameSize
            && allowed_share(space, source).is_some_and(|share| share < LEAST_ALLOWED);
        match &source.other_vendor {
            _ if is_unrelated => Self::Unrelated,
            Some(_) => Self::Foreign,
            None => Self::Sound,
        }
    }

    /// Whether nothing but the device speaks against the source. Other sources are used only if
    /// there is no such source.
    pub(super) fn is_unsuspected(self) -> bool {
        matches!(self, Self::Sound | Self::Foreign)
    }

    /// Soundness of several sources together. One sound source is enough, and so are two devices of
    /// another vendor.
    pub(super) fn of_all(all: &[(Self, &Source)]) -> Self {
        let are = |kind: Self| all.iter().filter(move |(soundness, _)| *soundness == kind);
        let mut devices: Vec<_> =
            are(Self::Foreign).map(|(_, source)| &source.other_vendor).collect();
        devices.sort_unstable();
        devices.dedup();
        match devices.len() {
            _ if are(Self::Sound).count() > 0 => Self::Sound,
            0 if are(Self::Inverted).count() == all.len() => Self::Inverted,
            0 => Self::Unrelated,
            1 => Self::Foreign,
            _ => Self::Sound,
        }
    }
}

/// Position of the middle row between the fastest (0) and the slowest (1), by ln cost; `None` for
/// few rows, or if costs are not positive.
fn middle(source: &Source) -> Option<f64> {
    let costs = source.trials.iter().map(|trial| trial.cost).filter(|cost| cost.is_finite());
    if costs.clone().any(|cost| cost <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = costs.map(f64::ln).collect();
    let logs = sorted(&logs);
    let range = logs.last()? - logs.first()?;
    (logs.len() >= LEAST_ROWS && range > 0.0).then(|| (quantile(&logs, 0.5) - logs[0]) / range)
}

/// Share of the rows that the space allows, among rows whose values it lists. `None` if these are
/// few, or if the source lacks a parameter that offers a choice.
fn allowed_share(space: &Space, source: &Source) -> Option<f64> {
    let of = |parameter: &Parameter| source.parameters.iter().position(|p| *p == parameter.name);
    let at: Vec<Option<usize>> = space.parameters().iter().map(of).collect();
    let lacks =
        |(parameter, at): (&Parameter, &Option<usize>)| parameter.values.len() > 1 && at.is_none();
    if space.parameters().iter().zip(&at).any(lacks) {
        return None;
    }
    let (mut listed, mut allowed) = (0.0, 0.0);
    for trial in &source.trials {
        let place = |(parameter, at): (&Parameter, &Option<usize>)| match at {
            Some(at) => {
                parameter.index_of(trial.values.get(*at)?).and_then(|at| u32::try_from(at).ok())
            }
            None => Some(0),
        };
        let places: Option<Vec<u32>> = space.parameters().iter().zip(&at).map(place).collect();
        let Some(places) = places else { continue };
        listed += 1.0;
        allowed += f64::from(u8::from(space.id_of(&Configuration(places)).is_some()));
    }
    (listed >= LEAST_ROWS as f64).then(|| allowed / listed)
}

#[cfg(test)]
mod tests {
    use search_api::PastTrial;
    use space::Value;

    use super::*;

    fn space() -> Space {
        let values: Vec<i64> = (1..=10).collect();
        let parameters = ["x", "y"].map(|name| Parameter::new(name, values.clone())).to_vec();
        Space::build(parameters, &["x <= y"], &[]).expect("a space")
    }

    /// Those rows of x and y from 1 to 10 that are `kept`.
    fn source(cost: impl Fn(i64, i64) -> f64, kept: impl Fn(i64, i64) -> bool) -> Source {
        let all = (1..=10).flat_map(|x| (1..=10).map(move |y| (x, y)));
        let row = |(x, y): (i64, i64)| PastTrial {
            values: vec![Value::Int(x), Value::Int(y)],
            cost: cost(x, y),
        };
        Source {
            name: "elsewhere".into(),
            from: Provenance::SameSize,
            other_vendor: None,
            parameters: vec!["x".into(), "y".into()],
            trials: all.filter(|(x, y)| kept(*x, *y)).map(row).collect(),
        }
    }

    fn time(x: i64, y: i64) -> f64 {
        (0.02 * ((x - 3) * (x - 3) + (y - 6) * (y - 6)) as f64).exp()
    }

    #[test]
    fn rates_in_place_of_times_are_told_from_times() {
        // A search stays near its best, at x = 3 and y = 6.
        let values: Vec<i64> = (1..=20).collect();
        let parameters = ["x", "y"].map(|name| Parameter::new(name, values.clone())).to_vec();
        let space = Space::build(parameters, &["x <= y"], &[]).expect("a space");
        let near = |x: i64, y: i64| x <= y;
        assert_eq!(Soundness::of(&space, &source(time, near)), Soundness::Sound);
        let rate = |x: i64, y: i64| 1.0 / time(x, y);
        let rates = source(rate, near);
        assert_eq!(Soundness::of(&space, &rates), Soundness::Inverted);
        let own = Source { from: Provenance::OwnStudy, ..rates.clone() };
        assert_eq!(Soundness::of(&space, &own), Soundness::Sound, "nobody doubts a study's own");
        let few = source(rate, |x, y| x <= y && y < 7);
        assert_eq!(Soundness::of(&space, &few), Soundness::Sound, "{}", few.trials.len());
        // A whole space is not tested, and neither are costs without logarithms.
        let whole = self::space();
        assert_eq!(Soundness::of(&whole, &rates), Soundness::Sound);
        let no_times = source(|x, y| 1.0 / time(x, y) - 0.5, near);
        assert_eq!(Soundness::of(&space, &no_times), Soundness::Sound);
    }

    #[test]
    fn rows_that_are_not_allowed_are_strange_unless_another_size_allowed_them() {
        let mut other = source(time, |_, _| true);
        assert_eq!(Soundness::of(&space(), &other), Soundness::Unrelated);
        other.from = Provenance::OtherSize;
        assert_eq!(Soundness::of(&space(), &other), Soundness::Sound);
        // Values that the space does not list are not tested, nor few rows, nor a source without
        // one of the space's parameters.
        let few = source(time, |_, y| y < 4);
        assert_eq!(Soundness::of(&space(), &few), Soundness::Sound);
        let mut of_less = source(time, |_, _| true);
        of_less.parameters = vec!["x".into(), "z".into()];
        assert_eq!(Soundness::of(&space(), &of_less), Soundness::Sound);
        let mut new_values = source(time, |x, y| x <= y);
        for trial in new_values.trials.iter_mut().step_by(2) {
            trial.values[0] = Value::Int(64);
        }
        assert_eq!(Soundness::of(&space(), &new_values), Soundness::Sound);
    }

    #[test]
    fn one_sound_source_is_enough_and_so_are_two_foreign_devices() {
        use Soundness::{Foreign, Inverted, Sound, Unrelated};
        let made_by = |other_vendor: Option<&str>| Source {
            other_vendor: other_vendor.map(str::to_owned),
            ..source(time, |x, y| x <= y)
        };
        let (ours, one, other) = (made_by(None), made_by(Some("A")), made_by(Some("B")));
        assert_eq!(Soundness::of(&space(), &one), Foreign);
        let of = |all: &[(Soundness, &Source)]| Soundness::of_all(all);
        assert_eq!(of(&[(Unrelated, &ours), (Sound, &ours), (Inverted, &ours)]), Sound);
        assert_eq!(of(&[(Inverted, &ours), (Inverted, &one)]), Inverted);
        assert_eq!(of(&[(Inverted, &ours), (Unrelated, &one)]), Unrelated);
        assert_eq!(of(&[(Foreign, &one), (Foreign, &one)]), Foreign, "two sizes of one device");
        assert_eq!(of(&[(Foreign, &one), (Foreign, &other)]), Sound);
        assert_eq!(of(&[(Foreign, &one), (Sound, &ours)]), Sound);
    }
}
