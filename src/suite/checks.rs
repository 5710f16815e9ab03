//! Checks of a suite's studies, made before the first study begins.

use std::collections::BTreeMap;

use batch::suites::{EarlierRuns, PlannedStudy, Published, SizeFrom, SuiteFault};
use plugins::{self, Benchmark, SearchPath};
use records::settings::{DeviceSpec, StudySettings};
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
    /// The size that an earlier run gave it.
    pub(super) sized: Option<SizeFrom>,
}

/// Checks studies. Asks a worker for each benchmark's description only once.
pub(super) struct Checks<'a> {
    pub(super) search: SearchPath,
    pub(super) earlier: Option<&'a EarlierRuns>,
    benchmarks: BTreeMap<String, Result<Benchmark, Failure>>,
    pub(super) faults: Vec<SuiteFault>,
    /// The exit code of all faults; that of wrong settings if the faults have different codes.
    pub(super) exit: Option<ExitStatus>,
    scores: ScoreChecks,
}

impl<'a> Checks<'a> {
    pub(super) fn new(
        search: SearchPath,
        earlier: Option<&'a EarlierRuns>,
        scores: ScoreChecks,
    ) -> Self {
        let (benchmarks, faults) = (BTreeMap::new(), Vec::new());
        Self { search, earlier, benchmarks, faults, exit: None, scores }
    }

    /// Returns the study if it passes all checks. Otherwise records a fault.
    pub(super) fn check(&mut self, mut planned: PlannedStudy) -> Option<CheckedStudy> {
        match self.checked(&mut planned) {
            Ok((settings, sized, published)) => {
                Some(CheckedStudy { planned, settings, sized, published })
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
    ) -> Result<(Option<StudySettings>, Option<SizeFrom>, Published), Failure> {
        match StudyLine::read(&planned.arguments()).map_err(Failure::settings)? {
            StudyLine::Measured(line) => {
                let published = plainly(planned);
                if let Some(figure) = planned.published.figures.first() {
                    return Err(Failure::settings(format!(
                        "published figures of strategies such as `{}` belong to a `score`; write a text",
                        figure.strategy.text
                    )));
                }
                let (settings, sized) = self.measured(planned, line)?;
                Ok((Some(settings), sized, published))
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
    ) -> Result<(StudySettings, Option<SizeFrom>), Failure> {
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
        let (lacks_size, is_tuned) = (line.lacks_size(), planned.command == "tune");
        let sized = match self.earlier.filter(|_| is_tuned) {
            Some(runs) => {
                Some(runs.of(benchmark.name(), &device).map_err(Failure::settings)?.clone())
            }
            None => None,
        };
        let line = match &sized {
            Some(sized) => {
                planned.size_of = None;
                planned.take_size(sized);
                read_again(planned)?
            }
            // The run that will give the size has not begun: any size shows whether the rest is right.
            None if planned.size_of.is_some() => {
                let mut with_size = planned.clone();
                with_size.set("size", benchmark.document().size.start.to_string());
                read_again(&with_size)?
            }
            None if lacks_size => {
                return Err(Failure::settings(format!(
                    "`{name}` has no `size`; give it one, or take it from earlier runs with --sizes-from DIR"
                )));
            }
            None => line,
        };
        let mut settings = line.settings()?;
        let benchmark = staged(benchmark, &mut settings)?;
        let plan = Plan::resolve(settings.clone(), &Benchmarked::facts(&benchmark));
        plan.map_err(Failure::settings)?;
        names(&benchmark, &settings)?;
        Ok((settings, sized))
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

fn read_again(planned: &PlannedStudy) -> Result<MeasuredLine, Failure> {
    match StudyLine::read(&planned.arguments()).map_err(Failure::settings)? {
        StudyLine::Measured(line) => Ok(line),
        StudyLine::Score(_) => Err(Failure::bug("a study changed its command")),
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
pub(super) fn by_model(study: PlannedStudy) -> Vec<PlannedStudy> {
    let device = study.words("device").first().and_then(|word| word.text.parse().ok());
    // A missing device makes the study fail when it begins, and that is a row of the table.
    let models = device.as_ref().and_then(|device| models(device).ok()).unwrap_or_default();
    if models.is_empty() || models.iter().eq(&device) {
        return vec![study];
    }
    let is_one = models.len() == 1;
    let on = |device: DeviceSpec| {
        let mut study = study.clone();
        study.set("device", device.to_string());
        if !is_one {
            study.label = format!("{} device={device}", study.label);
        }
        study
    };
    models.into_iter().map(on).collect()
}
