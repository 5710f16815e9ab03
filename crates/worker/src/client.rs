//! The program's end of a worker: sends requests with a kill timer, and starts a new process after
//! a fault.

use std::time::{Duration, Instant};

use records::{Costs, Named, Outcome, Status};

use super::{
    MeasurePlan, Setup, WorkerFault,
    isolation::is_isolated,
    process::{ClientSettings, Process},
    protocol::{Reply, Request},
    temporary::TemporaryFolder,
};

/// Time limit for the setup of a restarted worker.
const SETUP_WITHIN: Duration = Duration::from_secs(60);
/// Pause before a request is repeated on a machine that was busy or lacked something.
const RETRY_PAUSE: Duration = Duration::from_millis(300);
/// Time limit for compiling one configuration.
pub const COMPILE_WITHIN: Duration = Duration::from_secs(75);

/// A worker that is restarted when its process is lost.
#[derive(Debug)]
pub struct Client {
    settings: ClientSettings,
    setup: Option<Setup>,
    process: Option<Process>,
    /// Number of trials of the running process. An earlier trial may have damaged it.
    trials: u64,
    restarts: u64,
    /// What the machine lacked, if that ended a request since the last `take_lacking`.
    lacking: Option<String>,
    /// The last field, so that the folder goes after the process is gone.
    _folder: Option<TemporaryFolder>,
}

impl Client {
    /// Starts a worker.
    ///
    /// # Errors
    /// When no process can be started or its log cannot be written.
    pub fn start(settings: ClientSettings) -> Result<Self, WorkerFault> {
        let process = Some(Process::start(&settings)?);
        let (setup, lacking) = (None, None);
        Ok(Self { settings, setup, process, trials: 0, restarts: 0, lacking, _folder: None })
    }

    /// Starts a worker whose log and temporary files are in the program's temporary folder. The
    /// folder is removed with its last worker.
    ///
    /// # Errors
    /// When no process can be started, or the temporary folder cannot be written to.
    pub fn of_program(memory_limit: Option<u64>) -> Result<Self, WorkerFault> {
        let folder = TemporaryFolder::of_program()?;
        let client = Self::start(folder.settings(memory_limit))?;
        Ok(Self { _folder: Some(folder), ..client })
    }

    /// How often a lost worker was replaced.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Process number of the worker, while it runs.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// Whether the running process is cut off from the network.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.process_id().is_some_and(is_isolated)
    }

    /// Sends a request. A `Setup` that worked is repeated after a restart. If the worker crashes,
    /// is late, or reports that it cannot go on, the next request starts a new process. A request
    /// that may have failed because of the machine is repeated once.
    pub(super) fn request(
        &mut self,
        request: &Request,
        timeout: Duration,
    ) -> Result<Reply, WorkerFault> {
        let mut reply = self.ask(request, timeout);
        if let Err(fault) = &reply
            && fault.deserves_another_try()
        {
            // A new process holds no memory, and other processes may have ended meanwhile.
            self.end_process();
            std::thread::sleep(RETRY_PAUSE);
            reply = self.ask(request, timeout);
        }
        if let Err(fault) = &reply
            && fault.is_of_the_machine()
        {
            self.lacking = Some(fault.to_string());
        }
        let reply = reply?;
        if let Request::Setup(setup) = request {
            self.setup = Some(setup.clone());
        }
        Ok(reply)
    }

    fn ask(&mut self, request: &Request, timeout: Duration) -> Result<Reply, WorkerFault> {
        let keeps_setup = !matches!(request, Request::Setup(_));
        self.revive(keeps_setup)?;
        self.exchange(request, timeout)
    }

    /// Returns what the machine lacked, if that ended a request since the last call. The outcome of
    /// such a request says nothing about its configuration.
    pub fn take_lacking(&mut self) -> Option<String> {
        self.lacking.take()
    }

    /// Ends the process; the next request starts a new one.
    pub fn end_process(&mut self) {
        self.process = None;
    }

    /// Loads the kernel of a configuration. Returns an outcome only on failure. If a library of
    /// several configurations cannot be loaded, they are compiled again one by one, so that only
    /// those at fault fail.
    pub fn load(&mut self, size: u64, configuration: &Named, timeout: Duration) -> Option<Outcome> {
        let start = Instant::now();
        let request = Request::Load { size, configuration: configuration.clone() };
        let used = self.trials > 0 && self.process.is_some();
        let Err(mut fault) = self.request(&request, timeout) else { return None };
        self.end_process();
        if fault.is_of_the_machine() {
            return Some(fault.outcome(Costs::default()));
        }
        let apart = match self.compile_alone(size, configuration, COMPILE_WITHIN) {
            Err(lacks) if lacks.is_of_the_machine() => {
                return Some(lacks.outcome(Costs::default()));
            }
            apart => apart.unwrap_or(false),
        };
        if used || apart {
            match self.request(&request, timeout) {
                Ok(_) => return None,
                Err(again) => fault = again,
            }
            self.end_process();
        }
        let costs = Costs { overhead: start.elapsed().as_secs_f64(), ..Costs::default() };
        let reason = format!("while its code was loaded: {fault}");
        Some(Outcome::failed(fault.status(), reason, costs))
    }

    /// Compiles, checks and measures one configuration. Faults become the outcome.
    pub fn measure(
        &mut self,
        size: u64,
        configuration: &Named,
        plan: &MeasurePlan,
        timeout: Duration,
    ) -> Outcome {
        let mut plan = plan.clone();
        let mut used = self.trials > 0 && self.process.is_some();
        loop {
            let (configuration, plan_) = (configuration.clone(), plan.clone());
            let request = Request::Measure { size, configuration, plan: plan_ };
            let start = Instant::now();
            let reply = self.request(&request, timeout);
            self.trials += 1;
            let costs = Costs { overhead: start.elapsed().as_secs_f64(), ..Costs::default() };
            match reply {
                Ok(Reply::Outcomes(mut outcomes)) if outcomes.len() == 1 => {
                    let outcome = outcomes.remove(0);
                    if matches!(outcome.status, Status::RunFailed | Status::WrongResult) {
                        // The kernel may have written anywhere, so the next trial gets a new
                        // process.
                        self.process = None;
                    }
                    return outcome;
                }
                // An earlier kernel may have damaged the process, or the kernel beside this one
                // failed: try once in a new process, alone.
                Err(WorkerFault::Crashed { .. }) if used => (used, plan.beside) = (false, None),
                Ok(other) => {
                    self.process = None;
                    let reason = format!("the worker answered something else: {other:?}");
                    return Outcome::failed(Status::Crashed, reason, costs);
                }
                Err(fault) => return fault.outcome(costs),
            }
        }
    }

    /// Starts a process if there is none, and repeats the setup.
    fn revive(&mut self, with_setup: bool) -> Result<(), WorkerFault> {
        if self.process.is_some() {
            return Ok(());
        }
        self.process = Some(Process::start(&self.settings)?);
        self.trials = 0;
        self.restarts += 1;
        if let Some(setup) = self.setup.clone().filter(|_| with_setup) {
            // The setup worked before, so the machine is to blame, not a configuration.
            self.exchange(&Request::Setup(setup), SETUP_WITHIN).map_err(|fault| match fault {
                WorkerFault::Refused(why) => {
                    self.process = None;
                    WorkerFault::Machine(why)
                }
                other => other,
            })?;
        }
        Ok(())
    }

    fn exchange(&mut self, request: &Request, timeout: Duration) -> Result<Reply, WorkerFault> {
        let Some(process) = &mut self.process else {
            return Err(WorkerFault::Start("there is none".to_owned()));
        };
        match process.exchange(request, timeout) {
            Ok(Reply::Refused(why)) => Err(WorkerFault::Refused(why)),
            Ok(Reply::Lacking(why)) => {
                self.process = None;
                Err(WorkerFault::Machine(why))
            }
            Ok(Reply::Lost(why)) => {
                self.process = None;
                Err(WorkerFault::Refused(why))
            }
            Ok(reply) => Ok(reply),
            Err(fault) => {
                self.process = None;
                Err(fault)
            }
        }
    }
}
