//! How fast a study was, and how far another study of the same would lie from it.
//!
//! What others do to a machine makes runs longer and never shorter, so their middle is the middle of the
//! others' work, too. Of rounds, the calm time counts, which one sample in a hundred takes at most: two studies
//! of one build that lay 3 % apart in their medians on a virtual machine lay 0.3 % apart in calm times.

use serde::{Deserialize, Serialize};

use super::side::Studied;
use crate::{
    numeric::{mean, quantile, sorted, standard_deviation},
    records::{Figure, RoundsPurpose},
};

/// Share of the samples in rounds that take the calm time at most: few enough to miss what others do, and
/// not the fastest one, which may be an accident of the clock.
const CALM: f64 = 0.01;

/// Parts of a study's rounds whose distances say how far studies lie apart.
const PARTS: usize = 8;

/// Fewer parts say nothing.
const LEAST_PARTS: usize = 4;

/// Two studies differ by this much besides, in logarithms: where buffers and code lie in memory is
/// drawn anew for each process.
const PLACEMENT: f64 = 0.005;

/// With fewer samples, an interval of their median is their range.
const FEW: usize = 9;

/// Standard error of a median over that of a mean, of normal samples.
const MEDIAN: f64 = 1.2533;

/// As good as a deviation that is known.
const MOST_FREEDOM: f64 = 1e6;

/// Half the width of a 95 % interval in standard errors.
const HALF_WIDTH: f64 = 1.96;

/// Logarithm of calm seconds, and its standard deviation between studies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// The logarithm.
    pub value: f64,
    /// How far another study of the same would lie from it.
    pub deviation: f64,
    /// Degrees of freedom of the deviation.
    pub freedom: f64,
}

impl Level {
    /// The mean of the logarithms of a study's calm times over these sizes, of medians where there are no
    /// rounds; `None` if one of them is not measured, or its figure is a single sample.
    #[must_use]
    pub fn of(study: &Studied, sizes: &[u64]) -> Option<Self> {
        let figures: Vec<&Figure> =
            sizes.iter().map(|size| figure(study, *size)).collect::<Option<_>>()?;
        let calm = Calm::of(study, sizes, &figures);
        let logs = figures.iter().zip(&calm.whole);
        let logs: Vec<f64> =
            logs.map(|(figure, calm)| calm.unwrap_or_else(|| figure.seconds.median.ln())).collect();
        let value = mean(&logs);
        if calm.parts.len() >= LEAST_PARTS {
            let (deviation, freedom) = (standard_deviation(&calm.parts), calm.parts.len() - 1);
            return Some(Self::new(value, deviation, freedom as f64));
        }
        let errors: Option<Vec<f64>> = figures.iter().map(|figure| error(figure)).collect();
        let errors = errors?;
        let freedom = figures.iter().map(|figure| figure.seconds.count).min().unwrap_or(2).max(2);
        // What disturbs one size disturbs them all.
        Some(Self::new(value, mean(&errors), (freedom - 1) as f64))
    }

    /// With a deviation that was estimated, and placement, whose size is known.
    fn new(value: f64, estimated: f64, freedom: f64) -> Self {
        let variance = estimated.powi(2) + PLACEMENT.powi(2);
        let deviation = variance.sqrt();
        let freedom = freedom * (variance / estimated.max(f64::EPSILON).powi(2)).powi(2);
        Self { value, deviation, freedom: freedom.min(MOST_FREEDOM) }
    }
}

/// Figure of the best configuration of a size, if there is a run time.
pub(super) fn figure(study: &Studied, size: u64) -> Option<&Figure> {
    let (_, figure) = study.view.held().find(|(point, _)| point.size == size)?;
    Some(figure).filter(|figure| figure.seconds.median > 0.0)
}

/// Standard error of the logarithm of a run time; `None` of a single sample, which has none.
fn error(figure: &Figure) -> Option<f64> {
    let seconds = &figure.seconds;
    if seconds.count < 2 {
        return None;
    }
    if seconds.count < FEW {
        // The range of a few samples is no interval; the error of a median is that of a mean, and a
        // quarter more.
        return Some(MEDIAN * seconds.deviation / seconds.median / (seconds.count as f64).sqrt());
    }
    let (low, high) = seconds.interval;
    let width = (high.max(f64::MIN_POSITIVE) / low.max(f64::MIN_POSITIVE)).ln();
    width.is_finite().then_some(width / (2.0 * HALF_WIDTH))
}

/// Calm times in a study's rounds, in logarithms.
struct Calm {
    /// Of each size; `None` if its best configuration is in no round.
    whole: Vec<Option<f64>>,
    /// How far the parts of the rounds lie from the whole, over the sizes.
    parts: Vec<f64>,
}

impl Calm {
    fn of(study: &Studied, sizes: &[u64], figures: &[&Figure]) -> Self {
        let of = |purpose| study.view.rounds.iter().filter(move |event| event.purpose == purpose);
        // Rounds of a purpose are numbered for themselves.
        let purpose = match of(RoundsPurpose::Answer).next() {
            Some(_) => RoundsPurpose::Answer,
            None => RoundsPurpose::Growth,
        };
        let last = of(purpose).map(|event| event.first + event.rounds.len() as u64);
        let end = last.max().unwrap_or(1);
        let mut apart = vec![Vec::new(); PARTS];
        let mut whole = Vec::with_capacity(sizes.len());
        for (size, figure) in sizes.iter().zip(figures) {
            let mut samples = vec![Vec::new(); PARTS];
            for event in of(purpose) {
                for (entry, round, sample, disturbed) in event.samples() {
                    let same = entry.size == *size && entry.configuration == figure.configuration;
                    if same && !disturbed && sample.1 > 0.0 {
                        let part = (round * PARTS as u64 / end) as usize;
                        samples[part.min(PARTS - 1)].push(sample.1.ln());
                    }
                }
            }
            let all: Vec<f64> = samples.iter().flatten().copied().collect();
            let of_all = calm(&all);
            for (apart, part) in apart.iter_mut().zip(&samples) {
                apart.extend(calm(part).zip(of_all).map(|(part, all)| part - all));
            }
            whole.push(of_all);
        }
        let parts = apart.iter().filter(|part| !part.is_empty()).map(|part| mean(part)).collect();
        Self { whole, parts }
    }
}

/// The calm one of logarithms of seconds.
fn calm(logs: &[f64]) -> Option<f64> {
    (!logs.is_empty()).then(|| quantile(&sorted(logs), CALM))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{
        numeric::{Rng, normal, seeded},
        records::{
            DeviceRecord, Host, Named, Round, RoundEntry, RoundSample, RoundsEvent, SizeClosed,
            SizePoint, StudyRecord, StudyView, Summary,
        },
        settings::StudySettings,
    };
    use rand::RngExt as _;

    /// A study of one size that takes 1 ms, on a machine that others use for this share of the time.
    fn studied(busy: f64, rng: &mut Rng) -> Studied {
        let mut sample = || {
            let others = if rng.random_bool(busy) { 1.2 + 0.2 * rng.random::<f64>() } else { 1.0 };
            1e-3 * others * (1.0 + 0.002 * normal(rng).abs())
        };
        let times: Vec<f64> = (0..400).map(|_| sample()).collect();
        let round = |seconds: &f64| Round {
            samples: vec![RoundSample(0, *seconds, 0.0)],
            ..Round::default()
        };
        let (size, configuration) = (1000, Named::default());
        let entry =
            RoundEntry { size, configuration: configuration.clone(), batch: 1, dropped: None };
        let event = RoundsEvent {
            first: 1,
            entries: vec![entry],
            rounds: times.iter().map(round).collect(),
            ..RoundsEvent::default()
        };
        let best = Figure {
            configuration,
            seconds: Summary::of(&times).expect("samples"),
            metric: None,
            error: None,
            unsettled: false,
            metrics: Default::default(),
        };
        let closed = SizeClosed { size, best: Some(best), rounds: 400, ..SizeClosed::default() };
        let point = SizePoint { size, closed: Some(closed), ..Default::default() };
        let view = StudyView { sizes: vec![point], rounds: vec![event], ..StudyView::default() };
        let settings = StudySettings::default();
        let (host, device) = (Host::default(), DeviceRecord::default());
        let record = StudyRecord::new(vec![], host, device, Default::default(), settings);
        Studied { path: PathBuf::new(), record, view }
    }

    #[test]
    fn studies_lie_close_whatever_part_of_their_time_others_used_the_machine() {
        let mut rng = seeded(8, 0);
        let calm = Level::of(&studied(0.0, &mut rng), &[1000]).expect("a level");
        for busy in [0.2, 0.5, 0.8] {
            let study = studied(busy, &mut rng);
            let level = Level::of(&study, &[1000]).expect("a level");
            assert!((level.value - calm.value).abs() < 0.005, "{busy}: {level:?}, {calm:?}");
            assert!(level.deviation < 0.02, "{busy}: {level:?}");
        }
        let busy = studied(0.8, &mut rng);
        let median = figure(&busy, 1000).expect("a figure").seconds.median;
        assert!(median > 1.2e-3, "the median is that of the others' work: {median}");
        assert!(Level::of(&busy, &[1000, 2000]).is_none(), "a size that is not there");
    }

    #[test]
    fn what_others_did_for_the_whole_study_shows_between_its_parts() {
        let mut rng = seeded(8, 1);
        let mut study = studied(0.0, &mut rng);
        let rounds = &mut study.view.rounds[0].rounds;
        rounds.iter_mut().skip(150).for_each(|round| round.samples[0].1 *= 1.3);
        let level = Level::of(&study, &[1000]).expect("a level");
        assert!((level.value - 1e-3_f64.ln()).abs() < 0.005, "{level:?}");
        assert!(level.deviation > 0.1, "{level:?}");
    }
}
