//! Makes a suite's record from its file: reads, expands and checks it.

use std::path::{Path, absolute};

use batch::suites::{
    self, EarlierRuns, Expansion, Links, PlannedStudy, RecordedStudy, SUITE_FORMAT, SUITE_VERSION,
    Suite, SuiteFault, SuiteFaults, SuiteRecord, SuiteSource,
};
use chrono::Utc;
use plugins::SearchPath;
use records::settings::DeviceSpec;
use study::prepare::device_choices;

use super::{
    arguments::SuiteArgs,
    checks::{CheckedStudy, Checks, by_model},
    command_lines,
    score_checks::ScoreChecks,
};
use crate::{
    studies::{argv, hash},
    terminal::{Failure, output},
};

/// A suite that passed all checks.
pub(super) struct PlannedSuite {
    pub(super) record: SuiteRecord,
    /// Upper limit in seconds of all studies that have a time limit.
    pub(super) seconds: f64,
    /// Number of studies without a time limit.
    pub(super) unlimited: usize,
}

pub(super) fn planned(
    source: &SuiteSource,
    arguments: &SuiteArgs,
) -> Result<PlannedSuite, Failure> {
    let faulty =
        |faults: Vec<SuiteFault>| Failure::settings(SuiteFaults::new(&source.origin, faults));
    let suite = Suite::read(&source.text, &command_lines::flags(), arguments.quick);
    let suite = suite.map_err(faulty)?;
    if let Some(twice) = size_twice(&suite, arguments) {
        return Err(Failure::settings(format!("{twice} and --sizes-from both give sizes"))
            .hint("leave one of them out"));
    }
    for device in &arguments.devices {
        device_choices(device)?;
    }
    let devices: Vec<String> = arguments.devices.iter().map(ToString::to_string).collect();
    let expansion = Expansion { folder: source.folder.as_deref(), devices: &devices };
    let studies = expansion.of(&suite).map_err(faulty)?;
    let every = studies.clone();
    let studies = suites::only(studies, &arguments.only)
        .map_err(|why| Failure::settings(why).hint("--dry-run without --only lists all of them"))?;
    let studies = suites::with_overrides(studies, &arguments.overrides(), &command_lines::flags())
        .map_err(Failure::settings)?;
    let earlier = arguments.sizes_from.as_deref().map(EarlierRuns::read).transpose();
    let earlier = earlier.map_err(Failure::settings)?;
    let scores = ScoreChecks::new(arguments.spaces.as_deref(), arguments.dry_run);
    let mut checks = Checks::new(SearchPath::new(&arguments.plugin_path), earlier.as_ref(), scores);
    let studies = studies.into_iter().flat_map(by_model);
    let studies: Vec<CheckedStudy> = studies.filter_map(|study| checks.check(study)).collect();
    if let Some(exit) = checks.exit {
        let failure = faulty(checks.faults);
        return Err(Failure { exit, ..failure });
    }
    let performed: Vec<&PlannedStudy> = studies.iter().map(|study| &study.planned).collect();
    let figures = suites::figures(&suite.figure, &every, &performed).map_err(faulty)?;
    let maps = suites::figures(&suite.map, &every, &performed).map_err(faulty)?;
    let curves = suites::figures(&suite.curves, &every, &performed).map_err(faulty)?;
    let links = suites::links(&performed).map_err(|faults| {
        let failure = faulty(faults);
        if arguments.only.is_empty() { failure } else { failure.hint("--only has to name it too") }
    })?;
    let foreign = foreign_sizes(&suite.sized_for, &studies);
    foreign.iter().for_each(|text| output::note(text));
    let differs: Vec<String> =
        [suite.differs].into_iter().chain(foreign).filter(|text| !text.is_empty()).collect();
    let limits = || {
        let measuring = studies.iter().filter_map(|study| study.settings.as_ref());
        measuring.map(|settings| settings.budget.seconds)
    };
    let (seconds, unlimited) = (limits().flatten().sum(), limits().filter(Option::is_none).count());
    let folders: Vec<String> =
        arguments.plugin_path.iter().map(|path| format!("--plugin-path={}", whole(path))).collect();
    let recorded = |(study, links): (CheckedStudy, Links)| RecordedStudy {
        argv: {
            let folders = folders.iter().filter(|_| study.settings.is_some()).cloned();
            study.planned.arguments().into_iter().chain(folders).collect()
        },
        published: study.published,
        line: study.planned.place.line,
        label: study.planned.label,
        sized: study.sized,
        winners_of: links.winners_of,
        size_of: links.size_of,
    };
    let record = SuiteRecord {
        format: SUITE_FORMAT.to_owned(),
        version: SUITE_VERSION,
        autobench: env!("CARGO_PKG_VERSION").to_owned(),
        argv: argv(),
        started: Utc::now(),
        suite: suite.name,
        about: suite.about,
        published: suite.published,
        differs: differs.join("; "),
        origin: source.origin.clone(),
        hash: hash(source.text.as_bytes()),
        text: source.text.clone(),
        quick: arguments.quick,
        figures,
        maps,
        curves,
        studies: studies.into_iter().zip(links).map(recorded).collect(),
    };
    Ok(PlannedSuite { record, seconds, unlimited })
}

/// Sizes that --sizes-from would replace without a word: those of a flag, or of several studies.
fn size_twice(suite: &Suite, arguments: &SuiteArgs) -> Option<&'static str> {
    arguments.sizes_from.as_ref()?;
    let tunes = suite.entries.iter().filter(|entry| entry.command == "tune");
    let mut varied = tunes.flat_map(|entry| entry.for_each.iter().flatten());
    match varied.any(|given| given.flag == "size") {
        true => Some("`size` under `for_each`"),
        false => arguments.set.iter().any(|(flag, _)| flag == "size").then_some("--set size"),
    }
}

/// Says that the suite's sizes were chosen for other devices, if a study keeps one.
fn foreign_sizes(backend: &str, studies: &[CheckedStudy]) -> Option<String> {
    let on = |study: &CheckedStudy| match &study.settings.as_ref()?.device {
        DeviceSpec::Backend { name, .. } if study.sized.is_none() => Some(name.clone()),
        _ => None,
    };
    let other =
        studies.iter().filter_map(on).find(|name| !backend.is_empty() && name != backend)?;
    Some(format!(
        "sizes were chosen for `{backend}`, not for `{other}`: `autobench suite \
         saturate-then-mix` finds those of a device, and --sizes-from takes them"
    ))
}

fn whole(path: &Path) -> String {
    absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}
