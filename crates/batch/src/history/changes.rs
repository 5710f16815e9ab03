//! Finds where trends change: the study, the size of the change, and changed conditions.

use chrono::{DateTime, Utc};
use math::{change_points, standard_deviation};
use report::comparison::{Difference, Level, Ratio, Verdict, judge};
use serde::Serialize;

use super::trend::{Series, Trend};

/// Probability of any false alarm, half for whole curves and half for single sizes.
const FALSE_ALARMS: f64 = 0.05;

/// Default margin: speeds that differ by less count as the same.
pub const MARGIN: f64 = 0.02;

/// From this number of studies on, their standard deviation is trusted.
const SEVERAL: usize = 3;

/// A change of speed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// What the studies measure.
    pub subject: String,
    /// Name of the device.
    pub device: String,
    /// The size; `None` for the whole curve.
    pub size: Option<u64>,
    /// When the first study after the change started.
    pub since: DateTime<Utc>,
    /// Folder of the last study before the change.
    pub before: String,
    /// Folder of the first study after the change.
    pub after: String,
    /// Numbers of studies since the previous change, and until the next one.
    pub studies: (usize, usize),
    /// Speed after the change over speed before.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Whether this is the last change of its series.
    pub lasts: bool,
    /// Recorded conditions that differ between the two studies next to the change.
    pub differences: Vec<Difference>,
    /// Position in the trend of the first study after the change.
    #[serde(skip)]
    pub at: usize,
}

/// Returns the significant changes of all trends. Newest first; at the same time, whole curves
/// before single sizes. Differences of speed within `margin` are ignored.
#[must_use]
pub fn changes(trends: &[Trend<'_>], margin: f64) -> Vec<Change> {
    let whole: Vec<(&Trend<'_>, &Series)> =
        trends.iter().map(|trend| (trend, &trend.whole)).collect();
    let sizes: Vec<(&Trend<'_>, &Series)> =
        trends.iter().flat_map(|trend| trend.sizes.iter().map(move |size| (trend, size))).collect();
    let mut found: Vec<Change> =
        [whole, sizes].iter().flat_map(|family| of_family(family, margin)).collect();
    found.sort_by(|a, b| (b.since, a.size).cmp(&(a.since, b.size)));
    found
}

fn of_family(family: &[(&Trend<'_>, &Series)], margin: f64) -> Vec<Change> {
    let share = FALSE_ALARMS / 2.0;
    let significance = share / family.len().max(1) as f64;
    let all = family.iter().flat_map(|(trend, series)| of_series(trend, series, significance));
    let mut found: Vec<Change> = all.collect();
    judge(found.iter_mut().map(|change| &mut change.ratio), margin, share);
    // Significant changes within the margin are dropped, too.
    let is_news = |ratio: &Ratio| {
        let certain = matches!(ratio.verdict, Verdict::Faster | Verdict::Slower);
        certain && ratio.ratio.ln().abs() > margin.ln_1p()
    };
    found.retain(|change| is_news(&change.ratio));
    found
}

fn of_series(trend: &Trend<'_>, series: &Series, significance: f64) -> Vec<Change> {
    let values: Vec<f64> = series.points.iter().map(|(_, level)| level.value).collect();
    let cuts: Vec<usize> =
        change_points(&values, significance).iter().map(|change| change.at).collect();
    let bound = |at: usize| cuts.get(at).copied().unwrap_or(values.len());
    let found = cuts.iter().enumerate().filter_map(|(n, cut)| {
        let start = if n == 0 { 0 } else { cuts[n - 1] };
        let (before, after) = (&series.points[start..*cut], &series.points[*cut..bound(n + 1)]);
        let ratio = ratio(before, after)?;
        let (last, first) = (before.last()?.0, after.first()?.0);
        let (earlier, later) = (&trend.studies[last], &trend.studies[first]);
        Some(Change {
            subject: trend.subject.clone(),
            device: trend.device.clone(),
            size: series.size,
            since: later.1.started,
            before: earlier.0.folder.clone(),
            after: later.0.folder.clone(),
            studies: (before.len(), after.len()),
            ratio,
            lasts: n + 1 == cuts.len(),
            differences: differences(earlier.1.conditions.iter(), later.1.conditions.iter()),
            at: first,
        })
    });
    found.collect()
}

/// Speed after over speed before. If one side has few studies, their deviations are raised to the
/// spread of the other side's.
fn ratio(before: &[(usize, Level)], after: &[(usize, Level)]) -> Option<Ratio> {
    let side = |own: &[(usize, Level)], other: &[(usize, Level)]| -> Vec<Level> {
        let apart = match own.len() < SEVERAL && other.len() >= SEVERAL {
            true => standard_deviation(&other.iter().map(|(_, l)| l.value).collect::<Vec<_>>()),
            false => 0.0,
        };
        let raised = |level: &Level| Level { deviation: level.deviation.max(apart), ..*level };
        own.iter().map(|(_, level)| raised(level)).collect()
    };
    Ratio::of(&side(before, after), &side(after, before))
}

type Conditions<'a> = std::collections::btree_map::Iter<'a, String, String>;

fn differences(before: Conditions<'_>, after: Conditions<'_>) -> Vec<Difference> {
    let (before, after): (Vec<_>, Vec<_>) = (before.collect(), after.collect());
    let of = |side: &[(&String, &String)], name: &String| {
        let found = side.iter().find(|(other, _)| *other == name);
        found.map_or("–".to_owned(), |(_, value)| (*value).clone())
    };
    let mut names: Vec<&String> = before.iter().chain(&after).map(|(name, _)| *name).collect();
    names.sort();
    names.dedup();
    let all = names.into_iter().map(|name| Difference {
        what: name.clone(),
        first: of(&before, name),
        other: of(&after, name),
    });
    all.filter(|difference| difference.first != difference.other).collect()
}
