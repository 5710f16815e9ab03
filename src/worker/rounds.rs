//! Several configurations measured in turn, and one measured against itself.

use std::time::Instant;

use super::{
    MeasurePlan,
    checked::{self, Judge},
    measuring::{self, Measured, Noise, WallClock},
    trial::{Bench, Ready, conclude, finish},
    workload::{Instance, Stop, Workload},
};
use crate::{
    observers::Scope,
    records::{Costs, Outcome, Status},
};

/// Pairs of samples in an A/A run, and the seconds they may take.
const PAIRS: (usize, usize) = (5, 20);
const NOISE_SECONDS: f64 = 0.3;

impl Bench<'_> {
    /// Measures several configurations, their samples interleaved. Those whose buffers hold other
    /// formats or counts cannot take turns without filling inputs again in between: they are
    /// measured in groups, one group after the other.
    pub(super) fn in_turn(
        &mut self,
        workloads: &[Workload],
        instance: &mut dyn Instance,
        (judge, seed): (Judge, u64),
        plan: &MeasurePlan,
    ) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = workloads.iter().map(|_| None).collect();
        while let Some(first) = outcomes.iter().position(Option::is_none) {
            let group: Vec<usize> = (first..workloads.len())
                .filter(|at| outcomes[*at].is_none())
                .filter(|at| same_buffers(&workloads[*at], &workloads[first]))
                .collect();
            let members: Vec<&Workload> = group.iter().map(|at| &workloads[*at]).collect();
            let measured = self.group(&members, instance, (judge, seed), plan);
            for (at, outcome) in group.into_iter().zip(measured) {
                outcomes[at] = Some(outcome);
            }
        }
        outcomes.into_iter().flatten().collect()
    }

    /// Measures workloads that use the same buffers.
    fn group(
        &mut self,
        workloads: &[&Workload],
        instance: &mut dyn Instance,
        (judge, seed): (Judge, u64),
        plan: &MeasurePlan,
    ) -> Vec<Outcome> {
        let mut costs = vec![Costs::default(); workloads.len()];
        let mut ready: Vec<Result<Ready, Stop>> = Vec::with_capacity(workloads.len());
        for (workload, costs) in workloads.iter().zip(&mut costs) {
            ready.push(self.ready(workload, instance, (judge, seed), costs));
        }
        let sound: Vec<&Ready> = ready.iter().flatten().collect();
        let start = Instant::now();
        let mut measured = self.take_turns(&sound, plan).into_iter();
        let intact = match workloads.first() {
            Some(workload) => checked::intact(self.device, self.arena, workload),
            None => Ok(()),
        };
        let share = start.elapsed().as_secs_f64() / sound.len().max(1) as f64;
        let mut outcomes = Vec::with_capacity(workloads.len());
        for ((workload, ready), mut costs) in workloads.iter().zip(&ready).zip(costs) {
            let result = ready.as_ref().map_err(Clone::clone).and_then(|ready| {
                costs.measure = share;
                let measured =
                    measured.next().unwrap_or_else(|| Err(Stop::run("it was not measured")))?;
                intact.clone()?;
                let watches = self.observe(ready.costs.compile, ready.kernel, &[Scope::Kernel]);
                let seen = finish(watches, &measured);
                conclude(&measured, seen, ready.error, &workload.configuration, instance)
            });
            outcomes.push(match result {
                Ok(measurement) => Outcome {
                    device: String::new(),
                    status: Status::Measured,
                    reason: String::new(),
                    measurement: Some(measurement),
                    costs,
                },
                Err(stop) => Outcome::failed(stop.status, stop.reason, costs),
            });
        }
        outcomes
    }

    fn take_turns(&mut self, ready: &[&Ready], plan: &MeasurePlan) -> Vec<Result<Measured, Stop>> {
        let timer = self.device.timer();
        let mut sampler = |which: usize, batch, caches| self.sample(ready[which], batch, caches);
        let clock = &mut WallClock::start();
        measuring::interleave(ready.len(), &mut sampler, plan, timer, clock)
    }

    /// An A/A run of one configuration: what the machine alone makes of two equal things.
    pub(super) fn noise(
        &mut self,
        workload: &Workload,
        instance: &mut dyn Instance,
        (judge, seed): (Judge, u64),
    ) -> Result<Noise, Stop> {
        let ready = self.ready(workload, instance, (judge, seed), &mut Costs::default())?;
        let timer = self.device.timer();
        let mut sampler = |batch, caches| self.sample(&ready, batch, caches);
        let sampling = measuring::choose(&mut sampler, &MeasurePlan::default(), timer)?.sampling;
        let start = Instant::now();
        sampler(sampling.batch, sampling.caches)?;
        let pairs = NOISE_SECONDS / (2.0 * start.elapsed().as_secs_f64()).max(1e-9);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let pairs = (pairs as usize).clamp(PAIRS.0, PAIRS.1);
        measuring::noise(&mut sampler, sampling, pairs)
    }
}

/// Whether two workloads can use the same filled buffers.
fn same_buffers(a: &Workload, b: &Workload) -> bool {
    a.arguments.len() == b.arguments.len()
        && a.arguments
            .iter()
            .zip(&b.arguments)
            .all(|(a, b)| a.count() == b.count() && (a.count().is_none() || a.element == b.element))
}
