//! Trials of several configurations of a size that are sampled alternately, and the A/A run of one.

use std::time::Instant;

use device::workload::Workload;
use math::seeded;
use records::{Costs, Named, Noise, Outcome};

use super::{
    MeasurePlan,
    benchmark_code::BenchmarkCode,
    checked::{self, ResultCheck},
    interleaved,
    measuring::{self, Measured, WallClock},
    trial::{Bench, ReadyWorkload, conclude},
    trial_failure::TrialFailure,
};

/// Fewest and most pairs of samples in an A/A run, and the seconds they may take.
const PAIRS: (usize, usize) = (5, 20);
const NOISE_SECONDS: f64 = 0.3;

impl Bench<'_> {
    /// Measures configurations alternately. Fails if one of several damaged the memory that all
    /// share, since then nobody knows which.
    pub(super) fn in_turn(
        &mut self,
        workloads: &[(&Named, Workload)],
        code: &mut dyn BenchmarkCode,
        (result_check, seed): (ResultCheck, u64),
        plan: &MeasurePlan,
    ) -> Result<Vec<Outcome>, TrialFailure> {
        let mut costs = vec![Costs::default(); workloads.len()];
        let mut ready: Vec<Result<ReadyWorkload, TrialFailure>> =
            Vec::with_capacity(workloads.len());
        for ((_, workload), costs) in workloads.iter().zip(&mut costs) {
            ready.push(self.ready(workload, code, (result_check, seed), false, costs));
        }
        // Buffers of one configuration may have been dropped to make room for another's.
        for ((_, workload), ready) in workloads.iter().zip(&mut ready) {
            if let Ok(known) = ready
                && let Err(failure) = self.refresh(known, workload, code, seed)
            {
                *ready = Err(failure);
            }
        }
        let start = Instant::now();
        let mut kernel_seconds = 0.0;
        let mut sound: Vec<&mut ReadyWorkload> = ready.iter_mut().flatten().collect();
        let (measured, reference) = self.take_turns(&mut sound, plan, seed, &mut kernel_seconds);
        let mut measured = measured.into_iter();
        let count = sound.len().max(1) as f64;
        let mut present =
            workloads.iter().zip(&ready).filter_map(|((_, w), r)| Some((w, r.as_ref().ok()?)));
        let intact = present.next().map_or(Ok(()), |(workload, ready)| {
            checked::intact(self.device, self.arena, workload, &ready.placement)?;
            // Configurations with other formats have different inputs.
            present.try_for_each(|(w, r)| self.arena.inspect(self.device, w, &r.placement))
        });
        if ready.iter().flatten().count() > 1 {
            intact.clone()?;
        }
        let share = start.elapsed().as_secs_f64() / count;
        let mut sound = workloads.iter().zip(&ready).filter(|(_, ready)| ready.is_ok());
        let beside = reference.and_then(|at| Some(sound.nth(at)?.0.0.clone()));
        let plan = &MeasurePlan { beside, ..plan.clone() };
        let mut outcomes = Vec::with_capacity(workloads.len());
        for (((configuration, _), ready), mut costs) in workloads.iter().zip(&ready).zip(costs) {
            let result = ready.as_ref().map_err(Clone::clone).and_then(|ready| {
                (costs.measure, costs.kernel) = (share, kernel_seconds / count);
                let measured = measured
                    .next()
                    .unwrap_or_else(|| Err(TrialFailure::run("it was not measured")))?;
                intact.clone()?;
                let seen = self.observe(ready, |scope| !scope.is_of_samples()).stop(0);
                let flushed = self.arena.is_flushed(&ready.placement);
                let of = (*configuration, self.arena.is_cold(), flushed);
                conclude(&measured, seen, &ready.errors, of, plan, code)
            });
            outcomes.push(match result {
                Ok(measurement) => Outcome::measured(measurement, costs),
                Err(failure) => Outcome::failed(failure.status, failure.reason, costs),
            });
        }
        Ok(outcomes)
    }

    fn take_turns(
        &mut self,
        ready: &mut [&mut ReadyWorkload],
        plan: &MeasurePlan,
        seed: u64,
        kernel_seconds: &mut f64,
    ) -> (Vec<Result<Measured, TrialFailure>>, Option<usize>) {
        let choices =
            ready.iter_mut().map(|ready| self.choose(ready, plan, kernel_seconds)).collect();
        let mut samplers = |which: usize, runs| self.sample(&*ready[which], runs, kernel_seconds);
        let (rng, clock) = (&mut seeded(seed, 0x7042), &mut WallClock::start());
        interleaved::measure(choices, &mut samplers, plan, rng, clock)
    }

    /// A/A run of one configuration: measures the difference that the machine alone makes.
    pub(super) fn noise(
        &mut self,
        workload: &Workload,
        code: &mut dyn BenchmarkCode,
        (result_check, seed): (ResultCheck, u64),
    ) -> Result<Noise, TrialFailure> {
        let mut ready =
            self.ready(workload, code, (result_check, seed), false, &mut Costs::default())?;
        let mut kernel_seconds = 0.0;
        let plan = MeasurePlan::default();
        let choice = self.choose(&mut ready, &plan, &mut kernel_seconds)?;
        let mut sampler = |runs| self.sample(&ready, runs, &mut kernel_seconds);
        let start = Instant::now();
        sampler(choice.batch)?;
        let pairs = NOISE_SECONDS / (2.0 * start.elapsed().as_secs_f64()).max(1e-9);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let pairs = (pairs as usize).clamp(PAIRS.0, PAIRS.1);
        measuring::noise(&mut sampler, choice.batch, pairs)
    }
}
