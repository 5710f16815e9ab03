//! `autobench compare`: compares studies side by side.

pub(super) mod alarm;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use records::{shell_word, write_whole};
use report::{
    comparison::{ComparedSize, Comparison, Side, Verdict, compare, sides},
    exporters::comparison::{best_configurations, best_header, lines, markdown, page, table},
};

use self::alarm::Alarm;
use super::{
    command::{Command, read},
    results,
    terminal::{Failure, output},
};

inventory::submit!(Command {
    rank: 12,
    name: "compare",
    about: "Compare studies, suites or folders of them: who is faster, and where",
    examples: &[
        "compare before/ after/ --fail-on slower:5%  fails where slower",
        "compare latest out/20261121T120000Z_vecadd_…",
        "compare h100/ a100/ --html compare.html",
    ],
    augment: CompareArgs::augment_args,
    run: |matches| run(&read::<CompareArgs>(matches)?),
});

/// The arguments of `compare`.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// Folders of studies, of repeats or of suites, or folders of these; `latest`, or parts of
    /// names in `out`. All are compared with the first folder. A single folder compares the devices
    /// in it
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Show every size
    #[arg(long)]
    sizes: bool,
    /// Speeds that differ by less than this count as the same
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = alarm::share)]
    margin: f64,
    /// End with exit code 6 if a benchmark, or one of its sizes, is slower (or faster) by at least
    /// this much and by more than chance, or is missing: `slower:5%`; `missed:5%` if the search of
    /// the first side found a configuration that is so much faster
    #[arg(long, value_name = "VERDICT:PERCENT", value_parser = Alarm::parse)]
    fail_on: Vec<Alarm>,
    /// What --fail-on does where it is unknown whether a whole benchmark is slower
    #[arg(long, value_enum, default_value_t = OnUnknown::Pass, requires = "fail_on")]
    on_unknown: OnUnknown,
    /// Write the best configuration per device and benchmark: `best.csv`, or `best.h` for C
    #[arg(long, value_name = "FILE")]
    best: Option<PathBuf>,
    /// Write the comparison as a table with a row per size: `compare.csv`
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the comparison as a self-contained page with charts: `compare.html`
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print Markdown, for a pull request
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What `--fail-on` does where the studies do not decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnUnknown {
    /// Nothing.
    Pass,
    /// The same as for what is slower.
    Fail,
}

fn run(arguments: &CompareArgs) -> Result<(), Failure> {
    let folders = arguments.folders.iter().map(|folder| results::named(folder));
    let sides = sides(&folders.collect::<Result<Vec<_>, _>>()?).map_err(Failure::stored)?;
    if let Some(path) = &arguments.best {
        write(path, &best(path, &sides)?)?;
    }
    if sides.len() < 2 {
        let compares = arguments.csv.is_some()
            || arguments.html.is_some()
            || arguments.markdown
            || arguments.json
            || !arguments.fail_on.is_empty();
        return match arguments.best.is_some() && !compares {
            true => Ok(()),
            false => Err(Failure::settings(format!(
                "all studies of `{}` are of one device, so there is nothing to compare them with",
                arguments.folders[0].display()
            ))
            .hint("name two folders, the one to compare with first")),
        };
    }
    let comparison = compare(&sides, arguments.margin);
    if comparison.others.iter().all(|other| other.benchmarks.is_empty()) {
        let why =
            comparison.others.iter().flat_map(|other| other.missing.iter().chain(&other.added));
        let why: Vec<&str> = why.map(String::as_str).collect();
        let message = format!("nothing can be compared: {}", why.join("; "));
        return Err(Failure::settings(message)
            .hint("name studies of the same benchmark with sizes in common; `autobench results` lists all"));
    }
    if let Some(path) = &arguments.csv {
        write(path, &table(&comparison).map_err(Failure::bug)?)?;
    }
    if let Some(path) = &arguments.html {
        write(path, page(&comparison, &sides).as_bytes())?;
    }
    print(arguments, &comparison)?;
    if let Some(command) = measuring_winners(&comparison, &sides, &arguments.folders) {
        output::note(&format!("`{command}` measures both winners in turn"));
    }
    let strict = arguments.on_unknown == OnUnknown::Fail;
    let raised = |alarm: &Alarm| {
        let undecided = if strict { alarm.undecided(&comparison) } else { Vec::new() };
        [alarm.raised(&comparison), undecided].concat()
    };
    let alarms: Vec<String> = arguments.fail_on.iter().flat_map(raised).collect();
    match alarms.is_empty() {
        true => Ok(()),
        false => Err(Failure::alarm(alarms.join("; "))),
    }
}

/// Returns the command that measures the winners of both sides now, for the first benchmark of which
/// one side found a better configuration.
fn measuring_winners(
    comparison: &Comparison,
    sides: &[Side],
    folders: &[PathBuf],
) -> Option<String> {
    let differ =
        |of: &&ComparedSize| matches!(of.shown().verdict, Verdict::Found | Verdict::Missed);
    let benchmarks = comparison.others.iter().flat_map(|other| &other.benchmarks);
    let mut found =
        benchmarks.filter_map(|of| Some((&of.benchmark, of.sizes.iter().rev().find(differ)?)));
    let (subject, at) = found.next()?;
    let study = sides.first()?.studies.iter().find(|study| study.subject() == *subject)?;
    let settings = &study.record.settings;
    let option =
        |name: &'static str| move |text: &String| format!(" --{name} {}", shell_word(text));
    let narrowed = settings.parameters.iter().map(option("param"));
    let narrowed = narrowed.chain(settings.restrictions.iter().map(option("restrict")));
    let folders =
        folders.iter().map(|folder| format!(" {}", shell_word(&folder.to_string_lossy())));
    Some(format!(
        "autobench tune {} --size {}{} --learn-from{} --budget 4",
        study.record.benchmark.name,
        at.size,
        narrowed.collect::<String>(),
        folders.collect::<String>()
    ))
}

fn print(arguments: &CompareArgs, comparison: &Comparison) -> Result<(), Failure> {
    if arguments.json {
        let text = serde_json::to_string_pretty(comparison).map_err(Failure::bug)?;
        return output::json(&text);
    }
    if arguments.markdown {
        return output::text(markdown(comparison, arguments.sizes).trim_end());
    }
    lines(comparison, arguments.sizes).iter().try_for_each(|line| output::line(line))
}

fn best(path: &Path, sides: &[Side]) -> Result<Vec<u8>, Failure> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => best_configurations(sides).map_err(Failure::bug),
        Some("h") => Ok(best_header(sides)),
        _ => Err(Failure::settings(format!(
            "`{}` is neither a table nor a header; end its name in .csv or .h",
            path.display()
        ))),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_whole(path, bytes).map_err(Failure::stored)?;
    output::note(&format!("wrote {}", path.display()));
    Ok(())
}
