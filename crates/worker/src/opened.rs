//! An opened device with a loaded benchmark, and what it does for requests.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Instant,
};

use device::{Device, workload::Workload};
use plugins::{self, Benchmark, NamedError, Plugin};
use records::{Costs, Named, Outcome};
use space::accuracy::ErrorMetric;

use super::{
    Checking, MeasurePlan, Setup,
    arena::{Arena, User},
    benchmark_code::{BuiltBenchmark, BuiltProblem},
    caches::CachePolicy,
    checked::ResultCheck,
    kernels::Kernels,
    opening::Opening,
    process_state::ProcessState,
    protocol::Reply,
    references::References,
    trial::{Bench, ReadyWorkload},
    trial_failure::TrialFailure,
};
use crate::observers::{Scene, Scope, Watching};

/// Why a request is refused, in one sentence.
pub(super) type Refusal = String;

pub(super) struct Opened {
    setup: Setup,
    pub(super) device: Box<dyn Device>,
    pub(super) benchmark: Benchmark,
    pub(super) plugin: Option<Plugin>,
    block_limit: u32,
    /// `None` if a guest computes an error of its own.
    metric: Option<ErrorMetric>,
    /// Errors that are computed in addition to the error that is bounded.
    errors: Vec<NamedError>,
    pub(super) arena: Arena,
    pub(super) kernels: Kernels,
    references: References,
    problem: Option<BuiltProblem>,
    /// Configurations that were recently found right and need not be checked again.
    pub(super) known: VecDeque<(OpenedKey, ReadyWorkload)>,
}

/// Size, configuration, and seed of the inputs.
pub(super) type OpenedKey = (u64, Named, u64);

/// Most configurations to remember: as many as rounds may have participants.
const MOST_KNOWN: usize = 256;

impl Opened {
    pub(super) fn new(setup: &Setup, mut opening: Opening) -> Result<Self, Refusal> {
        let mut device = opening.device(setup)?;
        let Opening { benchmark, plugin, .. } = opening;
        let benchmark = match &setup.stage {
            Some(stage) => benchmark.of_stage(stage).map_err(|unknown| unknown.to_string())?,
            None => benchmark,
        };
        let benchmark = benchmark.for_device(&setup.device.backend);
        let metric = benchmark.document().error.metric.parse().ok();
        let errors = benchmark.errors(&setup.errors)?;
        device.set_cache(setup.cache.clone()).map_err(|fault| fault.to_string())?;
        device.share_cores(setup.workers);
        let block_limit = device.info().block_limit;
        let cache_policy =
            CachePolicy::of(device.as_mut(), setup.cold).map_err(|fault| fault.to_string())?;
        Ok(Self {
            setup: setup.clone(),
            block_limit,
            device,
            benchmark,
            plugin,
            metric,
            errors,
            arena: Arena::new(cache_policy),
            kernels: Kernels::default(),
            references: References::default(),
            problem: None,
            known: VecDeque::new(),
        })
    }

    /// The seconds that each of these metrics takes to observe. Metrics that nothing observes here
    /// are left out.
    pub(super) fn windows(&self, metrics: &[String]) -> BTreeMap<String, f64> {
        let scene = Scene {
            compile_seconds: 0.0,
            kernel_facts: &BTreeMap::new(),
            buffer_bytes: 0,
            sensors: self.device.sensors(),
        };
        let watching = Watching::start(&scene, Scope::is_of_samples);
        let window = |metric: &String| watching.window_of(std::slice::from_ref(metric));
        let seconds = |metric: &String| Some((metric.clone(), window(metric)?.as_secs_f64()));
        metrics.iter().filter_map(seconds).collect()
    }

    /// The bytes that a size needs, if the plugin or the device says so itself.
    pub(super) fn footprint(
        &mut self,
        size: u64,
        configuration: &Named,
    ) -> Result<Option<u64>, Refusal> {
        if let Some(plugin) = &self.plugin {
            return plugin.footprint(size, configuration).map_err(|fault| fault.to_string());
        }
        if !self.device.keeps_own_data() {
            return Ok(None);
        }
        let workload = self.benchmark.workload(size, configuration);
        let job = workload.map_err(|fault| fault.to_string())?.job;
        self.device.own_footprint(&job).map(Some).map_err(|fault| fault.to_string())
    }

    pub(super) fn remember(&mut self, known: OpenedKey, ready: ReadyWorkload) {
        self.known.retain(|(other, _)| *other != known);
        if self.known.len() >= MOST_KNOWN {
            self.known.pop_front();
        }
        self.known.push_back((known, ready));
    }

    pub(super) fn recall(&mut self, known: &OpenedKey) -> Option<ReadyWorkload> {
        let at = self.known.iter().position(|(other, _)| other == known)?;
        self.known.remove(at).map(|(_, ready)| ready)
    }

    pub(super) fn compile(
        &mut self,
        size: u64,
        configurations: &[Named],
    ) -> Result<Reply, Refusal> {
        let start = Instant::now();
        // Errors in preparing are reported when the configuration is measured.
        let jobs: Vec<_> = configurations
            .iter()
            .filter_map(|c| self.benchmark.workload(size, c).ok())
            .map(|workload| workload.job)
            .collect();
        let device = self.device.as_mut();
        // A single configuration is about to be measured and must be ready.
        let ahead = if jobs.len() > 1 { self.kernels.start(device, &jobs) } else { None };
        let fresh = ahead.unwrap_or_else(|| self.kernels.compile(device, &jobs));
        Ok(Reply::Compiled { seconds: start.elapsed().as_secs_f64(), fresh })
    }

    pub(super) fn compile_alone(
        &mut self,
        size: u64,
        configuration: &Named,
    ) -> Result<Reply, Refusal> {
        let start = Instant::now();
        let workload = self.benchmark.workload(size, configuration);
        let fresh =
            workload.is_ok_and(|w| self.kernels.compile_alone(self.device.as_mut(), &w.job));
        Ok(Reply::Compiled { seconds: start.elapsed().as_secs_f64(), fresh: usize::from(fresh) })
    }

    /// Loads a kernel; fails if loading its library changes this process.
    pub(super) fn load(&mut self, size: u64, configuration: &Named) -> Result<Reply, Refusal> {
        let start = Instant::now();
        let Ok(workload) = self.benchmark.workload(size, configuration) else {
            return Ok(Reply::Compiled { seconds: 0.0, fresh: 0 });
        };
        let device = self.device.as_mut();
        self.kernels.compile(device, std::slice::from_ref(&workload.job));
        let before = device.runs_here().then(ProcessState::now);
        let kernel = self.kernels.get(device, &workload.job);
        if let (Some(before), Ok(_)) = (before, kernel) {
            ProcessState::now().unchanged_since(&before).map_err(|failure| failure.reason)?;
        }
        Ok(Reply::Compiled { seconds: start.elapsed().as_secs_f64(), fresh: 0 })
    }

    pub(super) fn derive(
        &mut self,
        size: u64,
        configuration: &Named,
        seconds: f64,
    ) -> Result<Reply, Refusal> {
        if self.plugin.is_none() {
            return Ok(Reply::Derived(None));
        }
        let mut metrics = self.benchmark.metrics(seconds, size, configuration, &BTreeMap::new());
        let seed = self.setup.seed;
        let (_, code) = self.bench(size, seed).map_err(|failure| failure.reason)?;
        let own = code.derive(configuration, seconds, &mut metrics)?;
        Ok(Reply::Derived(own.then_some(metrics)))
    }

    pub(super) fn measure(
        &mut self,
        size: u64,
        configuration: &Named,
        plan: &MeasurePlan,
    ) -> Outcome {
        self.arena.turn_to(self.device.as_mut(), User::Search { size });
        let judged = self.result_check(&plan.checking);
        let beside = plan.beside.clone().filter(|other| other != configuration);
        let outcome = self.workload(size, configuration).and_then(|workload| {
            let mut beside = match &beside {
                Some(other) => self.ready_again(size, other, judged),
                None => None,
            };
            let of_beside =
                beside.as_ref().and_then(|((_, other, _), _)| self.workload(size, other).ok());
            let (mut bench, mut code) = self.bench(size, judged.1)?;
            let other = of_beside.as_ref().zip(beside.as_mut().map(|(_, ready)| ready));
            let (outcome, ready) =
                bench.trial((configuration, &workload), &mut code, judged, plan, other);
            self.known.extend(beside);
            if let Some(ready) = ready.filter(|_| plan.max_samples > 1) {
                self.remember((size, configuration.clone(), judged.1), ready);
            }
            Ok(outcome)
        });
        self.located(outcome.unwrap_or_else(failed))
    }

    /// Adds to a compiler's error where the line stands in the benchmark's YAML file.
    fn located(&self, mut outcome: Outcome) -> Outcome {
        if let Some(place) = self.benchmark.place_in_document(&outcome.reason) {
            outcome.reason += &format!(" ({place})");
        }
        outcome
    }

    /// Makes a configuration ready to be measured alternating with another. Returns `None` if that
    /// fails.
    fn ready_again(
        &mut self,
        size: u64,
        configuration: &Named,
        judged: (ResultCheck, u64),
    ) -> Option<(OpenedKey, ReadyWorkload)> {
        let known = (size, configuration.clone(), judged.1);
        let workload = self.workload(size, configuration).ok()?;
        let recalled = self.recall(&known);
        let (mut bench, mut code) = self.bench(size, judged.1).ok()?;
        let ready = match recalled {
            Some(mut ready) => {
                bench.refresh(&mut ready, &workload, &mut code, judged.1).ok()?;
                ready
            }
            None => {
                let costs = &mut Costs::default();
                bench.ready(&workload, &mut code, judged, false, costs).ok()?
            }
        };
        Some((known, ready))
    }

    pub(super) fn in_turn(
        &mut self,
        size: u64,
        configurations: &[Named],
        plan: &MeasurePlan,
    ) -> Result<Reply, Refusal> {
        self.arena.turn_to(self.device.as_mut(), User::Search { size });
        let judged = self.result_check(&plan.checking);
        let mut participants = Vec::new();
        let admitted: Vec<Result<(), TrialFailure>> = configurations
            .iter()
            .map(|configuration| {
                self.workload(size, configuration).map(|w| participants.push((configuration, w)))
            })
            .collect();
        let measured = match self.bench(size, judged.1) {
            Ok((mut bench, mut code)) => bench
                .in_turn(&participants, &mut code, judged, plan)
                .map_err(|failure| failure.reason)?,
            Err(failure) => participants.iter().map(|_| failed(failure.clone())).collect(),
        };
        let mut measured = measured.into_iter();
        let outcomes = admitted
            .into_iter()
            .map(|admitted| match admitted {
                Ok(()) => measured
                    .next()
                    .unwrap_or_else(|| failed(TrialFailure::run("it was not measured"))),
                Err(failure) => failed(failure),
            })
            .collect();
        Ok(Reply::Outcomes(outcomes))
    }

    pub(super) fn noise(&mut self, size: u64, configuration: &Named) -> Result<Reply, Refusal> {
        let judged = self.result_check(&Checking::default());
        let noise = self.workload(size, configuration).and_then(|workload| {
            let (mut bench, mut code) = self.bench(size, judged.1)?;
            bench.noise(&workload, &mut code, judged)
        });
        Ok(Reply::Noise(noise.map_err(|failure| failure.reason)?))
    }

    pub(super) fn output(
        &mut self,
        size: u64,
        configuration: &Named,
        output: &str,
    ) -> Result<Reply, Refusal> {
        self.arena.turn_to(self.device.as_mut(), User::Search { size });
        let judged = self.result_check(&Checking::default());
        let values = self.workload(size, configuration).and_then(|workload| {
            let (mut bench, mut code) = self.bench(size, judged.1)?;
            bench.output(&workload, &mut code, judged, output)
        });
        Ok(Reply::Values(values.map_err(|failure| failure.reason)?))
    }

    /// The check of results, and the seed of the inputs.
    pub(super) fn result_check(&self, checking: &Checking) -> (ResultCheck, u64) {
        let limits = &self.benchmark.document().error;
        let seed = checking.seed.unwrap_or(self.setup.seed);
        (ResultCheck::new(checking, self.metric, limits), seed)
    }

    /// The workload of a configuration. Fails if the device does not allow its blocks.
    pub(super) fn workload(
        &self,
        size: u64,
        configuration: &Named,
    ) -> Result<Workload, TrialFailure> {
        let workload = self.benchmark.workload(size, configuration)?;
        for (entry, launch) in workload.job.entries.iter().zip(&workload.launches) {
            let threads: u64 = launch.block.iter().map(|threads| u64::from(*threads)).product();
            if threads > u64::from(self.block_limit) {
                return Err(TrialFailure::invalid(format!(
                    "`{entry}` has blocks of {threads} threads and the device allows {}",
                    self.block_limit
                )));
            }
        }
        Ok(workload)
    }

    pub(super) fn tools(&mut self) -> Bench<'_> {
        Bench {
            device: self.device.as_mut(),
            arena: &mut self.arena,
            kernels: &mut self.kernels,
            references: &mut self.references,
        }
    }

    /// What a trial needs: the tools for sampling, and the plugin's problem for a size and a seed.
    pub(super) fn bench(
        &mut self,
        size: u64,
        seed: u64,
    ) -> Result<(Bench<'_>, BuiltBenchmark<'_>), TrialFailure> {
        if self.problem.as_ref().is_none_or(|built| (built.size, built.seed) != (size, seed)) {
            // Freed first, since there may not be room for two problems.
            self.problem = None;
            let built = match &self.plugin {
                Some(plugin) => {
                    let built = plugin.build(size, seed, self.setup.stage.as_deref());
                    Some(built.map_err(|fault| TrialFailure::run(fault.to_string()))?)
                }
                None => None,
            };
            self.problem = Some(BuiltProblem { size, seed, built });
        }
        let Some(problem) = &self.problem else {
            return Err(TrialFailure::run("no problem was built"));
        };
        let bench = Bench {
            device: self.device.as_mut(),
            arena: &mut self.arena,
            kernels: &mut self.kernels,
            references: &mut self.references,
        };
        Ok((bench, BuiltBenchmark { benchmark: &self.benchmark, errors: &self.errors, problem }))
    }
}

/// The outcome of a configuration that was not tried.
pub(super) fn failed(failure: TrialFailure) -> Outcome {
    Outcome::failed(failure.status, failure.reason, Costs::default())
}
