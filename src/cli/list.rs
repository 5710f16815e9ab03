//! `autobench list`: everything that can be named on the command line.

use std::path::PathBuf;

use clap::Args as _;

use super::{
    command::{Command, read},
    terminal::{Failure, output},
    workers::{describe, start},
};
use crate::{
    backends::BACKENDS,
    exporters::EXPORTERS,
    knees::{self, DETECTORS},
    observers::OBSERVERS,
    plugins::{self, Benchmark},
    records::METRICS,
    registry::{PRESET, nearest},
    scripts::{self, is_script},
    strategies::{Knob, STRATEGIES},
    suites::built_ins,
};

inventory::submit!(Command {
    rank: 5,
    name: "list",
    about: "List benchmarks, detectors, strategies, devices, exporters, observers, suites and metrics",
    augment: ListArgs::augment_args,
    run: |matches| run(&read::<ListArgs>(matches)?),
});

/// What to list.
#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// A strategy, a detector or a benchmark: show its settings, or its parameters and stages
    name: Option<String>,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR")]
    plugin_path: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ListArgs) -> Result<(), Failure> {
    if let Some(name) = &arguments.name {
        let search = plugins::SearchPath::new(&arguments.plugin_path);
        return entry(name, &search);
    }
    let search = plugins::SearchPath::new(&arguments.plugin_path);
    let benchmarks: Vec<(String, String)> = plugins::all(&search)
        .into_iter()
        .map(|(name, locator)| {
            let place = locator.path().map(|path| path.display().to_string());
            (name, place.unwrap_or_else(|| "built in".to_owned()))
        })
        .collect();
    let sections: [(&str, Vec<(String, String)>); 8] = [
        ("benchmarks", benchmarks),
        ("detectors", pairs(DETECTORS.iter().map(|e| (e.name, e.about)))),
        ("strategies", pairs(STRATEGIES.iter().map(|e| (e.name, e.about)))),
        ("devices", pairs(BACKENDS.iter().map(|e| (e.name, e.about)))),
        ("exporters", pairs(EXPORTERS.iter().map(|e| (e.name, e.about)))),
        ("observers", pairs(OBSERVERS.iter().map(|e| (e.name, e.about)))),
        ("suites", pairs(built_ins().iter().map(|e| (e.name, e.about())))),
        ("metrics", METRICS.iter().map(|e| (e.name.to_owned(), e.described())).collect()),
    ];
    if arguments.json {
        let object: serde_json::Map<String, serde_json::Value> = sections
            .iter()
            .map(|(title, entries)| {
                let entries = entries
                    .iter()
                    .map(|(name, about)| serde_json::json!({ "name": name, "about": about }))
                    .collect();
                ((*title).to_owned(), serde_json::Value::Array(entries))
            })
            .collect();
        return output::line(&format!("{:#}", serde_json::Value::Object(object)));
    }
    for (title, entries) in sections {
        output::line(title)?;
        if entries.is_empty() {
            output::line(
                "  none found; build them with `cargo build --release`, or name a folder with --plugin-path",
            )?;
        }
        let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, about) in entries {
            output::line(&format!("  {name:width$}  {about}"))?;
        }
    }
    Ok(())
}

fn entry(name: &str, search: &plugins::SearchPath) -> Result<(), Failure> {
    let script = match is_script(name) {
        true => Some(scripts::strategy(name, "").map_err(Failure::settings)?.strategy),
        false => None,
    };
    let (lines, knobs, presets) = if let Some(strategy) = script.or_else(|| STRATEGIES.find(name)) {
        let mut lines =
            [strategy.name, strategy.about, strategy.reference].map(str::to_owned).to_vec();
        lines.extend(strategy.aliases.iter().map(|alias| format!("also called {alias}")));
        (lines, strategy.knobs.to_vec(), strategy.presets)
    } else if let Some(detector) = DETECTORS.find(name) {
        let lines = [detector.name, detector.about, detector.reference];
        (lines.map(str::to_owned).to_vec(), detector.knobs.to_vec(), [].as_slice())
    } else if name == KNEES {
        let about = "what can be told of knees with --detector-knob";
        (vec![KNEES.to_owned(), about.to_owned()], knees::knobs(), [].as_slice())
    } else if let Ok(locator) = plugins::find(name, search) {
        return benchmark(&describe(&mut start(None)?, &locator)?);
    } else {
        return Err(unknown(name, search));
    };
    let knobs = knobs.iter().map(|Knob { name, default, about, allowed }| {
        format!("{name}={default}: {about} ({})", allowed.shown())
    });
    let presets = presets.iter().map(|preset| {
        format!("{PRESET}={}: {} ({})", preset.name, preset.written(), preset.reference)
    });
    output::line(&lines.into_iter().chain(knobs).chain(presets).collect::<Vec<_>>().join("\n  "))
}

/// Values of a parameter that are listed.
const MOST_VALUES: usize = 20;

/// Name under which the knobs of all detectors are listed.
const KNEES: &str = "knees";

/// What can be said of a benchmark in flags: its parameters, stages and levels.
fn benchmark(benchmark: &Benchmark) -> Result<(), Failure> {
    let document = benchmark.document();
    let about = |text: &str| if text.is_empty() { String::new() } else { format!(": {text}") };
    let mut lines = vec![document.name.clone(), document.about.clone()];
    lines.push(format!("sizes are {}, from {}", document.size.meaning, document.size.start));
    for (parameter, (name, default)) in document.parameters.iter().zip(benchmark.defaults().0) {
        let known = benchmark.parameters().into_iter().find(|known| known.name == name);
        let values = known.map_or_else(Vec::new, |known| known.values);
        let values: Vec<String> =
            values.iter().take(MOST_VALUES).map(ToString::to_string).collect();
        let values = values.join(", ");
        lines.push(format!("{name}={default}{} ({values})", about(&parameter.about)));
    }
    let error = &document.error;
    lines.push(format!("error: {} up to {:e}", error.metric, error.bound));
    let levels = error.levels.iter();
    lines.extend(levels.map(|(name, bound)| format!("--max-error {name}: up to {bound:e}")));
    for stage in &document.stages {
        let parameters = stage.parameters.join(", ");
        lines.push(format!("--stage {}{} ({parameters})", stage.name, about(&stage.about)));
    }
    output::line(&lines.join("\n  "))
}

fn unknown(name: &str, search: &plugins::SearchPath) -> Failure {
    let benchmarks = plugins::all(search);
    let mut names: Vec<&str> = STRATEGIES.names().chain(DETECTORS.names()).collect();
    names.extend(benchmarks.iter().map(|(name, _)| name.as_str()));
    let meant = nearest(name, names).map(|name| format!("; did you mean `{name}`?"));
    let meant = meant.unwrap_or_default();
    Failure::settings(format!("no strategy, detector or benchmark is named `{name}`{meant}"))
        .hint("see all names with `autobench list`")
}

fn pairs<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    entries.map(|(name, about)| (name.to_owned(), about.to_owned())).collect()
}
