//! A study with everything it needs: plan, record, and what answers. Finding benchmark and device
//! and checking every setting happens here, before anything is written.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
    time::Duration,
};

use autobench_sdk::document::Document;

use super::{
    Failure, controls,
    crew::{self, Crew},
    launch::worker,
    output,
    provenance::{argv, hash, hashed, host, reference_in_words},
};
use crate::{
    plugins::{self, Benchmark, Locator},
    records::{
        BenchmarkRecord, CacheState, DeviceRecord, FileFault, Goal, JOURNAL_FILE, MetricRecord,
        REPLAY, RecordedSpace, Sense, StudyRecord, StudySettings, read_space_at,
    },
    space::Parameter,
    study::{Benchmarked, Facts, Plan, Replayed, Subject},
    tuning::{Evaluator, Hand, Live, LiveSettings, Recorded},
    worker::{Checking, Client, DeviceChoice, MeasurePlan, Setup, Verification},
};

/// Loading a benchmark or opening a device takes no longer than this.
pub(super) const SETUP_TIMEOUT: Duration = Duration::from_secs(30);
/// An error this many times the bound is a wrong result, not an inaccurate one.
const WRONG: f64 = 1000.0;
/// No trial may take longer, whatever a record says.
const LONGEST_TRIAL: Duration = Duration::from_secs(1_000_000_000);
/// Who asks for more kernel time than usual waits for this many times as much at most.
const LONGEST_PER_SHORTEST: f64 = 5.0;

/// A study that is ready to run.
pub(super) struct Stage {
    pub(super) plan: Plan,
    pub(super) record: StudyRecord,
    pub(super) source: Source,
}

/// What answers.
pub(super) enum Source {
    /// Of workers there is at least one.
    Live {
        benchmark: Box<Benchmark>,
        hands: Vec<Hand>,
    },
    Recorded(Box<RecordedSpace>),
}

impl Stage {
    /// Finds the benchmark and the device, and checks every setting, before anything is written.
    pub(super) fn prepare(
        benchmark: Option<&str>,
        plugin_path: &[PathBuf],
        settings: StudySettings,
    ) -> Result<Self, Failure> {
        match settings.device.strip_prefix("replay:").map(PathBuf::from) {
            Some(_) if settings.goal == Goal::Saturate => {
                Err(Failure::settings("a recorded space has one size, so it has no knee")
                    .hint("use `autobench tune --device replay:FILE`"))
            }
            Some(file) => Self::recorded(&file, settings),
            None => {
                let name = benchmark.ok_or_else(|| {
                    Failure::settings("which benchmark?")
                        .hint("`autobench list` shows what there is")
                })?;
                Self::live(name, plugin_path, settings)
            }
        }
    }

    fn recorded(file: &Path, mut settings: StudySettings) -> Result<Self, Failure> {
        if !settings.controls.is_empty() {
            return Err(Failure::settings("a recorded space has no device to control")
                .hint("leave --control out"));
        }
        let size = settings.sizes.list.as_ref().and_then(|sizes| sizes.first().copied());
        let space = read_space_at(file, size).map_err(Failure::settings)?;
        settings.benchmark.clone_from(&space.kernel);
        // A resumed study may stand in another folder.
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        settings.device = format!("replay:{}", file.display());
        let facts = Replayed::facts();
        let device = DeviceRecord {
            backend: REPLAY.to_owned(),
            name: space.device.clone(),
            ..DeviceRecord::default()
        };
        let benchmark = BenchmarkRecord {
            name: space.kernel.clone(),
            about: format!("recorded, problem size {}", space.problem_size),
            size_meaning: "the recorded size".to_owned(),
            secondary: MetricRecord {
                name: facts.secondary.clone(),
                unit: "1/s".to_owned(),
                sense: facts.direction(&facts.secondary).map(Sense::from).unwrap_or_default(),
            },
            reference: "recorded".to_owned(),
            ..BenchmarkRecord::default()
        };
        let plan = Plan::resolve(settings, &facts).map_err(Failure::settings)?;
        let settings = plan.settings.clone();
        let mut record = StudyRecord::new(argv(), host(), device, benchmark, settings);
        let content = if file.is_dir() { file.join(JOURNAL_FILE) } else { file };
        let bytes = std::fs::read(&content).map_err(FileFault::reading(&content));
        let bytes = bytes.map_err(Failure::settings)?;
        record.hashes.insert("recorded space".to_owned(), hash(&bytes));
        Ok(Self { plan, record, source: Source::Recorded(Box::new(space)) })
    }

    fn live(
        name: &str,
        plugin_path: &[PathBuf],
        mut settings: StudySettings,
    ) -> Result<Self, Failure> {
        Plan::check_names(&settings).map_err(Failure::settings)?;
        let controls = controls::parameters(&settings.controls)?;
        controls::mend()?;
        let devices = crew::choices(&settings.device)?;
        let locator = plugins::find(name, &plugins::SearchPath::new(plugin_path))
            .map_err(Failure::settings)?;
        let mut first = worker(settings.memory_limit)?;
        let benchmark = describe(&mut first, &locator)?;
        settings.benchmark = locator.path().display().to_string();
        let facts = Benchmarked::facts(&benchmark);
        let plan = Plan::resolve(settings, &facts).map_err(Failure::settings)?;
        let settings = plan.settings.clone();
        let (seed, cache) = (settings.seed, cache_folder());
        let setup = |device: &DeviceChoice| Setup {
            benchmark: locator.clone(),
            device: device.clone(),
            seed,
            cache: cache.clone(),
            workers: devices.len(),
            cold: settings.caches == CacheState::Cold,
        };
        let mut crew = Crew::led_by(first, setup(&devices[0]))?;
        for device in &devices[1..] {
            crew.hire(worker(settings.memory_limit)?, setup(device))?;
        }
        let described = serde_json::to_value(benchmark.document()).map_err(Failure::bug)?;
        let about = benchmark_record(benchmark.document(), &facts, described.clone());
        let clashes = |control: &&Parameter| {
            benchmark.parameters().iter().any(|parameter| parameter.name == control.name)
        };
        if let Some(control) = controls.iter().find(clashes) {
            return Err(Failure::settings(format!(
                "`{}` is a parameter of the benchmark, and so not one that sets the device",
                control.name
            )));
        }
        let (device, hands) = crew.ready(!controls.is_empty())?;
        let record = StudyRecord::new(argv(), host(), device, about, settings);
        let record = hashed(record, &described, locator.path());
        Ok(Self { plan, record, source: Source::Live { benchmark: Box::new(benchmark), hands } })
    }

    /// The record that this stage would write.
    pub(super) fn record(&self) -> &StudyRecord {
        &self.record
    }

    /// What the study is about.
    pub(super) fn subject(&self) -> Box<dyn Subject + '_> {
        let StudySettings { parameters, restrictions, .. } = &self.plan.settings;
        match &self.source {
            Source::Live { benchmark, hands } => {
                let client = |hand: &Hand| Rc::clone(&hand.client);
                let others = hands[1..].iter().map(client).collect();
                let benchmark = (**benchmark).clone();
                let subject =
                    Benchmarked::new(benchmark, client(&hands[0]), parameters, restrictions);
                let controls = controls::parameters(&self.plan.settings.controls);
                let controls = controls.unwrap_or_default();
                Box::new(subject.shared_with(others).controlled_by(controls))
            }
            Source::Recorded(space) => Box::new(Replayed::new(space, parameters, restrictions)),
        }
    }

    /// Finds what is wrong with narrowed parameters and restrictions before anything is written.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let mut subject = self.subject();
        let first = self.plan.start().unwrap_or_else(|| subject.first_size());
        subject.space(first).map(drop).map_err(Failure::settings)
    }

    /// Sets the devices as they run by default, if the study sets them at all: whether it may shows
    /// before anything is written.
    pub(super) fn take_control(&self) -> Result<(), Failure> {
        let controls = controls::parameters(&self.plan.settings.controls)?;
        let Source::Live { hands, .. } = &self.source else { return Ok(()) };
        for control in hands.iter().filter_map(|hand| hand.control.as_ref()) {
            let set = control.borrow_mut().apply(&controls::usual(&controls));
            set.map_err(|why| {
                Failure::device(why).hint("leave --control out to measure as it is")
            })?;
        }
        Ok(())
    }

    /// Gives the devices back as they were; what cannot be undone is said.
    pub(super) fn release_control(&self) {
        let Source::Live { hands, .. } = &self.source else { return };
        for control in hands.iter().filter_map(|hand| hand.control.as_ref()) {
            if let Err(why) = control.borrow_mut().release() {
                output::note(&format!(
                    "warning: {why}; `autobench devices --restore` sets it back"
                ));
            }
        }
    }

    /// What answers.
    pub(super) fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        match &self.source {
            Source::Live { hands, .. } => Box::new(Live::new(hands.clone(), self.live_settings())),
            Source::Recorded(space) => Box::new(Recorded::new(space)),
        }
    }

    fn live_settings(&self) -> LiveSettings {
        let settings = &self.plan.settings;
        let number = |name: &str, otherwise: f64| {
            settings.measuring.get(name).and_then(serde_json::Value::as_f64).unwrap_or(otherwise)
        };
        let verification = match settings.verification.as_str() {
            "off" => Verification::Off,
            "thorough" => Verification::Thorough,
            _ => Verification::Sampled,
        };
        let bound = self.plan.ranking.bound;
        let usual = MeasurePlan::default();
        let min_seconds = number("min_time", usual.min_seconds);
        let samples = settings.measuring.get("samples").and_then(serde_json::Value::as_u64);
        let max_samples = samples.and_then(|n| u32::try_from(n).ok()).unwrap_or(usual.max_samples);
        let plan = MeasurePlan {
            precision: number("precision", usual.precision),
            max_samples,
            min_seconds,
            max_seconds: usual.max_seconds.max(LONGEST_PER_SHORTEST * min_seconds),
            checking: Checking {
                verification,
                bound: Some(bound),
                reject: Some(bound * WRONG),
                seed: None,
            },
            ..usual
        };
        LiveSettings {
            plan,
            trial_timeout: Duration::try_from_secs_f64(number("trial_timeout", 30.0))
                .map_or(LONGEST_TRIAL, |timeout| timeout.min(LONGEST_TRIAL)),
            fresh_seed: settings.seed ^ 0x5eed_f4e5_4a11_d00d,
        }
    }
}

/// Asks a plugin what it is.
pub(super) fn describe(client: &mut Client, locator: &Locator) -> Result<Benchmark, Failure> {
    let path = locator.path().display();
    let document = client.describe(locator, SETUP_TIMEOUT).map_err(|fault| {
        Failure::plugin(format!("benchmark `{path}` cannot be used: {fault}"))
            .unless_machine(&fault)
    })?;
    Benchmark::new(document)
        .map_err(|fault| Failure::plugin(format!("benchmark `{path}`: {fault}")))
}

fn benchmark_record(
    document: &Document,
    facts: &Facts,
    described: serde_json::Value,
) -> BenchmarkRecord {
    let unit = document.metrics.iter().find(|metric| metric.name == facts.secondary);
    BenchmarkRecord {
        name: document.name.clone(),
        about: document.about.clone(),
        size_meaning: document.size.meaning.clone(),
        secondary: MetricRecord {
            name: facts.secondary.clone(),
            unit: unit.map(|metric| metric.unit.clone()).unwrap_or_default(),
            sense: facts.direction(&facts.secondary).map(Sense::from).unwrap_or_default(),
        },
        error: (document.error.metric.clone(), document.error.bound),
        reference: reference_in_words(&document.reference),
        document: described,
    }
}

fn cache_folder() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home)?;
    Some(base.join("autobench"))
}
