//! Two sides: every benchmark that both have, over all common sizes and at each.

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

/// False alarms of a whole table: half of them over whole curves, half over single sizes.
const FALSE_ALARMS: f64 = 0.05;

/// All sides against the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Name of the first side.
    pub first: String,
    /// The others, each compared with the first.
    pub others: Vec<Compared>,
    /// Within this much of one, a ratio is the same.
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
    /// Conditions that differ.
    pub differences: Vec<Difference>,
    /// Benchmarks of the first side that this one cannot be compared in, one sentence each.
    pub missing: Vec<String>,
    /// Benchmarks of this side alone, one sentence each.
    pub added: Vec<String>,
}

/// A benchmark on two sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedBenchmark {
    /// The benchmark, with what is special about its studies.
    pub benchmark: String,
    /// Number of studies of the first side and of the other.
    pub studies: (usize, usize),
    /// Whether these were made in turn, so that neighbours in time can be compared.
    pub in_turn: bool,
    /// Knees of the first side and of the other, a study each.
    pub knees: (Vec<KneeOfSide>, Vec<KneeOfSide>),
    /// Geometric mean over the sizes that every study has.
    #[serde(flatten)]
    pub overall: Ratio,
    /// Number of those sizes.
    pub common_sizes: usize,
    /// Every size that both sides have.
    pub sizes: Vec<ComparedSize>,
    /// The configuration that does best on both sides, at the largest common size that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub portable: Option<(u64, PortableConfiguration)>,
}

/// A study's knee.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KneeOfSide {
    /// Its size, if there is one.
    pub size: Option<u64>,
    /// 95 % interval of it.
    pub interval: Option<(f64, f64)>,
    /// The best configuration there, or else at the largest size.
    pub configuration: Named,
}

/// A size on two sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedSize {
    /// The size.
    pub size: u64,
    /// Speed of the other over that of the first.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Run times of the first and of the other, in seconds, as the ratio sees them: calm ones where
    /// all studies have them.
    pub seconds: (f64, f64),
    /// Best configurations of the newest study of the first and of the other.
    pub configurations: (Named, Named),
    /// Shares of their ceilings that these reach, where known.
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

/// Sizes that every study of both sides has measured: those that count in the mean.
fn common_sizes(first: &[&Studied], other: &[&Studied]) -> Vec<u64> {
    let everywhere = |size: &u64| first.iter().chain(other).all(|s| s.figure(*size).is_some());
    all_sizes(first).into_iter().filter(everywhere).collect()
}

/// The ways to look at sides of three studies or more, over these sizes: by their calmer studies, and if
/// they were made in turn by the differences between neighbours in time.
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

/// Speed of the other side over that of the first, over these sizes, and how long both take, in logarithms.
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
    // Of pairs, only those in which both have the size count, for the seconds as well.
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
    // Of the same studies as the configurations.
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
