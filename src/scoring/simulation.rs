//! One run of a strategy on a recorded space, under the methodology's clock.

use std::{sync::Arc, time::Instant};

use super::{Landscape, Run};
use crate::{
    space::{ConfigurationId, Rng, Space, seeded},
    strategies::{Budget, Evaluation, Knobs, Ledger, Lookup, Problem, Spent, Stop, Strategy},
};

/// The problem that a strategy sees. A first visit costs what was recorded, a further one its runs.
pub struct Simulation<'a> {
    landscape: &'a Landscape,
    ledger: Ledger,
    rng: Rng,
    run: Run,
    /// When the strategy last began to think, if its thinking is charged.
    thinking_since: Option<Instant>,
}

/// Record of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Simulated {
    /// Every answer with its time, including further visits.
    pub run: Run,
    /// Different configurations in order of their first visit.
    pub order: Vec<ConfigurationId>,
}

/// Whether the time that a strategy needs for its own decisions counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    /// It is free, so that runs repeat exactly.
    Free,
    /// Its wall time is added to the clock.
    Charged,
}

/// Runs a strategy once; `seed` determines all randomness.
#[must_use]
pub fn simulate(
    landscape: &Landscape,
    (strategy, knobs): (&Strategy, &Knobs),
    budget: Budget,
    seed: u64,
    thinking: Thinking,
) -> Simulated {
    let mut simulation = Simulation {
        landscape,
        ledger: Ledger::new(landscape.space.len(), budget),
        rng: seeded(seed, 0),
        run: Run::default(),
        thinking_since: (thinking == Thinking::Charged).then(Instant::now),
    };
    // Every end is an ordinary one.
    let _ = (strategy.search)(&mut simulation, knobs);
    Simulated { run: simulation.run, order: simulation.ledger.order().to_vec() }
}

impl Simulation<'_> {
    fn charge_thinking(&mut self) {
        if let Some(since) = self.thinking_since {
            self.ledger.charge(since.elapsed().as_secs_f64());
        }
    }

    fn answer(&mut self, value: Option<f64>) {
        self.run.times.push(self.ledger.spent().cost_seconds);
        self.run.values.push(value);
        if let Some(since) = &mut self.thinking_since {
            *since = Instant::now();
        }
    }
}

impl Problem for Simulation<'_> {
    fn space(&self) -> Arc<Space> {
        Arc::clone(&self.landscape.space)
    }

    fn evaluate(&mut self, id: ConfigurationId) -> Result<Evaluation, Stop> {
        self.charge_thinking();
        let cell = self.landscape.cell(id);
        let evaluation = match self.ledger.ask(id)? {
            Lookup::Known(evaluation) => {
                self.ledger.charge(cell.again);
                evaluation
            }
            Lookup::New => {
                let evaluation = cell.value.map_or_else(Evaluation::failed, Evaluation::scored);
                self.ledger.record(id, evaluation.clone(), cell.first);
                evaluation
            }
        };
        self.answer(cell.value);
        Ok(evaluation)
    }

    fn starts(&self) -> Vec<ConfigurationId> {
        Vec::new()
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn spent(&self) -> Spent {
        self.ledger.spent()
    }

    fn check(&self) -> Result<(), Stop> {
        self.ledger.check()
    }
}
