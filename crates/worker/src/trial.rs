//! One trial: compiling, checked run, samples, observers, metrics. Errors become its outcome.

use std::{collections::BTreeMap, time::Instant};

use device::{BoundLaunch, Caches, Device, Kernel, Timed, workload::Workload};
use records::{Beside, Costs, Measurement, Named, Outcome};
use space::accuracy::{Coverage, index_set};

use super::{
    MeasurePlan,
    arena::{Arena, Placement},
    benchmark_code::BenchmarkCode,
    checked::{self, ResultCheck, ResultErrors},
    kernels::Kernels,
    measuring::{self, BatchChoice, BatchLimits, Measured, WallClock},
    references::{Expected, References},
    trial_failure::TrialFailure,
};
use crate::observers::{Scene, Scope, Watching};

/// What trials share: the device and what is kept on it.
pub(super) struct Bench<'a> {
    pub(super) device: &'a mut dyn Device,
    pub(super) arena: &'a mut Arena,
    pub(super) kernels: &'a mut Kernels,
    pub(super) references: &'a mut References,
}

/// A workload that was compiled, run once and found right.
#[derive(Debug, Clone)]
pub(super) struct ReadyWorkload {
    pub(super) kernel: Kernel,
    pub(super) launches: Vec<BoundLaunch>,
    pub(super) placement: Placement,
    pub(super) errors: ResultErrors,
    /// Bytes of device memory of one copy of all buffers.
    pub(super) bytes: u64,
    pub(super) costs: Costs,
    pub(super) choice: Option<BatchChoice>,
}

impl Bench<'_> {
    /// Compiles, checks and measures a workload, alternating with another ready one if given.
    pub(super) fn trial(
        &mut self,
        (configuration, workload): (&Named, &Workload),
        code: &mut dyn BenchmarkCode,
        (result_check, seed): (ResultCheck, u64),
        plan: &MeasurePlan,
        beside: Option<(&Workload, &mut ReadyWorkload)>,
    ) -> (Outcome, Option<ReadyWorkload>) {
        let start = Instant::now();
        let mut costs = Costs::default();
        let once = plan.max_samples <= 1;
        let ready = self.ready(workload, code, (result_check, seed), once, &mut costs);
        let measured = ready.and_then(|mut ready| {
            let beside = match beside {
                Some(other) => self.both_ready((workload, &mut ready), other, code, seed)?,
                None => None,
            };
            let measurement = self.measure(
                (configuration, workload),
                code,
                &mut ready,
                (result_check, seed),
                plan,
                beside,
                &mut costs,
            )?;
            Ok((measurement, ready))
        });
        let known = costs.total();
        costs.overhead = (start.elapsed().as_secs_f64() - known).max(0.0);
        match measured {
            Ok((measurement, ready)) => (Outcome::measured(measurement, costs), Some(ready)),
            Err(failure) => (Outcome::failed(failure.status, failure.reason, costs), None),
        }
    }

    /// Compiles and does the checked run. With `once`, at most one sample follows.
    pub(super) fn ready(
        &mut self,
        workload: &Workload,
        code: &mut dyn BenchmarkCode,
        (result_check, seed): (ResultCheck, u64),
        once: bool,
        costs: &mut Costs,
    ) -> Result<ReadyWorkload, TrialFailure> {
        let compiled = Instant::now();
        let kernel = self.kernels.get(self.device, &workload.job);
        costs.compile += compiled.elapsed().as_secs_f64();
        let kernel = kernel?;
        let verified = Instant::now();
        let checked = self.check(workload, code, (result_check, seed), once, kernel);
        let filled = self.arena.take_filling();
        costs.fill += filled;
        costs.verify += (verified.elapsed().as_secs_f64() - filled).max(0.0);
        costs.compare += self.references.take_comparing();
        let (launches, placement, errors) = checked?;
        let (costs, bytes) = (*costs, workload.bytes());
        Ok(ReadyWorkload { kernel, launches, placement, errors, bytes, costs, choice: None })
    }

    fn check(
        &mut self,
        workload: &Workload,
        code: &mut dyn BenchmarkCode,
        (result_check, seed): (ResultCheck, u64),
        once: bool,
        kernel: Kernel,
    ) -> Result<(Vec<BoundLaunch>, Placement, ResultErrors), TrialFailure> {
        if let Some(coverage) = result_check.coverage {
            self.answer_on_device(workload, code, coverage, seed)?;
        }
        let placement = self.arena.place(self.device, workload, (seed, once), code)?;
        let launches = bound(workload, self.arena, &placement)?;
        let errors = checked::run(
            self.device,
            self.arena,
            self.references,
            code,
            (workload, &placement),
            (kernel, &launches),
            (result_check, seed),
        )?;
        Ok((launches, placement, errors))
    }

    /// Makes a workload ready again. Its buffers or its kernel may have made room for others.
    pub(super) fn refresh(
        &mut self,
        ready: &mut ReadyWorkload,
        workload: &Workload,
        code: &mut dyn BenchmarkCode,
        seed: u64,
    ) -> Result<(), TrialFailure> {
        ready.kernel = self.kernels.get(self.device, &workload.job)?;
        if self.arena.is_current(&ready.placement) {
            self.arena.note_use(&ready.placement);
        } else {
            let kind = |of: &Placement| (of.slots, of.is_short, of.comes_back);
            let before = kind(&ready.placement);
            ready.placement = self.arena.place(self.device, workload, (seed, false), code)?;
            ready.launches = bound(workload, self.arena, &ready.placement)?;
            // How many runs a sample may have depends on the copies.
            if kind(&ready.placement) != before {
                ready.choice = None;
            }
        }
        Ok(())
    }

    /// Makes two workloads ready again, of which one may have taken the other's buffers: formats
    /// and sizes decide how many copies each has. Returns `None` for the second if memory does not
    /// suffice for both.
    fn both_ready<'a>(
        &mut self,
        (workload, ready): (&Workload, &mut ReadyWorkload),
        (other, beside): (&Workload, &'a mut ReadyWorkload),
        code: &mut dyn BenchmarkCode,
        seed: u64,
    ) -> Result<Option<&'a mut ReadyWorkload>, TrialFailure> {
        let regained = self.refresh(beside, other, code, seed).is_ok();
        self.refresh(ready, workload, code, seed)?;
        Ok((regained && self.arena.is_current(&beside.placement)).then_some(beside))
    }

    /// Runs the reference on the device, once per size and seed, if nothing else gives answers.
    fn answer_on_device(
        &mut self,
        workload: &Workload,
        code: &mut dyn BenchmarkCode,
        coverage: Coverage,
        seed: u64,
    ) -> Result<(), TrialFailure> {
        let known = workload
            .outputs()
            .all(|(at, shape)| self.references.knows(workload, (at, shape), coverage, seed));
        if known {
            return Ok(());
        }
        let Some(precise) = code.reference_run(&workload.answer)? else { return Ok(()) };
        let blame = |failure: TrialFailure| TrialFailure {
            reason: format!("the reference run: {}", failure.reason),
            ..failure
        };
        let kernel = self.kernels.get(self.device, &precise.job).map_err(blame)?;
        let placement = self.arena.place(self.device, &precise, (seed, true), code)?;
        let launches = bound(&precise, self.arena, &placement)?;
        let unjudged = ResultCheck::unjudged();
        checked::run(
            self.device,
            self.arena,
            self.references,
            code,
            (&precise, &placement),
            (kernel, &launches),
            (unjudged, seed),
        )
        .map_err(blame)?;
        for (at, shape) in precise.outputs() {
            let Some(buffer) = self.arena.buffer(&placement, at) else { continue };
            let set = index_set(shape, coverage, seed);
            let element = precise.arguments[at].element;
            let values = self.device.gather(buffer, element, &set.indices)?;
            let answer = &workload.answer;
            self.references.keep(answer, (at, shape), coverage, seed, Expected { set, values });
        }
        Ok(())
    }

    /// Takes samples with observers around them. Observers of a time span are left out if two
    /// configurations alternate, since the observers cannot tell them apart.
    #[expect(clippy::too_many_arguments, reason = "what is measured, how, and what it costs")]
    fn measure(
        &mut self,
        (configuration, workload): (&Named, &Workload),
        code: &mut dyn BenchmarkCode,
        ready: &mut ReadyWorkload,
        (result_check, seed): (ResultCheck, u64),
        plan: &MeasurePlan,
        beside: Option<&mut ReadyWorkload>,
        costs: &mut Costs,
    ) -> Result<Measurement, TrialFailure> {
        let verified = Instant::now();
        self.look_at_another_copy(workload, code, ready, (result_check, seed))?;
        costs.verify += verified.elapsed().as_secs_f64();
        let measuring = Instant::now();
        let mut kernel_seconds = 0.0;
        let choice = match plan.max_samples {
            0 | 1 => Ok(BatchChoice { batch: 1, first: None, too_short: None }),
            _ => self.choose(ready, plan, &mut kernel_seconds),
        };
        let alone = beside.is_none();
        let watching = self.observe(ready, |scope| alone || !scope.is_of_samples());
        let window = watching.window_of(&plan.observed).unwrap_or_default().as_secs_f64();
        let mut watched = 0;
        let measured = choice.and_then(|choice| match beside {
            Some(other) => self.measure_beside([ready, other], plan, choice, &mut kernel_seconds),
            None => {
                let mut sampler = |runs| {
                    watched += u64::from(runs);
                    self.sample(ready, runs, &mut kernel_seconds)
                };
                let clock = &mut WallClock::start();
                measuring::measure(&mut sampler, plan, choice, window, clock)
            }
        });
        let measured = measured.and_then(|measured| {
            let seen = watching.stop(watched);
            checked::intact(self.device, self.arena, workload, &ready.placement)?;
            Ok((measured, seen))
        });
        costs.kernel += kernel_seconds;
        costs.measure += measuring.elapsed().as_secs_f64();
        let (measured, seen) = measured?;
        let of = (configuration, self.arena.is_cold(), self.arena.is_flushed(&ready.placement));
        conclude(&measured, seen, &ready.errors, of, plan, code)
    }

    /// If arguments have several copies, also checks a run on the last copy.
    fn look_at_another_copy(
        &mut self,
        workload: &Workload,
        code: &mut dyn BenchmarkCode,
        ready: &ReadyWorkload,
        (result_check, seed): (ResultCheck, u64),
    ) -> Result<(), TrialFailure> {
        if ready.placement.slots < 2 {
            return Ok(());
        }
        let sample_runs = self.arena.last_copy(self.device, &ready.placement)?;
        let outputs = checked::outputs(self.arena, (workload, &ready.placement), sample_runs.first);
        checked::poison(self.device, &outputs)?;
        self.device.time(ready.kernel, &ready.launches, sample_runs, Caches::Kept)?;
        checked::spot_check(
            self.device,
            self.references,
            code,
            workload,
            &outputs,
            (result_check, seed),
        )
        .map_err(|failure| TrialFailure {
            reason: format!(
                "in copy {} of its arguments: {}",
                sample_runs.first + 1,
                failure.reason
            ),
            ..failure
        })
    }

    /// Chooses how many runs a sample has, unless that is known.
    pub(super) fn choose(
        &mut self,
        ready: &mut ReadyWorkload,
        plan: &MeasurePlan,
        kernel_seconds: &mut f64,
    ) -> Result<BatchChoice, TrialFailure> {
        if let Some(choice) = ready.choice {
            return Ok(BatchChoice { first: None, ..choice });
        }
        let most_runs = self.arena.most_runs(&ready.placement);
        let placement = &ready.placement;
        let slots = if placement.comes_back { placement.slots } else { 1 };
        let limits = BatchLimits { timer: self.device.timer(), most_runs, slots };
        // The run on another copy counts as a warm-up.
        let warmup = plan.warmup.saturating_sub(u32::from(ready.placement.slots > 1));
        let mut sampler = |runs| self.sample(ready, runs, kernel_seconds);
        let choice = measuring::choose(&mut sampler, warmup, limits)?;
        if let Some(seconds) = choice.too_short {
            let why = match self.arena.is_flushed(&ready.placement) {
                true => {
                    "where caches are flushed before every sample, and there is no memory for the \
                     copies that would make more runs cold; free some, or measure with `--hot`"
                }
                false => "; measure a larger size",
            };
            return Err(TrialFailure::invalid(format!(
                "a run of {seconds:.1e} s is too short for the timer {why}"
            )));
        }
        ready.choice = Some(choice);
        Ok(choice)
    }

    fn measure_beside(
        &mut self,
        [ready, other]: [&mut ReadyWorkload; 2],
        plan: &MeasurePlan,
        choice: BatchChoice,
        kernel_seconds: &mut f64,
    ) -> Result<Measured, TrialFailure> {
        let choices = [choice, self.choose(other, plan, kernel_seconds)?];
        let both = [&*ready, &*other];
        let mut samplers = |which: usize, runs| self.sample(both[which], runs, kernel_seconds);
        measuring::beside(&mut samplers, plan, choices, &mut WallClock::start())
    }

    /// Takes one sample. What the kernel changed before is restored first, untimed.
    pub(super) fn sample(
        &mut self,
        ready: &ReadyWorkload,
        runs: u32,
        kernel_seconds: &mut f64,
    ) -> Result<Timed, TrialFailure> {
        let sample_runs = self.arena.sample_runs(self.device, &ready.placement, runs)?;
        let flushed = self.arena.is_flushed(&ready.placement);
        let caches = if flushed { Caches::Flushed } else { Caches::Kept };
        let sample = self.device.time(ready.kernel, &ready.launches, sample_runs, caches)?;
        *kernel_seconds += sample.seconds * f64::from(runs);
        Ok(sample)
    }

    pub(super) fn observe(
        &self,
        ready: &ReadyWorkload,
        wanted: impl Fn(Scope) -> bool,
    ) -> Watching {
        let kernel_facts = &self.device.kernel_facts(ready.kernel);
        let buffer_bytes = ready.bytes;
        let (compile_seconds, sensors) = (ready.costs.compile, self.device.sensors());
        let scene = Scene { compile_seconds, kernel_facts, buffer_bytes, sensors };
        Watching::start(&scene, wanted)
    }
}

/// Assembles a measurement: statistics, observed values, and the benchmark's metrics.
pub(super) fn conclude(
    measured: &Measured,
    seen: Vec<(String, f64)>,
    errors: &ResultErrors,
    (configuration, cold, flushed): (&Named, bool, bool),
    plan: &MeasurePlan,
    code: &mut dyn BenchmarkCode,
) -> Result<Measurement, TrialFailure> {
    let seconds = measured.series.summary();
    let mut metrics: BTreeMap<String, f64> = seen.into_iter().collect();
    metrics.extend(errors.further.clone());
    metrics.extend(errors.error.map(|error| ("error".to_owned(), error)));
    let derived =
        code.metrics(configuration, seconds.median, &metrics).map_err(TrialFailure::run)?;
    metrics.extend(derived);
    // Records hold no NaN.
    metrics.retain(|_, value| value.is_finite());
    let beside = measured.beside;
    Ok(Measurement {
        samples: measured.series.kept(),
        disturbed: measured.series.disturbed(),
        seconds,
        exit: measured.exit,
        batch: measured.series.batch(),
        cold: Some(cold),
        flushed,
        beside: beside.zip(plan.beside.clone()).map(|(beside, configuration)| Beside {
            configuration,
            ratio: beside.value,
            interval: beside.interval,
        }),
        error: errors.error,
        metrics,
    })
}

fn bound(
    workload: &Workload,
    arena: &Arena,
    placement: &Placement,
) -> Result<Vec<BoundLaunch>, TrialFailure> {
    let value = |at: usize| arena.value(placement, at, workload.arguments.get(at)?);
    let launches = workload.launches.iter().map(|launch| launch.bind(value));
    let launches = launches.collect::<Option<_>>();
    launches.ok_or_else(|| TrialFailure::run("a launch names an argument that has no buffer"))
}
