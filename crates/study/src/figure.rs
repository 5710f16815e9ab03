//! The reported estimate of a configuration: the run time of its fresh samples, and the metrics
//! derived from it.

use std::collections::BTreeMap;

use records::{
    Exit, Figure, Measurement, MetricFigure, Named,
    settings::{Objective, Sense},
};

use super::{Plan, Subject};

/// Values of a metric that differ by at most this share come from the same formula.
const SAME: f64 = 1e-9;

/// Returns the estimate of a configuration, with the secondary metric that a study's curve shows.
///
/// The measurement holds the metrics that the worker derived: those of the document, the plugin and
/// the observers. `stated` returns the metrics that the document alone derives from a run time, and
/// converts samples and interval to the secondary metric. If `stated` gives another value or none,
/// because the plugin or an observer gave the metric, the metric is assumed to scale with time:
/// inversely if more is better, as for a rate, and otherwise in proportion. The secondary metric is
/// that of the median run time, or of the mean.
pub(super) fn figure(
    Objective { metric: secondary, sense }: &Objective,
    configuration: &Named,
    (measurement, by_mean): (&Measurement, bool),
    mut stated: impl FnMut(f64) -> BTreeMap<String, f64>,
) -> Figure {
    let seconds = measurement.seconds.clone();
    let mut metrics = stated(seconds.median);
    let by_formula = metrics.get(secondary).copied();
    metrics.extend(measurement.metrics.clone());
    let value = metrics.get(secondary).copied();
    let by_formula = by_formula.zip(value).is_some_and(|(f, v)| (f - v).abs() <= SAME * v.abs());
    let metric = value.and_then(|value| {
        let mut of = |t: f64| match (by_formula, sense) {
            (true, _) => stated(t).get(secondary).copied(),
            (false, sense) => Some(scaled(value, seconds.median, t, *sense)),
        };
        let (a, b) = (of(seconds.interval.0)?, of(seconds.interval.1)?);
        let value = if by_mean { of(seconds.mean)? } else { value };
        let samples = measurement.samples.iter().filter_map(|t| of(f64::from(*t))).collect();
        Some(MetricFigure { value, interval: (a.min(b), a.max(b)), samples })
    });
    let configuration = configuration.clone();
    let unsettled = measurement.exit == Exit::OutOfTime;
    Figure { configuration, seconds, metric, error: measurement.error, unsettled, metrics }
}

/// Derives the metrics of a known estimate for other run times, by the rules of [`figure`].
pub(super) struct Derived<'a> {
    before: &'a Figure,
    secondary: &'a Objective,
    how: How,
}

/// How the secondary metric depends on the run time.
enum How {
    Missing,
    /// The metric scales with time, as a rate or a duration.
    Scales,
    /// The metric has its own formula, tabulated as ascending run times with their values.
    Formula(Vec<(f64, f64)>),
}

/// A formula is tabulated at this many run times on each side of the known one.
const ASKED: i32 = 96;
/// The table spans the known run time divided and multiplied by this factor.
const REACH: f64 = 64.0;

impl<'a> Derived<'a> {
    pub(super) fn of(
        plan: &'a Plan,
        subject: &mut dyn Subject,
        size: u64,
        before: &'a Figure,
    ) -> Self {
        let secondary = &plan.secondary;
        let known = before.seconds.median;
        let mut stated = |seconds: f64| {
            subject.metrics(size, &before.configuration, seconds).get(&secondary.metric).copied()
        };
        let value = before.metric.as_ref().map(|metric| metric.value);
        let same = |a: f64, b: f64| (a - b).abs() <= SAME * b.abs();
        let twice = match secondary.sense {
            Sense::Maximise => 0.5,
            Sense::Minimise => 2.0,
        };
        let how = match (value, stated(known), stated(2.0 * known)) {
            (None, ..) => How::Missing,
            (Some(value), Some(formula), Some(later))
                if same(formula, value) && !same(later, twice * formula) =>
            {
                let step = |at: i32| known * REACH.powf(f64::from(at) / f64::from(ASKED));
                let asked = (-ASKED..=ASKED).filter_map(|at| Some((step(at), stated(step(at))?)));
                How::Formula(asked.collect())
            }
            _ => How::Scales,
        };
        Self { before, secondary, how }
    }

    pub(super) fn metric(&self, seconds: f64) -> Option<f64> {
        let value = self.before.metric.as_ref()?.value;
        match &self.how {
            How::Missing => None,
            How::Scales => {
                Some(scaled(value, self.before.seconds.median, seconds, self.secondary.sense))
            }
            How::Formula(asked) => {
                if asked.len() < 2 {
                    return None;
                }
                let at = asked.partition_point(|(time, _)| *time <= seconds);
                let at = at.clamp(1, asked.len() - 1);
                let ((t0, v0), (t1, v1)) = (asked[at - 1], asked[at]);
                Some(v0 + (v1 - v0) * (seconds - t0) / (t1 - t0))
            }
        }
    }

    pub(super) fn metrics(
        &self,
        subject: &mut dyn Subject,
        size: u64,
        seconds: f64,
    ) -> BTreeMap<String, f64> {
        let known = self.before.seconds.median;
        let configuration = &self.before.configuration;
        let (then, now) = (
            subject.metrics(size, configuration, known),
            subject.metrics(size, configuration, seconds),
        );
        let mut metrics = self.before.metrics.clone();
        for (name, value) in &mut metrics {
            // Values of observers belong to the observed runs and stay.
            if let (Some(then), Some(now)) = (then.get(name), now.get(name))
                && (then - *value).abs() <= SAME * value.abs()
            {
                *value = *now;
            }
        }
        if let Some(value) = self.metric(seconds) {
            metrics.insert(self.secondary.metric.clone(), value);
        }
        metrics
    }
}

/// Scales a metric to another run time: as a rate if more is better, otherwise as a duration.
fn scaled(value: f64, known: f64, seconds: f64, sense: Sense) -> f64 {
    match sense {
        Sense::Maximise => value * known / seconds,
        Sense::Minimise => value * seconds / known,
    }
}

#[cfg(test)]
mod tests {
    use records::Summary;

    use super::*;

    /// Three samples with a median of two seconds, and these metrics from the worker.
    fn measurement(metrics: &[(&str, f64)]) -> Measurement {
        let samples = [1.0, 2.0, 4.0];
        let seconds = Summary { interval: (1.0, 4.0), ..Summary::of(&samples).expect("a summary") };
        Measurement {
            seconds,
            samples: samples.iter().map(|s| *s as f32).collect(),
            exit: Exit::Precise,
            batch: 1,
            cold: Some(true),
            disturbed: Vec::new(),
            beside: None,
            flushed: false,
            error: None,
            metrics: metrics.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        }
    }

    /// The document's metrics: a speed with a start-up of half a second.
    fn stated(seconds: f64) -> BTreeMap<String, f64> {
        let speed = ("speed".to_owned(), 3.0 / (seconds - 0.5));
        BTreeMap::from([speed, ("runs".to_owned(), 1.0 / seconds)])
    }

    fn of((metric, sense): (&str, Sense), metrics: &[(&str, f64)]) -> Figure {
        let secondary = Objective { metric: metric.to_owned(), sense };
        figure(&secondary, &Named::default(), (&measurement(metrics), false), stated)
    }

    #[test]
    fn the_metric_can_be_that_of_the_mean_run_time() {
        let secondary = Objective { metric: "speed".to_owned(), sense: Sense::Maximise };
        let three = (&measurement(&[]), true);
        let metric = figure(&secondary, &Named::default(), three, stated).metric.expect("a metric");
        assert!((metric.value - 3.0 / (7.0 / 3.0 - 0.5)).abs() < 1e-12, "{}", metric.value);
    }

    #[test]
    fn the_documents_formula_spreads_its_own_metric() {
        for metrics in [&[][..], &[("speed", 2.0)][..]] {
            let metric = of(("speed", Sense::Maximise), metrics).metric.expect("a metric");
            assert_eq!((metric.value, metric.interval), (2.0, (3.0 / 3.5, 6.0)));
            assert_eq!(metric.samples, [6.0, 2.0, 3.0 / 3.5]);
        }
    }

    #[test]
    fn what_the_worker_derived_is_reported_and_scales_with_time() {
        let figure = of(("speed", Sense::Maximise), &[("speed", 10.0), ("energy", 6.0)]);
        let metric = figure.metric.expect("a metric");
        assert_eq!((metric.value, metric.interval), (10.0, (5.0, 20.0)));
        assert_eq!(metric.samples, [20.0, 10.0, 5.0]);
        assert_eq!(figure.metrics.get("speed"), Some(&10.0));
        assert_eq!(figure.metrics.get("energy"), Some(&6.0));
        assert_eq!(figure.metrics.get("runs"), Some(&0.5), "what nobody derived is the document's");
        let metric = of(("energy", Sense::Minimise), &[("energy", 6.0)]).metric.expect("a metric");
        assert_eq!((metric.value, metric.interval), (6.0, (3.0, 12.0)));
    }

    #[test]
    fn a_metric_that_nobody_knows_has_no_figure() {
        assert_eq!(of(("beauty", Sense::Maximise), &[("speed", 2.0)]).metric, None);
    }
}
