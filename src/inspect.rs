//! `autobench inspect FILE…`: shows the contents of recorded spaces.

use std::path::PathBuf;

use clap::Args;
use exchange::{Overview, RecordedSpace, read_space_at};
use records::{Costs, settings::parse_size};
use report::exporters::quantities::{grouped, seconds};
use serde_json::json;

use super::{
    command::{Command, read},
    terminal::{Failure, output},
};

inventory::submit!(Command {
    rank: 23,
    name: "inspect",
    about: "Show what files of recorded spaces hold",
    examples: &["inspect all.t4.json", "inspect out/20261121T120000Z_gemm_…",],
    augment: InspectArgs::augment_args,
    run: |matches| run(&read::<InspectArgs>(matches)?),
});

/// The arguments of `inspect`.
#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// Kernel Tuner caches, T4 results (both may be gzipped), or folders of studies
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The size to show of a study; its largest by default
    #[arg(long, value_name = "N", value_parser = parse_size)]
    size: Option<u64>,
    /// Print JSON, one line per file
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &InspectArgs) -> Result<(), Failure> {
    for (at, file) in arguments.files.iter().enumerate() {
        let space = read_space_at(file, arguments.size).map_err(Failure::settings)?;
        let overview = Overview::of(&space);
        let file = file.display().to_string();
        if arguments.json {
            output::json(&document(&file, &space, &overview).to_string())?;
            continue;
        }
        if at > 0 {
            output::line("")?;
        }
        lines(&file, &space, &overview).iter().try_for_each(|line| output::line(line))?;
    }
    Ok(())
}

fn lines(file: &str, space: &RecordedSpace, overview: &Overview) -> Vec<String> {
    let mut lines = vec![format!("{file}: {}", space.format.words())];
    let mut add = |word: &str, text: String| lines.push(format!("{word:<12}{text}"));
    let known = |text: &str| if text.is_empty() { "not said" } else { text }.to_owned();
    add("device", known(&space.device));
    add("kernel", format!("{}, problem size {}", known(&space.kernel), known(&space.problem_size)));
    add("objective", known(&space.objective));
    add("parameters", parameters(space));
    let outcomes = overview.outcomes.iter();
    let outcomes: Vec<String> = outcomes
        .map(|(status, count)| format!("{} {}", grouped(*count as u64), status.word()))
        .collect();
    add("rows", format!("{}: {}", grouped(space.len() as u64), outcomes.join(", ")));
    if let Some((best, median, longest)) = overview.times_ms {
        let time = |ms: f64| seconds(ms / 1e3);
        let runs = match overview.runs {
            None | Some((_, 0)) => String::new(),
            Some((fewest, most)) if fewest == most => format!("; {most} runs each"),
            Some((fewest, most)) => format!("; {fewest} to {most} runs each"),
        };
        let (best, median, longest) = (time(best), time(median), time(longest));
        add("time", format!("best {best}, median {median}, longest {longest}{runs}"));
    }
    if let Some(row) = overview.best {
        add("best", space.configuration(row).to_string());
    }
    if !overview.metrics.is_empty() {
        add("metrics", overview.metrics.join(", "));
    }
    add("costs", costs(&overview.costs));
    for warning in &space.warnings {
        add("warning", warning.clone());
    }
    lines
}

fn parameters(space: &RecordedSpace) -> String {
    let combinations: f64 =
        space.parameters.iter().map(|(_, values)| values.len() as f64).product();
    let names: Vec<String> = space
        .parameters
        .iter()
        .map(|(name, values)| format!("{name} ({})", values.len()))
        .collect();
    let share = 100.0 * space.len() as f64 / combinations.max(1.0);
    format!("{}; {combinations} combinations, {share:.3} % of them recorded", names.join(", "))
}

fn costs(costs: &Costs) -> String {
    let parts = [
        ("compiling", costs.compile),
        ("checking", costs.verify),
        ("running", costs.measure),
        ("framework", costs.overhead),
    ];
    let parts: Vec<String> =
        parts.iter().map(|(word, cost)| format!("{word} {}", seconds(*cost))).collect();
    format!("{} in all: {}", seconds(costs.total()), parts.join(", "))
}

fn document(file: &str, space: &RecordedSpace, overview: &Overview) -> serde_json::Value {
    let parameters: Vec<_> = space
        .parameters
        .iter()
        .map(|(name, values)| json!({"name": name, "values": values}))
        .collect();
    let outcomes: serde_json::Map<_, _> = overview
        .outcomes
        .iter()
        .map(|(status, count)| (status.word().to_owned(), (*count).into()))
        .collect();
    json!({
        "file": file,
        "format": space.format.words(),
        "device": space.device,
        "kernel": space.kernel,
        "problem_size": space.problem_size,
        "objective": space.objective,
        "parameters": parameters,
        "rows": space.len(),
        "outcomes": outcomes,
        "best": overview.best.map(|row| space.configuration(row)),
        "best_ms": overview.times_ms.map(|times| times.0),
        "median_ms": overview.times_ms.map(|times| times.1),
        "longest_ms": overview.times_ms.map(|times| times.2),
        "metrics": overview.metrics,
        "costs": overview.costs,
        "warnings": space.warnings,
    })
}
