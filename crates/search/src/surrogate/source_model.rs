//! A source of the prior as a model: what it predicts for every configuration of another space.
//!
//! The model is a process over the parameters that both have by name. Its lists of values join both
//! lists, so that values that only one has are in their places. Parameters that only the source has
//! are averaged out. Parameters that only the target has do not change predictions.

use math::{Rng, mean};
use rand::seq::IndexedRandom;
use rustc_hash::FxHashMap;
use search_api::{Provenance, Source};
use space::{Configuration, ConfigurationId, Parameter, Space, Value, seeded};

use super::{
    DistanceMetric, GaussianProcess, Hyperparameters, LengthOf, Points, Predictions, fit, target,
};

/// Rows that hyperparameters are fitted to, and rows in the process: the best, and random others.
/// More rows of a whole space, or the recorded value of every configuration, made searches on
/// another device worse.
const FITTED: (usize, usize) = (45, 65);
const SEEN: (usize, usize) = (110, 110);
/// Tries for hyperparameters.
const TRIES: usize = 90;
/// Longest list of values; rows with values beyond it are left out.
const VALUES: usize = 1_024;
/// Valid rows of different configurations that a source needs.
const LEAST: usize = 3;
/// The same for a source of the same study: as many as the usual initial design has, since until
/// then the next size continues that design.
const LEAST_OF_STUDY: usize = 6;
/// A source with at least `JUDGED` rows must predict its own rows, each left out in turn, to at
/// least `LEAST_FORETOLD` of their variance. Otherwise, as when its costs are noise, it is ignored.
/// Logs of 220 evaluations predict 0.40 to 0.93 of it, and 0.24 to 0.84 as rows of another kernel;
/// with shuffled times -0.05 to 0.08.
const JUDGED: usize = 40;
const LEAST_FORETOLD: f64 = 0.15;

pub(crate) struct SourceModel {
    axes: Vec<JoinedAxis>,
    metric: DistanceMetric,
    process: GaussianProcess,
    settings: Hyperparameters,
    values: Vec<f64>,
    valid: Vec<f64>,
}

/// A parameter that source and target share.
struct JoinedAxis {
    /// Position among the target's parameters.
    parameter: usize,
    joined: Parameter,
    /// Positions of the target's values in the joined list.
    places: Vec<u32>,
}

/// A configuration of a source: its target value, and the share of its rows that are valid.
struct Row {
    point: Vec<u32>,
    value: f64,
    valid: f64,
}

impl SourceModel {
    /// `None` if a source predicts nothing: without a common parameter, with too few valid rows, or
    /// if the rows do not predict each other.
    pub(crate) fn new(space: &Space, source: &Source) -> Option<Self> {
        let (axes, at_source) = joined(space, source);
        let parameters: Vec<Parameter> = axes.iter().map(|axis| axis.joined.clone()).collect();
        let metric = DistanceMetric::of(&parameters).with_halvings(&parameters);
        if metric.axes() == 0 {
            return None;
        }
        let rows = rows(&metric, &axes, &at_source, source);
        let valid = rows.iter().filter(|row| row.valid > 0.0);
        let (low, high) = valid.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), row| {
            (a.min(row.value), b.max(row.value))
        });
        let least = if source.from == Provenance::OwnStudy { LEAST_OF_STUDY } else { LEAST };
        if valid.count() < least || low >= high {
            return None;
        }
        let mut rng = seeded(0x50_0c3e, rows.len() as u64);
        let prior = Hyperparameters::prior(metric.lengths().map(|(_, of)| of));
        let (points, values) = chosen(&rows, FITTED, &mut rng);
        let values: Vec<f64> = values.iter().map(|row| row.value).collect();
        let settings = fit((&metric, &points, &values), &prior, &prior, TRIES, &mut rng);
        let (points, seen) = chosen(&rows, SEEN, &mut rng);
        let process = GaussianProcess::new(&metric, &settings, &points)?;
        let (values, valid): (Vec<f64>, Vec<f64>) =
            seen.iter().map(|row| (row.value, row.valid)).unzip();
        let is_heard = seen.len() < JUDGED || foretold(&process, &values) >= LEAST_FORETOLD;
        if !is_heard {
            return None;
        }
        Some(Self { axes, metric, process, settings, values, valid })
    }

    /// The source's prediction for configurations of the target: the value, standardised over its
    /// rows, and the probability of being valid.
    pub(crate) fn said(&self, space: &Space, ids: &[ConfigurationId]) -> Vec<(f64, f64)> {
        let mut points = Points::default();
        for id in ids {
            let places = space.configuration(*id).0;
            let place = |axis: &JoinedAxis| axis.places[places[axis.parameter] as usize];
            let joined = Configuration(self.axes.iter().map(place).collect());
            points.push(&self.metric.point(&joined));
        }
        if points.len() == 0 {
            return Vec::new();
        }
        let predictions = Predictions::new(&self.process, &points);
        let of = |values: &[f64]| {
            predictions.first_means(&self.process, &self.process.posterior(values))
        };
        let (values, valid) = (of(&self.values), of(&self.valid));
        values.into_iter().zip(valid.into_iter().map(|valid| valid.clamp(0.0, 1.0))).collect()
    }

    /// ln length of a target's distance, if the source has it.
    pub(crate) fn ln_length(&self, wanted: (usize, LengthOf)) -> Option<f64> {
        let own = self.metric.lengths().map(|(axis, of)| (self.axes[axis].parameter, of));
        let mut lengths = own.zip(&self.settings.ln_lengths);
        lengths.find(|(own, _)| *own == wanted).map(|(_, length)| *length)
    }
}

/// Share of the variance of a source's values that is predicted from its other rows.
fn foretold(process: &GaussianProcess, values: &[f64]) -> f64 {
    let squares = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
    let centre = mean(values);
    let apart: Vec<f64> = values.iter().map(|value| value - centre).collect();
    1.0 - squares(&process.left_out(values)) / squares(&apart).max(f64::MIN_POSITIVE)
}

/// The parameters that source and target share, and their positions in the source.
fn joined(space: &Space, source: &Source) -> (Vec<JoinedAxis>, Vec<usize>) {
    let mut axes = Vec::new();
    let mut at_source = Vec::new();
    for (parameter, described) in space.parameters().iter().enumerate() {
        let Some(at) = source.parameters.iter().position(|name| *name == described.name) else {
            continue;
        };
        let mut values = described.values.clone();
        for trial in &source.trials {
            let Some(value) = trial.values.get(at) else { continue };
            let room = values.len() < VALUES && value.as_f64().is_none_or(f64::is_finite);
            if room && !values.contains(value) {
                values.push(value.clone());
            }
        }
        if values.len() > described.values.len() && values.iter().all(|v| v.as_f64().is_some()) {
            values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        }
        let joined = Parameter::new(described.name.clone(), values);
        let place = |value: &Value| joined.index_of(value).unwrap_or(0) as u32;
        let places = described.values.iter().map(place).collect();
        axes.push(JoinedAxis { parameter, joined, places });
        at_source.push(at);
    }
    (axes, at_source)
}

/// The rows of a source as points of the joined parameters, each point once, best first.
fn rows(
    metric: &DistanceMetric,
    axes: &[JoinedAxis],
    at_source: &[usize],
    source: &Source,
) -> Vec<Row> {
    let mut points = Vec::new();
    let mut costs = Vec::new();
    for trial in &source.trials {
        let place = |(axis, at): (&JoinedAxis, &usize)| {
            let at = axis.joined.index_of(trial.values.get(*at)?)?;
            u32::try_from(at).ok()
        };
        let places: Option<Vec<u32>> = axes.iter().zip(at_source).map(place).collect();
        let Some(places) = places else { continue };
        points.push(metric.point(&Configuration(places)));
        costs.push(if trial.cost.is_finite() { trial.cost } else { f64::INFINITY });
    }
    let mut groups: FxHashMap<Vec<u32>, (Vec<f64>, usize)> = FxHashMap::default();
    for ((point, value), cost) in points.into_iter().zip(target(&costs)).zip(&costs) {
        let (values, failed) = groups.entry(point).or_default();
        match cost.is_finite() {
            true => values.push(value),
            false => *failed += 1,
        }
    }
    let worst = groups.values().flat_map(|group| &group.0).copied();
    let worst = worst.fold(f64::NEG_INFINITY, f64::max);
    let mut rows: Vec<Row> = groups
        .into_iter()
        .map(|(point, (values, failed))| {
            let count = values.len() as f64;
            let value = if values.is_empty() { worst } else { values.iter().sum::<f64>() / count };
            Row { point, value, valid: count / (count + failed as f64) }
        })
        .collect();
    rows.sort_by(|a, b| a.value.total_cmp(&b.value).then_with(|| a.point.cmp(&b.point)));
    rows
}

/// The best rows and random others.
fn chosen<'a>(
    rows: &'a [Row],
    (best, random): (usize, usize),
    rng: &mut Rng,
) -> (Points, Vec<&'a Row>) {
    let (first, rest) = rows.split_at(best.min(rows.len()));
    let chosen: Vec<&Row> = match rest.len() <= random {
        true => rows.iter().collect(),
        false => first.iter().chain(rest.sample(rng, random)).collect(),
    };
    let mut points = Points::default();
    chosen.iter().for_each(|row| points.push(&row.point));
    (points, chosen)
}
