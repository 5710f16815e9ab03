//! Finds what differs between two sides apart from their speed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::side::{Side, Studied};

/// A condition that differs between two sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Name of the condition.
    pub what: String,
    /// Its values on the first side.
    pub first: String,
    /// Its values on the other side.
    pub other: String,
}

/// Facts of a device that every study measures for itself.
const MEASURED_FACTS: &[&str] = &[
    "launch_overhead",
    "load_average",
    "timer_overhead",
    "timer_resolution",
    "temperature",
    "clock",
];

/// Settings that are not compared here: they have their own rows, are part of the subject, or are
/// paths.
const OWN_ROWS: &[&str] =
    &["benchmark", "document_hash", "device", "strategy", "seed", "caches", "parameters", "tags"];

/// Longest text of a value, in characters. Longer texts are cut.
const LONGEST: usize = 60;

/// Returns the conditions that differ between two sides. Hashes and settings are compared per
/// subject.
pub(super) fn differences(first: &Side, other: &Side) -> Vec<Difference> {
    let mut found = Vec::new();
    let of_side = |what: &str, value: &dyn Fn(&Studied) -> String| {
        compared(what, &values(&first.studies, value), &values(&other.studies, value))
    };
    found.extend(of_side("device", &|s| s.record.device.name.clone()));
    found.extend(of_side("backend", &|s| s.record.device.backend.clone()));
    found.extend(of_side("compiler", &|s| s.record.device.compiler.clone()));
    found.extend(of_side("host", &|s| s.record.host.name.clone()));
    found.extend(of_side("system", &|s| s.record.host.system.clone()));
    found.extend(of_side("autobench", &|s| s.record.autobench.clone()));
    let studies = first.studies.iter().chain(&other.studies);
    let facts: BTreeSet<&String> = studies.flat_map(|s| s.record.device.facts.keys()).collect();
    for fact in facts.into_iter().filter(|fact| !MEASURED_FACTS.contains(&fact.as_str())) {
        found.extend(of_side(fact, &|s| {
            s.record.device.facts.get(fact).cloned().unwrap_or_default()
        }));
    }
    found.extend(of_side("strategy", &|s| s.record.settings.strategy.clone()));
    found.extend(of_side("seed", &|s| s.record.settings.seed.to_string()));
    found.extend(of_side("caches", &|s| {
        s.view.started.caches.as_ref().map(|caches| caches.kind.clone()).unwrap_or_default()
    }));
    let (a, b) = (first.by_subject(), other.by_subject());
    for (subject, studies) in &a {
        let Some(others) = b.get(subject) else { continue };
        let all = || studies.iter().chain(others);
        let kinds: BTreeSet<&String> = all().flat_map(|s| s.record.hashes.keys()).collect();
        for kind in kinds {
            let hash = |s: &Studied| {
                let hash = s.record.hashes.get(kind);
                hash.map(|hash| hash.chars().take(12).collect()).unwrap_or_default()
            };
            found.extend(compared(
                &format!("{kind} of {subject}"),
                &values(studies.iter().copied(), &hash),
                &values(others.iter().copied(), &hash),
            ));
        }
        let names: BTreeSet<String> = all().flat_map(|s| settings(s).into_keys()).collect();
        for name in names.iter().filter(|name| !OWN_ROWS.contains(&name.as_str())) {
            let value = |s: &Studied| settings(s).remove(name).unwrap_or_default();
            found.extend(compared(
                &format!("{name} of {subject}"),
                &values(studies.iter().copied(), &value),
                &values(others.iter().copied(), &value),
            ));
        }
    }
    found
}

/// Returns the settings of a study as JSON texts, by name.
fn settings(study: &Studied) -> BTreeMap<String, String> {
    let all = serde_json::to_value(&study.record.settings).unwrap_or_default();
    let groups = all.as_object().cloned().unwrap_or_default();
    groups.into_iter().map(|(name, value)| (name, value.to_string())).collect()
}

fn values<'a>(
    studies: impl IntoIterator<Item = &'a Studied>,
    value: &dyn Fn(&Studied) -> String,
) -> BTreeSet<String> {
    studies.into_iter().map(value).collect()
}

fn compared(what: &str, first: &BTreeSet<String>, other: &BTreeSet<String>) -> Option<Difference> {
    if first == other {
        return None;
    }
    let whole = |values: &BTreeSet<String>| {
        values.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    };
    let (first, other) = (whole(first), whole(other));
    let alike = first.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let told = |text: &str| match text {
        "" => "–".to_owned(),
        text => around(text, alike),
    };
    Some(Difference { what: what.replace('_', " "), first: told(&first), other: told(&other) })
}

/// Cuts a long text to the part around a position.
fn around(text: &str, position: usize) -> String {
    let from =
        if text.chars().count() > LONGEST { position.saturating_sub(LONGEST / 3) } else { 0 };
    let part: String = text.chars().skip(from).take(LONGEST).collect();
    let before = if from > 0 { "…" } else { "" };
    let behind = if text.chars().count() > from + LONGEST { "…" } else { "" };
    format!("{before}{part}{behind}")
}
