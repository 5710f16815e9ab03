//! Compares two sides: each benchmark that both have, over all common sizes and at each size.

use std::collections::BTreeMap;

use records::Named;
use serde::Serialize;

use super::{
    calm::Calm,
    calm_studies::by_calmer_studies,
    conditions::{Difference, differences},
    judged::Judged,
    level::Level,
    portability::{PortableConfiguration, most_portable},
    side::{Side, Studied},
    turns::{by_pairs, in_turn},
    verdict::{Ratio, Verdict, judge},
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
    /// The same of the sides' own winners, if these are not what was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winners: Option<Winners>,
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
    /// The configuration of both sides whose speeds are compared; each side's winner if it is not
    /// given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<Named>,
    /// The ratio of the sides' own winners, if these are not what was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winners: Option<Winners>,
    /// Run times of the first side and of the other in seconds, as the ratio uses them: calm times
    /// if all studies have them, or else medians.
    pub seconds: (f64, f64),
    /// Best configuration of each side, from its newest study: first side, other side.
    pub configurations: (Named, Named),
    /// Shares of their ceilings that these configurations reach, where known.
    #[serde(rename = "share")]
    pub shares: (Option<f64>, Option<f64>),
}

impl ComparedBenchmark {
    /// The ratio to show: that of the winners if only these differ.
    #[must_use]
    pub fn shown(&self) -> &Ratio {
        shown(&self.overall, self.winners.as_ref())
    }
}

impl ComparedSize {
    /// The ratio to show: that of the winners if only these differ.
    #[must_use]
    pub fn shown(&self) -> &Ratio {
        shown(&self.ratio, self.winners.as_ref())
    }
}

fn shown<'a>(same: &'a Ratio, winners: Option<&'a Winners>) -> &'a Ratio {
    let differ = |ratio: &&Ratio| !matches!(ratio.verdict, Verdict::Same | Verdict::Unknown);
    let winners = winners.map(|winners| &winners.ratio).filter(differ);
    if differ(&same) { same } else { winners.unwrap_or(same) }
}

/// The speed of the other side's own winners over that of the first side's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Winners {
    /// The ratio.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Whether the first side tried the other's winners, and the other side those of the first.
    #[serde(skip)]
    tried: (bool, bool),
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
    judge_all(benchmarks.map(|of| (&mut of.overall, of.winners.as_mut())), margin);
    let benchmarks = others.iter_mut().flat_map(|other| other.benchmarks.iter_mut());
    let sizes = benchmarks.flat_map(|benchmark| benchmark.sizes.iter_mut());
    judge_all(sizes.map(|of| (&mut of.ratio, of.winners.as_mut())), margin);
    Comparison { first: first.name.clone(), others, margin, left_out }
}

/// Judges ratios of the same configurations and of the winners as one family. A side that tried the
/// other's winner and chose another did not miss it: there the winner is no longer as fast.
fn judge_all<'a>(
    family: impl Iterator<Item = (&'a mut Ratio, Option<&'a mut Winners>)>,
    margin: f64,
) {
    let (same, winners): (Vec<_>, Vec<_>) = family.unzip();
    let mut winners: Vec<&mut Winners> = winners.into_iter().flatten().collect();
    let all = same.into_iter().chain(winners.iter_mut().map(|of| &mut of.ratio));
    judge(all, margin, FALSE_ALARMS / 2.0);
    for Winners { ratio, tried } in winners {
        ratio.verdict = match ratio.verdict {
            Verdict::Faster if !tried.0 => Verdict::Found,
            Verdict::Slower if !tried.1 => Verdict::Missed,
            verdict => verdict,
        };
    }
}

fn compared(first: &Side, other: &Side) -> Compared {
    let (both, alone, added) = paired(first.by_subject(), other.by_subject());
    let of = |side: &Side, subjects: Vec<String>| -> Vec<String> {
        let name = &side.name;
        subjects.into_iter().map(|subject| format!("{subject} is in {name} alone")).collect()
    };
    let (mut missing, added) = (of(first, alone), of(other, added));
    let all: BTreeMap<&String, Vec<View>> = both
        .iter()
        .map(|(subject, (studies, others))| {
            let sizes = common_sizes(studies, others);
            let judged = Judged::common(&[&studies[..], others].concat(), &sizes);
            (subject, views((studies, others), &sizes, &judged))
        })
        .collect();
    let mut benchmarks = Vec::new();
    for (subject, (studies, others)) in &both {
        let Some(mut found) = benchmark(subject, (studies, others), &all) else {
            missing.push(format!("{subject} has no size in common, or single samples"));
            continue;
        };
        found.portable = found.sizes.iter().rev().find_map(|size| {
            Some((size.size, most_portable(&[first, other], subject, size.size)?))
        });
        benchmarks.push(found);
    }
    let differences = differences(first, other);
    Compared { name: other.name.clone(), benchmarks, differences, missing, added }
}

type Subjects<'a> = BTreeMap<String, Vec<&'a Studied>>;
type Pairs<'a> = BTreeMap<String, (Vec<&'a Studied>, Vec<&'a Studied>)>;

/// Pairs the subjects of two sides, and returns those that only the first side and only the other
/// have. A benchmark that each side studied with one choice of parameters, but not with the same, is
/// paired, too, and its name says both.
fn paired<'a>(
    mut first: Subjects<'a>,
    mut other: Subjects<'a>,
) -> (Pairs<'a>, Vec<String>, Vec<String>) {
    let mut pairs = Pairs::new();
    for subject in first.keys().cloned().collect::<Vec<_>>() {
        if let Some(others) = other.remove(&subject)
            && let Some(studies) = first.remove(&subject)
        {
            pairs.insert(subject, (studies, others));
        }
    }
    let only = |subjects: &Subjects<'a>, kind: &str| {
        let mut same = subjects.iter().filter(|(_, studies)| studies[0].kind() == kind);
        same.next().filter(|_| same.next().is_none()).map(|(subject, _)| subject.clone())
    };
    for subject in first.keys().cloned().collect::<Vec<_>>() {
        let kind = first[&subject][0].kind();
        if only(&first, &kind).is_some()
            && let Some(differing) = only(&other, &kind)
            && let (Some(studies), Some(others)) =
                (first.remove(&subject), other.remove(&differing))
        {
            pairs.insert(format!("{subject} → {differing}"), (studies, others));
        }
    }
    (pairs, first.into_keys().collect(), other.into_keys().collect())
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
    let judged = Judged::common(&[first, other].concat(), &common);
    let (overall, _) = ratio((first, other), &common, &judged, wander)?;
    let winners = winners((first, other), &common, &judged, wander);
    let knees = |side: &[&Studied]| side.iter().filter_map(|study| knee(study)).collect();
    Some(ComparedBenchmark {
        benchmark: subject.to_owned(),
        studies: (first.len(), other.len()),
        in_turn: in_turn(first, other).is_some(),
        knees: (knees(first), knees(other)),
        overall,
        winners,
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
fn views((first, other): (&[&Studied], &[&Studied]), sizes: &[u64], judged: &Judged) -> Vec<View> {
    if sizes.is_empty() {
        return Vec::new();
    }
    let calm = Calm::of(&[first, other].concat(), sizes, judged.clone());
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
    judged: &Judged,
    wander: f64,
) -> Option<(Ratio, (f64, f64))> {
    let views = views((first, other), sizes, judged);
    Ratio::seen(&views, wander).or_else(|| {
        let calm = Calm::of(&[first, other].concat(), sizes, judged.clone());
        Ratio::of_means(&levels(first, sizes, &calm), &levels(other, sizes, &calm))
    })
}

/// Returns the ratio of the sides' own winners, if a winner is not what is judged at its size.
fn winners(
    (first, other): (&[&Studied], &[&Studied]),
    sizes: &[u64],
    judged: &Judged,
    wander: f64,
) -> Option<Winners> {
    let winner = |study: &'_ Studied, size: u64| {
        study.figure(size).map(|figure| figure.configuration.clone())
    };
    let differs = |study: &&Studied, size: u64| {
        judged.at(size).is_some_and(|judged| Some(judged) != winner(study, size).as_ref())
    };
    let mut studies = first.iter().chain(other);
    if !studies.any(|study| sizes.iter().any(|size| differs(study, *size))) {
        return None;
    }
    let tried_all = |side: &[&Studied], others: &[&Studied]| {
        sizes.iter().all(|size| {
            let mut winners = others.iter().filter_map(|study| winner(study, *size));
            winners.all(|named| side.iter().all(|own| own.tried(*size, &named)))
        })
    };
    let tried = (tried_all(first, other), tried_all(other, first));
    let (ratio, _) = ratio((first, other), sizes, &Judged::winners(), wander)?;
    Some(Winners { ratio, tried })
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
    let mut all = [first, other].concat();
    all.retain(|study| measured(study));
    let judged = Judged::common(&all, &[size]);
    let (ratio, logs) = ratio((first, other), &[size], &judged, wander)?;
    let winners = winners((first, other), &[size], &judged, wander);
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
    let judged = judged.at(size).cloned();
    Some(ComparedSize { size, ratio, judged, winners, seconds, configurations, shares })
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
