//! `autobench list`: lists everything that has a name on the command line.

use std::path::PathBuf;

use batch::suites::built_ins;
use clap::Args as _;
use device::BACKENDS;
use knees::{self, DETECTORS};
use plugins::{self, Benchmark, Locator};
use records::{
    METRICS,
    settings::{MeasuringPolicy, PolicyField},
};
use registry::{Knob, PRESET, did_you_mean};
use report::exporters::EXPORTERS;
use search_api::{STRATEGIES, is_script};
use study::prepare::{SETUP_TIMEOUT, describe, start};
use worker::observers::OBSERVERS;

use super::{
    command::{Command, read},
    terminal::{Failure, output},
};

inventory::submit!(Command {
    rank: 40,
    name: "list",
    about: "List benchmarks, detectors, strategies, devices, metrics and more",
    examples: &[
        "list             everything that has a name",
        "list strategies  one of the lists",
        "list gemm        its parameters, values and stages",
    ],
    augment: ListArgs::augment_args,
    run: |matches| run(&read::<ListArgs>(matches)?),
});

/// A generator of strategies, as it is listed. Only `autobench-lab` has generators.
pub struct ListedGenerator {
    /// The generator's name.
    pub name: &'static str,
    /// What the generator does, in one line.
    pub about: &'static str,
    /// The generator's settings.
    pub knobs: &'static [Knob],
}

/// A function that returns this program's generators.
pub struct ListedGenerators(pub fn() -> Vec<ListedGenerator>);

inventory::collect!(ListedGenerators);

/// The numbers by which a study divides its time and ends, with their defaults.
fn policy() -> Vec<(String, String)> {
    let described = |field: &PolicyField| {
        let unit = if field.unit.is_empty() { "" } else { " " };
        let about = format!("{}{unit}{}: {}", field.default, field.unit, field.about);
        (field.name.to_owned(), about)
    };
    MeasuringPolicy::FIELDS.iter().map(described).collect()
}

fn generators() -> impl Iterator<Item = ListedGenerator> {
    inventory::iter::<ListedGenerators>().flat_map(|known| (known.0)())
}

/// Titles of the lists.
const LISTS: [&str; 10] = [
    "benchmarks",
    "detectors",
    "strategies",
    "generators",
    "devices",
    "exporters",
    "observers",
    "suites",
    "metrics",
    "policy",
];

/// The arguments of `list`.
#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// A strategy, detector or generator, to show its settings; a benchmark, to show its parameters
    /// and stages; or one of the lists: `benchmarks`, `strategies`…
    name: Option<String>,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR")]
    plugin_path: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ListArgs) -> Result<(), Failure> {
    let name = arguments.name.as_deref();
    let search = plugins::SearchPath::new(&arguments.plugin_path);
    if let Some(name) = name.filter(|name| !LISTS.contains(name)) {
        return entry(name, &search);
    }
    let asked = |list: &str| name.is_none_or(|name| name == list);
    let benchmarks = if asked(LISTS[0]) { benchmarks(&search) } else { Vec::new() };
    let sections: [(&str, Vec<(String, String)>); 10] = [
        (LISTS[0], benchmarks),
        (LISTS[1], pairs(DETECTORS.iter().map(|e| (e.name, e.about)))),
        (LISTS[2], pairs(STRATEGIES.iter().map(|e| (e.name, e.about)))),
        (LISTS[3], pairs(generators().map(|e| (e.name, e.about)))),
        (LISTS[4], pairs(BACKENDS.iter().map(|e| (e.name, e.about)))),
        (LISTS[5], pairs(EXPORTERS.iter().map(|e| (e.name, e.about)))),
        (LISTS[6], pairs(OBSERVERS.iter().map(|e| (e.name, e.about)))),
        (LISTS[7], pairs(built_ins().iter().map(|e| (e.name, e.about())))),
        (LISTS[8], METRICS.iter().map(|e| (e.name.to_owned(), e.described())).collect()),
        (LISTS[9], if name == Some(LISTS[9]) || arguments.json { policy() } else { Vec::new() }),
    ];
    let sections = sections.into_iter().filter(|(title, entries)| {
        let is_left_out = [LISTS[3], LISTS[9]].contains(title) && entries.is_empty();
        asked(title) && !(is_left_out && name.is_none())
    });
    if arguments.json {
        let object: serde_json::Map<String, serde_json::Value> = sections
            .map(|(title, entries)| {
                let entries = entries
                    .iter()
                    .map(|(name, about)| serde_json::json!({ "name": name, "about": about }))
                    .collect();
                (title.to_owned(), serde_json::Value::Array(entries))
            })
            .collect();
        return output::json(&format!("{:#}", serde_json::Value::Object(object)));
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

/// Lists benchmarks without running foreign code: built-in benchmarks with their description, other
/// benchmarks with their path.
fn benchmarks(search: &plugins::SearchPath) -> Vec<(String, String)> {
    let mut client = start(None).ok();
    let mut about = |locator: &Locator| {
        let document = client.as_mut()?.describe(locator, SETUP_TIMEOUT).ok()?;
        Some(format!("{} (built in)", document.about))
    };
    let all = plugins::all(search).into_iter().map(|(name, locator)| match locator.path() {
        Some(path) => (name, path.display().to_string()),
        None => (name, about(&locator).unwrap_or_else(|| "built in".to_owned())),
    });
    all.collect()
}

fn entry(name: &str, search: &plugins::SearchPath) -> Result<(), Failure> {
    let script = match is_script(name) {
        true => Some(search_api::strategy(name, "").map_err(Failure::settings)?.strategy),
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
    } else if let Some(generator) = generators().find(|known| known.name == name) {
        let lines = [generator.name, generator.about].map(str::to_owned).to_vec();
        (lines, generator.knobs.to_vec(), [].as_slice())
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
    entry_lines(lines.into_iter().chain(knobs).chain(presets))
}

/// Prints the first line as a heading and indents the others.
fn entry_lines(lines: impl IntoIterator<Item = String>) -> Result<(), Failure> {
    lines
        .into_iter()
        .enumerate()
        .try_for_each(|(at, line)| output::line(&if at == 0 { line } else { format!("  {line}") }))
}

/// Most values of a parameter that are listed.
const MOST_VALUES: usize = 20;

/// Name under which the knobs of all detectors are listed.
const KNEES: &str = "knees";

/// Prints a benchmark's parameters, stages and error levels, as flags name them.
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
    entry_lines(lines)
}

fn unknown(name: &str, search: &plugins::SearchPath) -> Failure {
    let benchmarks = plugins::all(search);
    let entries =
        STRATEGIES.names().chain(DETECTORS.names()).chain(generators().map(|known| known.name));
    let mut names: Vec<&str> = entries.collect();
    names.extend(benchmarks.iter().map(|(name, _)| name.as_str()));
    let meant = did_you_mean(name, names);
    Failure::settings(format!(
        "no strategy, detector, generator or benchmark is named `{name}`{meant}"
    ))
    .hint("see all names with `autobench list`")
}

fn pairs<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    entries.map(|(name, about)| (name.to_owned(), about.to_owned())).collect()
}
