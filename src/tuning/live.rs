//! The live evaluator: a worker compiles, checks and measures.

use std::{cell::RefCell, rc::Rc, time::Duration};

use super::{Evaluator, Hints};
use crate::{
    records::{Costs, Named, Outcome, Status},
    worker::{Checking, Client, MeasurePlan, Reply, Request, Verification, WorkerFault},
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

    fn timeout(&self) -> Duration {
        self.settings.trial_timeout + COMPILE_TIMEOUT
    }
}

impl Evaluator for Live {
    fn evaluate(&mut self, size: u64, configuration: &Named, hints: Hints) -> Outcome {
        let plan = self.plan(hints);
        let request = Request::Measure { size, configuration: configuration.clone(), plan };
        self.one(&request)
    }

    fn prepare(&mut self, size: u64, configurations: &[Named]) {
        let count = u32::try_from(configurations.len()).unwrap_or(u32::MAX);
        let request = Request::Compile { size, configurations: configurations.to_vec() };
        // What cannot be prepared shows when it is measured.
        let _ = self.client.borrow_mut().request(&request, COMPILE_TIMEOUT.saturating_mul(count));
    }

    fn measure_again(
        &mut self,
        size: u64,
        configurations: &[Named],
        hints: Hints,
    ) -> Vec<Outcome> {
        let mut plan = self.plan(Hints { best_seconds: None, ..hints });
        plan.checking.verification = Verification::Off;
        let request =
            Request::Interleave { size, configurations: configurations.to_vec(), plan };
        let count = u32::try_from(configurations.len()).unwrap_or(u32::MAX);
        match self.client.borrow_mut().request(&request, self.timeout().saturating_mul(count)) {
            Ok(Reply::Outcomes(outcomes)) if outcomes.len() == configurations.len() => outcomes,
            Ok(reply) => vec![unexpected(&reply); configurations.len()],
            Err(fault) => vec![outcome_of(fault); configurations.len()],
        }
    }

    fn check_again(&mut self, size: u64, configuration: &Named) -> Outcome {
        let mut plan = self.settings.plan.clone();
        plan.min_samples = 1;
        plan.max_samples = 1;
        plan.warmup = 0;
        plan.checking = Checking {
            verification: Verification::Thorough,
            seed: Some(self.settings.fresh_seed),
            ..plan.checking
        };
        self.one(&Request::Measure { size, configuration: configuration.clone(), plan })
    }
}

impl Live {
    fn one(&mut self, request: &Request) -> Outcome {
        match self.client.borrow_mut().request(request, self.timeout()) {
            Ok(Reply::Outcomes(mut outcomes)) if outcomes.len() == 1 => outcomes.remove(0),
            Ok(reply) => unexpected(&reply),
            Err(fault) => outcome_of(fault),
        }
    }
}

fn unexpected(reply: &Reply) -> Outcome {
    let reason = match reply {
        Reply::Refused(why) => why.clone(),
        _ => "the worker answered something else than was asked".to_owned(),
    };
    Outcome::failed(Status::RunFailed, reason, Costs::default())
}

/// A fault of the worker as the outcome of the trial that met it.
fn outcome_of(fault: WorkerFault) -> Outcome {
    let status = match &fault {
        WorkerFault::TimedOut { .. } => Status::TimedOut,
        WorkerFault::Refused(_) => Status::RunFailed,
        _ => Status::Crashed,
    };
    let costs = match &fault {
        WorkerFault::TimedOut { after } => {
            Costs { measure: after.as_secs_f64(), ..Costs::default() }
        }
        _ => Costs::default(),
    };
    Outcome::failed(status, fault.to_string(), costs)
}
