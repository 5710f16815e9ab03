//! Derives the ceilings of a device from the studies of its profile.

use knees::{Level, levels, reaches};
use records::{Ceiling, CeilingKind, Figure, SizePoint, StudyRecord, StudyView};

/// A level counts as a cache if its bandwidth is at least this many times that of memory.
const SLOWER: f64 = 1.25;

/// A cache level must hold over this many octaves of bytes.
const OCTAVES: f64 = 1.0;

/// A value and its interval.
type Rate = (f64, (f64, f64));

/// A finished study of a profile.
#[derive(Debug, Clone)]
pub struct Profiled {
    /// The study's folder, relative to the profile's.
    pub folder: String,
    /// Its settings, device and benchmark.
    pub record: StudyRecord,
    /// Its results.
    pub view: StudyView,
}

/// Returns the ceilings that the studies of a profile reached, sorted by kind. Studies of
/// benchmarks that measure no ceiling are skipped.
#[must_use]
pub fn measured(studies: &[Profiled]) -> Vec<Ceiling> {
    let mut found = bandwidths(studies);
    for study in studies {
        match study.record.benchmark.name.as_str() {
            "fma" => found.extend(study.arithmetic()),
            "chase" => found.extend(study.latencies()),
            "launch" => found.extend(study.launch()),
            "histogram" => found.extend(study.atomics()),
            _ => {}
        }
    }
    found.sort_by_key(|ceiling| ceiling.kind);
    // If a ceiling was measured more than once, the best value counts.
    let mut best: Vec<Ceiling> = Vec::new();
    for ceiling in found {
        let same = |c: &&mut Ceiling| c.kind == ceiling.kind && c.of == ceiling.of;
        match best.iter_mut().find(same) {
            Some(known) if is_better(&ceiling, known) => *known = ceiling,
            Some(_) => {}
            None => best.push(ceiling),
        }
    }
    best
}

fn is_better(one: &Ceiling, other: &Ceiling) -> bool {
    match one.kind {
        CeilingKind::Latency | CeilingKind::Launch => one.value < other.value,
        _ => one.value > other.value,
    }
}

/// Returns the bandwidths of caches from hot studies, fastest first, then those of memory from cold
/// studies.
fn bandwidths(studies: &[Profiled]) -> Vec<Ceiling> {
    let moves = |study: &&Profiled| study.record.benchmark.secondary.unit == "GB/s";
    let (hot, cold): (Vec<_>, Vec<_>) = studies.iter().filter(moves).partition(|s| s.is_hot());
    let memory: Vec<Ceiling> = cold.iter().filter_map(|study| study.bandwidth()).collect();
    let slowest = memory
        .iter()
        .map(|c| c.value)
        .fold(None, |most: Option<f64>, value| Some(most.map_or(value, |most| most.max(value))));
    let caches = hot.iter().flat_map(|study| study.cache_bandwidths(slowest));
    caches.chain(memory).collect()
}

impl Profiled {
    fn is_hot(&self) -> bool {
        self.view.started.caches.as_ref().is_some_and(|caches| caches.kind == "hot")
    }

    /// Whether `bytes` exceed the last-level cache. If its size is unknown, they do.
    fn is_past_caches(&self, bytes: f64) -> bool {
        let last = self.view.started.caches.as_ref().map_or(0, |caches| caches.last_cache);
        bytes > last as f64
    }

    fn ceiling(
        &self,
        kind: CeilingKind,
        of: &str,
        (point, figure): (&SizePoint, &Figure),
        (value, interval): Rate,
    ) -> Ceiling {
        Ceiling {
            kind,
            of: of.to_owned(),
            value,
            interval,
            samples: figure.seconds.count as u64,
            reach: None,
            in_theory: None,
            benchmark: self.record.benchmark.name.clone(),
            size: point.size,
            configuration: figure.configuration.clone(),
            study: self.folder.clone(),
            profile: None,
        }
    }

    /// Returns the secondary metric without the prefix of its unit: `G/s` as 1/s.
    fn rate(&self, figure: &Figure) -> Option<Rate> {
        let factor = match self.record.benchmark.secondary.unit.get(..1)? {
            "M" => 1e6,
            "G" => 1e9,
            _ => return None,
        };
        let metric = figure.metric.as_ref()?;
        let (low, high) = metric.interval;
        Some((metric.value * factor, (low * factor, high * factor)))
    }

    /// The size with the highest secondary metric.
    fn best(&self) -> Option<(&SizePoint, &Figure)> {
        let value = |figure: &Figure| figure.metric.as_ref().map_or(0.0, |metric| metric.value);
        self.view.held().max_by(|a, b| value(a.1).total_cmp(&value(b.1)))
    }

    fn bandwidth(&self) -> Option<Ceiling> {
        let at = self.best()?;
        let theory = self.record.device.peak_bandwidth;
        let found = self.ceiling(CeilingKind::Bandwidth, MEMORY, at, self.rate(at.1)?);
        Some(Ceiling { in_theory: theory, ..found })
    }

    /// Finds the levels of the hot curve from its highest point on. Smaller sizes are bound by
    /// launches.
    fn cache_bandwidths(&self, memory: Option<f64>) -> Vec<Ceiling> {
        let points: Vec<(&SizePoint, &Figure, Rate)> = self
            .view
            .held()
            .filter_map(|(point, figure)| Some((point, figure, self.rate(figure)?)))
            .collect();
        let top = points.iter().enumerate().max_by(|a, b| a.1.2.0.total_cmp(&b.1.2.0));
        let falling = &points[top.map_or(0, |(at, _)| at)..];
        // Levels are found in time per byte, which rises where throughput falls.
        let curve: Vec<(f64, f64)> =
            falling.iter().map(|(p, _, (rate, _))| (footprint(p), 1.0 / rate)).collect();
        let levels = levels(&curve, OCTAVES);
        let reaches = reaches(&curve, &levels);
        let last = levels.len().saturating_sub(1);
        let mut found = Vec::new();
        for (at, level) in levels.iter().enumerate() {
            let is_memory = match memory {
                Some(memory) => 1.0 / level.value < SLOWER * memory,
                None => at == last && last > 0 && self.is_past_caches(curve[level.last].0),
            };
            let best = falling[level.first..=level.last]
                .iter()
                .max_by(|a, b| a.2.0.total_cmp(&b.2.0))
                .map(|(point, figure, rate)| (*point, *figure, *rate));
            let Some((point, figure, rate)) = best else { continue };
            let reach = footprint(falling[reaches[at]].0) as u64;
            let (of, reach) = match is_memory {
                // Cold studies measure memory better, if there are any.
                true if memory.is_some() => continue,
                true => (MEMORY.to_owned(), None),
                false => (up_to(reach), Some(reach)),
            };
            let ceiling = self.ceiling(CeilingKind::Bandwidth, &of, (point, figure), rate);
            found.push(Ceiling { reach, ..ceiling });
        }
        found
    }

    fn arithmetic(&self) -> Option<Ceiling> {
        let at = self.best()?;
        let format = at.1.configuration.get("precision")?.to_string();
        let theory = self.record.device.peak_flops.filter(|_| format == "f32");
        let found = self.ceiling(CeilingKind::Arithmetic, &format, at, self.rate(at.1)?);
        Some(Ceiling { in_theory: theory, ..found })
    }

    fn latencies(&self) -> Vec<Ceiling> {
        let points: Vec<(&SizePoint, &Figure)> =
            self.view.held().filter(|(_, figure)| latency(figure).is_some()).collect();
        let curve: Vec<(f64, f64)> = points
            .iter()
            .filter_map(|(point, figure)| Some((point.size as f64, latency(figure)?.0)))
            .collect();
        let levels = levels(&curve, OCTAVES);
        let reaches = reaches(&curve, &levels);
        let last = levels.len().saturating_sub(1);
        let ceiling = |(at, level): (usize, &Level)| {
            let nearest = (level.first..=level.last).min_by(|a, b| {
                let far = |at: &usize| (curve[*at].1 / level.value).ln().abs();
                far(a).total_cmp(&far(b))
            })?;
            let reach = points[reaches[at]].0.size;
            let past = self.is_past_caches(reach as f64);
            let (of, reach) = match at == last && last > 0 && past {
                true => (MEMORY.to_owned(), None),
                false => (up_to(reach), Some(reach)),
            };
            let at = points[nearest];
            let found = self.ceiling(CeilingKind::Latency, &of, at, latency(at.1)?);
            Some(Ceiling { reach, ..found })
        };
        levels.iter().enumerate().filter_map(ceiling).collect()
    }

    fn launch(&self) -> Option<Ceiling> {
        let at = self.view.held().next()?;
        let seconds = &at.1.seconds;
        let value = (seconds.median, seconds.interval);
        Some(self.ceiling(CeilingKind::Launch, "one kernel", at, value))
    }

    fn atomics(&self) -> Option<Ceiling> {
        let at = self.best()?;
        let value = |name: &str| at.1.configuration.get(name).map(ToString::to_string);
        let of = match (value("skew").as_deref(), value("bins")) {
            (Some("4"), _) => "one place".to_owned(),
            (_, Some(bins)) => format!("{bins} places"),
            _ => return None,
        };
        Some(self.ceiling(CeilingKind::Atomics, &of, at, self.rate(at.1)?))
    }
}

/// Name of the level behind all caches.
pub(super) const MEMORY: &str = "memory";

/// Bytes of a size's arguments, or the size itself if they are unknown.
fn footprint(point: &SizePoint) -> f64 {
    let bytes = point.opened.as_ref().and_then(|opened| opened.bytes);
    bytes.unwrap_or(point.size) as f64
}

fn up_to(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 10 << 20 => format!("up to {} MiB", bytes >> 20),
        bytes => format!("up to {} KiB", bytes >> 10),
    }
}

/// Returns the seconds of one load. Their relative interval is that of the run time.
fn latency(figure: &Figure) -> Option<Rate> {
    let value = figure.metrics.get("latency")? * 1e-9;
    let (median, (low, high)) = (figure.seconds.median, figure.seconds.interval);
    (value > 0.0 && median > 0.0).then(|| (value, (value * low / median, value * high / median)))
}

#[cfg(test)]
#[path = "measured_tests.rs"]
mod tests;
