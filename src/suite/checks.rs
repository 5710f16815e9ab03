//! Checks of a suite's studies, made before the first study begins.

use std::collections::BTreeMap;

use batch::suites::{EarlierKnees, PlannedStudy, Published, SuiteFault};
use plugins::{self, Benchmark, SearchPath};
use records::settings::{DeviceSpec, Ordinals, StudySettings};
use space::{Expression, Parameter, keep_values};
use study::{
    Benchmarked, Plan,
    prepare::{controls, describe, device_choices, models, staged, start},
};

use super::{
    command_lines::{MeasuredLine, StudyLine},
    score_checks::{ScoreChecks, plainly},
};
use crate::terminal::{ExitStatus, Failure};

/// A study that passed all checks.
pub(super) struct CheckedStudy {
    pub(super) planned: PlannedStudy,
    /// The settings; `None` for a comparison of strategies.
    pub(super) settings: Option<StudySettings>,
    /// The published results that the study is compared with.
    pub(super) published: Published,
    /// The folder of the earlier study whose knee is this study's size.
    pub(super) size_from: Option<String>,
}

/// Checks studies. Asks a worker for each benchmark's description only once.
pub(super) struct Checks<'a> {
    pub(super) search: SearchPath,
    pub(super) earlier: Option<&'a EarlierKnees>,
    benchmarks: BTreeMap<String, Result<Benchmark, Failure>>,
    pub(super) faults: Vec<SuiteFault>,
    /// The exit code of all faults; that of wrong settings if the faults have different codes.
    pub(super) exit: Option<ExitStatus>,
    scores: ScoreChecks,
}

impl<'a> Checks<'a> {
    pub(super) fn new(
        search: SearchPath,
        earlier: Option<&'a EarlierKnees>,
        scores: ScoreChecks,
    ) -> Self {
        let (benchmarks, faults) = (BTreeMap::new(), Vec::new());
        Self { search, earlier, benchmarks, faults, exit: None, scores }
    }

    /// Returns the study if it passes all checks. Otherwise records a fault.
    pub(super) fn check(&mut self, mut planned: PlannedStudy) -> Option<CheckedStudy> {
        match self.checked(&mut planned) {
            Ok((settings, size_from, published)) => {
                Some(CheckedStudy { planned, settings, size_from, published })
            }
            Err(failure) => {
                let place = planned.place_of(&failure.message);
                let hint = failure.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                let message = format!("{}{hint}", failure.message);
                self.faults.push(SuiteFault { place, message });
                let exit = self.exit.get_or_insert(failure.exit);
                if *exit != failure.exit {
                    *exit = ExitStatus::Settings;
                }
                None
            }
        }
    }

    fn checked(
        &mut self,
        planned: &mut PlannedStudy,
    ) -> Result<(Option<StudySettings>, Option<String>, Published), Failure> {
        match StudyLine::read(&planned.arguments()).map_err(Failure::settings)? {
            StudyLine::Measured(line) => {
                let published = plainly(planned);
                if let Some(figure) = planned.published.figures.first() {
                    return Err(Failure::settings(format!(
                        "published figures of strategies such as `{}` belong to a `score`; write a text",
                        figure.strategy.text
                    )));
                }
                let (settings, size_from) = self.measured(planned, line)?;
                Ok((Some(settings), size_from, published))
            }
            StudyLine::Score(_) => {
                let published = self.scores.checked(planned)?;
                Ok((None, None, published))
            }
        }
    }

    fn measured(
        &mut self,
        planned: &mut PlannedStudy,
        line: MeasuredLine,
    ) -> Result<(StudySettings, Option<String>), Failure> {
        let arguments = line.arguments();
        if let Some(file) = arguments.device.recorded() {
            if !file.exists() {
                let what = format!("there is no `{}` to replay", arguments.device);
                return Err(Failure::settings(what));
            }
            let settings = line.settings()?;
            Plan::check(&settings).map_err(Failure::settings)?;
            return Ok((settings, None));
        }
        device_choices(&arguments.device)?;
        let Some(name) = arguments.benchmark() else {
            return Err(Failure::settings(format!("`{}` names no benchmark", planned.command)));
        };
        let device = arguments.device.clone();
        let benchmark = self.benchmark(name)?.clone();
        let mut size_from = None;
        let lacks_size = line.lacks_size();
        let is_tuned = planned.command == "tune";
        let knee =
            self.earlier.filter(|_| is_tuned).map(|known| known.of(benchmark.name(), &device));
        let line = match knee {
            Some(Ok(knee)) => {
                size_from = Some(knee.folder.display().to_string());
                let size = knee.knee.map(|size| size.to_string()).unwrap_or_default();
                planned.set("size", size);
                match StudyLine::read(&planned.arguments()).map_err(Failure::settings)? {
                    StudyLine::Measured(line) => line,
                    StudyLine::Score(_) => return Err(Failure::bug("a study changed its command")),
                }
            }
            Some(Err(why)) if lacks_size => return Err(Failure::settings(why)),
            None if lacks_size => {
                return Err(Failure::settings(format!(
                    "`{name}` has no `size`; give it one, or take its knee from earlier runs with --sizes-from DIR"
                )));
            }
            // Without a knee from an earlier study, the study keeps its own size.
            _ => line,
        };
        let mut settings = line.settings()?;
        let benchmark = staged(benchmark, &mut settings)?;
        let plan = Plan::resolve(settings.clone(), &Benchmarked::facts(&benchmark));
        plan.map_err(Failure::settings)?;
        names(&benchmark, &settings)?;
        Ok((settings, size_from))
    }

    fn benchmark(&mut self, name: &str) -> Result<&Benchmark, Failure> {
        let search = &self.search;
        let known = self.benchmarks.entry(name.to_owned());
        let found = known.or_insert_with(|| {
            let locator = plugins::find(name, search).map_err(Failure::settings)?;
            Ok(describe(&mut start(None)?, &locator)?)
        });
        found.as_ref().map_err(Clone::clone)
    }
}

/// Checks that narrowed parameters, restrictions and controls use existing names and values.
fn names(benchmark: &Benchmark, settings: &StudySettings) -> Result<(), Failure> {
    let mut parameters: Vec<Parameter> = benchmark.parameters();
    parameters.extend(controls::parameters(&settings.controls)?);
    for text in &settings.parameters {
        keep_values(&mut parameters, text).map_err(Failure::settings)?;
    }
    let mut names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
    names.push("size");
    for text in &settings.restrictions {
        Expression::compile(text, &names).map_err(Failure::settings)?;
    }
    Ok(())
}

/// Splits a study on several devices into one study for each device model.
pub(super) fn by_model(study: CheckedStudy) -> Vec<CheckedStudy> {
    let Some(settings) = &study.settings else { return vec![study] };
    let several = match &settings.device {
        DeviceSpec::Backend { ordinals: Ordinals::All, .. } => true,
        DeviceSpec::Backend { ordinals: Ordinals::These(numbers), .. } => numbers.len() > 1,
        _ => false,
    };
    // A missing device makes the study fail when it begins, and that is a row of the table.
    let models = match several {
        true => models(&settings.device).unwrap_or_default(),
        false => Vec::new(),
    };
    if models.is_empty() {
        return vec![study];
    }
    let is_one = models.len() == 1;
    let on = |device: DeviceSpec| {
        let mut planned = study.planned.clone();
        planned.set("device", device.to_string());
        if !is_one {
            planned.label = format!("{} device={device}", planned.label);
        }
        let settings = Some(StudySettings { device, ..settings.clone() });
        let (size_from, published) = (study.size_from.clone(), study.published.clone());
        CheckedStudy { planned, settings, size_from, published }
    };
    models.into_iter().map(on).collect()
}
