//! The sampling loop: chooses how many runs a sample has, then samples one configuration alone, or
//! alternating with another, until enough is known. A callback takes the samples, so that no device
//! and no kind of sample (cold, hot) is known here.

use device::Timed;
use math::{self, PairedRatio};
use records::{Exit, Noise};

use super::{
    MeasurePlan,
    ratio::{ratio, verdict},
    series::Series,
};

/// Least seconds of a sample, if runs can be batched.
pub(super) const SAMPLE_SECONDS: f64 = 200e-6;
/// Least length of a sample, as a multiple of the timer's resolution plus overhead.
pub(super) const TIMER_SHARE: f64 = 200.0;
const MOST_RUNS: f64 = 1_048_576.0;
/// Number of one-run samples that show whether a kernel is short. The fastest counts.
const PILOTS: usize = 2;
/// A sample of which other programs took more than the share `SLIGHT` is repeated, up to `CALM`
/// samples in all.
const CALM: usize = 4;
const SLIGHT: f64 = 0.1;
/// A kernel that runs this long is warm after the checked run, so its pilot is the first sample.
const LONG_SECONDS: f64 = 10e-3;

pub(super) trait Clock {
    /// Seconds since any fixed moment.
    fn seconds(&mut self) -> f64;
}

#[derive(Debug)]
pub(super) struct WallClock(std::time::Instant);

impl WallClock {
    pub(super) fn start() -> Self {
        Self(std::time::Instant::now())
    }
}

impl Clock for WallClock {
    fn seconds(&mut self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Takes one sample with the given number of runs.
pub(super) type Sampler<'a, Fault> = dyn FnMut(u32) -> Result<Timed, Fault> + 'a;

/// Takes one sample of the configuration at a position, with the given number of runs.
pub(super) type Samplers<'a, Fault> = dyn FnMut(usize, u32) -> Result<Timed, Fault> + 'a;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BatchLimits {
    /// The timer's resolution and overhead, in seconds.
    pub(super) timer: (f64, f64),
    pub(super) most_runs: u32,
    /// Number of copies that samples should use again, if the device keeps prepared samples.
    pub(super) slots: u32,
}

/// The number of runs per sample, and a pilot that counts as a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BatchChoice {
    pub(super) batch: u32,
    /// The pilot of a long kernel, as its first sample.
    pub(super) first: Option<Timed>,
    /// Seconds per run, if even the most runs are too short for the timer.
    pub(super) too_short: Option<f64>,
}

impl BatchChoice {
    fn series(&self) -> Series {
        let mut series = Series::new(self.batch);
        self.first.into_iter().for_each(|sample| series.push(sample));
        series
    }
}

#[derive(Debug)]
pub(super) struct Measured {
    pub(super) series: Series,
    /// Why sampling ended.
    pub(super) exit: Exit,
    /// Ratio to the configuration that alternated with this one.
    pub(super) beside: Option<PairedRatio>,
}

/// Warms up, and decides how many runs a sample has.
pub(super) fn choose<Fault>(
    sampler: &mut Sampler<'_, Fault>,
    warmup: u32,
    limits: BatchLimits,
) -> Result<BatchChoice, Fault> {
    let chosen = |batch| BatchChoice { batch, first: None, too_short: None };
    // A short kernel that waited for a core must not be taken for a long one.
    let pilot = calm(sampler, 1)?;
    if pilot.seconds >= LONG_SECONDS {
        return Ok(BatchChoice { first: Some(pilot), ..chosen(1) });
    }
    for _ in 0..warmup {
        sampler(1)?;
    }
    let seen = TIMER_SHARE * (limits.timer.0 + limits.timer.1);
    let wanted = SAMPLE_SECONDS.max(seen);
    let mut seconds = pilot.seconds;
    for _ in 1..PILOTS {
        seconds = seconds.min(calm(sampler, 1)?.seconds);
    }
    let most = MOST_RUNS.min(f64::from(limits.most_runs));
    let mut batch = 1.0;
    loop {
        let runs = (wanted / seconds.max(1e-12)).ceil().clamp(1.0, most);
        if runs <= 4.0 * batch {
            // The estimate comes from at least a quarter of these runs, so it is good to a few
            // percent.
            batch = runs;
            break;
        }
        batch = (8.0 * batch).min(runs);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let sample = calm(sampler, batch as u32)?;
        seconds = sample.seconds;
        if batch >= most {
            break;
        }
    }
    let too_short = (batch >= most && batch * seconds < seen).then_some(seconds);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let batch = whole_parts(batch as u32, limits.slots).min(limits.most_runs);
    Ok(BatchChoice { too_short, ..chosen(batch) })
}

/// Rounds runs up, at most to twice as many, so that samples use the same copies again: whole turns
/// of the ring, or a half, a quarter, an eighth ... of one. A device that prepares its samples then
/// prepares few.
fn whole_parts(runs: u32, slots: u32) -> u32 {
    match slots {
        0 | 1 => runs,
        _ if runs >= slots => runs.div_ceil(slots) * slots,
        _ => slots >> (slots / runs.max(1)).ilog2(),
    }
}

/// A sample of which other programs took little, or else the fastest of `CALM`.
fn calm<Fault>(sampler: &mut Sampler<'_, Fault>, runs: u32) -> Result<Timed, Fault> {
    let mut fastest = sampler(runs)?;
    for _ in 1..CALM {
        if fastest.disturbance.lost() <= SLIGHT * fastest.seconds * f64::from(runs) {
            break;
        }
        let next = sampler(runs)?;
        if next.seconds < fastest.seconds {
            fastest = next;
        }
    }
    Ok(fastest)
}

/// Samples one configuration alone until enough is known, but at least for the seconds of `window`.
pub(super) fn measure<Fault>(
    sampler: &mut Sampler<'_, Fault>,
    plan: &MeasurePlan,
    choice: BatchChoice,
    window: f64,
    clock: &mut dyn Clock,
) -> Result<Measured, Fault> {
    let start = clock.seconds();
    let mut series = choice.series();
    loop {
        let elapsed = clock.seconds() - start;
        if elapsed >= window
            && let Some(exit) = series.exit(plan, elapsed)
        {
            return Ok(Measured { series, exit, beside: None });
        }
        series.push(sampler(choice.batch)?);
    }
}

/// Samples the first configuration in pairs with the second, until their difference is settled or
/// time is out.
pub(super) fn beside<Fault>(
    samplers: &mut Samplers<'_, Fault>,
    plan: &MeasurePlan,
    choices: [BatchChoice; 2],
    clock: &mut dyn Clock,
) -> Result<Measured, Fault> {
    let start = clock.seconds();
    let mut series = choices.map(|choice| Series::new(choice.batch));
    let most = plan.max_samples.max(1) as usize;
    for at in 0.. {
        let elapsed = clock.seconds() - start;
        let apart = ratio(&series[0], &series[1]);
        let long = series[0].kernel_seconds() >= plan.min_seconds;
        let verdict = apart.and_then(|apart| verdict(&apart, plan.precision, false));
        let exit = match verdict {
            Some(Exit::Hopeless) => Some(Exit::Hopeless),
            Some(exit) if long || at >= most => Some(exit),
            _ => (at > 0 && (at >= most || elapsed >= plan.max_seconds)).then_some(Exit::OutOfTime),
        };
        if let Some(exit) = exit {
            let [series, _] = series;
            return Ok(Measured { series, exit, beside: apart });
        }
        // The order alternates, so that the aftereffects of a sample affect both alike.
        let order = if at % 2 == 0 { [0, 1] } else { [1, 0] };
        for which in order {
            let sample = samplers(which, choices[which].batch)?;
            series[which].push(sample);
        }
    }
    unreachable!("the loop ends by returning")
}

/// A/A run: `pairs` samples of each of two series of one configuration, alternating.
pub(super) fn noise<Fault>(
    sampler: &mut Sampler<'_, Fault>,
    batch: u32,
    pairs: usize,
) -> Result<Noise, Fault> {
    let (mut a, mut b) = (Vec::with_capacity(pairs), Vec::with_capacity(pairs));
    for _ in 0..pairs {
        a.push(sampler(batch)?.seconds);
        b.push(sampler(batch)?.seconds);
    }
    let (of_a, of_b) = (math::median(&a), math::median(&b));
    a.append(&mut b);
    let difference = (of_a - of_b).abs() / math::median(&a);
    Ok(Noise { difference, spread: math::relative_spread(&a) })
}

#[cfg(test)]
pub(super) mod tests {
    use device::Disturbance;

    use super::*;

    const FINE: BatchLimits = BatchLimits { timer: (20e-9, 20e-9), most_runs: u32::MAX, slots: 1 };

    /// A clock that advances by a millisecond at every reading.
    pub(in super::super) struct Steps(pub(in super::super) f64);

    impl Clock for Steps {
        fn seconds(&mut self) -> f64 {
            self.0 += 1e-3;
            self.0
        }
    }

    pub(in super::super) fn timed(seconds: f64) -> Timed {
        Timed { seconds, ..Timed::default() }
    }

    fn constant(seconds: f64) -> impl FnMut(u32) -> Result<Timed, ()> {
        move |_| Ok(timed(seconds))
    }

    fn chosen(seconds: f64, limits: BatchLimits) -> BatchChoice {
        choose(&mut constant(seconds), 1, limits).expect("no faults")
    }

    #[test]
    fn long_kernels_are_timed_alone_and_longer_ones_not_warmed_up() {
        for (seconds, first) in [(1e-3, None), (20e-3, Some(timed(20e-3)))] {
            let expected = BatchChoice { batch: 1, first, too_short: None };
            assert_eq!(chosen(seconds, FINE), expected);
        }
    }

    #[test]
    fn a_short_kernel_that_waited_for_a_core_is_not_long() {
        let mut pilots = 0;
        let mut sampler = |runs: u32| {
            pilots += 1;
            // Every other sample waits.
            let waited = if pilots % 2 == 1 { 30e-3 } else { 0.0 };
            let disturbance = Disturbance { waited, ..Disturbance::default() };
            Ok::<_, ()>(Timed { seconds: 5e-6 + waited / f64::from(runs), disturbance })
        };
        assert_eq!(choose(&mut sampler, 1, FINE).expect("no faults").batch, 40);
    }

    #[test]
    fn short_kernels_run_until_a_sample_lasts_long_enough_for_the_timer() {
        let coarse = BatchLimits { timer: (20e-6, 0.0), ..FINE };
        for (limits, wanted) in [(FINE, 200e-6), (coarse, 4e-3)] {
            for seconds in [150e-6, 40e-6, 1e-6, 100e-9] {
                let choice = chosen(seconds, limits);
                assert!(seconds * f64::from(choice.batch) >= wanted * 0.99, "{choice:?}");
                assert_eq!(choice.too_short, None);
            }
        }
    }

    #[test]
    fn what_cannot_be_batched_enough_for_the_timer_is_too_short() {
        let single = BatchLimits { most_runs: 1, ..FINE };
        assert_eq!(chosen(10e-6, single), BatchChoice { batch: 1, first: None, too_short: None });
        assert_eq!(chosen(5e-6, single).too_short, Some(5e-6));
        let eight = BatchLimits { most_runs: 8, ..FINE };
        assert_eq!(chosen(5e-6, eight), BatchChoice { batch: 8, first: None, too_short: None });
        assert_eq!(chosen(0.5e-6, eight).too_short, Some(0.5e-6));
    }

    #[test]
    fn a_kernel_that_takes_no_time_at_all_still_ends() {
        let choice = chosen(0.0, FINE);
        assert_eq!(choice.batch, 1 << 20);
        let plan = MeasurePlan::default();
        let measured = measure(&mut constant(0.0), &plan, choice, 0.0, &mut Steps(0.0));
        assert!(measured.expect("no faults").series.samples().len() <= 256);
    }

    #[test]
    fn sampling_lasts_as_long_as_an_observer_needs_beyond_the_most_samples() {
        let plan = MeasurePlan { min_seconds: 0.0, ..MeasurePlan::default() };
        let choice = BatchChoice { batch: 1, first: None, too_short: None };
        for (window, samples) in [(0.0, 10..=10), (0.3, 290..=310)] {
            let clock = &mut Steps(0.0);
            let measured = measure(&mut constant(1e-3), &plan, choice, window, clock);
            let measured = measured.expect("no faults");
            assert_eq!(measured.exit, Exit::Precise);
            let count = measured.series.samples().len();
            assert!(samples.contains(&count), "{window} s: {count}");
        }
    }

    #[test]
    fn a_challenger_is_compared_with_what_runs_beside_it() {
        let plan = MeasurePlan { min_seconds: 0.0, ..MeasurePlan::default() };
        let choices = [BatchChoice { batch: 1, first: None, too_short: None }; 2];
        // The machine gets slower with every sample.
        let mut taken = 0;
        let mut ratio_of = |slower: f64| {
            let mut samplers = |which: usize, _: u32| {
                taken += 1;
                let pace = 1e-3 * (1.0 + f64::from(taken) * 0.01);
                Ok::<_, ()>(timed(if which == 0 { slower * pace } else { pace }))
            };
            beside(&mut samplers, &plan, choices, &mut Steps(0.0)).expect("no faults")
        };
        let hopeless = ratio_of(2.0);
        assert_eq!((hopeless.exit, hopeless.series.samples().len()), (Exit::Hopeless, 3));
        let better = ratio_of(0.8);
        assert_eq!(better.exit, Exit::Precise);
        let ratio = better.beside.expect("pairs");
        assert!((ratio.value - 0.8).abs() < 0.02, "{ratio:?}");
    }

    #[test]
    fn an_a_a_run_of_a_quiet_machine_shows_no_difference() {
        let quiet = noise(&mut constant(1e-3), 1, 20).expect("no faults");
        assert_eq!(quiet, Noise { difference: 0.0, spread: 0.0 });
        let mut at = 0;
        let mut slow_second = move |_: u32| {
            at += 1;
            Ok::<_, ()>(timed(if at % 2 == 0 { 1.1e-3 } else { 1e-3 }))
        };
        let noisy = noise(&mut slow_second, 1, 20).expect("no faults");
        assert!((noisy.difference - 0.1 / 1.05).abs() < 1e-9, "{noisy:?}");
    }

    #[test]
    fn samples_are_whole_rounds_of_copies_or_a_part_of_one() {
        assert_eq!(
            [whole_parts(206, 2560), whole_parts(180, 337), whole_parts(150, 100)],
            [320, 337, 200]
        );
        assert_eq!([whole_parts(7, 1), whole_parts(1, 7), whole_parts(13, 2)], [7, 1, 14]);
        for slots in 1..200 {
            for runs in 1..400 {
                let taken = whole_parts(runs, slots);
                assert!((runs..=2 * runs).contains(&taken), "{runs} of {slots}: {taken}");
                let is_part = (0..8).any(|halved| taken == slots >> halved);
                assert!(is_part || taken.is_multiple_of(slots), "{runs} of {slots}: {taken}");
            }
        }
    }
}
