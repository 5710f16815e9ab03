//! Levels of a study's curve, if it has several: those of the caches, then that of memory.

use records::{Figure, SizePoint, StudyRecord, StudyView};
use serde::Serialize;

use super::quantities::{grouped, significant};

/// A level must hold over this many octaves of the size. Shorter levels are bends.
const OCTAVES: f64 = 1.5;

/// A level of a study's curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StudyLevel {
    /// The first size of the level.
    pub from: u64,
    /// The last size of the level.
    pub to: u64,
    /// The median of the metric over the level's sizes.
    pub value: f64,
}

/// Returns the levels of a study's metric; empty if there are fewer than two.
#[must_use]
pub fn of_study(view: &StudyView) -> Vec<StudyLevel> {
    let metric = |(point, figure): (&SizePoint, &Figure)| {
        let value = figure.metric.as_ref()?.value;
        (value > 0.0).then_some((point.size, value))
    };
    let points: Vec<(u64, f64)> = view.held().filter_map(metric).collect();
    let curve: Vec<(f64, f64)> =
        points.iter().map(|(size, value)| (*size as f64, *value)).collect();
    let levels = knees::levels(&curve, OCTAVES);
    if levels.len() < 2 {
        return Vec::new();
    }
    let of = |level: &knees::Level| StudyLevel {
        from: points[level.first].0,
        to: points[level.last].0,
        value: level.value,
    };
    levels.iter().map(of).collect()
}

/// Formats a line for each level: `75.2 GB/s from 24 576 to 393 216`.
#[must_use]
pub fn lines(record: &StudyRecord, view: &StudyView) -> Vec<String> {
    let unit = &record.benchmark.secondary.unit;
    let line = |level: &StudyLevel| {
        let (from, to) = (grouped(level.from), grouped(level.to));
        format!("{} {unit} from {from} to {to}", significant(level.value, 3))
    };
    of_study(view).iter().map(line).collect()
}
