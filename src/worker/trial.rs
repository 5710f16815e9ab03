//! One trial: compile, one checked run, samples, observers, metrics. Whatever goes wrong in this
//! process ends as an outcome with its reason.

use std::{collections::BTreeMap, time::Instant};

use super::{
    MeasurePlan,
    arena::Arena,
    checked::{self, Judge},
    kernels::Kernels,
    measuring::{self, Measured, WallClock},
    references::{Expected, References},
    workload::{Instance, Stop, Workload},
};
use crate::{
    accuracy::{Coverage, index_set},
    backends::{Caches, Device, Kernel, Step},
    observers::{OBSERVERS, Scene, Scope, Watch},
    records::{Costs, Measurement, Named, Outcome, Status},
};

/// What trials share: the device and what is kept on it.
pub(super) struct Bench<'a> {
    /// The device.
    pub(super) device: &'a mut dyn Device,
    /// Its buffers.
    pub(super) arena: &'a mut Arena,
    /// Its kernels.
    pub(super) kernels: &'a mut Kernels,
    /// Right answers.
    pub(super) references: &'a mut References,
}

/// A workload that was compiled, launched once and found right.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) kernel: Kernel,
    pub(super) steps: Vec<Step>,
    pub(super) error: Option<f64>,
    pub(super) costs: Costs,
}

impl Bench<'_> {
    /// Compiles, checks and measures.
    pub(super) fn trial(
        &mut self,
        workload: &Workload,
        instance: &mut dyn Instance,
        (judge, seed): (Judge, u64),
        plan: &MeasurePlan,
    ) -> Outcome {
        let start = Instant::now();
        let mut costs = Costs::default();
        let outcome = self
            .ready(workload, instance, (judge, seed), &mut costs)
            .and_then(|ready| self.measure(workload, instance, &ready, plan, &mut costs));
        let known = costs.total();
        costs.overhead = (start.elapsed().as_secs_f64() - known).max(0.0);
        match outcome {
            Ok(measurement) => Outcome {
                device: String::new(),
                status: Status::Measured,
                reason: String::new(),
                measurement: Some(measurement),
                costs,
            },
            Err(stop) => Outcome::failed(stop.status, stop.reason, costs),
        }
    }

    /// Compiles and does the checked run.
    pub(super) fn ready(
        &mut self,
        workload: &Workload,
        instance: &mut dyn Instance,
        (judge, seed): (Judge, u64),
        costs: &mut Costs,
    ) -> Result<Ready, Stop> {
        let compiled = Instant::now();
        let kernel = self.kernels.get(self.device, &workload.job);
        costs.compile += compiled.elapsed().as_secs_f64();
        let kernel = kernel?;
        let verified = Instant::now();
        let error = self.check(workload, instance, (judge, seed), kernel);
        costs.verify += verified.elapsed().as_secs_f64();
        let (steps, error) = error?;
        Ok(Ready { kernel, steps, error, costs: *costs })
    }

    fn check(
        &mut self,
        workload: &Workload,
        instance: &mut dyn Instance,
        (judge, seed): (Judge, u64),
        kernel: Kernel,
    ) -> Result<(Vec<Step>, Option<f64>), Stop> {
        if let Some(coverage) = judge.coverage {
            self.answer_on_device(workload, instance, coverage, seed)?;
        }
        self.arena.prepare(self.device, workload, seed, instance)?;
        let steps = steps(workload, self.arena)?;
        let error = checked::run(
            self.device,
            self.arena,
            self.references,
            instance,
            workload,
            (kernel, &steps),
            (judge, seed),
        )?;
        Ok((steps, error))
    }

    /// Where only a run on the device gives right answers: runs it, once per size and seed.
    fn answer_on_device(
        &mut self,
        workload: &Workload,
        instance: &mut dyn Instance,
        coverage: Coverage,
        seed: u64,
    ) -> Result<(), Stop> {
        let known = workload
            .outputs()
            .all(|(at, shape)| self.references.knows(workload.size, (at, shape), coverage, seed));
        if known {
            return Ok(());
        }
        let Some(precise) = instance.reference_run()? else { return Ok(()) };
        let blame =
            |stop: Stop| Stop { reason: format!("the reference run: {}", stop.reason), ..stop };
        let kernel = self.kernels.get(self.device, &precise.job).map_err(blame)?;
        self.arena.prepare(self.device, &precise, seed, instance)?;
        let steps = steps(&precise, self.arena)?;
        let unjudged = Judge::unjudged();
        checked::run(
            self.device,
            self.arena,
            self.references,
            instance,
            &precise,
            (kernel, &steps),
            (unjudged, seed),
        )
        .map_err(blame)?;
        for (at, shape) in precise.outputs() {
            let Some(buffer) = self.arena.buffer(at) else { continue };
            let set = index_set(shape, coverage, seed);
            let element = precise.arguments[at].element;
            let values = self
                .device
                .gather(buffer, element, &set.indices)
                .map_err(|fault| Stop::run(fault.to_string()))?;
            self.references.keep((at, shape), coverage, seed, Expected { set, values });
        }
        Ok(())
    }

    /// Takes the samples of something that is ready, with the observers around them.
    fn measure(
        &mut self,
        workload: &Workload,
        instance: &mut dyn Instance,
        ready: &Ready,
        plan: &MeasurePlan,
        costs: &mut Costs,
    ) -> Result<Measurement, Stop> {
        let measuring = Instant::now();
        let scopes = [Scope::Kernel, Scope::Samples];
        let watches = self.observe(ready.costs.compile, ready.kernel, &scopes);
        let measured = self.samples(ready, plan);
        let measured = measured.and_then(|measured| {
            let seen = finish(watches, &measured);
            checked::intact(self.device, self.arena, workload)?;
            Ok((measured, seen))
        });
        costs.measure += measuring.elapsed().as_secs_f64();
        let (measured, seen) = measured?;
        conclude(&measured, seen, ready.error, &workload.configuration, instance)
    }

    /// Warms up and samples.
    fn samples(&mut self, ready: &Ready, plan: &MeasurePlan) -> Result<Measured, Stop> {
        let timer = self.device.timer();
        let mut sampler = |batch, caches| self.sample(ready, batch, caches);
        measuring::measure(&mut sampler, plan, timer, &mut WallClock::start())
    }

    /// One sample of something that is ready; what the kernel changes is restored first, untimed.
    pub(super) fn sample(
        &mut self,
        ready: &Ready,
        batch: u32,
        caches: Caches,
    ) -> Result<f64, Stop> {
        if self.arena.restores() {
            self.arena.restore(self.device)?;
        }
        self.device.time(ready.kernel, &ready.steps, batch, caches).map_err(checked::stop_of)
    }

    /// Starts the observers of these scopes.
    pub(super) fn observe(
        &self,
        compile_seconds: f64,
        kernel: Kernel,
        scopes: &[Scope],
    ) -> Vec<Box<dyn Watch>> {
        let kernel_facts = &self.device.kernel_facts(kernel);
        let (buffer_bytes, sensors) = (self.arena.bytes(), self.device.sensors());
        let scene = Scene { compile_seconds, kernel_facts, buffer_bytes, sensors };
        OBSERVERS
            .iter()
            .filter(|observer| scopes.contains(&observer.scope()))
            .filter_map(|observer| observer.start(&scene))
            .collect()
    }
}

/// Stops the observers.
pub(super) fn finish(watches: Vec<Box<dyn Watch>>, measured: &Measured) -> Vec<(String, f64)> {
    let runs = measured.series.samples().len() as u64 * u64::from(measured.series.batch());
    watches.into_iter().flat_map(|watch| watch.stop(runs)).collect()
}

/// Puts a measurement together: statistics, what observers saw, and the benchmark's metrics.
pub(super) fn conclude(
    measured: &Measured,
    seen: Vec<(String, f64)>,
    error: Option<f64>,
    configuration: &Named,
    instance: &mut dyn Instance,
) -> Result<Measurement, Stop> {
    let seconds = measured.series.summary();
    let mut metrics: BTreeMap<String, f64> = seen.into_iter().collect();
    metrics.extend(error.map(|error| ("error".to_owned(), error)));
    let derived = instance.metrics(configuration, seconds.median, &metrics).map_err(Stop::run)?;
    metrics.extend(derived);
    // A value that is no number has no place in a record.
    metrics.retain(|_, value| value.is_finite());
    Ok(Measurement {
        samples: measured.series.kept(),
        seconds,
        exit: measured.exit,
        batch: measured.sampling.batch,
        cold: measured.sampling.caches == Caches::Cold,
        error,
        metrics,
    })
}

/// The launches with their buffers.
fn steps(workload: &Workload, arena: &Arena) -> Result<Vec<Step>, Stop> {
    let step = |(entry, launch): (usize, &super::workload::LaunchSpec)| {
        let arguments = launch
            .arguments
            .iter()
            .map(|at| {
                let argument = workload.arguments.get(*at)?;
                arena.value(*at, argument)
            })
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Stop::run("a launch names an argument that has no buffer"))?;
        Ok(Step {
            entry,
            grid: launch.grid,
            block: launch.block,
            shared_bytes: launch.shared_bytes,
            arguments,
        })
    };
    workload.launches.iter().enumerate().map(step).collect()
}
