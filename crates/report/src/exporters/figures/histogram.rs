//! Histogram of the samples behind the best and the default configuration of a size.

use records::{Figure, StudyRecord};

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, Canvas, FigureError, Stroke, Turn, draw},
    font,
    frame::{Frame, FrameSide, LABEL, Labels, TICK},
    legend::{self, LegendEntry},
    palette::{BLUE, Dash, INK, Mark, SOFT},
    saturation::named_metric,
    series::SeriesStyle,
};
use crate::exporters::words::quantities::{count, counted, significant};

const SIZE: (f64, f64) = (820.0, 260.0);
const BINS: usize = 40;
/// Fewer samples make no histogram.
const LEAST_SAMPLES: usize = 8;
/// The axis ends at these quantiles, so that a few far samples do not squeeze the others.
const ENDS: (f64, f64) = (0.02, 0.98);

const BEST: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(BLUE, 1.6), mark: Mark::None, radius: 0.0 };
const DEFAULT: SeriesStyle =
    SeriesStyle { stroke: Stroke::new(SOFT, 1.4, Dash::Short), mark: Mark::None, radius: 0.0 };

/// The samples of one configuration, and the value that the study reports for it.
struct Sampled {
    name: &'static str,
    look: SeriesStyle,
    sorted: Vec<f64>,
    value: f64,
}

impl Sampled {
    fn of(name: &'static str, look: SeriesStyle, figure: &Figure) -> Option<Self> {
        let metric = figure.metric.as_ref()?;
        let finite = metric.samples.iter().copied().filter(|sample| sample.is_finite());
        let sorted = math::sorted(&finite.collect::<Vec<_>>());
        (sorted.len() >= LEAST_SAMPLES).then_some(Self { name, look, sorted, value: metric.value })
    }

    fn quantile(&self, share: f64) -> f64 {
        math::quantile(&self.sorted, share)
    }

    /// Shares of the samples in the bins between two values, and the number of samples outside.
    fn bins(&self, (low, high): (f64, f64)) -> ([f64; BINS], usize) {
        let mut bins = [0.0; BINS];
        let mut outside = 0;
        for sample in &self.sorted {
            if (low..=high).contains(sample) {
                let at = ((sample - low) / (high - low) * BINS as f64) as usize;
                bins[at.min(BINS - 1)] += 1.0 / self.sorted.len() as f64;
            } else {
                outside += 1;
            }
        }
        (bins, outside)
    }
}

/// Draws the histogram as SVG. `default` is `None` if the best configuration is the default.
///
/// # Errors
/// If there are too few samples.
pub(in crate::exporters) fn histogram(
    record: &StudyRecord,
    best: &Figure,
    default: Option<&Figure>,
) -> Result<String, FigureError> {
    let best = Sampled::of("best configuration", BEST, best);
    let best = best.ok_or(FigureError::Empty("the best configuration has few samples"))?;
    let default = default.and_then(|figure| Sampled::of("default configuration", DEFAULT, figure));
    let sampled: Vec<Sampled> = default.into_iter().chain([best]).collect();
    let low = sampled.iter().map(|one| one.quantile(ENDS.0)).fold(f64::INFINITY, f64::min);
    let high = sampled.iter().map(|one| one.quantile(ENDS.1)).fold(f64::NEG_INFINITY, f64::max);
    // Samples of a clock with coarse ticks may all be equal.
    let room = if high > low { 0.0 } else { 0.05 * high.abs().max(1e-12) };
    let range = (low - room, high + room);
    let entry = |one: &Sampled| LegendEntry {
        look: one.look,
        text: format!("{}, {}", one.name, counted(one.sorted.len(), "sample")),
    };
    let entries: Vec<LegendEntry> = sampled.iter().rev().map(entry).collect();
    let (left, right) = (78.0, SIZE.0 - 28.0);
    let frame = Frame { left, top: 34.0, right, bottom: SIZE.1 - 62.0 };
    draw(SIZE, "Histogram of the samples", |canvas| {
        legend::draw(canvas, (left, 6.0), right - left, &entries);
        let metric = named_metric(record);
        let outside = plot(canvas, frame, range, &sampled, &metric);
        let mut note = "lines: the values that the study reports".to_owned();
        if outside > 0 {
            note += &format!("  ·  {} beyond the axis", counted(outside, "sample"));
        }
        let note = font::fit(&note, TICK - 1.0, SIZE.0 - 40.0);
        let at = (SIZE.0 / 2.0, SIZE.1 - 10.0);
        canvas.text(at, &note, TICK - 1.0, SOFT, Anchor::Middle, Turn::Level);
    })
}

/// Draws the bins and the axes. Returns the number of samples beyond the axis.
fn plot(
    canvas: &mut Canvas<'_>,
    frame: Frame,
    range: (f64, f64),
    sampled: &[Sampled],
    metric: &str,
) -> usize {
    let bins: Vec<([f64; BINS], usize)> = sampled.iter().map(|one| one.bins(range)).collect();
    let values = sampled.iter().map(|one| one.value).chain([range.0, range.1]);
    let x = Axis::over(values, AxisScale::Linear, Margin::Both, frame.across());
    let shares = bins.iter().flat_map(|(shares, _)| shares.iter().map(|share| 100.0 * share));
    let y = Axis::over(shares, AxisScale::Linear, Margin::FromZero, frame.upwards());
    frame.grid(canvas, FrameSide::Bottom, &x, 64.0);
    frame.grid(canvas, FrameSide::Left, &y, 34.0);
    frame.border(canvas);
    let edge = |at: usize| x.at(range.0 + (range.1 - range.0) * at as f64 / BINS as f64);
    for (one, (shares, _)) in sampled.iter().zip(&bins) {
        let mut outline = vec![(edge(0), frame.bottom)];
        for (at, share) in shares.iter().enumerate() {
            let height = y.at(100.0 * share);
            outline.extend([(edge(at), height), (edge(at + 1), height)]);
        }
        outline.push((edge(BINS), frame.bottom));
        canvas.shape(&outline, one.look.stroke.colour, 0.16);
        canvas.line(&outline, one.look.stroke);
        let at = x.at(one.value);
        let stroke = Stroke { width: 2.2, ..one.look.stroke };
        canvas.line(&[(at, frame.top), (at, frame.bottom)], stroke);
    }
    let percent = |value: f64| significant(value, 3);
    let labels = Labels { colour: INK, ..Labels::of_numbers(metric, &count, 64.0, 35.0) };
    frame.axis(canvas, FrameSide::Bottom, &x, &labels);
    let share = font::fit("share of samples (%)", LABEL, frame.bottom - frame.top);
    frame.axis(canvas, FrameSide::Left, &y, &Labels::of_numbers(&share, &percent, 34.0, 52.0));
    bins.iter().map(|(_, outside)| outside).sum()
}
