//! A comparison in words: a row for each benchmark, then sizes whose verdict differs from their
//! curve's, then what else differs.

use std::fmt::Write as _;

use records::sinks;

use crate::{
    comparison::{
        Compared, ComparedBenchmark, ComparedSize, Comparison, KneeOfSide, Ratio, Verdict,
    },
    exporters::{
        aligned, ceilings,
        quantities::{grouped, percent, seconds, significant},
    },
};

/// Column heads of the table of benchmarks.
const HEAD: [&str; 7] =
    ["benchmark", "verdict", "speed", "95 % interval", "sizes", "knee of the first", "knee"];

/// Formats a comparison as lines for a terminal. `sizes` adds a table of all sizes.
#[must_use]
pub fn lines(comparison: &Comparison, sizes: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for other in &comparison.others {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("{} compared with {}", other.name, comparison.first));
        lines.push(String::new());
        lines.extend(aligned(&rows(other), &[0, 1]));
        let apart = apart(other);
        if !apart.is_empty() {
            lines.push(String::new());
            lines.extend(apart);
        }
        if sizes {
            lines.push(String::new());
            lines.extend(aligned(&size_rows(other), &[0, 2]));
        }
        lines.push(String::new());
        lines.extend(about(other));
    }
    lines.extend(comparison.left_out.iter().map(|why| format!("note      {why}")));
    lines.push(foot(comparison));
    lines
}

/// Formats a comparison as Markdown, for a pull request. `sizes` adds a table of all sizes.
#[must_use]
pub fn markdown(comparison: &Comparison, sizes: bool) -> String {
    let mut page = String::new();
    for other in &comparison.others {
        let _ = writeln!(
            page,
            "**{}** compared with {}\n",
            sinks::markdown(&other.name),
            sinks::markdown(&comparison.first)
        );
        let tables = [Some(rows(other)), sizes.then(|| size_rows(other))];
        for table in tables.into_iter().flatten() {
            for (at, row) in table.iter().enumerate() {
                let cells: Vec<String> =
                    row.iter().map(|cell| sinks::markdown(cell).into_owned()).collect();
                let _ = writeln!(page, "| {} |", cells.join(" | "));
                if at == 0 {
                    let _ = writeln!(page, "|:---|{}", "---:|".repeat(row.len() - 1));
                }
            }
            page.push('\n');
        }
        for line in apart(other).into_iter().chain(about(other)) {
            let _ = writeln!(page, "- {}", sinks::markdown(&line));
        }
        page.push('\n');
    }
    for why in &comparison.left_out {
        let _ = writeln!(page, "- note: {}", sinks::markdown(why));
    }
    if !comparison.left_out.is_empty() {
        page.push('\n');
    }
    page + &foot(comparison) + "\n"
}

pub(super) fn rows(other: &Compared) -> Vec<Vec<String>> {
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    rows.extend(other.benchmarks.iter().map(|benchmark| {
        vec![
            benchmark.benchmark.clone(),
            benchmark.shown().verdict.word().to_owned(),
            times(benchmark.shown().ratio),
            interval(benchmark.shown()),
            benchmark.common_sizes.to_string(),
            knees(&benchmark.knees.0),
            knees(&benchmark.knees.1),
        ]
    }));
    rows
}

pub(super) fn size_rows(other: &Compared) -> Vec<Vec<String>> {
    let head =
        ["benchmark", "size", "verdict", "speed", "95 % interval", "time of the first", "time"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let all = || other.benchmarks.iter().flat_map(|benchmark| &benchmark.sizes);
    let known = all().any(|size| size.shares != (None, None));
    if known {
        rows[0].extend(["ceiling share of the first", "share"].map(str::to_owned));
    }
    for benchmark in &other.benchmarks {
        rows.extend(benchmark.sizes.iter().map(|size| {
            let mut row = vec![
                benchmark.benchmark.clone(),
                grouped(size.size),
                size.shown().verdict.word().to_owned(),
                times(size.shown().ratio),
                interval(size.shown()),
                seconds(size.seconds.0),
                seconds(size.seconds.1),
            ];
            if known {
                row.extend([size.shares.0, size.shares.1].map(ceilings::cell));
            }
            row
        }));
    }
    rows
}

/// Lists the sizes that are faster or slower, but whose whole curve has another verdict, and the
/// sizes at which one side found a better configuration.
pub(super) fn apart(other: &Compared) -> Vec<String> {
    let of = |benchmark: &ComparedBenchmark| {
        let differs = |verdict: Verdict| match verdict {
            Verdict::Faster | Verdict::Slower => verdict != benchmark.shown().verdict,
            Verdict::Found | Verdict::Missed => true,
            Verdict::Same | Verdict::Unknown => false,
        };
        let sizes = benchmark.sizes.iter().filter(|size| differs(size.shown().verdict));
        let sizes = sizes.map(|of| {
            let (size, ratio) = (grouped(of.size), of.shown());
            let (word, speed) = (ratio.verdict.word(), times(ratio.ratio));
            let (first, own) = &of.configurations;
            let better = match ratio.verdict {
                Verdict::Found => format!(": {own} instead of {first}"),
                Verdict::Missed => format!(": {first}, here {own}"),
                _ => String::new(),
            };
            format!("{word} at {size} ({speed}, {}){better}", interval(ratio))
        });
        let sizes: Vec<String> = sizes.collect();
        (!sizes.is_empty()).then(|| format!("{}: {}", benchmark.benchmark, sizes.join("; ")))
    };
    other.benchmarks.iter().filter_map(of).collect()
}

/// Lists winners that stayed, portable configurations, changed conditions, and what was not
/// compared.
pub(super) fn about(other: &Compared) -> Vec<String> {
    let mut lines = Vec::new();
    for benchmark in &other.benchmarks {
        let all = benchmark.sizes.len();
        let alike = |size: &&ComparedSize| size.configurations.0 == size.configurations.1;
        let same = benchmark.sizes.iter().filter(alike).count();
        let mut line =
            format!("winners   {}: the same at {same} of {all} sizes", benchmark.benchmark);
        if let Some((size, portable)) = &benchmark.portable {
            let shares: Vec<String> =
                portable.efficiencies.iter().map(|share| percent(*share)).collect();
            let _ = write!(
                line,
                "; at {} {} keeps {} on both ({})",
                grouped(*size),
                portable.configuration,
                percent(portable.portability),
                shares.join(" and ")
            );
        }
        lines.push(line);
    }
    let changes = other.differences.iter();
    lines.extend(changes.map(|d| format!("changed   {}: {} → {}", d.what, d.first, d.other)));
    if other.differences.is_empty() {
        lines.push("changed   no condition that is recorded".to_owned());
    }
    lines.extend(other.missing.iter().chain(&other.added).map(|why| format!("alone     {why}")));
    lines
}

pub(super) fn foot(comparison: &Comparison) -> String {
    let benchmarks = || comparison.others.iter().flat_map(|other| &other.benchmarks);
    let single = benchmarks().any(|benchmark| benchmark.studies.0 < 3 || benchmark.studies.1 < 3);
    let spread = match single {
        true => {
            "from how far the parts of a study lie apart, since a side has fewer than three \
             (`--repeat 5` makes them; studying the sides in turn shows most)"
        }
        false if benchmarks().all(|benchmark| benchmark.in_turn) => {
            "from the calmer studies of each side, or from neighbours in time, whichever knows it better"
        }
        false => "from the calmer studies of each side",
    };
    format!(
        "note      speed of a run over that of the first by calm times, as a geometric mean; how far two studies of \
         the same lie apart is taken {spread}; if that holds, faster and slower are wrong in 5 % of \
         such tables at most; same is within {}; found or missed: one side's search found a better configuration, \
         while the same configuration is as fast on both",
        percent(comparison.margin)
    )
}

fn times(ratio: f64) -> String {
    format!("{}×", significant(ratio, 3))
}

fn interval(ratio: &Ratio) -> String {
    format!("{} to {}", significant(ratio.low, 3), significant(ratio.high, 3))
}

/// Formats the knees of a side: one study's knee with its interval, several as a range.
fn knees(knees: &[KneeOfSide]) -> String {
    let sizes: Vec<u64> = knees.iter().filter_map(|knee| knee.size).collect();
    let range = |low: u64, high: u64| match low == high {
        true => grouped(low),
        false => format!("{} to {}", grouped(low), grouped(high)),
    };
    let text = match (knees, sizes.iter().min(), sizes.iter().max()) {
        ([KneeOfSide { interval: Some((low, high)), .. }], Some(size), _) => {
            format!("{} ({})", grouped(*size), range(*low as u64, *high as u64))
        }
        (_, Some(low), Some(high)) => range(*low, *high),
        _ => return "–".to_owned(),
    };
    match knees.len() - sizes.len() {
        0 => text,
        without => format!("{text}, {without} without"),
    }
}
