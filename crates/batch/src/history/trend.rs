//! Trends: run times of the same kind of study over time, for the whole curve and for every size.

use std::collections::{BTreeMap, BTreeSet};

use math::mean;
use report::comparison::Level;

use super::entry::{Entry, State, StudyFacts};

/// The whole curve is the mean over the sizes that at least this share of the studies has.
const USUAL: f64 = 0.75;

/// Finished studies of one subject on one device, oldest first.
#[derive(Debug, Clone)]
pub struct Trend<'a> {
    /// What the studies measure.
    pub subject: String,
    /// Name of the device.
    pub device: String,
    /// The studies, without copies of the same study.
    pub studies: Vec<(&'a Entry, &'a StudyFacts)>,
    /// The whole curve: the mean over the usual sizes, for studies that have all of them.
    pub whole: Series,
    /// One series for every size.
    pub sizes: Vec<Series>,
    /// Number of sizes in the whole curve.
    pub usual: usize,
}

/// Run times over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// The size; `None` for the whole curve.
    pub size: Option<u64>,
    /// Positions in the trend's studies, ascending, with the logarithm of the seconds.
    pub points: Vec<(usize, Level)>,
}

/// Builds the trends of studies, sorted by subject and device.
#[must_use]
pub fn trends<'a>(entries: &[&'a Entry]) -> Vec<Trend<'a>> {
    let finished = entries.iter().filter(|entry| entry.state == State::Finished);
    let mut studies: Vec<(&Entry, &StudyFacts)> = finished
        .filter_map(|entry| Some((*entry, entry.study.as_ref()?)))
        .filter(|(_, study)| !study.sizes.is_empty())
        .collect();
    studies.sort_by_key(|(entry, study)| (study.started, &entry.folder));
    let mut groups: BTreeMap<(&str, &str), Vec<(&Entry, &StudyFacts)>> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for (entry, study) in studies {
        // A copied folder is not a second measurement.
        if known.insert((&study.subject, &study.device, study.started, &study.host)) {
            groups.entry((&study.subject, &study.device)).or_default().push((entry, study));
        }
    }
    groups.into_iter().map(|((subject, device), studies)| of(subject, device, studies)).collect()
}

fn of<'a>(subject: &str, device: &str, studies: Vec<(&'a Entry, &'a StudyFacts)>) -> Trend<'a> {
    let mut by_size: BTreeMap<u64, Vec<(usize, Level)>> = BTreeMap::new();
    for (at, (_, study)) in studies.iter().enumerate() {
        for size in &study.sizes {
            by_size.entry(size.size).or_default().push((at, size.level));
        }
    }
    let enough = (USUAL * studies.len() as f64).ceil() as usize;
    let usual: Vec<u64> = by_size
        .iter()
        .filter(|(_, points)| points.len() >= enough.max(1))
        .map(|(size, _)| *size)
        .collect();
    let whole = studies.iter().enumerate();
    let whole = whole.filter_map(|(at, (_, study))| Some((at, over(study, &usual)?)));
    Trend {
        subject: subject.to_owned(),
        device: device.to_owned(),
        whole: Series { size: None, points: whole.collect() },
        usual: usual.len(),
        sizes: by_size
            .into_iter()
            .map(|(size, points)| Series { size: Some(size), points })
            .collect(),
        studies,
    }
}

/// The mean over sizes; `None` if the study lacks a size. The deviations are averaged, too, since
/// without rounds a disturbance affects all sizes alike.
fn over(study: &StudyFacts, sizes: &[u64]) -> Option<Level> {
    let level = |size: &u64| study.sizes.iter().find(|s| s.size == *size).map(|s| s.level);
    let levels: Vec<Level> = sizes.iter().map(level).collect::<Option<_>>()?;
    if levels.is_empty() {
        return None;
    }
    let of = |figure: fn(&Level) -> f64| -> Vec<f64> { levels.iter().map(figure).collect() };
    let freedom = levels.iter().map(|level| level.freedom).fold(f64::INFINITY, f64::min);
    Some(Level {
        value: mean(&of(|level| level.value)),
        deviation: mean(&of(|level| level.deviation)),
        freedom,
    })
}
