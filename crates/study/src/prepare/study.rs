//! A prepared study.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use exchange::RecordedSpace;
use plugins::Benchmark;
use records::{
    StudyFolder, StudyRecord,
    settings::{MeasuringSettings, StudySettings},
};
use space::Space;
use worker::{Checking, MeasurePlan};

use super::{controls, fault::PrepareFault};
use crate::{
    Benchmarked, Plan, Replayed, Subject,
    tuning::{DeviceWorker, Evaluator, Live, LiveSettings, Recorded},
};

/// Time limit of a measurement as a multiple of `--min-time`, if this exceeds the usual limit.
const LONGEST_PER_SHORTEST: f64 = 5.0;

/// A study that can begin: its plan, its record, and what it measures.
pub struct Study {
    /// The settings, checked and resolved.
    pub plan: Plan,
    /// The record to write.
    pub record: StudyRecord,
    pub(crate) source: StudySource,
}

/// What a study measures: a benchmark on workers, or a recorded space.
pub(crate) enum StudySource {
    /// A benchmark, with at least one worker.
    Live {
        benchmark: Box<Benchmark>,
        workers: Vec<DeviceWorker>,
    },
    Recorded(Box<RecordedSpace>),
}

/// How a study is prepared, in addition to its settings.
#[derive(Clone, Copy)]
pub struct Preparing<'a> {
    /// Folders that are searched first for benchmarks.
    pub plugin_path: &'a [PathBuf],
    /// Called with each remark that a user should know but that is no failure, one line each.
    pub note: &'a dyn Fn(&str),
}

impl Default for Preparing<'_> {
    fn default() -> Self {
        Self { plugin_path: &[], note: &|_| {} }
    }
}

impl Study {
    /// Returns what the study is about: the benchmark, or the recorded space.
    #[must_use]
    pub fn subject(&self) -> Box<dyn Subject + '_> {
        let StudySettings { parameters, restrictions, measuring, .. } = &self.plan.settings;
        match &self.source {
            StudySource::Live { benchmark, workers } => {
                let client = |worker: &DeviceWorker| Rc::clone(&worker.client);
                let others = workers[1..].iter().map(client).collect();
                let benchmark = (**benchmark).clone();
                let subject =
                    Benchmarked::new(benchmark, client(&workers[0]), parameters, restrictions);
                let controls = controls::parameters(&self.plan.settings.controls);
                let controls = controls.unwrap_or_default();
                let subject = subject.trials_within(measuring.timeout());
                Box::new(subject.shared_with(others).controlled_by(controls))
            }
            StudySource::Recorded(space) => {
                Box::new(Replayed::new(space, parameters, restrictions))
            }
        }
    }

    /// Checks narrowed parameters and restrictions, and that the device can be controlled.
    pub fn check(&self) -> Result<(), PrepareFault> {
        self.first_space()?;
        self.take_control()
    }

    /// Makes a folder with a unique name for the study.
    pub fn folder_in(&self, out: &Path) -> Result<StudyFolder, PrepareFault> {
        let StudyRecord { benchmark, device, started, settings, .. } = &self.record;
        let detector = settings.detectors.first().map_or("tune", String::as_str);
        Ok(StudyFolder::create(out, *started, &benchmark.name, &device.name, detector)?)
    }

    pub(super) fn first_space(&self) -> Result<Space, PrepareFault> {
        let mut subject = self.subject();
        let first = self.plan.settings.sizes.first().unwrap_or_else(|| subject.first_size());
        subject.space(first).map_err(PrepareFault::Space)
    }

    /// Sets controlled devices to their defaults, to find out early whether that is permitted.
    pub(crate) fn take_control(&self) -> Result<(), PrepareFault> {
        let controls = controls::parameters(&self.plan.settings.controls)?;
        for control in self.workers().iter().filter_map(|worker| worker.control.as_ref()) {
            let set = control.borrow_mut().apply(&controls::usual(&controls));
            set.map_err(PrepareFault::NotControlled)?;
        }
        Ok(())
    }

    /// Restores the controlled devices, and notes those that cannot be restored.
    pub(crate) fn release_control(&self, mut note: impl FnMut(&str)) {
        for control in self.workers().iter().filter_map(|worker| worker.control.as_ref()) {
            if let Err(why) = control.borrow_mut().release() {
                note(&format!("warning: {why}; `autobench devices --restore` sets it back"));
            }
        }
    }

    /// Returns the workers; none for a recorded space.
    pub(crate) fn workers(&self) -> &[DeviceWorker] {
        match &self.source {
            StudySource::Live { workers, .. } => workers,
            StudySource::Recorded(_) => &[],
        }
    }

    pub(crate) fn evaluator(&self) -> Box<dyn Evaluator + '_> {
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
            observed: self.plan.ranking.observed.clone(),
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
