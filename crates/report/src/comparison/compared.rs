//! Compares two sides: each benchmark that both have, over all common sizes and at each size.

use std::collections::BTreeMap;

use records::Named;
use serde::Serialize;

use super::{
    calm::Calm,
    calm_studies::by_calmer_studies,
    conditions::{Difference, differences},
    level::Level,
    portability::{PortableConfiguration, most_portable},
    side::{Side, Studied},
    turns::{by_pairs, in_turn},
    verdict::{Ratio, judge},
    view::{View, wander},
};
use crate::ceilings::share_at;

/// Probability of a false alarm in a whole table: half for whole curves, half for single sizes.
const FALSE_ALARMS: f64 = 0.05;

/// All sides, compared with the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Name of the first side.
    pub first: String,
    /// The other sides, each compared with the first.
    pub others: Vec<Compared>,
    /// Two sides count as the same if the interval of their ratio is within this margin of one.
    pub margin: f64,
    /// Studies that were left out, one sentence each.
    pub left_out: Vec<String>,
}

/// A side compared with the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Benchmarks that both sides have.
    pub benchmarks: Vec<ComparedBenchmark>,
    /// Conditions that differ between the sides.
    pub differences: Vec<Difference>,
    /// Benchmarks of the first side that cannot be compared with this side, one sentence each.
    pub missing: Vec<String>,
    /// Benchmarks that only this side has, one sentence each.
    pub added: Vec<String>,
}

/// A benchmark on two sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedBenchmark {
    /// The subject: the benchmark and those of its settings that are not the defaults.
    pub benchmark: String,
    /// Number of studies of the first side and of the other.
    pub studies: (usize, usize),
    /// Whether the studies of both sides were made in turn, so that they are compared in pairs.
    pub in_turn: bool,
    /// Knees of the first side and of the other, one for each study.
    pub knees: (Vec<KneeOfSide>, Vec<KneeOfSide>),
    /// Geometric mean of the speed ratios over the sizes that every study has.
    #[serde(flatten)]
    pub overall: Ratio,
    /// Number of sizes that every study has.
    pub common_sizes: usize,
    /// Every size that both sides have.
    pub sizes: Vec<ComparedSize>,
    /// The most portable configuration of both sides, at the largest common size that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub portable: Option<(u64, PortableConfiguration)>,
}

/// A study's knee.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KneeOfSide {
    /// The knee's size, if there is a knee.
    pub size: Option<u64>,
    /// 95 % interval of the size.
    pub interval: Option<(f64, f64)>,
    /// The best configuration at the knee, or at the largest size if there is no knee.
    pub configuration: Named,
}

/// A size on two sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedSize {
    /// The size.
    pub size: u64,
    /// Speed of the other side over that of the first.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Run times of the first side and of the other in seconds, as the ratio uses them: calm times
    /// if all studies have them, or else medians.
    pub seconds: (f64, f64),
    /// Best configuration of each side, from its newest study: first side, other side.
    pub configurations: (Named, Named),
    /// Shares of their ceilings that these configurations reach, where known.
    #[serde(rename = "share")]
    pub shares: (Option<f64>, Option<f64>),
}

/// Compares every side with the first.
#[must_use]
pub fn compare(sides: &[Side], margin: f64) -> Comparison {
    let left_out = sides.iter().flat_map(|side| side.left_out.iter().cloned()).collect();
    let Some((first, others)) = sides.split_first() else {
        return Comparison { first: String::new(), others: Vec::new(), margin, left_out };
    };
    let mut others: Vec<Compared> = others.iter().map(|other| compared(first, other)).collect();
    let benchmarks = others.iter_mut().flat_map(|other| other.benchmarks.iter_mut());
    judge(benchmarks.map(|benchmark| &mut benchmark.overall), margin, FALSE_ALARMS / 2.0);
    let benchmarks = others.iter_mut().flat_map(|other| other.benchmarks.iter_mut());
    let sizes = benchmarks.flat_map(|benchmark| benchmark.sizes.iter_mut());
    judge(sizes.map(|size| &mut size.ratio), margin, FALSE_ALARMS / 2.0);
    Comparison { first: first.name.clone(), others, margin, left_out }
}

fn compared(first: &Side, other: &Side) -> Compared {
    let (a, b) = (first.by_subject(), other.by_subject());
    let mut benchmarks = Vec::new();
    let mut missing = Vec::new();
    let both = a.iter().filter_map(|(subject, studies)| Some((subject, studies, b.get(subject)?)));
    let all: BTreeMap<&String, Vec<View>> = both
        .map(|(subject, studies, others)| {
            (subject, views((studies, others), &common_sizes(studies, others)))
        })
        .collect();
    for (subject, studies) in &a {
        match b.get(subject) {
            None => missing.push(format!("{subject} is in {} alone", first.name)),
            Some(others) => match benchmark(subject, (studies, others), &all) {
                Some(mut found) => {
                    found.portable = found.sizes.iter().rev().find_map(|size| {
                        Some((size.size, most_portable(&[first, other], subject, size.size)?))
                    });
                    benchmarks.push(found);
                }
                None => missing.push(format!("{subject} has no size in common, or single samples")),
            },
        }
    }
    let added = b.keys().filter(|subject| !a.contains_key(*subject));
    let added = added.map(|subject| format!("{subject} is in {} alone", other.name)).collect();
    let differences = differences(first, other);
    Compared { name: other.name.clone(), benchmarks, differences, missing, added }
}

fn benchmark(
    subject: &String,
    (first, other): (&[&Studied], &[&Studied]),
    all: &BTreeMap<&String, Vec<View>>,
) -> Option<ComparedBenchmark> {
    let wander = wander(all.iter().filter(|other| *other.0 != subject).map(|other| other.1));
    let sizes = all_sizes(first);
    let sizes: Vec<ComparedSize> =
        sizes.into_iter().filter_map(|size| at_size(size, (first, other), wander)).collect();
    let common = common_sizes(first, other);
    if common.is_empty() {
        return None;
    }
    let (overall, _) = ratio((first, other), &common, wander)?;
    let knees = |side: &[&Studied]| side.iter().filter_map(|study| knee(study)).collect();
    Some(ComparedBenchmark {
        benchmark: subject.to_owned(),
        studies: (first.len(), other.len()),
        in_turn: in_turn(first, other).is_some(),
        knees: (knees(first), knees(other)),
        overall,
        common_sizes: common.len(),
        sizes,
        portable: None,
    })
}

fn all_sizes(studies: &[&Studied]) -> Vec<u64> {
    let mut sizes: Vec<u64> =
        studies.iter().flat_map(|study| study.view.held().map(|(point, _)| point.size)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Returns the sizes that every study of both sides has measured. Only these count in the mean.
fn common_sizes(first: &[&Studied], other: &[&Studied]) -> Vec<u64> {
    let everywhere = |size: &u64| first.iter().chain(other).all(|s| s.figure(*size).is_some());
    all_sizes(first).into_iter().filter(everywhere).collect()
}

/// Compares sides of three studies or more over these sizes in all ways that apply: by their calmer
/// studies, and in pairs if the studies were made in turn.
fn views((first, other): (&[&Studied], &[&Studied]), sizes: &[u64]) -> Vec<View> {
    if sizes.is_empty() {
        return Vec::new();
    }
    let calm = Calm::of(&[first, other].concat(), sizes);
    let by_calmer = by_calmer_studies(&levels(first, sizes, &calm), &levels(other, sizes, &calm));
    let level = |study| Level::of(study, sizes, &calm);
    let pairs = in_turn(first, other).into_iter().flatten();
    let pairs: Vec<_> = pairs.filter_map(|(a, b)| level(a).zip(level(b))).collect();
    by_calmer.into_iter().chain(by_pairs(&pairs)).collect()
}

/// Returns the speed of the other side over that of the first, over these sizes, and the run times
/// of both as logarithms of seconds.
fn ratio(
    (first, other): (&[&Studied], &[&Studied]),
    sizes: &[u64],
    wander: f64,
) -> Option<(Ratio, (f64, f64))> {
    let views = views((first, other), sizes);
    Ratio::seen(&views, wander).or_else(|| {
        let calm = Calm::of(&[first, other].concat(), sizes);
        Ratio::of_means(&levels(first, sizes, &calm), &levels(other, sizes, &calm))
    })
}

fn levels(side: &[&Studied], sizes: &[u64], calm: &Calm) -> Vec<Level> {
    side.iter().filter_map(|study| Level::of(study, sizes, calm)).collect()
}

fn at_size(
    size: u64,
    (first, other): (&[&Studied], &[&Studied]),
    wander: f64,
) -> Option<ComparedSize> {
    // Of studies made in turn, only pairs that both have the size count, also for the seconds.
    let measured = |study: &&Studied| study.figure(size).is_some();
    let pairs = in_turn(first, other).map(|pairs| {
        let whole = pairs.into_iter().filter(|(a, b)| measured(a) && measured(b));
        whole.unzip::<_, _, Vec<&Studied>, Vec<&Studied>>()
    });
    let paired = pairs.filter(|(a, _)| !a.is_empty());
    let (first, other) = paired.as_ref().map_or((first, other), |(a, b)| (&a[..], &b[..]));
    let (ratio, logs) = ratio((first, other), &[size], wander)?;
    let newest = |side: &[&Studied]| {
        side.iter().rev().find_map(|study| Some(study.figure(size)?.configuration.clone()))
    };
    let configurations = (newest(first)?, newest(other)?);
    // The shares come from the same studies as the configurations.
    let share = |side: &[&Studied]| {
        let study = side.iter().rev().find(|study| study.figure(size).is_some())?;
        share_at(&study.view, size).map(|share| share.share)
    };
    let shares = (share(first), share(other));
    let seconds = (logs.0.exp(), logs.1.exp());
    Some(ComparedSize { size, ratio, seconds, configurations, shares })
}

fn knee(study: &Studied) -> Option<KneeOfSide> {
    let (_, figure) = study.view.winner()?;
    let interval = study.view.deciding().and_then(|finding| finding.interval);
    Some(KneeOfSide {
        size: study.view.accepted.as_ref().map(|knee| knee.size),
        interval,
        configuration: figure.configuration.clone(),
    })
}
