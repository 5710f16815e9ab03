//! The live evaluator: a worker compiles, checks and measures.

use std::{
    cell::RefCell,
    rc::Rc,
    time::{Duration, Instant},
};

use super::{Evaluator, Hints};
use crate::{
    records::{Named, Outcome},
    worker::{Checking, Client, MeasurePlan, Reply, Request, Verification},
};

/// How a live study measures.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveSettings {
    /// The plan of every measurement; patience and hopelessness are set per trial.
    pub plan: MeasurePlan,
    /// A configuration slower than the best by this factor stops after its first samples.
    pub hopeless: f64,
    /// A trial that takes longer than this, compiling apart, is killed.
    pub trial_timeout: Duration,
    /// The seed of fresh inputs for finalists.
    pub fresh_seed: u64,
}

/// Asks a worker.
pub struct Live {
    client: Rc<RefCell<Client>>,
    settings: LiveSettings,
}

/// Compiling may take this long on top of a trial's own limit.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(75);

impl Live {
    /// An evaluator over a worker that has been set up.
    pub fn new(client: Rc<RefCell<Client>>, settings: LiveSettings) -> Self {
        Self { client, settings }
    }

    fn plan(&self, hints: Hints) -> MeasurePlan {
        MeasurePlan {
            max_seconds: hints.patience.min(self.settings.plan.max_seconds),
            hopeless_above: hints.best_seconds.map(|best| best * self.settings.hopeless),
            ..self.settings.plan.clone()
        }
    }

    /// Compiles what is not compiled yet, apart from a trial's own limit; seconds.
    fn compile(&mut self, size: u64, configurations: &[Named]) -> f64 {
        let start = Instant::now();
        let count = u32::try_from(configurations.len()).unwrap_or(u32::MAX);
        let request = Request::Compile { size, configurations: configurations.to_vec() };
        // What cannot be compiled shows when it is measured.
        let _ = self.client.borrow_mut().request(&request, COMPILE_TIMEOUT.saturating_mul(count));
        start.elapsed().as_secs_f64()
    }

    fn measure(&mut self, size: u64, configuration: &Named, plan: &MeasurePlan) -> Outcome {
        let compiled = self.compile(size, std::slice::from_ref(configuration));
        let timeout = self.settings.trial_timeout;
        let mut outcome = self.client.borrow_mut().measure(size, configuration, plan, timeout);
        outcome.costs.compile += compiled;
        outcome
    }
}

impl Evaluator for Live {
    fn evaluate(&mut self, size: u64, configuration: &Named, hints: Hints) -> Outcome {
        let plan = self.plan(hints);
        self.measure(size, configuration, &plan)
    }

    fn prepare(&mut self, size: u64, configurations: &[Named]) -> f64 {
        self.compile(size, configurations)
    }

    fn measure_again(&mut self, size: u64, configurations: &[Named], hints: Hints) -> Vec<Outcome> {
        let hints = Hints { best_seconds: None, ..hints };
        let plan = self.plan(hints);
        let request = Request::Interleave { size, configurations: configurations.to_vec(), plan };
        let count = u32::try_from(configurations.len()).unwrap_or(u32::MAX);
        let timeout = self.settings.trial_timeout.saturating_mul(count);
        let reply = self.client.borrow_mut().request(&request, timeout);
        match reply {
            Ok(Reply::Outcomes(outcomes)) if outcomes.len() == configurations.len() => outcomes,
            // One of them ended the worker: by themselves, the others still answer.
            _ => configurations
                .iter()
                .map(|configuration| self.evaluate(size, configuration, hints))
                .collect(),
        }
    }

    fn check_again(&mut self, size: u64, configuration: &Named) -> Outcome {
        let verification = match self.settings.plan.checking.verification {
            Verification::Off => Verification::Off,
            _ => Verification::Thorough,
        };
        let plan = MeasurePlan {
            min_samples: 1,
            max_samples: 1,
            warmup: 0,
            checking: Checking {
                verification,
                seed: Some(self.settings.fresh_seed),
                ..self.settings.plan.checking.clone()
            },
            ..self.settings.plan.clone()
        };
        self.measure(size, configuration, &plan)
    }
}
