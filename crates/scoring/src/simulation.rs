//! One run of a strategy on a recorded space, under the methodology's clock.

use std::{sync::Arc, time::Instant};

use search_api::{Analytic, Budget, Evaluation, Ledger, Lookup, Stop};
use space::ConfigurationId;
use study::tuning::Searcher;

use super::{Landscape, Run};

/// Result of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Simulated {
    /// Every answer with its time, repeated visits included.
    pub run: Run,
    /// Different configurations in order of their first visit.
    pub order: Vec<ConfigurationId>,
    /// Seconds since the start at the end of each of these visits.
    pub seconds: Vec<f64>,
    /// Wall seconds of the strategy's own computing, if they were charged.
    pub thinking: f64,
    /// Why the strategy itself failed, if it did.
    pub fault: Option<Arc<str>>,
}

impl Simulated {
    /// Seconds of the first `n` different configurations; of fewer in a shorter run.
    #[must_use]
    pub fn seconds_after(&self, n: usize) -> f64 {
        n.min(self.seconds.len()).checked_sub(1).map_or(0.0, |at| self.seconds[at])
    }
}

/// Whether the time that a strategy needs for its own decisions counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    /// The time is not counted, so that runs repeat exactly.
    Free,
    /// The wall time is added to the clock.
    Charged,
}

/// Runs a strategy once. `seed` decides everything random. The first visit of a configuration costs
/// what was recorded; a further visit costs its runs only.
#[must_use]
pub fn simulate(
    landscape: &Landscape,
    searcher: Searcher<'_>,
    budget: Budget,
    seed: u64,
    thinking: Thinking,
) -> Simulated {
    let (mut run, mut seconds, mut thinking_seconds) = (Run::default(), Vec::new(), 0.0);
    // When the strategy last began to compute, if its own time is charged.
    let mut thinking_since = (thinking == Thinking::Charged).then(Instant::now);
    let answer = |ledger: &mut Ledger, id| {
        if let Some(since) = thinking_since {
            let thought = since.elapsed().as_secs_f64();
            thinking_seconds += thought;
            ledger.charge(thought);
        }
        let cell = landscape.cell(id);
        let evaluation = match ledger.ask(id)? {
            Lookup::Known(evaluation) => {
                ledger.charge(cell.stages.runs);
                evaluation
            }
            Lookup::New => {
                let evaluation = cell.score.map_or_else(Evaluation::failed, Evaluation::scored);
                ledger.record(id, evaluation.clone(), cell.stages.total());
                seconds.push(ledger.spent().cost_seconds);
                evaluation
            }
        };
        run.times.push(ledger.spent().cost_seconds);
        run.values.push(cell.value);
        thinking_since = thinking_since.map(|_| Instant::now());
        Ok(evaluation)
    };
    let mut problem = Analytic::answering(Arc::clone(&landscape.space), budget, seed, answer)
        .remembering(Arc::clone(&landscape.memory))
        .scoring_seconds(landscape.objective.is_in_seconds())
        .timing_gpu_blocks(landscape.times_gpu_blocks());
    let fault = fault(searcher.search(&mut problem));
    let order = problem.ledger().order().to_vec();
    Simulated { run, order, seconds, thinking: thinking_seconds, fault }
}

/// The different faults in the order they appear, and how often each appears.
#[must_use]
pub fn counted<'a>(faults: impl IntoIterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut all: Vec<(&str, usize)> = Vec::new();
    for fault in faults {
        match all.iter_mut().find(|(known, _)| *known == fault) {
            Some((_, times)) => *times += 1,
            None => all.push((fault, 1)),
        }
    }
    all
}

/// Why a strategy itself failed; every other end is a normal one.
pub(super) fn fault(end: Result<(), Stop>) -> Option<Arc<str>> {
    match end {
        Err(Stop::Fault(why)) => Some(why),
        Ok(()) | Err(Stop::Budget | Stop::Exhausted | Stop::Interrupted) => None,
    }
}
