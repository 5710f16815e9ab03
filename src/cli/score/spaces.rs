//! Recorded spaces that a command names: files, folders of studies, and folders of these.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::cli::terminal::Failure;
use crate::{
    cli::{studies::BoundArgs, terminal::output},
    records::{
        FileFault, RecordedError, RecordedSpace, STUDY_FILE, SUITE_FILE, SpaceFormat, StudyFolder,
        read_space_file, read_space_times,
    },
    scoring::{FrontSpace, Landscape, Recollected},
    settings::{DEFAULT_STRATEGY, Goal, Objective, StudySettings},
    study::{Plan, Replayed},
    tuning::Ranking,
};

/// The strategy of studies that recorded a whole space.
const WHOLE: &str = "exhaustive";
/// Folders deep that studies are looked for in: `DIR/STUDY` and `DIR/SUITE/STUDY`.
const DEPTH: usize = 2;

/// What is sought on recorded spaces.
pub(in crate::cli) struct Aim<'a> {
    /// Names of objectives; none for the run time.
    pub(in crate::cli) objectives: &'a [String],
    pub(in crate::cli) bounds: &'a BoundArgs,
    /// Whether runs are scored over time, so that a space must say what evaluations cost.
    pub(in crate::cli) timed: bool,
}

/// Studies of a folder that count as recorded spaces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Studies {
    /// Those that tried everything.
    Whole,
    /// All of them.
    Any,
}

/// A file that was read, or why it could not be.
type ReadSpace = Result<Arc<RecordedSpace>, String>;

/// Files that were read, where many comparisons follow each other.
#[derive(Default)]
pub(in crate::cli) struct Spaces {
    /// By path, and whether only their times were read.
    known: Option<BTreeMap<(PathBuf, bool), ReadSpace>>,
}

impl Spaces {
    /// Keeps what it reads.
    pub(in crate::cli) fn kept() -> Self {
        Self { known: Some(BTreeMap::new()) }
    }

    fn read(&mut self, path: &Path, aim: &Aim<'_>) -> ReadSpace {
        let read = |path: &Path| -> ReadSpace {
            let recorded = aim.read()(path).map_err(|error| error.to_string())?;
            for warning in &recorded.warnings {
                output::note(&format!("`{}`: {warning}", path.display()));
            }
            Ok(Arc::new(recorded))
        };
        match &mut self.known {
            None => read(path),
            Some(known) => known
                .entry((path.to_owned(), aim.only_times()))
                .or_insert_with(|| read(path))
                .clone(),
        }
    }
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

    /// Whether only times count.
    fn only_times(&self) -> bool {
        self.objectives.iter().all(|name| matches!(name.as_str(), "seconds" | "time"))
            && !self.bounds.any()
    }

    /// How files are read for it: without their metrics where only times count.
    fn read(&self) -> fn(&Path) -> Result<RecordedSpace, RecordedError> {
        if self.only_times() { read_space_times } else { read_space_file }
    }
}

/// Reads the spaces for a search for the best configuration.
pub(in crate::cli) fn landscapes(
    paths: &[PathBuf],
    aim: &Aim<'_>,
    known: &mut Spaces,
) -> Result<Vec<Landscape>, Failure> {
    let mut landscapes = each(paths, known, (aim, &|name, recorded| scored(name, recorded, aim)))?;
    distinguish(
        &mut landscapes.iter_mut().map(|landscape| &mut landscape.name).collect::<Vec<_>>(),
    );
    Ok(landscapes)
}

/// A space on which runs can be scored.
fn scored(name: &str, recorded: &RecordedSpace, aim: &Aim<'_>) -> Result<Landscape, String> {
    let landscape = Landscape::under(name, recorded, &aim.ranking(recorded)?)?;
    if !aim.timed {
        return Ok(landscape);
    }
    let (from, to) = landscape.baseline().span;
    if landscape.baseline().evaluations.1 < 2 {
        return Err("random search needs one evaluation here, so there is nothing to score".into());
    }
    if from < to && to.is_finite() {
        return Ok(landscape);
    }
    Err("its rows do not say what they cost, so there is no time to score by; give a --budget"
        .into())
}

/// Reads the spaces for a search for the front of these objectives.
pub(super) fn fronts(
    paths: &[PathBuf],
    aim: &Aim<'_>,
    known: &mut Spaces,
) -> Result<Vec<FrontSpace>, Failure> {
    let made = |name: &str, recorded: &RecordedSpace| {
        FrontSpace::new(name, recorded, &aim.ranking(recorded)?)
    };
    let mut spaces = each(paths, known, (aim, &made))?;
    distinguish(&mut spaces.iter_mut().map(|space| &mut space.name).collect::<Vec<_>>());
    Ok(spaces)
}

pub(in crate::cli) fn landscape(path: &Path, aim: &Aim<'_>) -> Result<Landscape, String> {
    let made = |name: &str, recorded: &RecordedSpace| {
        Landscape::under(name, recorded, &aim.ranking(recorded)?)
    };
    one(path, &mut Spaces::default(), (aim, &made))
}

/// Reads what searches may learn from, with their paths: recorded spaces, and studies of whatever
/// strategy. A `ranking` that is known is that of all of them.
pub(in crate::cli) fn recollected(
    paths: &[PathBuf],
    aim: &Aim<'_>,
    ranking: Option<&Ranking>,
    known: &mut Spaces,
) -> Result<Vec<(PathBuf, Recollected)>, Failure> {
    let made = |name: &str, recorded: &RecordedSpace| {
        let own = match ranking {
            Some(_) => None,
            None => Some(aim.ranking(recorded)?),
        };
        let ranking = ranking.or(own.as_ref()).ok_or("it has no ranking")?;
        Ok(Recollected::of(&Landscape::under(name, recorded, ranking)?))
    };
    each_of(paths, known, (aim, &made), Studies::Any)
}

/// What is sought, and what is made of a recorded space's name and content.
type Making<'a, T> = (&'a Aim<'a>, &'a dyn Fn(&str, &RecordedSpace) -> Result<T, String>);

/// Reads each path; skips, with a note, files of a folder that are no recorded spaces.
fn each<T>(paths: &[PathBuf], known: &mut Spaces, make: Making<'_, T>) -> Result<Vec<T>, Failure> {
    let each = each_of(paths, known, make, Studies::Whole)?;
    Ok(each.into_iter().map(|(_, made)| made).collect())
}

fn each_of<T>(
    paths: &[PathBuf],
    known: &mut Spaces,
    make: Making<'_, T>,
    studies: Studies,
) -> Result<Vec<(PathBuf, T)>, Failure> {
    let mut all: Vec<(PathBuf, T)> = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
            output::note(&format!("passed over `{}`: it is named twice", path.display()));
            continue;
        }
        if path.is_dir() && !path.join(STUDY_FILE).is_file() {
            for file in recorded_in(path, studies)? {
                match one(&file, known, make) {
                    Ok(space) => all.push((file, space)),
                    Err(why) => output::note(&format!("passed over: {why}")),
                }
            }
        } else {
            all.push((path.clone(), one(path, known, make).map_err(Failure::settings)?));
        }
    }
    if all.is_empty() {
        let hint = match paths.iter().find_map(|path| deeper(path, studies)) {
            Some(folder) => format!("folders in folders are not read: name `{}`", folder.display()),
            None => {
                "name Kernel Tuner caches or T4 results, plain or gzipped, or folders of studies"
                    .to_owned()
            }
        };
        return Err(Failure::settings("there is no recorded space in these folders").hint(hint));
    }
    Ok(all)
}

/// A folder in a folder that has recorded spaces, the first by name.
fn deeper(folder: &Path, studies: Studies) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let has_spaces = |inside: &PathBuf| {
        inside.is_dir() && recorded_in(inside, studies).is_ok_and(|found| !found.is_empty())
    };
    entries.flatten().map(|entry| entry.path()).filter(has_spaces).min()
}

fn one<T>(path: &Path, known: &mut Spaces, (aim, make): Making<'_, T>) -> Result<T, String> {
    let recorded = known.read(path, aim)?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let name = match recorded.format {
        SpaceFormat::Study if !recorded.kernel.is_empty() => {
            format!("{} on {}, size {}", recorded.kernel, recorded.device, recorded.problem_size)
        }
        _ => file.trim_end_matches(".gz").trim_end_matches(".json").to_owned(),
    };
    make(&name, &recorded).map_err(|why| format!("`{}`: {why}", path.display()))
}

/// The recorded spaces of a folder, by name: files, and studies.
///
/// # Errors
/// If the folder cannot be read.
pub(in crate::cli) fn recorded_in(
    folder: &Path,
    studies: Studies,
) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    gather(folder, (DEPTH, studies), &mut found).map_err(Failure::settings)?;
    Ok(found)
}

fn gather(
    folder: &Path,
    (depth, studies): (usize, Studies),
    found: &mut Vec<PathBuf>,
) -> Result<(), FileFault> {
    let entries = std::fs::read_dir(folder).map_err(FileFault::reading(folder))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_record = [STUDY_FILE, SUITE_FILE].iter().any(|record| name == *record);
        if path.is_file() {
            let is_space = name.ends_with(".json") || name.ends_with(".json.gz");
            found.extend((is_space && !is_record).then_some(path));
        } else if let Ok(study) = StudyFolder::open(&path) {
            let counts = studies == Studies::Any
                || study.read_study().is_ok_and(|study| study.settings.strategy == WHOLE);
            found.extend(counts.then_some(path));
        } else if depth > 1 && path.join(SUITE_FILE).is_file() {
            gather(&path, (depth - 1, studies), found)?;
        }
    }
    Ok(())
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
