//! A study with everything it needs: plan, record, and workers or a recorded space. Every setting
//! is checked here, before anything is written.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use autobench_sdk::document::Document;

use super::{
    progress::Among,
    provenance::{argv, hash, hashed, host, reference_in_words, with_script},
    staged::staged,
};
use crate::{
    cli::{
        memory::{Learner, learnt_from},
        terminal::{Failure, output},
        workers::{self, DeviceWorkers, controls, describe, device_choices},
    },
    plugins::{self, Benchmark},
    records::{
        BenchmarkRecord, DeviceRecord, FileFault, JOURNAL_FILE, MetricRecord, REPLAY,
        RecordedSpace, StudyRecord, read_space_at,
    },
    scoring::Landscape,
    settings::{CacheState, DeviceSpec, Goal, MeasuringSettings, StudySettings},
    space::{Parameter, Space},
    study::{Benchmarked, Plan, Replayed, Subject, SubjectFacts},
    tuning::{DeviceWorker, Evaluator, Live, LiveSettings, Recorded},
    worker::{Checking, DeviceChoice, MeasurePlan, Setup},
};

/// Time limit of a measurement, as a multiple of `--min-time`, where that exceeds the usual limit.
const LONGEST_PER_SHORTEST: f64 = 5.0;

pub(in crate::cli) struct PreparedStudy {
    pub(in crate::cli) plan: Plan,
    pub(in crate::cli) record: StudyRecord,
    pub(in crate::cli) source: StudySource,
    /// Its place among several, for the bar.
    pub(in crate::cli) among: Option<Among>,
}

/// What answers: workers, or a recorded space.
pub(in crate::cli) enum StudySource {
    /// There is at least one worker.
    Live {
        benchmark: Box<Benchmark>,
        workers: Vec<DeviceWorker>,
    },
    Recorded(Box<RecordedSpace>),
}

impl PreparedStudy {
    /// Finds the benchmark and the device, and checks every setting, before anything is written.
    pub(in crate::cli) fn prepare(
        benchmark: Option<&str>,
        plugin_path: &[PathBuf],
        settings: StudySettings,
    ) -> Result<Self, Failure> {
        match settings.device.recorded().map(Path::to_owned) {
            Some(_) if settings.goal == Goal::Saturate => {
                Err(Failure::settings("a recorded space has one size, so it has no knee")
                    .hint("use `autobench tune --device replay:FILE`"))
            }
            Some(file) => Self::recorded(&file, settings)?.learnt(),
            None => {
                let name = benchmark.ok_or_else(|| {
                    Failure::settings("which benchmark?")
                        .hint("`autobench list` shows what there is")
                })?;
                Self::live(name, plugin_path, settings)?.learnt()
            }
        }
    }

    /// The study with what it learns from.
    fn learnt(mut self) -> Result<Self, Failure> {
        if self.plan.settings.learn_from.is_empty() {
            return Ok(self);
        }
        let kernel = self.record.benchmark.name.clone();
        let (parameters, replayed) = match &self.source {
            StudySource::Live { benchmark, .. } => (benchmark.parameters().to_vec(), None),
            StudySource::Recorded(space) => {
                let listed = space.parameters.iter();
                let parameters = listed.map(|(name, values)| Parameter::new(name, values.clone()));
                (parameters.collect(), Landscape::under("", space, &self.plan.ranking).ok())
            }
        };
        let learner =
            Learner { kernel: &kernel, parameters: &parameters, replayed: replayed.as_ref() };
        learner.learn(&mut self.plan, &mut self.record)?;
        self.record.learnt_from = learnt_from(&self.plan.memory, &self.first_space()?);
        Ok(self)
    }

    fn recorded(file: &Path, mut settings: StudySettings) -> Result<Self, Failure> {
        if !settings.stage.is_empty() {
            return Err(
                Failure::settings("a recorded space has no stages").hint("leave --stage out")
            );
        }
        if !settings.controls.is_empty() {
            return Err(Failure::settings("a recorded space has no device to control")
                .hint("leave --control out"));
        }
        let size = settings.sizes.list.as_ref().and_then(|sizes| sizes.first().copied());
        let space = read_space_at(file, size).map_err(Failure::settings)?;
        settings.benchmark.clone_from(&space.kernel);
        // A study may be resumed from another folder.
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        settings.device = DeviceSpec::Recorded(file.clone());
        let facts = Replayed::facts(&space);
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
                sense: facts.sense(&facts.secondary).unwrap_or_default(),
            },
            reference: "recorded".to_owned(),
            error: space.error_metric(),
            ..BenchmarkRecord::default()
        };
        let plan = Plan::resolve(settings, &facts).map_err(Failure::settings)?;
        let settings = plan.settings.clone();
        let mut record = StudyRecord::new(argv(), host(), device, benchmark, settings);
        let content = if file.is_dir() { file.join(JOURNAL_FILE) } else { file };
        let bytes = std::fs::read(&content).map_err(FileFault::reading(&content));
        let bytes = bytes.map_err(Failure::settings)?;
        record.hashes.insert("recorded space".to_owned(), hash(&bytes));
        let record = with_script(record);
        Ok(Self { plan, record, source: StudySource::Recorded(Box::new(space)), among: None })
    }

    fn live(
        name: &str,
        plugin_path: &[PathBuf],
        mut settings: StudySettings,
    ) -> Result<Self, Failure> {
        Plan::check(&settings).map_err(Failure::settings)?;
        let controls = controls::parameters(&settings.controls)?;
        controls::restore_abandoned()?;
        let devices = device_choices(&settings.device)?;
        let locator = plugins::find(name, &plugins::SearchPath::new(plugin_path))
            .map_err(Failure::settings)?;
        let mut first = workers::start(settings.memory_limit)?;
        let benchmark = staged(describe(&mut first, &locator)?, &mut settings)?;
        settings.benchmark = locator.to_string();
        let facts = Benchmarked::facts(&benchmark);
        let plan = Plan::resolve(settings, &facts).map_err(Failure::settings)?;
        let settings = plan.settings.clone();
        let (seed, cache) = (settings.seed, cache_folder());
        let setup = |device: &DeviceChoice| Setup {
            benchmark: locator.clone(),
            stage: Some(settings.stage.clone()).filter(|stage| !stage.is_empty()),
            device: device.clone(),
            seed,
            cache: cache.clone(),
            workers: devices.len(),
            cold: settings.caches == CacheState::Cold,
            errors: plan.ranking.errors.clone(),
        };
        let mut workers = DeviceWorkers::of_first(first, setup(&devices[0]))?;
        for device in &devices[1..] {
            workers.add(workers::start(settings.memory_limit)?, setup(device))?;
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
        let (device, workers) = workers.ready(!controls.is_empty())?;
        let record = StudyRecord::new(argv(), host(), device, about, settings);
        let record = with_script(hashed(record, &described, locator.path()));
        Ok(Self {
            plan,
            record,
            source: StudySource::Live { benchmark: Box::new(benchmark), workers },
            among: None,
        })
    }

    pub(in crate::cli) fn record(&self) -> &StudyRecord {
        &self.record
    }

    pub(in crate::cli) fn subject(&self) -> Box<dyn Subject + '_> {
        let StudySettings { parameters, restrictions, .. } = &self.plan.settings;
        match &self.source {
            StudySource::Live { benchmark, workers } => {
                let client = |worker: &DeviceWorker| Rc::clone(&worker.client);
                let others = workers[1..].iter().map(client).collect();
                let benchmark = (**benchmark).clone();
                let subject =
                    Benchmarked::new(benchmark, client(&workers[0]), parameters, restrictions);
                let controls = controls::parameters(&self.plan.settings.controls);
                let controls = controls.unwrap_or_default();
                Box::new(subject.shared_with(others).controlled_by(controls))
            }
            StudySource::Recorded(space) => {
                Box::new(Replayed::new(space, parameters, restrictions))
            }
        }
    }

    /// Checks narrowed parameters and restrictions before anything is written.
    pub(in crate::cli) fn check(&self) -> Result<(), Failure> {
        self.first_space().map(drop)
    }

    /// The space of the first size.
    fn first_space(&self) -> Result<Space, Failure> {
        let mut subject = self.subject();
        let first = self.plan.settings.sizes.first().unwrap_or_else(|| subject.first_size());
        subject.space(first).map_err(Failure::settings)
    }

    /// Sets controlled devices to their defaults, which shows early whether that is permitted.
    pub(in crate::cli) fn take_control(&self) -> Result<(), Failure> {
        let controls = controls::parameters(&self.plan.settings.controls)?;
        let StudySource::Live { workers, .. } = &self.source else { return Ok(()) };
        for control in workers.iter().filter_map(|worker| worker.control.as_ref()) {
            let set = control.borrow_mut().apply(&controls::usual(&controls));
            set.map_err(|why| {
                Failure::device(why).hint("leave --control out to measure as it is")
            })?;
        }
        Ok(())
    }

    /// Restores the devices; warns of what cannot be restored.
    pub(in crate::cli) fn release_control(&self) {
        let StudySource::Live { workers, .. } = &self.source else { return };
        for control in workers.iter().filter_map(|worker| worker.control.as_ref()) {
            if let Err(why) = control.borrow_mut().release() {
                output::note(&format!(
                    "warning: {why}; `autobench devices --restore` sets it back"
                ));
            }
        }
    }

    pub(in crate::cli) fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        match &self.source {
            StudySource::Live { workers, .. } => {
                Box::new(Live::new(workers.clone(), self.live_settings()))
            }
            StudySource::Recorded(space) => Box::new(Recorded::new(space)),
        }
    }

    fn live_settings(&self) -> LiveSettings {
        let settings = &self.plan.settings;
        let usual = MeasurePlan::default();
        let MeasuringSettings { precision, samples, min_time, .. } = settings.measuring;
        let plan = MeasurePlan {
            precision,
            max_samples: samples,
            min_seconds: min_time,
            max_seconds: usual.max_seconds.max(LONGEST_PER_SHORTEST * min_time),
            checking: Checking { verification: settings.verification, seed: None },
            ..usual
        };
        LiveSettings {
            plan,
            trial_timeout: settings.measuring.timeout(),
            fresh_seed: settings.seed ^ 0x5eed_f4e5_4a11_d00d,
            on_processor: self.record.device.backend == "cpu",
        }
    }
}

fn benchmark_record(
    document: &Document,
    facts: &SubjectFacts,
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
            sense: facts.sense(&facts.secondary).unwrap_or_default(),
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
