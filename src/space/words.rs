//! Prints the report of a space as text.

use report::exporters::quantities::{bytes, grouped, percent, seconds, significant};

use super::report::{NeighbourReport, ParameterReport, SpaceReport};

/// Most values of a parameter that are shown.
const SHOWN: usize = 12;

pub(super) fn lines(report: &SpaceReport) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", report.name, report.about)];
    lines.extend(report.warnings.iter().map(|w| format!("  warning        {w}")));
    let cartesian = report.cartesian.parse().map_or_else(|_| report.cartesian.clone(), grouped);
    lines.push(format!(
        "  configurations {} valid of {cartesian} ({})",
        grouped(report.valid),
        percent(report.fraction)
    ));
    lines.push(format!(
        "  built in       {} ({:.6} seconds)",
        seconds(report.seconds),
        report.seconds
    ));
    lines.push(format!(
        "  memory         {} ({} nodes, {} edges)",
        bytes(report.bytes as f64),
        grouped(report.nodes as u64),
        grouped(report.edges as u64)
    ));
    let width = report.parameters.iter().map(|p| p.name.chars().count()).max().unwrap_or(0);
    lines.push("  parameters     value: valid configurations with it".into());
    lines.extend(report.parameters.iter().map(|p| parameter(p, width)));
    if !report.restrictions.is_empty() {
        lines.push("  restrictions   what each removes alone".into());
    }
    for restriction in &report.restrictions {
        let removes = restriction.removes.map_or_else(|| "unknown".to_owned(), percent);
        lines.push(format!("    {removes:>8}  {}", restriction.text));
    }
    lines.extend(report.neighbours.iter().map(neighbours));
    if !report.sample.is_empty() {
        lines.push("  sample".into());
    }
    lines.extend(report.sample.iter().map(|configuration| format!("    {configuration}")));
    lines
}

fn parameter(parameter: &ParameterReport, width: usize) -> String {
    let values = &parameter.values;
    let one = |v: &super::report::ValueReport| format!("{}: {}", v.value, grouped(v.valid));
    let mut shown: Vec<String> = values.iter().take(SHOWN).map(one).collect();
    if values.len() > SHOWN {
        shown.push(format!("… {} values in all", values.len()));
    }
    let name = &parameter.name;
    format!("    {name:width$}  {}  (default {})", shown.join(", "), parameter.default)
}

fn neighbours(report: &NeighbourReport) -> String {
    format!(
        "  neighbours     {} {} on average, {} for {} configurations",
        significant(report.mean, 4),
        report.kind,
        seconds(report.seconds),
        grouped(report.asked as u64)
    )
}
