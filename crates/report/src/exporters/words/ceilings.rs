//! Phrases about the ceilings of a device and the shares of them that winners reach.

use records::{Ceiling, CeilingKind, CeilingsRecord, CeilingsUsed, StudyRecord, StudyView};

use super::{
    aligned::aligned,
    quantities::{percent, seconds, significant},
};
use crate::ceilings::{Roof, Share, winner_share};

/// Returns what the winner reaches of its ceiling, and how the profile's conditions differ, one
/// line each. Without ceilings it returns how to get them. It returns nothing for a benchmark that
/// states neither operations nor bytes.
#[must_use]
pub fn of_study(record: &StudyRecord, view: &StudyView) -> Vec<String> {
    let Some(used) = &view.ceilings else {
        let document = &record.benchmark.document;
        let says = document["flops"].is_string() || document["bytes"].is_string();
        return match says && !record.is_replayed() {
            true => vec![UNKNOWN.to_owned()],
            false => Vec::new(),
        };
    };
    let Some(share) = winner_share(view) else { return Vec::new() };
    let mut lines = vec![sentence(&share, used)];
    if !used.differs.is_empty() {
        lines.push(format!("the profile was made {}", used.differs.join(", ")));
    }
    lines
}

const UNKNOWN: &str = "no ceilings are known for this device: autobench profile measures them";

/// Formats what a winner reaches of its ceiling:
/// `reaches 87 % (84 to 90) of the memory bandwidth of 21.3 GB/s, measured on 2026-11-23 (NAME)`.
#[must_use]
pub fn sentence(share: &Share, used: &CeilingsUsed) -> String {
    let (low, high) = share.interval;
    let bare = |share: f64| percent(share).trim_end_matches(" %").to_owned();
    let beaten = if share.share > 1.0 { ": above the measured ceiling" } else { "" };
    format!(
        "reaches {} ({} to {}) of the {}, measured on {} ({}){beaten}",
        percent(share.share),
        bare(low),
        bare(high),
        roof(&share.roof),
        used.measured.format("%Y-%m-%d"),
        used.profile,
    )
}

/// Formats a ceiling: `memory bandwidth of 21.3 GB/s`.
#[must_use]
pub fn roof(roof: &Roof) -> String {
    let value = rate(roof.kind, roof.value);
    match (roof.kind, roof.of.as_str()) {
        (CeilingKind::Bandwidth, "memory") => format!("memory bandwidth of {value}"),
        (CeilingKind::Bandwidth, level) => format!("bandwidth {level} of {value}"),
        (_, format) => format!("{format} arithmetic of {value}"),
    }
}

/// Formats a share for a table; `–` if it is unknown.
#[must_use]
pub fn cell(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), percent)
}

/// Formats a ceiling's value with its unit.
#[must_use]
pub fn rate(kind: CeilingKind, value: f64) -> String {
    match kind {
        CeilingKind::Bandwidth => format!("{} GB/s", significant(value / 1e9, 3)),
        CeilingKind::Arithmetic => format!("{} GFLOP/s", significant(value / 1e9, 3)),
        CeilingKind::Atomics => format!("{} G/s", significant(value / 1e9, 3)),
        CeilingKind::Latency | CeilingKind::Launch => seconds(value),
    }
}

/// Returns the name of a kind of ceiling.
#[must_use]
pub fn kind(kind: CeilingKind) -> &'static str {
    match kind {
        CeilingKind::Bandwidth => "bandwidth",
        CeilingKind::Arithmetic => "arithmetic",
        CeilingKind::Latency => "latency",
        CeilingKind::Launch => "launch",
        CeilingKind::Atomics => "atomics",
    }
}

/// Formats the ceilings of a device for a terminal.
#[must_use]
pub fn lines(record: &CeilingsRecord) -> Vec<String> {
    let device = &record.device;
    let heads = ["ceiling", "of", "median", "95 % interval", "samples", "in theory", "reached by"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    rows.extend(record.ceilings.iter().map(row));
    let mut lines = vec![format!("ceilings of {}", device.name)];
    lines.extend(aligned(&rows, &[0, 1, 6]));
    lines.push(format!(
        "measured on {} on {} with {} (autobench {}, {})",
        record.measured.format("%Y-%m-%d %H:%M UTC"),
        record.host.name,
        device.compiler,
        record.autobench,
        record.profile
    ));
    let mut earlier: Vec<&str> =
        record.ceilings.iter().filter_map(|ceiling| ceiling.profile.as_deref()).collect();
    earlier.dedup();
    if !earlier.is_empty() {
        lines.push(format!("those marked * are of earlier profiles: {}", earlier.join(", ")));
    }
    lines.extend(device.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines
}

fn row(ceiling: &Ceiling) -> Vec<String> {
    let (low, high) = ceiling.interval;
    let told = |value: f64| rate(ceiling.kind, value);
    let bare = told(low);
    let bare = bare.split(' ').next().unwrap_or_default().to_owned();
    // `2.1 to 2.3 ns` if both ends have the same unit; otherwise each has its own.
    let same = told(low).split_once(' ').map(|(_, unit)| unit.to_owned())
        == told(high).split_once(' ').map(|(_, unit)| unit.to_owned());
    let from = if same { bare } else { told(low) };
    vec![
        kind(ceiling.kind).to_owned(),
        ceiling.of.clone(),
        told(ceiling.value),
        format!("{from} to {}", told(high)),
        ceiling.samples.to_string(),
        ceiling.in_theory.map_or("–".to_owned(), told),
        format!(
            "{} at {}{}",
            ceiling.benchmark,
            ceiling.size,
            if ceiling.profile.is_some() { " *" } else { "" }
        ),
    ]
}
