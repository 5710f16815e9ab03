//! Many runs of many strategies on many spaces, on all cores.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use search_api::Budget;

use super::{Landscape, ScoredStrategy, Simulated, Thinking, simulate};

/// Length of a run, relative to the time axis.
const BEYOND: f64 = 1.1;
/// Attempts, with other seeds, for a run with too few evaluations on the time axis, as in the
/// methodology.
const ATTEMPTS: u64 = 10;

/// Which strategies run where, and how.
#[derive(Clone, Copy)]
pub struct StrategyComparison<'a> {
    /// Where the strategies run.
    pub landscapes: &'a [Landscape],
    /// Strategies that run.
    pub strategies: &'a [ScoredStrategy],
    /// Runs of each strategy on each landscape.
    pub repeats: usize,
    /// Seed of the first run; run `i` uses `seed + i`.
    pub seed: u64,
    /// Whether a strategy's own time counts.
    pub thinking: Thinking,
    /// Limits of every run. Without them, a run lasts a little longer than the time axis.
    pub budget: Option<Budget>,
}

/// Callbacks that watch many runs and can stop them.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Called after every run, with the reason if the strategy failed in it.
    pub done: &'a (dyn Fn(Option<&str>) + Sync),
    /// Whether to stop. The runs that are left are then empty, and the results are of no use.
    pub stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Watch<'_> {
    /// Watches nothing and never stops.
    pub const NOBODY: Watch<'static> = Watch { done: &|_| (), stopped: &|| false };
}

/// Runs of one strategy on one landscape, in the order of their seeds.
pub type Runs = Vec<Simulated>;

impl StrategyComparison<'_> {
    /// The first seed that none of these runs uses, however many attempts they need.
    #[must_use]
    pub const fn next_seed(&self) -> u64 {
        self.seed.wrapping_add(ATTEMPTS * self.repeats as u64)
    }

    /// Makes all runs; results are by strategy and then by landscape.
    #[must_use]
    pub fn hold(&self, watch: Watch<'_>) -> Vec<Vec<Runs>> {
        let places = self.landscapes.len();
        let pairs = self.strategies.len() * places;
        let mut runs = in_parallel(pairs * self.repeats, &|job| {
            if (watch.stopped)() {
                return Simulated::default();
            }
            let (pair, repeat) = (job / self.repeats, job % self.repeats);
            let simulated = self.run(pair / places, pair % places, repeat as u64);
            (watch.done)(simulated.fault.as_deref());
            simulated
        })
        .into_iter();
        let mut of_pair = || runs.by_ref().take(self.repeats).collect();
        let mut of_contestant = |_| (0..places).map(|_| of_pair()).collect();
        (0..self.strategies.len()).map(&mut of_contestant).collect()
    }

    fn run(&self, scored_strategy: usize, place: usize, repeat: u64) -> Simulated {
        let searcher = self.strategies[scored_strategy].searcher();
        let landscape = &self.landscapes[place];
        if let Some(budget) = self.budget {
            let seed = self.seed.wrapping_add(repeat);
            return simulate(landscape, searcher, budget, seed, self.thinking);
        }
        let limit = BEYOND * landscape.baseline().span.1;
        let budget = Budget { cost_seconds: Some(limit), ..Budget::default() };
        let attempt = |attempt: u64| {
            let further = repeat + attempt * self.repeats as u64;
            let seed = self.seed.wrapping_add(further);
            simulate(landscape, searcher, budget, seed, self.thinking)
        };
        let mut simulated = attempt(0);
        for number in 1..ATTEMPTS {
            if has_begun(landscape, &simulated) {
                break;
            }
            simulated = attempt(number);
        }
        simulated
    }
}

/// Whether enough evaluations of a run fall on the time axis.
fn has_begun(landscape: &Landscape, simulated: &Simulated) -> bool {
    let baseline = landscape.baseline();
    let (from, to) = (baseline.span.0, BEYOND * baseline.span.1);
    let expected = (to / baseline.mean_cost).round().max(2.0).min(landscape.space.len() as f64);
    let needed = (0.25 * expected).round().clamp(2.0, 25.0) as usize;
    let run = &simulated.run;
    let within = || run.times.iter().zip(&run.values).filter(|(t, _)| (from..=to).contains(*t));
    within().count() >= needed && within().filter(|(_, value)| value.is_some()).count() >= 2
}

/// Runs jobs 0 to `count` on all cores; the results are in order.
pub fn in_parallel<T: Send>(count: usize, job: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    if count < 2 {
        return (0..count).map(job).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    let cores = thread::available_parallelism().map_or(1, usize::from).min(count);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    let result = job(at);
                    if let Ok(mut results) = results.lock() {
                        results[at] = Some(result);
                    }
                }
            });
        }
    });
    results.into_inner().unwrap_or_default().into_iter().flatten().collect()
}
