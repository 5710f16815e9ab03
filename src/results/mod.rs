//! `autobench results`: lists the results in a folder, newest first.

mod kind;
mod naming;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Args;

pub use self::kind::ResultKind;
pub(super) use self::naming::{OUT, named};
use batch::suites::{SuiteFolder, SuiteView, Told};
use records::{
    JOURNAL_FILE, RepeatsFolder, SCORE_FILE, ScoreRecord, StudyFolder, StudyRecord, StudyState,
    StudyView, read_journal,
};
use report::exporters::{
    aligned,
    knee_answer::KneeAnswer,
    quantities::{counted, significant},
    words,
};

use super::{
    command::{Command, read},
    terminal::{Failure, output},
};

inventory::submit!(Command {
    rank: 10,
    name: "results",
    about: "List the results in a folder, newest first",
    examples: &["results", "results elsewhere/ -n 5",],
    augment: ResultsArgs::augment_args,
    run: |matches| run(&read::<ResultsArgs>(matches)?),
});

/// The arguments of `results`.
#[derive(Debug, Args)]
pub(super) struct ResultsArgs {
    /// The folder of results
    #[arg(default_value = naming::OUT, value_name = "DIR")]
    dir: PathBuf,
    /// How many to list at most; 0 for all
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
    number: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const HEAD: [&str; 6] = ["result", "of", "device", "state", "size", "answer"];

/// Names of the pages of results.
const PAGES: [&str; 2] = ["report.html", "suite.html"];

/// A row of the list.
#[derive(Debug, Default, serde::Serialize)]
pub struct Listed {
    /// Name of the result's folder.
    pub result: String,
    /// Name of the benchmark, suite or family.
    pub of: String,
    /// Name of the device.
    pub device: String,
    /// Finished, unfinished or damaged.
    pub state: String,
    /// Problem size of the answer.
    pub size: String,
    /// The answer in one line.
    pub answer: String,
    /// The page of the result, if it has one.
    pub page: Option<PathBuf>,
}

fn run(arguments: &ResultsArgs) -> Result<(), Failure> {
    let dir = &arguments.dir;
    if !dir.exists() {
        return Err(Failure::settings(format!(
            "there are no results: `{}` does not exist",
            dir.display()
        ))
        .hint("call autobench where results are, or name a folder; `autobench run` makes `out`"));
    }
    let folders = naming::newest(dir)?;
    let most = if arguments.number == 0 { folders.len() } else { arguments.number };
    let listed: Vec<Listed> = folders.iter().take(most).map(|path| of(path)).collect();
    if arguments.json {
        return output::json(&serde_json::to_string_pretty(&listed).map_err(Failure::bug)?);
    }
    if listed.is_empty() {
        return output::line(&format!("`{}` holds no results", arguments.dir.display()));
    }
    // The head has no page.
    let pages: Vec<Option<PathBuf>> =
        std::iter::once(None).chain(listed.iter().map(|one| one.page.clone())).collect();
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    rows.extend(
        listed
            .into_iter()
            .map(|one| vec![one.result, one.of, one.device, one.state, one.size, one.answer]),
    );
    for (line, page) in aligned(&rows, &[0, 1, 2, 3, 5]).iter().zip(&pages) {
        output::linked(line, page.as_deref())?;
    }
    if most < folders.len() {
        output::note(&format!("{} older ones: -n 0 lists all", folders.len() - most));
    }
    Ok(())
}

/// Describes a folder's result, as far as it can be read.
fn of(path: &Path) -> Listed {
    let result = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let result = result.unwrap_or_default();
    let listed = if SuiteFolder::is_at(path) {
        suite(path)
    } else if RepeatsFolder::is_at(path) {
        repeats(path)
    } else if path.join(SCORE_FILE).is_file() {
        score(path)
    } else if let Some(kind) = ResultKind::of(path) {
        (kind.listed)(path)
    } else {
        study(path)
    };
    let state = |why: String| Listed { state: format!("damaged: {why}"), ..Listed::default() };
    let page = PAGES.iter().map(|name| path.join(name)).find(|page| page.is_file());
    Listed { result, page, ..listed.unwrap_or_else(state) }
}

fn study(path: &Path) -> Result<Listed, String> {
    let said = |error: &dyn std::error::Error| error.to_string();
    let folder = StudyFolder::open(path).map_err(|error| said(&error))?;
    let record = folder.read_study().map_err(|error| said(&error))?;
    let journal = read_journal(&folder.file(JOURNAL_FILE)).map_err(|error| said(&error))?;
    let view = StudyView::from_events(&journal.entries);
    let mut listed = begun(&record);
    listed.state = StudyState::of(&view.progress).word().to_owned();
    let Some((point, figure)) = view.winner() else { return Ok(listed) };
    listed.size = words::size(&record, point.size);
    listed.answer = words::time(figure);
    if let Some(metric) = &figure.metric {
        let unit = &record.benchmark.secondary.unit;
        listed.answer += &format!(", {} {unit}", significant(metric.value, 4));
    }
    if let Some(answer) = KneeAnswer::of(&record, &view) {
        let knee = answer.word().map_or("no knee".to_owned(), |word| format!("knee {word}"));
        listed.answer += &format!(", {knee}");
    }
    Ok(listed)
}

fn begun(record: &StudyRecord) -> Listed {
    Listed {
        of: record.benchmark.name.clone(),
        device: record.device.name.clone(),
        ..Listed::default()
    }
}

fn repeats(path: &Path) -> Result<Listed, String> {
    let folder = RepeatsFolder::open(path).map_err(|error| error.to_string())?;
    let record = folder.read().map_err(|error| error.to_string())?;
    let view = folder.view(&record);
    let (finished, all) = (view.finished().count(), view.repeats.len());
    let mut listed = begun(&record.plan);
    listed.state = if finished == all { "finished" } else { "unfinished" }.to_owned();
    listed.answer = format!("{finished} of {all} repeats");
    Ok(listed)
}

fn score(path: &Path) -> Result<Listed, String> {
    let record = ScoreRecord::read(path).map_err(|error| error.to_string())?;
    let devices: BTreeSet<&str> =
        record.spaces.iter().map(|space| space.device.as_str()).filter(|d| !d.is_empty()).collect();
    let best = record.best().map_or(String::new(), |row| {
        let value = row.value.map_or("–".to_owned(), |value| significant(value, 3));
        format!("{}: {} {value}", row.strategy, row.figure)
    });
    let strategies = match record.strategies.as_slice() {
        [one] => one.clone(),
        all => format!("{} strategies", all.len()),
    };
    Ok(Listed {
        of: format!("score of {strategies} on {}", counted(record.spaces.len(), "space")),
        device: devices.into_iter().collect::<Vec<_>>().join(", "),
        state: "finished".to_owned(),
        answer: best,
        ..Listed::default()
    })
}

fn suite(path: &Path) -> Result<Listed, String> {
    let folder = SuiteFolder::at(path);
    let record = folder.read().map_err(|error| error.to_string())?;
    let entries = folder.entries().map_err(|error| error.to_string())?;
    let view = SuiteView::read(path, &record, &Told::by(&entries));
    let (finished, all) = (view.finished(), view.rows.len());
    let device = view.rows.iter().find_map(|row| Some(row.begun.as_ref()?.device.clone()));
    Ok(Listed {
        of: format!("suite {}", record.suite),
        device: device.unwrap_or_default(),
        state: if finished == all { "finished" } else { "unfinished" }.to_owned(),
        answer: format!("{finished} of {all} studies"),
        ..Listed::default()
    })
}
