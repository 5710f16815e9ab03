//! Roofline of a study: the ceilings of the device, and the winner of each size below them.
//! Reference: Williams, Waterman and Patterson, *Roofline: an insightful visual performance model*,
//! CACM 52(4), 2009.

use records::{Ceiling, CeilingKind, CeilingsUsed, StudyRecord, StudyView};

use super::{
    axis::{Axis, AxisScale, Margin},
    canvas::{Anchor, Canvas, FigureError, Stroke, Turn, draw},
    font,
    frame::{Frame, FrameSide, LABEL, Labels, TICK, TITLE},
    legend::{self, LegendEntry},
    palette::{BLUE, Dash, GREEN, INK, KNEE_COLOUR, Mark, ORANGE, PURPLE, SKY, SOFT, VERMILLION},
    series::SeriesStyle,
};
use crate::{
    ceilings::{Share, shares},
    exporters::words::{
        ceilings::rate,
        quantities::{count, grouped, significant},
    },
};

const SIZE: (f64, f64) = (820.0, 500.0);
const GAP: f64 = 48.0;

/// Line styles of the caches, fastest first.
const LEVELS: [(plotters::style::RGBColor, Dash); 4] =
    [(GREEN, Dash::Short), (SKY, Dash::Long), (PURPLE, Dash::Chain), (ORANGE, Dash::Dotted)];
const MEMORY: (plotters::style::RGBColor, Dash) = (VERMILLION, Dash::Solid);
/// Dashes of the peaks of number formats, highest first.
const PEAKS: [Dash; 4] = [Dash::Solid, Dash::Long, Dash::Short, Dash::Dotted];

const WINNERS: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(BLUE, 0.0), mark: Mark::Disc, radius: 4.0 };
const KNEE: SeriesStyle =
    SeriesStyle { stroke: Stroke::solid(KNEE_COLOUR, 0.0), mark: Mark::Diamond, radius: 6.0 };

/// A line of the roof: a bandwidth, or the peak of a number format.
struct RoofLine<'a> {
    ceiling: &'a Ceiling,
    stroke: Stroke,
}

/// Draws the roofline as SVG.
///
/// # Errors
/// If no ceilings are known, or the benchmark does not state its operations and bytes.
pub fn roofline(record: &StudyRecord, view: &StudyView) -> Result<String, FigureError> {
    let nothing = FigureError::Empty("no ceilings are known, or no operations and bytes");
    let Some(used) = &view.ceilings else { return Err(nothing) };
    let dots: Vec<Share> =
        shares(view).into_iter().filter(|s| s.intensity.is_some() && s.flops.is_some()).collect();
    let (slopes, peaks) = (slopes(used), peaks(used, &dots));
    if dots.is_empty() || slopes.is_empty() || peaks.is_empty() {
        return Err(nothing);
    }
    let title = format!("{} on {}: roofline", record.benchmark.name, record.device.name);
    let entries = entries(&slopes, &peaks, view);
    let (left, right) = (82.0, SIZE.0 - 28.0);
    let top = 42.0 + legend::rows(&entries, right - left) as f64 * legend::ROW;
    let frame = Frame { left, top: top + 8.0, right, bottom: SIZE.1 - 70.0 };
    draw(SIZE, &title, |canvas| {
        let words = font::fit(&title, TITLE, right - left);
        canvas.text((left, 22.0), &words, TITLE, INK, Anchor::Start, Turn::Level);
        legend::draw(canvas, (left, 38.0), right - left, &entries);
        plot(canvas, frame, (&slopes, &peaks), &dots, view);
        let words = font::fit(&note(used), TICK - 1.0, SIZE.0 - 40.0);
        let at = (SIZE.0 / 2.0, SIZE.1 - 14.0);
        canvas.text(at, &words, TICK - 1.0, SOFT, Anchor::Middle, Turn::Level);
    })
}

/// Returns the bandwidths, fastest first.
fn slopes(used: &CeilingsUsed) -> Vec<RoofLine<'_>> {
    let mut all: Vec<&Ceiling> =
        used.ceilings.iter().filter(|c| c.kind == CeilingKind::Bandwidth).collect();
    all.sort_by(|a, b| b.value.total_cmp(&a.value));
    let mut looks = LEVELS.iter().cycle();
    let line = |ceiling: &'_ Ceiling| match ceiling.reach {
        None => MEMORY,
        Some(_) => *looks.next().unwrap_or(&LEVELS[0]),
    };
    let looks: Vec<_> = all.iter().copied().map(line).collect();
    let lines = all.into_iter().zip(looks);
    lines
        .map(|(ceiling, (colour, dash))| RoofLine {
            ceiling,
            stroke: Stroke::new(colour, 1.8, dash),
        })
        .collect()
}

/// Returns the peaks of the formats that the winners compute in, highest first.
fn peaks<'a>(used: &'a CeilingsUsed, dots: &[Share]) -> Vec<RoofLine<'a>> {
    let sizes = |size: u64| dots.iter().any(|dot| dot.size == size);
    let own = |ceiling: &&Ceiling| {
        used.work.iter().any(|work| sizes(work.size) && work.formats.contains(&ceiling.of))
    };
    let all = used.ceilings.iter().filter(|c| c.kind == CeilingKind::Arithmetic);
    let mut found: Vec<&Ceiling> = all.filter(own).collect();
    found.sort_by(|a, b| b.value.total_cmp(&a.value));
    let lines = found.into_iter().zip(PEAKS.iter().cycle());
    lines
        .map(|(ceiling, dash)| RoofLine { ceiling, stroke: Stroke::new(INK, 1.6, *dash) })
        .collect()
}

fn plot(
    canvas: &mut Canvas<'_>,
    frame: Frame,
    (slopes, peaks): (&[RoofLine<'_>], &[RoofLine<'_>]),
    dots: &[Share],
    view: &StudyView,
) {
    let (highest, fastest) = (peaks[0].ceiling, slopes[0].ceiling);
    let slowest = slopes[slopes.len() - 1].ceiling;
    let place = |dot: &Share| dot.intensity.zip(dot.flops);
    let ridge = highest.value / slowest.value;
    let xs = dots.iter().filter_map(place).map(|(x, _)| x);
    // The picture shows the ridge of each level, even if a cache is much faster than memory.
    let steepest = highest.value / fastest.value;
    let (mut low, mut high) = ((ridge / 16.0).min(steepest / 2.0), ridge * 4.0);
    for at in xs {
        (low, high) = (low.min(at / 2.0), high.max(at * 2.0));
    }
    let x = Axis::over([low, high], AxisScale::Log, Margin::Both, frame.across());
    let reached = dots.iter().filter_map(place).map(|(_, y)| y / 1e9);
    let tops = peaks.iter().map(|line| line.ceiling.value * 1.6e-9);
    let floor = [low * slowest.value / 1e9, peaks[peaks.len() - 1].ceiling.value / 1e10];
    let floor = floor.into_iter().fold(f64::INFINITY, f64::min);
    let y = Axis::over(
        reached.chain(tops).chain([floor]),
        AxisScale::Log,
        Margin::Both,
        frame.upwards(),
    );
    frame.grid(canvas, FrameSide::Bottom, &x, GAP);
    frame.grid(canvas, FrameSide::Left, &y, GAP);
    frame.border(canvas);
    for line in slopes {
        let ends = |value: f64| {
            let (from, to) = (low.max(floor * 1e9 / value), highest.value / value);
            let to = to.min(high);
            [from, to].map(|at| (x.at(at), y.at(at * value / 1e9)))
        };
        roof(canvas, line, ends);
    }
    for line in peaks {
        let ends = |value: f64| {
            let from = (value / fastest.value).max(low);
            [from, high].map(|at| (x.at(at), y.at(value / 1e9)))
        };
        roof(canvas, line, ends);
    }
    for (at, dot) in dots.iter().filter_map(|dot| Some((place(dot)?, dot))) {
        let knee = view.accepted.as_ref().is_some_and(|knee| knee.size == dot.size);
        let look = if knee { KNEE } else { WINNERS };
        let at = (x.at(at.0), y.at(at.1 / 1e9));
        canvas.mark(at, look.mark, look.radius, look.stroke.colour);
        if knee {
            let words = format!("knee {}", grouped(dot.size));
            let beside = (at.0 + 10.0, at.1);
            canvas.text(beside, &words, LABEL, INK, Anchor::Start, Turn::Level);
        }
    }
    let number = |value: f64| significant(value, 3);
    let across = Labels::of_numbers("operations per byte", &number, GAP, 37.0);
    frame.axis(canvas, FrameSide::Bottom, &x, &across);
    frame.axis(canvas, FrameSide::Left, &y, &Labels::of_numbers("GFLOP/s", &count, GAP, 60.0));
}

/// Draws a line with the band of its interval.
fn roof(canvas: &mut Canvas<'_>, line: &RoofLine<'_>, ends: impl Fn(f64) -> [(f64, f64); 2]) {
    let (low, high) = line.ceiling.interval;
    if low > 0.0 && high > low {
        let (below, above) = (ends(low), ends(high));
        let outline = [below[0], below[1], above[1], above[0]];
        canvas.shape(&outline, line.stroke.colour, 0.16);
    }
    canvas.line(&ends(line.ceiling.value), line.stroke);
}

fn entries(slopes: &[RoofLine<'_>], peaks: &[RoofLine<'_>], view: &StudyView) -> Vec<LegendEntry> {
    let line = |line: &RoofLine<'_>| LegendEntry {
        look: SeriesStyle { stroke: line.stroke, mark: Mark::None, radius: 0.0 },
        text: format!("{}: {}", line.ceiling.of, rate(line.ceiling.kind, line.ceiling.value)),
    };
    let mut entries: Vec<LegendEntry> = peaks.iter().chain(slopes).map(line).collect();
    entries.push(LegendEntry { look: WINNERS, text: "winner of a size".to_owned() });
    if let Some(knee) = &view.accepted {
        let text = format!("at the knee, {}", grouped(knee.size));
        entries.push(LegendEntry { look: KNEE, text });
    }
    entries
}

fn note(used: &CeilingsUsed) -> String {
    let mut parts = vec![
        "bands: 95 % interval of the ceilings".to_owned(),
        format!("measured on {} ({})", used.measured.format("%Y-%m-%d"), used.profile),
    ];
    if !used.differs.is_empty() {
        parts.push(used.differs.join(", "));
    }
    parts.join("  ·  ")
}
