//! The measuring loop: how long a batch is, and taking samples until a series has enough, of one
//! configuration or of several in turn. It knows no device: a sampler is asked for seconds.

use super::{MeasurePlan, series::Series};
use crate::{backends::Caches, numeric, records::Exit};

/// A batch lasts at least this long, in seconds, when its kernel is too short to time alone.
const BATCH_SECONDS: f64 = 200e-6;
/// A run that lasts this many timer overheads is timed alone in cold mode: batches cannot be cold.
const TIMER_SHARE: f64 = 200.0;
/// The most runs in a batch.
const MOST_RUNS: f64 = 65536.0;
/// Samples that decide whether a kernel is short; the fastest counts.
const PILOTS: usize = 2;
/// After its checked run, a kernel that runs this long is warm: its pilot is its first sample.
const LONG_SECONDS: f64 = 10e-3;

/// Wall time, as the loop sees it.
pub(super) trait Clock {
    /// Seconds since any fixed moment.
    fn seconds(&mut self) -> f64;
}

/// The machine's monotonic clock.
#[derive(Debug)]
pub(super) struct WallClock(std::time::Instant);

impl WallClock {
    /// A clock that starts at zero.
    pub(super) fn start() -> Self {
        Self(std::time::Instant::now())
    }
}

impl Clock for WallClock {
    fn seconds(&mut self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Gives the seconds per run of one sample of a number of runs.
pub(super) type Sampler<'a, Fault> = dyn FnMut(u32, Caches) -> Result<f64, Fault> + 'a;

/// How a kernel is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sampling {
    /// Runs per sample.
    pub(super) batch: u32,
    /// The caches at the start of every sample.
    pub(super) caches: Caches,
}

/// The choice, and what was seen on the way that counts as a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice {
    /// How to sample.
    pub(super) sampling: Sampling,
    /// The pilot of a kernel that runs long.
    pub(super) first: Option<f64>,
}

impl Choice {
    fn series(self) -> Series {
        let mut series = Series::new(self.sampling.batch);
        self.first.into_iter().for_each(|seconds| series.push(seconds));
        series
    }
}

/// Everything a measured series says.
#[derive(Debug)]
pub(super) struct Measured {
    /// The samples.
    pub(super) series: Series,
    /// How they were taken.
    pub(super) sampling: Sampling,
    /// Why there are no more.
    pub(super) exit: Exit,
}

/// Warms up, and decides between single runs and batches from a few runs as the plan wants them.
///
/// `timer` is the resolution and the overhead of the sampler's timer. In hot mode everything
/// below the plan's `batch_below` is batched. In cold mode a batch is hot from its second run on,
/// so only what the timer itself cannot tell is batched, and then the samples count as hot.
pub(super) fn choose<Fault>(
    sampler: &mut Sampler<'_, Fault>,
    plan: &MeasurePlan,
    timer: (f64, f64),
) -> Result<Choice, Fault> {
    let caches = if plan.cold { Caches::Cold } else { Caches::Hot };
    let alone = Sampling { batch: 1, caches };
    let pilot = sampler(1, caches)?;
    if pilot >= LONG_SECONDS {
        return Ok(Choice { sampling: alone, first: Some(pilot) });
    }
    for _ in 0..plan.warmup {
        sampler(1, Caches::Hot)?;
    }
    let timer_share = TIMER_SHARE * (timer.0 + timer.1);
    let short = if plan.cold { plan.batch_below.min(timer_share) } else { plan.batch_below };
    let mut fastest = pilot;
    for _ in 1..PILOTS {
        if fastest >= short {
            break;
        }
        fastest = fastest.min(sampler(1, caches)?);
    }
    if fastest >= short {
        return Ok(Choice { sampling: alone, first: None });
    }
    let mut batch = 8u32;
    loop {
        let seconds = sampler(batch, Caches::Hot)?;
        let wanted = (BATCH_SECONDS / seconds.max(1e-12)).ceil().clamp(2.0, MOST_RUNS);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let wanted = wanted as u32;
        if wanted <= batch.saturating_mul(4) {
            let sampling = Sampling { batch: wanted, caches: Caches::Hot };
            return Ok(Choice { sampling, first: None });
        }
        batch = batch.saturating_mul(8).min(wanted);
    }
}

/// Samples until the series has enough.
pub(super) fn measure<Fault>(
    sampler: &mut Sampler<'_, Fault>,
    plan: &MeasurePlan,
    timer: (f64, f64),
    clock: &mut dyn Clock,
) -> Result<Measured, Fault> {
    let start = clock.seconds();
    let choice = choose(sampler, plan, timer)?;
    let (sampling, mut series) = (choice.sampling, choice.series());
    loop {
        if let Some(exit) = series.exit(plan, clock.seconds() - start) {
            return Ok(Measured { series, sampling, exit });
        }
        series.push(sampler(sampling.batch, sampling.caches)?);
    }
}

/// Samples several configurations in turn, so that a drift of the machine meets all of them; one
/// that fails or has enough drops out. Each may use the plan's time. `sampler` is told which.
pub(super) fn interleave<Fault>(
    count: usize,
    sampler: &mut dyn FnMut(usize, u32, Caches) -> Result<f64, Fault>,
    plan: &MeasurePlan,
    timer: (f64, f64),
    clock: &mut dyn Clock,
) -> Vec<Result<Measured, Fault>> {
    let start = clock.seconds();
    let plan = MeasurePlan {
        hopeless_above: None,
        max_seconds: plan.max_seconds * count as f64,
        ..plan.clone()
    };
    let mut states: Vec<Result<Measured, Fault>> = (0..count)
        .map(|which| {
            let choice = choose(&mut |batch, caches| sampler(which, batch, caches), &plan, timer)?;
            let sampling = choice.sampling;
            Ok(Measured { series: choice.series(), sampling, exit: Exit::OutOfTime })
        })
        .collect();
    let mut open: Vec<bool> = states.iter().map(Result::is_ok).collect();
    while open.contains(&true) {
        for which in (0..count).filter(|which| open[*which]).collect::<Vec<_>>() {
            let Ok(measured) = &mut states[which] else { continue };
            if let Some(exit) = measured.series.exit(&plan, clock.seconds() - start) {
                measured.exit = exit;
                open[which] = false;
                continue;
            }
            match sampler(which, measured.sampling.batch, measured.sampling.caches) {
                Ok(seconds) => measured.series.push(seconds),
                Err(fault) => {
                    states[which] = Err(fault);
                    open[which] = false;
                }
            }
        }
    }
    states
}

/// What two interleaved series of the same thing say of the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    /// |a − b| / median.
    pub(super) difference: f64,
    /// The relative spread of all samples.
    pub(super) spread: f64,
}

/// An A/A run: `pairs` samples of each of two series of one configuration, in turn.
pub(super) fn noise<Fault>(
    sampler: &mut Sampler<'_, Fault>,
    sampling: Sampling,
    pairs: usize,
) -> Result<Noise, Fault> {
    let (mut a, mut b) = (Vec::with_capacity(pairs), Vec::with_capacity(pairs));
    for _ in 0..pairs {
        a.push(sampler(sampling.batch, sampling.caches)?);
        b.push(sampler(sampling.batch, sampling.caches)?);
    }
    let (of_a, of_b) = (numeric::median(&a), numeric::median(&b));
    a.append(&mut b);
    let difference = (of_a - of_b).abs() / numeric::median(&a);
    Ok(Noise { difference, spread: numeric::relative_spread(&a) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMER: (f64, f64) = (20e-9, 20e-9);
    const ALONE: Sampling = Sampling { batch: 1, caches: Caches::Cold };

    struct Steps(f64);
    impl Clock for Steps {
        fn seconds(&mut self) -> f64 {
            self.0 += 1e-3;
            self.0
        }
    }

    fn constant(seconds: f64) -> impl FnMut(u32, Caches) -> Result<f64, ()> {
        move |_, _| Ok(seconds)
    }

    #[test]
    fn long_kernels_are_timed_alone_and_cold() {
        for (seconds, first) in [(1e-3, None), (20e-3, Some(20e-3))] {
            let chosen = choose(&mut constant(seconds), &MeasurePlan::default(), TIMER);
            assert_eq!(chosen, Ok(Choice { sampling: ALONE, first }));
        }
    }

    #[test]
    fn short_kernels_stay_cold_as_long_as_the_timer_can_tell_them() {
        let plan = MeasurePlan::default();
        let chosen = choose(&mut constant(30e-6), &plan, TIMER);
        assert_eq!(chosen.map(|choice| choice.sampling), Ok(ALONE));
        let coarse = choose(&mut constant(30e-6), &plan, (1e-6, 1e-6));
        let batches = Sampling { batch: 7, caches: Caches::Hot };
        assert_eq!(coarse.map(|choice| choice.sampling), Ok(batches));
    }

    #[test]
    fn hot_batches_last_long_enough() {
        let plan = MeasurePlan { cold: false, ..MeasurePlan::default() };
        for seconds in [40e-6, 1e-6, 10e-9] {
            let chosen = choose(&mut constant(seconds), &plan, TIMER).expect("no faults").sampling;
            assert_eq!(chosen.caches, Caches::Hot);
            assert!(seconds * f64::from(chosen.batch) >= 199e-6, "{seconds}: {chosen:?}");
        }
    }

    #[test]
    fn a_kernel_that_takes_no_time_at_all_still_ends() {
        let measured = measure(&mut constant(0.0), &MeasurePlan::default(), TIMER, &mut Steps(0.0));
        let measured = measured.expect("no faults");
        assert_eq!(measured.sampling.batch, 65536);
        assert!(measured.series.samples().len() <= 256);
    }

    #[test]
    fn interleaved_series_take_turns_and_one_fault_stops_one_series() {
        let order = std::cell::RefCell::new(Vec::new());
        let mut sampler = |who: usize, _: u32, _: Caches| {
            order.borrow_mut().push(who);
            let taken = order.borrow().iter().filter(|w| **w == who).count();
            if who == 1 && taken > 4 { Err("broke") } else { Ok(1e-3) }
        };
        let plan = MeasurePlan { min_seconds: 0.0, ..MeasurePlan::default() };
        let measured = interleave(3, &mut sampler, &plan, TIMER, &mut Steps(0.0));
        assert_eq!(measured[0].as_ref().expect("fine").series.samples().len(), 10);
        assert_eq!(measured[1].as_ref().err(), Some(&"broke"));
        assert_eq!(measured[2].as_ref().expect("fine").exit, Exit::Precise);
        assert_eq!(order.borrow()[6..12], [0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn an_a_a_run_of_a_quiet_machine_shows_no_difference() {
        let sampling = Sampling { batch: 1, caches: Caches::Hot };
        let quiet = noise(&mut constant(1e-3), sampling, 20).expect("no faults");
        assert_eq!(quiet, Noise { difference: 0.0, spread: 0.0 });
        let mut at = 0;
        let mut slow_second = move |_: u32, _: Caches| {
            at += 1;
            Ok::<_, ()>(if at % 2 == 0 { 1.1e-3 } else { 1e-3 })
        };
        let noisy = noise(&mut slow_second, sampling, 20).expect("no faults");
        assert!((noisy.difference - 0.1 / 1.05).abs() < 1e-9, "{noisy:?}");
    }
}
