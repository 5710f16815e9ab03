//! Reads the recorded spaces that a command names, ranked by the command's objectives.

use std::path::{Path, PathBuf};

use exchange::{Make, NamedSpacesError, Reading, RecordedSpace};
use records::settings::{DEFAULT_STRATEGY, Goal, Objective, StudySettings};
use scoring::{FrontSpace, Landscape, Recollected};
use study::{Plan, Replayed, prior, tuning::Ranking};

use crate::{
    studies::BoundArgs,
    terminal::{Failure, output},
};

pub use exchange::{Spaces, Studies, recorded_in};

/// The objectives and bounds of a search on recorded spaces.
pub struct Aim<'a> {
    /// Names of the objectives; empty for the run time.
    pub objectives: &'a [String],
    /// Bounds on reported configurations.
    pub bounds: &'a BoundArgs,
    /// Whether runs are scored over time. If so, a space must say what evaluations cost.
    pub timed: bool,
}

impl Aim<'_> {
    /// The ranking of a space's configurations. Names are looked up among the space's metrics.
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

    /// How files are read. Metrics are skipped if only times are needed.
    fn reading(&self) -> Reading<'static> {
        let only_times = prior::only_times(self.objectives) && !self.bounds.any();
        Reading { only_times, note: &output::note }
    }
}

/// Reads the spaces for a search for the best configuration.
pub fn landscapes(
    paths: &[PathBuf],
    aim: &Aim<'_>,
    known: &mut Spaces,
) -> Result<Vec<Landscape>, Failure> {
    let mut landscapes = each(paths, known, aim, &|name, recorded| scored(name, recorded, aim))?;
    distinguish(landscapes.iter_mut().map(|landscape| &mut landscape.name));
    Ok(landscapes)
}

/// Makes a landscape on which runs can be scored.
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

/// Reads the spaces for a search for the Pareto front. Several may have one name.
pub fn fronts(
    paths: &[PathBuf],
    aim: &Aim<'_>,
    known: &mut Spaces,
) -> Result<Vec<FrontSpace>, Failure> {
    let made = |name: &str, recorded: &RecordedSpace| {
        FrontSpace::new(name, recorded, &aim.ranking(recorded)?)
    };
    each(paths, known, aim, &made)
}

/// Reads one recorded space.
///
/// # Errors
/// If the file cannot be read, or lacks a metric of the objectives.
pub fn landscape(path: &Path, aim: &Aim<'_>) -> Result<Landscape, String> {
    let made = |name: &str, recorded: &RecordedSpace| {
        Landscape::under(name, recorded, &aim.ranking(recorded)?)
    };
    Spaces::default().one(path, aim.reading(), &made)
}

/// Reads what searches may learn from: recorded spaces, and studies with any strategy.
pub fn recollected(
    paths: &[PathBuf],
    aim: &Aim<'_>,
    known: &mut Spaces,
) -> Result<Vec<Recollected>, Failure> {
    let made = |name: &str, recorded: &RecordedSpace| {
        Recollected::new(name, recorded, &aim.ranking(recorded)?)
    };
    let each = known.each(paths, Studies::Any, aim.reading(), &made)?;
    Ok(each.into_iter().map(|(_, made)| made).collect())
}

/// Reads the spaces at each path. Studies are read only if they tried all configurations.
fn each<T>(
    paths: &[PathBuf],
    known: &mut Spaces,
    aim: &Aim<'_>,
    make: Make<'_, T>,
) -> Result<Vec<T>, Failure> {
    let each = known.each(paths, Studies::Whole, aim.reading(), make)?;
    Ok(each.into_iter().map(|(_, made)| made).collect())
}

impl From<NamedSpacesError> for Failure {
    fn from(error: NamedSpacesError) -> Self {
        let failure = Self::settings(&error);
        match error {
            NamedSpacesError::None(Some(folder)) => failure
                .hint(format!("folders in folders are not read: name `{}`", folder.display())),
            NamedSpacesError::None(None) => failure.hint(
                "name Kernel Tuner caches or T4 results, plain or gzipped, or folders of studies",
            ),
            _ => failure,
        }
    }
}

/// Adds numbers to names that occur more than once.
pub(super) fn distinguish<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut names: Vec<&mut String> = names.collect();
    for at in 1..names.len() {
        let name = names[at].clone();
        let before = names[..at].iter().filter(|other| ***other == name).count();
        if before > 0 {
            *names[at] = format!("{name} ({})", before + 1);
        }
    }
}
