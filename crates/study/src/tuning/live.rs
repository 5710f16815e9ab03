//! The live evaluator: workers compile, check and measure, each on its own device.

use std::{
    cell::RefCell,
    rc::Rc,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use records::{Costs, Named, Outcome, Status, settings::Verification};
use worker::{
    COMPILE_WITHIN, Checking, Client, ControlWorker, MeasurePlan, Participant, RoundsTaken,
};

use super::{Evaluator, Hints};

/// How a live study measures.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveSettings {
    /// Plan of every measurement; `max_seconds` and `beside` are set per trial.
    pub plan: MeasurePlan,
    /// Time limit of a trial, without compiling.
    pub trial_timeout: Duration,
    /// Seed of fresh inputs for finalists.
    pub fresh_seed: u64,
    /// Whether the device is a processor.
    pub on_processor: bool,
}

/// A worker and its device, ready to measure.
#[derive(Debug, Clone)]
pub struct DeviceWorker {
    /// Name of the device in records; empty if the study has only one device.
    pub device: String,
    /// The worker.
    pub client: Rc<RefCell<Client>>,
    /// Sets the device's clocks and power limit, if these are tuned.
    pub control: Option<Rc<RefCell<ControlWorker>>>,
}

/// Least samples in finals: eleven pairs that agree tell two configurations apart.
const FEWEST_IN_FINALS: u32 = 12;

/// An evaluator over workers. Finals and rounds, which compare configurations, use only the first
/// worker.
pub struct Live {
    workers: Vec<DeviceWorker>,
    settings: LiveSettings,
}

struct MeasuringTask<'a> {
    size: u64,
    configuration: &'a Named,
    plan: &'a MeasurePlan,
    timeout: Duration,
}

impl MeasuringTask<'_> {
    fn done_by(
        &self,
        client: &mut Client,
        control: Option<&mut ControlWorker>,
        device: &str,
    ) -> Outcome {
        if let Some(Err(why)) = control.map(|control| control.apply(self.configuration)) {
            let refused = Outcome::failed(Status::Invalid, why, Costs::default());
            return Outcome { device: device.to_owned(), ..refused };
        }
        let compiled = compile(client, self.size, std::slice::from_ref(self.configuration));
        let mut outcome = match client.load(self.size, self.configuration, self.timeout) {
            None => client.measure(self.size, self.configuration, self.plan, self.timeout),
            Some(outcome) => outcome,
        };
        outcome.costs.compile += compiled;
        device.clone_into(&mut outcome.device);
        outcome
    }
}

/// Compiles outside of a trial's time limit. Returns the seconds it took.
fn compile(client: &mut Client, size: u64, configurations: &[Named]) -> f64 {
    let start = Instant::now();
    let count = u32::try_from(configurations.len()).unwrap_or(u32::MAX);
    // Compile errors are reported when the configuration is measured.
    let _ = client.compile(size, configurations, COMPILE_WITHIN.saturating_mul(count));
    let _ = client.take_lacking();
    start.elapsed().as_secs_f64()
}

impl Live {
    /// An evaluator over at least one worker, with devices of one model.
    #[must_use]
    pub fn new(workers: Vec<DeviceWorker>, settings: LiveSettings) -> Self {
        Self { workers, settings }
    }

    fn plan(&self, hints: &Hints) -> MeasurePlan {
        MeasurePlan {
            max_seconds: hints.patience.min(self.settings.plan.max_seconds),
            beside: hints.beside.clone(),
            ..self.settings.plan.clone()
        }
    }

    fn measure(&mut self, size: u64, configuration: &Named, plan: &MeasurePlan) -> Outcome {
        let task =
            MeasuringTask { size, configuration, plan, timeout: self.settings.trial_timeout };
        match self.workers.first() {
            Some(first) => {
                let mut control = first.control.as_ref().map(|control| control.borrow_mut());
                let client = &mut first.client.borrow_mut();
                task.done_by(client, control.as_deref_mut(), &first.device)
            }
            None => nobody(),
        }
    }
}

fn nobody() -> Outcome {
    Outcome::failed(Status::Crashed, "there is no worker", Costs::default())
}

impl Evaluator for Live {
    fn evaluate(&mut self, size: u64, configuration: &Named, hints: &Hints) -> Outcome {
        let plan = self.plan(hints);
        self.measure(size, configuration, &plan)
    }

    fn width(&self) -> usize {
        self.workers.len()
    }

    fn is_on_processor(&self) -> bool {
        self.settings.on_processor
    }

    fn evaluate_several(
        &mut self,
        size: u64,
        configurations: &[Named],
        hints: &Hints,
    ) -> Vec<Outcome> {
        let plan = self.plan(hints);
        let timeout = self.settings.trial_timeout;
        let outcomes: Vec<Mutex<Option<Outcome>>> =
            configurations.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let (outcomes_, next, plan) = (&outcomes, &next, &plan);
        let control_workers =
            self.workers.iter().map(|worker| worker.control.as_ref().map(|k| k.borrow_mut()));
        let clients =
            self.workers.iter().map(|worker| (&worker.device, worker.client.borrow_mut()));
        let mut held: Vec<_> = clients.zip(control_workers).collect();
        std::thread::scope(|scope| {
            for ((device, client), control) in &mut held {
                let (device, client): (&str, &mut Client) = (device, client);
                let mut control: Option<&mut ControlWorker> = control.as_deref_mut();
                scope.spawn(move || {
                    // The next free worker takes the next configuration.
                    while let Some((at, configuration)) = {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        configurations.get(at).map(|configuration| (at, configuration))
                    } {
                        let task = MeasuringTask { size, configuration, plan, timeout };
                        let outcome = task.done_by(client, control.as_deref_mut(), device);
                        *outcomes_[at].lock().unwrap_or_else(PoisonError::into_inner) =
                            Some(outcome);
                    }
                });
            }
        });
        let taken = |outcome: Mutex<Option<Outcome>>| {
            outcome.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(nobody)
        };
        outcomes.into_iter().map(taken).collect()
    }

    fn prepare(&mut self, size: u64, configurations: &[Named]) -> f64 {
        let (mut seconds, count) = (0.0, self.workers.len());
        for (number, worker) in self.workers.iter().enumerate() {
            let own = configurations.iter().skip(number).step_by(count).cloned();
            let own: Vec<Named> = own.collect();
            // With several devices, a single configuration is compiled when it is measured.
            if count > 1 && own.len() < 2 {
                continue;
            }
            seconds += compile(&mut worker.client.borrow_mut(), size, &own);
        }
        seconds
    }

    fn measure_again(
        &mut self,
        size: u64,
        configurations: &[Named],
        hints: &Hints,
    ) -> Vec<Outcome> {
        let hints = &Hints { beside: None, ..hints.clone() };
        let plan = self.plan(hints);
        let min_samples = plan.min_samples.max(FEWEST_IN_FINALS);
        let plan = MeasurePlan { min_samples, ..plan };
        let count = u32::try_from(configurations.len()).unwrap_or(u32::MAX);
        let timeout = self.settings.trial_timeout.saturating_mul(count);
        let Some(first) = self.workers.first() else {
            return configurations.iter().map(|_| nobody()).collect();
        };
        if first.control.is_some() {
            // Clocks cannot be changed between samples, so nothing can be interleaved.
            return configurations.iter().map(|c| self.evaluate(size, c, hints)).collect();
        }
        let measured = first.client.borrow_mut().interleave(size, configurations, &plan, timeout);
        match measured {
            Ok(mut outcomes) => {
                outcomes.iter_mut().for_each(|outcome| outcome.device.clone_from(&first.device));
                outcomes
            }
            // One configuration ended the worker or damaged its memory. Measured alone in a new
            // process, the others still give outcomes.
            Err(_) => {
                first.client.borrow_mut().end_process();
                configurations.iter().map(|c| self.evaluate(size, c, hints)).collect()
            }
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
            observed: Vec::new(),
            checking: Checking { verification, seed: Some(self.settings.fresh_seed) },
            ..self.settings.plan.clone()
        };
        self.measure(size, configuration, &plan)
    }

    fn lacking(&mut self) -> Option<String> {
        let lacking = |worker: &DeviceWorker| worker.client.borrow_mut().take_lacking();
        self.workers.iter().filter_map(lacking).reduce(|first, _| first)
    }

    fn rounds(
        &mut self,
        participants: &[Participant],
        orders: &[Vec<usize>],
        (seconds, moved): (f64, bool),
    ) -> Option<RoundsTaken> {
        let first = self.workers.first()?;
        if first.control.is_some() {
            // Clocks cannot be changed between samples.
            return None;
        }
        let checking = &self.settings.plan.checking;
        let ask = |orders: Vec<Vec<usize>>, patience: Duration| {
            let limits = (seconds, moved);
            first.client.borrow_mut().rounds(participants, orders, limits, checking, patience)
        };
        let count = u32::try_from(participants.len()).unwrap_or(u32::MAX);
        let trial = self.settings.trial_timeout;
        let patience = trial.saturating_mul(count) + Duration::from_secs_f64(seconds.min(1e6));
        let start = Instant::now();
        let fault = match ask(orders.to_vec(), patience) {
            Ok(RoundsTaken { spoilt: Some(why), .. }) => why,
            Ok(taken) => return Some(taken),
            Err(fault) => fault.to_string(),
        };
        // Each participant runs alone in a new process, to find the one that caused the fault.
        let mut taken =
            RoundsTaken { batches: vec![0; participants.len()], ..RoundsTaken::default() };
        for at in 0..participants.len() {
            first.client.borrow_mut().end_process();
            let dropped = match ask(vec![vec![at]], trial) {
                Ok(mut alone) => alone.dropped.pop(),
                Err(fault) => Some((at, fault.outcome(Costs::default()))),
            };
            taken.dropped.extend(dropped);
        }
        first.client.borrow_mut().end_process();
        taken.costs.overhead = start.elapsed().as_secs_f64();
        taken.spoilt = Some(fault);
        Some(taken)
    }
}
