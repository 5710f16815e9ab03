//! Speed against accuracy at a study's answer: each configuration's error and its speed-up over the
//! best in full precision, and the best configuration at each level of accuracy.

use std::collections::{BTreeMap, HashSet};

use space::{Value, accuracy::Element};

use crate::{
    Measurement, Named, Phase, Status, StudyRecord, StudyView, ThresholdBest, ThresholdBests,
    are_formats, most_precise, uncertainty,
};

/// A configuration with its speed and its error.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecisionPoint {
    /// Configuration.
    pub configuration: Named,
    /// Median run time.
    pub seconds: f64,
    /// Speed-up over the best in full precision.
    pub gain: f64,
    /// Error in the benchmark's metric.
    pub error: f64,
    /// Bytes of its buffers, if observed.
    pub footprint: Option<f64>,
    /// Energy of a run, if observed.
    pub energy: Option<f64>,
    /// Standard error of the energy.
    pub energy_uncertainty: Option<f64>,
    /// Whether no other configuration is both faster and more accurate.
    pub on_front: bool,
    /// The format, if the configuration uses only one.
    pub uniform: Option<Element>,
}

/// The fastest configuration within a named bound on the error.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelBest {
    /// The bound's name.
    pub level: String,
    /// The bound.
    pub bound: f64,
    /// Position of the configuration in the points; `None` if none keeps the bound.
    pub best: Option<usize>,
}

/// Speed against accuracy at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecisionGains {
    /// The size.
    pub size: u64,
    /// The best configuration in full precision.
    pub precise: Named,
    /// All measured configurations with an error, sorted by error.
    pub points: Vec<PrecisionPoint>,
    /// Levels, strictest first.
    pub levels: Vec<LevelBest>,
}

impl PrecisionGains {
    /// For each format, the least error of configurations that use only this format.
    #[must_use]
    pub fn uniform(&self) -> Vec<(Element, f64)> {
        let of = |element: Element| {
            let same = self.points.iter().filter(|point| point.uniform == Some(element));
            same.map(|point| point.error).reduce(f64::min).map(|error| (element, error))
        };
        Element::ALL.into_iter().filter_map(of).collect()
    }

    /// Number of configurations on the front, and how many of them mix formats.
    #[must_use]
    pub fn on_front(&self) -> (usize, usize) {
        let front = || self.points.iter().filter(|point| point.on_front);
        (front().count(), front().filter(|point| point.uniform.is_none()).count())
    }
}

impl StudyView {
    /// The latest measurement of every configuration at a size. Measurements that alternated with
    /// other configurations replace those of the search.
    #[must_use]
    pub fn freshest(&self, size: u64) -> Vec<(&Named, &Measurement)> {
        let mut latest: Vec<(&Named, &Measurement)> = Vec::new();
        let mut known: HashSet<String> = HashSet::new();
        for phases in [
            &[Phase::Final, Phase::Again, Phase::PreciseFinal, Phase::Threshold][..],
            &[Phase::Search, Phase::Precise],
        ] {
            let trials = self.trials.iter().rev().map(|row| &row.event.trial);
            for trial in trials.filter(|t| t.size == size && phases.contains(&t.phase)) {
                let Some(measurement) = &trial.outcome.measurement else { continue };
                if trial.outcome.status == Status::Measured
                    && known.insert(trial.configuration.to_string())
                {
                    latest.push((&trial.configuration, measurement));
                }
            }
        }
        latest
    }

    /// Speed against accuracy at the study's answer. `None` if no parameter chooses a format, or if
    /// nothing was measured in full precision.
    #[must_use]
    pub fn precision_gains(&self, record: &StudyRecord) -> Option<PrecisionGains> {
        let (point, _) = self.winner()?;
        let size = point.size;
        let of_size = || self.trials.iter().map(|row| &row.event.trial).filter(|t| t.size == size);
        let kinds = Kinds::of(of_size().map(|trial| &trial.configuration));
        if kinds.formats.is_empty() {
            return None;
        }
        let latest = self.freshest(size);
        let measured = self.precise.as_ref().filter(|precise| precise.size == size);
        let beside = measured.and_then(|precise| precise.best.as_ref());
        let (precise, base) = match beside {
            Some(best) => (best.configuration.clone(), best.seconds.median),
            None => {
                let precise = latest.iter().filter(|(named, _)| kinds.is_precise(named));
                let fastest =
                    precise.min_by(|a, b| a.1.seconds.median.total_cmp(&b.1.seconds.median));
                fastest.map(|(named, m)| ((*named).clone(), m.seconds.median))?
            }
        };
        let mut points: Vec<PrecisionPoint> = latest
            .iter()
            .filter_map(|(named, measurement)| {
                let seconds = measurement.seconds.median;
                Some(PrecisionPoint {
                    configuration: (*named).clone(),
                    seconds,
                    gain: base / seconds,
                    error: measurement.error.filter(|error| error.is_finite())?,
                    footprint: measurement.value("footprint"),
                    energy: measurement.value("energy"),
                    energy_uncertainty: uncertainty(&measurement.metrics, "energy"),
                    on_front: false,
                    uniform: kinds.uniform(named),
                })
            })
            .collect();
        points.sort_by(|a, b| a.error.total_cmp(&b.error).then(a.seconds.total_cmp(&b.seconds)));
        let costs: Vec<[f64; 2]> =
            points.iter().map(|point| [point.error, point.seconds]).collect();
        for at in math::front(&costs) {
            points[at].on_front = true;
        }
        let levels = match self.thresholds.as_ref().filter(|found| found.size == size) {
            Some(found) => held(found, &points),
            None => levels(record, &points),
        };
        Some(PrecisionGains { size, precise, points, levels })
    }
}

/// The levels from the thresholds, whose best configurations were measured again and checked.
fn held(found: &ThresholdBests, points: &[PrecisionPoint]) -> Vec<LevelBest> {
    let position = |best: &ThresholdBest| {
        let best = &best.best.as_ref()?.configuration;
        points.iter().position(|point| point.configuration == *best)
    };
    let of = |best: &ThresholdBest| LevelBest {
        level: best.name.clone(),
        bound: best.bound,
        best: position(best),
    };
    let mut levels: Vec<LevelBest> = found.bests.iter().map(of).collect();
    levels.sort_by(|a, b| a.bound.total_cmp(&b.bound));
    levels
}

/// The benchmark's own levels, or only its bound.
fn levels(record: &StudyRecord, points: &[PrecisionPoint]) -> Vec<LevelBest> {
    let stated = &record.benchmark.document["error"]["levels"];
    let mut levels: Vec<(String, f64)> =
        serde_json::from_value::<BTreeMap<String, f64>>(stated.clone())
            .unwrap_or_default()
            .into_iter()
            .collect();
    if levels.is_empty() && record.benchmark.error.1 > 0.0 {
        levels.push(("bound".to_owned(), record.benchmark.error.1));
    }
    levels.sort_by(|a, b| a.1.total_cmp(&b.1));
    let best = |bound: f64| {
        let within = (0..points.len()).filter(|at| points[*at].error <= bound);
        within.min_by(|a, b| points[*a].seconds.total_cmp(&points[*b].seconds))
    };
    let of = |(level, bound): (String, f64)| LevelBest { level, bound, best: best(bound) };
    levels.into_iter().map(of).collect()
}

/// Parameters that choose formats, and the most precise value of each parameter of precision.
struct Kinds {
    formats: Vec<String>,
    precise: Vec<(String, Value)>,
}

impl Kinds {
    fn of<'a>(configurations: impl Iterator<Item = &'a Named>) -> Self {
        let mut seen: Vec<(String, Vec<Value>)> = Vec::new();
        for (name, value) in configurations.flat_map(|named| &named.0) {
            match seen.iter_mut().find(|(known, _)| known == name) {
                Some((_, values)) if values.contains(value) => {}
                Some((_, values)) => values.push(value.clone()),
                None => seen.push((name.clone(), vec![value.clone()])),
            }
        }
        let chosen = |(name, values): &(String, Vec<Value>)| {
            most_precise(values).map(|value| (name.clone(), value.clone()))
        };
        let precise: Vec<(String, Value)> = seen.iter().filter_map(chosen).collect();
        let formats =
            seen.into_iter().filter(|(_, values)| values.len() > 1 && are_formats(values));
        Self { formats: formats.map(|(name, _)| name).collect(), precise }
    }

    fn is_precise(&self, named: &Named) -> bool {
        self.precise.iter().all(|(name, value)| named.get(name) == Some(value))
    }

    fn uniform(&self, named: &Named) -> Option<Element> {
        let mut elements =
            self.formats.iter().map(|name| named.get(name)?.as_text()?.parse::<Element>().ok());
        let first = elements.next()??;
        elements.all(|element| element == Some(first)).then_some(first)
    }
}
