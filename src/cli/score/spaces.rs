//! Recorded spaces that a command names: files, and folders of them.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::cli::terminal::Failure;
use crate::{
    cli::{studies::BoundArgs, terminal::output},
    records::{
        FileFault, RecordedError, RecordedSpace, STUDY_FILE, read_space_file, read_space_times,
    },
    scoring::{FrontSpace, Landscape},
    settings::{DEFAULT_STRATEGY, Goal, Objective, StudySettings},
    study::{Plan, Replayed},
    tuning::Ranking,
};

/// What is sought on recorded spaces.
pub(in crate::cli) struct Aim<'a> {
    /// Names of objectives; none for the run time.
    pub(in crate::cli) objectives: &'a [String],
    pub(in crate::cli) bounds: &'a BoundArgs,
}

impl Aim<'_> {
    /// The ranking of a space's configurations, its names looked up among the space's metrics.
    fn ranking(&self, recorded: &RecordedSpace) -> Result<Ranking, String> {
        let mut objectives = self.objectives.iter().map(|name| Objective::asked(name));
        let mut settings = StudySettings {
            goal: Goal::Tune,
            strategy: DEFAULT_STRATEGY.to_owned(),
            objective: objectives.next().unwrap_or_default(),
            further_objectives: objectives.collect(),
            ..StudySettings::default()
        };
        self.bounds.apply(&mut settings);
        let plan = Plan::resolve(settings, &Replayed::facts(recorded));
        plan.map(|plan| plan.ranking).map_err(|fault| fault.to_string())
    }

    /// How files are read for it: without their metrics where only times count.
    fn read(&self) -> fn(&Path) -> Result<RecordedSpace, RecordedError> {
        let times = self.objectives.iter().all(|name| matches!(name.as_str(), "seconds" | "time"))
            && !self.bounds.any();
        if times { read_space_times } else { read_space_file }
    }
}

/// Reads the spaces for a search for the best configuration.
pub(in crate::cli) fn read(paths: &[PathBuf], aim: &Aim<'_>) -> Result<Vec<Landscape>, Failure> {
    let mut landscapes = each(paths, (aim.read(), &|name, recorded| scored(name, recorded, aim)))?;
    distinguish(
        &mut landscapes.iter_mut().map(|landscape| &mut landscape.name).collect::<Vec<_>>(),
    );
    Ok(landscapes)
}

/// A space with a time axis on which runs can be scored.
fn scored(name: &str, recorded: &RecordedSpace, aim: &Aim<'_>) -> Result<Landscape, String> {
    let landscape = Landscape::under(name, recorded, &aim.ranking(recorded)?)?;
    let (from, to) = landscape.baseline().span;
    if landscape.baseline().evaluations.1 < 2 {
        return Err("random search needs one evaluation here, so there is nothing to score".into());
    }
    if from < to && to.is_finite() {
        return Ok(landscape);
    }
    Err("its rows do not say what they cost, so there is no time to score by; try `simulate`"
        .into())
}

/// Reads the spaces for a search for the front of these objectives.
pub(super) fn spaces(paths: &[PathBuf], aim: &Aim<'_>) -> Result<Vec<FrontSpace>, Failure> {
    let mut spaces = each(
        paths,
        (read_space_file, &|name, recorded| {
            FrontSpace::new(name, recorded, &aim.ranking(recorded)?)
        }),
    )?;
    distinguish(&mut spaces.iter_mut().map(|space| &mut space.name).collect::<Vec<_>>());
    Ok(spaces)
}

pub(in crate::cli) fn landscape(path: &Path, aim: &Aim<'_>) -> Result<Landscape, String> {
    one(
        path,
        (aim.read(), &|name, recorded| Landscape::under(name, recorded, &aim.ranking(recorded)?)),
    )
}

/// How a recorded space is read, and what is made of its name and content.
type Making<'a, T> = (
    fn(&Path) -> Result<RecordedSpace, RecordedError>,
    &'a dyn Fn(&str, &RecordedSpace) -> Result<T, String>,
);

/// Reads each path; skips, with a note, files of a folder that are no recorded spaces.
fn each<T>(paths: &[PathBuf], make: Making<'_, T>) -> Result<Vec<T>, Failure> {
    let mut all: Vec<T> = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
            output::note(&format!("passed over `{}`: it is named twice", path.display()));
            continue;
        }
        if path.is_dir() && !path.join(STUDY_FILE).is_file() {
            for file in files(path)? {
                match one(&file, make) {
                    Ok(space) => all.push(space),
                    Err(why) => output::note(&format!("passed over: {why}")),
                }
            }
        } else {
            all.push(one(path, make).map_err(Failure::settings)?);
        }
    }
    if all.is_empty() {
        return Err(Failure::settings("there is no recorded space in these folders").hint(
            "name Kernel Tuner caches or T4 results, plain or gzipped, or folders of studies",
        ));
    }
    Ok(all)
}

fn one<T>(path: &Path, (read, make): Making<'_, T>) -> Result<T, String> {
    let recorded = read(path).map_err(|error| error.to_string())?;
    for warning in &recorded.warnings {
        output::note(&format!("`{}`: {warning}", path.display()));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".gz").trim_end_matches(".json");
    make(name, &recorded).map_err(|why| format!("`{}`: {why}", path.display()))
}

/// The files of a folder, by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(FileFault::reading(folder));
    let entries = entries.map_err(Failure::settings)?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.is_file() && (name.ends_with(".json") || name.ends_with(".json.gz"))
        })
        .collect();
    files.sort();
    Ok(files)
}

/// Numbers the names that occur twice.
fn distinguish(names: &mut [&mut String]) {
    for at in 1..names.len() {
        let name = names[at].clone();
        let before = names[..at].iter().filter(|other| ***other == name).count();
        if before > 0 {
            *names[at] = format!("{name} ({})", before + 1);
        }
    }
}
