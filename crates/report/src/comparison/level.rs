//! The level of a study: how fast it was, and how far a repeat of it would differ.

use std::borrow::Cow;

use math::{mean, standard_deviation};
use records::Figure;
use serde::{Deserialize, Serialize};

use super::{calm::Calm, side::Studied};

/// Fewest parts that give a deviation.
const LEAST_PARTS: usize = 4;

/// Additional standard deviation between studies, in logarithms: each process gets other addresses
/// for its buffers and code.
const PLACEMENT: f64 = 0.005;

/// Upper limit of degrees of freedom. A deviation with so many is as good as known.
const MOST_FREEDOM: f64 = 1e6;

/// A study's time as a logarithm, with its standard deviation between studies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// The logarithm of the calm time in seconds.
    pub value: f64,
    /// How far a repeat of the study is expected to differ.
    pub deviation: f64,
    /// Degrees of freedom of the deviation.
    pub freedom: f64,
}

impl Level {
    /// Returns the level of a study: the mean over these sizes of the logarithms of its calm times.
    /// If no size has calm times, it is the mean over all sizes of the medians. `None` if a size is
    /// not measured or has a single sample.
    pub fn of(study: &Studied, sizes: &[u64], calm: &Calm) -> Option<Self> {
        let mut figures: Vec<Cow<'_, Figure>> = Vec::with_capacity(sizes.len());
        let (mut logs, mut medians) = (Vec::new(), Vec::new());
        let mut apart: Vec<Vec<f64>> = Vec::new();
        for size in sizes {
            let figure = calm.figure(study, *size)?;
            medians.push(figure.seconds.median.ln());
            if let Some(times) = calm.times(study, *size, &figure.configuration) {
                logs.push(times.whole);
                apart.resize(times.apart.len(), Vec::new());
                apart.iter_mut().zip(times.apart).for_each(|(all, part)| all.extend(part));
            }
            figures.push(figure);
        }
        let value = mean(if logs.is_empty() { &medians } else { &logs });
        let parts: Vec<f64> =
            apart.iter().filter(|part| !part.is_empty()).map(|part| mean(part)).collect();
        if parts.len() >= LEAST_PARTS {
            return Some(Self::new(value, standard_deviation(&parts), (parts.len() - 1) as f64));
        }
        let errors: Option<Vec<f64>> = figures.iter().map(|figure| error(figure)).collect();
        let errors = errors?;
        let freedom = figures.iter().map(|figure| figure.seconds.count).min().unwrap_or(2).max(2);
        // What disturbs one size disturbs all sizes, so the errors do not average out.
        Some(Self::new(value, mean(&errors), (freedom - 1) as f64))
    }

    /// Adds the deviation of placement, which is known, to an estimated deviation.
    fn new(value: f64, estimated: f64, freedom: f64) -> Self {
        let variance = estimated.powi(2) + PLACEMENT.powi(2);
        let deviation = variance.sqrt();
        let freedom = freedom * (variance / estimated.max(f64::EPSILON).powi(2)).powi(2);
        Self { value, deviation, freedom: freedom.min(MOST_FREEDOM) }
    }
}

/// Returns the deviation of a median that was taken at one moment, as a logarithm; `None` for a
/// single sample. It is that of a single sample: what disturbs one disturbs its neighbours, so that
/// their number does not help.
fn error(figure: &Figure) -> Option<f64> {
    let seconds = &figure.seconds;
    (seconds.count > 1).then(|| (1.0 + seconds.deviation / seconds.median).ln())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use math::{Rng, normal, seeded};
    use rand::RngExt as _;
    use records::{
        DeviceRecord, Host, Named, Round, RoundEntry, RoundSample, RoundsEvent, SizeClosed,
        SizePoint, StudyRecord, StudyView, Summary, settings::StudySettings,
    };

    use super::{super::judged::Judged, *};

    /// The level of a study at its only size.
    fn level(study: &Studied) -> Level {
        Level::of(study, &[1000], &Calm::of(&[study], &[1000], Judged::winners())).expect("a level")
    }

    /// A study of one size that takes 1 ms, on a machine that others use for the share `busy` of
    /// the time.
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
        let calm = level(&studied(0.0, &mut rng));
        for busy in [0.2, 0.5, 0.8] {
            let study = studied(busy, &mut rng);
            let level = level(&study);
            assert!((level.value - calm.value).abs() < 0.005, "{busy}: {level:?}, {calm:?}");
            assert!(level.deviation < 0.02, "{busy}: {level:?}");
        }
        let busy = studied(0.8, &mut rng);
        let median = busy.figure(1000).expect("a figure").seconds.median;
        assert!(median > 1.2e-3, "the median is that of the others' work: {median}");
        assert!(
            Level::of(&busy, &[1000, 2000], &Calm::default()).is_none(),
            "a size that is not there"
        );
    }

    #[test]
    fn a_study_without_rounds_is_held_against_medians() {
        let mut rng = seeded(8, 2);
        let (whole, mut cut) = (studied(0.5, &mut rng), studied(0.5, &mut rng));
        cut.view.rounds.clear();
        let calm = Calm::of(&[&whole, &cut], &[1000], Judged::winners());
        let [a, b] = [&whole, &cut].map(|study| Level::of(study, &[1000], &calm).expect("a level"));
        let median = |study: &Studied| study.figure(1000).expect("a figure").seconds.median.ln();
        assert!((a.value - median(&whole)).abs() < 1e-12 && (b.value - median(&cut)).abs() < 1e-12);
    }

    #[test]
    fn what_others_did_for_the_whole_study_shows_between_its_parts() {
        let mut rng = seeded(8, 1);
        let mut study = studied(0.0, &mut rng);
        let rounds = &mut study.view.rounds[0].rounds;
        rounds.iter_mut().skip(150).for_each(|round| round.samples[0].1 *= 1.3);
        let level = level(&study);
        assert!((level.value - 1e-3_f64.ln()).abs() < 0.005, "{level:?}");
        assert!(level.deviation > 0.1, "{level:?}");
    }
}
