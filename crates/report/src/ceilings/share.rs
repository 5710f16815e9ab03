//! The share of a device's ceilings that a study's winners reach, by the roofline model of
//! Williams, Waterman and Patterson, *Roofline: an insightful visual performance model*, CACM
//! 52(4), 2009. A run takes at least the longer of two times: its bytes over the bandwidth of the
//! level that holds them, and its operations over the peak of their number format.

use records::{
    Ceiling, CeilingKind, CeilingsUsed, Figure, SizePoint, SizeWork, StudyRecord, StudyView,
    settings::Sense,
};
use serde::Serialize;

/// The ceiling that bounds a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Roof {
    /// Bandwidth or arithmetic.
    pub kind: CeilingKind,
    /// The level of memory, or the number format.
    pub of: String,
    /// Bytes or operations per second.
    pub value: f64,
}

/// The share of its ceiling that the winner of a size reaches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// The size.
    pub size: u64,
    /// The least time that the ceilings allow, over the measured time. Above 1 if a ceiling was
    /// beaten.
    pub share: f64,
    /// 95 % interval, from the intervals of the run time and of the ceiling.
    pub interval: (f64, f64),
    /// The ceiling that bounds the size.
    pub roof: Roof,
    /// Bytes or operations per second that the winner reaches.
    pub reached: f64,
    /// Operations per byte, where both are known.
    pub intensity: Option<f64>,
    /// Operations per second, where they are known.
    pub flops: Option<f64>,
}

/// Returns the shares of all measured sizes, smallest first. Empty if no ceilings are known, or if
/// the benchmark's document gives neither operations nor bytes.
#[must_use]
pub fn shares(view: &StudyView) -> Vec<Share> {
    view.measured().filter_map(|(point, figure)| share_of(view, point, figure)).collect()
}

/// Returns the share of a size.
#[must_use]
pub fn share_at(view: &StudyView, size: u64) -> Option<Share> {
    let (point, figure) = view.measured().find(|(point, _)| point.size == size)?;
    share_of(view, point, figure)
}

/// Returns the share of the size that the study answers with.
#[must_use]
pub fn winner_share(view: &StudyView) -> Option<Share> {
    share_at(view, view.winner()?.0.size)
}

/// Returns the rate that the ceilings allow at each measured size: the reached rate over its share.
/// Empty if the secondary metric is no rate, or if no ceilings are known.
#[must_use]
pub fn ceiling_curve(record: &StudyRecord, view: &StudyView) -> Vec<(u64, f64)> {
    let metric = &record.benchmark.secondary;
    if metric.sense != Sense::Maximise || !metric.unit.ends_with("/s") {
        return Vec::new();
    }
    let of = |(point, figure): (&SizePoint, &Figure)| {
        let share = share_of(view, point, figure)?.share;
        let value = figure.metric.as_ref()?.value / share;
        (share > 0.0 && value.is_finite()).then_some((point.size, value))
    };
    view.measured().filter_map(of).collect()
}

fn share_of(view: &StudyView, point: &SizePoint, figure: &Figure) -> Option<Share> {
    let used = view.ceilings.as_ref()?;
    let hot = view.started.caches.as_ref().is_some_and(|caches| caches.kind == "hot");
    let work = used.work.iter().find(|work| work.size == point.size)?;
    let held = point.opened.as_ref().and_then(|opened| opened.bytes).filter(|_| hot);
    share(used, work, held, figure)
}

/// `held` is the number of bytes that caches may still hold from the previous run; `None` if cold.
fn share(
    used: &CeilingsUsed,
    work: &SizeWork,
    held: Option<u64>,
    figure: &Figure,
) -> Option<Share> {
    let some = |amount: Option<f64>| amount.filter(|amount| *amount > 0.0 && amount.is_finite());
    let (bytes, flops) = (some(work.bytes), some(work.flops));
    let needs = |amount: Option<f64>, ceiling: Option<&'_ Ceiling>| {
        let amount = amount?;
        ceiling.filter(|c| c.value > 0.0).cloned().map(|c| (amount / c.value, amount, c))
    };
    let moved = needs(bytes, level(&used.ceilings, held));
    let computed = needs(flops, peak(&used.ceilings, &work.formats));
    let (least, amount, roof) =
        moved.into_iter().chain(computed).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let took = Some(figure.seconds.median).filter(|took| *took > 0.0)?;
    let share = least / took;
    let half = |value: f64, (low, high): (f64, f64)| {
        if value > 0.0 { (high - low).max(0.0) / (2.0 * value) } else { 0.0 }
    };
    let width = half(took, figure.seconds.interval).hypot(half(roof.value, roof.interval));
    Some(Share {
        size: work.size,
        share,
        interval: (share * (1.0 - width).max(0.0), share * (1.0 + width)),
        reached: amount / took,
        intensity: flops.zip(bytes).map(|(flops, bytes)| flops / bytes),
        flops: flops.map(|flops| flops / took),
        roof: Roof { kind: roof.kind, of: roof.of, value: roof.value },
    })
}

/// Returns the bandwidth of the smallest cache that holds `held` bytes, or else that of memory.
fn level(ceilings: &[Ceiling], held: Option<u64>) -> Option<&Ceiling> {
    let levels = || ceilings.iter().filter(|c| c.kind == CeilingKind::Bandwidth);
    let holds =
        |ceiling: &&Ceiling| ceiling.reach.zip(held).is_some_and(|(reach, held)| held <= reach);
    let cache = levels().filter(holds).min_by_key(|ceiling| ceiling.reach);
    cache.or_else(|| levels().find(|ceiling| ceiling.reach.is_none()))
}

/// The highest peak among the formats that a configuration computes in.
fn peak<'a>(ceilings: &'a [Ceiling], formats: &[String]) -> Option<&'a Ceiling> {
    let peaks = ceilings.iter().filter(|c| c.kind == CeilingKind::Arithmetic);
    peaks.filter(|ceiling| formats.contains(&ceiling.of)).max_by(|a, b| a.value.total_cmp(&b.value))
}

#[cfg(test)]
#[path = "share_tests.rs"]
mod tests;
