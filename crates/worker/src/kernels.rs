//! Compiled and loaded kernels, keyed by their compile jobs.

use std::collections::{HashMap, VecDeque};

use device::{CompileFault, Device, Kernel, workload::CompileJob};
use records::Status;

use super::trial_failure::TrialFailure;

/// Most kernels kept. Beyond that the oldest is dropped; the disk cache still has it.
const LOADED: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Kernels {
    known: HashMap<CompileJob, Result<Kernel, CompileFault>>,
    order: VecDeque<CompileJob>,
    /// Why the machine could not compile, if that happened since the last `take_lacking`.
    lacking: Option<String>,
}

impl Kernels {
    /// Compiles the unknown jobs together. Returns their number.
    pub(super) fn compile(&mut self, device: &mut dyn Device, jobs: &[CompileJob]) -> usize {
        let mut fresh: Vec<CompileJob> = Vec::new();
        for job in jobs {
            if !self.known.contains_key(job) && !fresh.contains(job) {
                fresh.push(job.clone());
            }
        }
        if fresh.is_empty() {
            return 0;
        }
        let compiled = device.compile(&fresh);
        let count = fresh.len();
        for (job, kernel) in fresh.into_iter().zip(compiled) {
            if let Err(CompileFault::Machine(why)) = kernel {
                self.lacking = Some(why);
                continue;
            }
            if self.order.len() >= LOADED
                && let Some(oldest) = self.order.pop_front()
                && let Some(Ok(kernel)) = self.known.remove(&oldest)
            {
                device.unload(kernel);
            }
            self.order.push_back(job.clone());
            self.known.insert(job, kernel);
        }
        count
    }

    /// Returns why the machine could not compile since the last call. That says nothing about the
    /// sources.
    pub(super) fn take_lacking(&mut self) -> Option<String> {
        self.lacking.take()
    }

    /// Has the device compile unknown jobs in the background. Returns their number; `None` if
    /// compiling would disturb the device.
    pub(super) fn start(&self, device: &mut dyn Device, jobs: &[CompileJob]) -> Option<usize> {
        let fresh: Vec<CompileJob> =
            jobs.iter().filter(|job| !self.known.contains_key(*job)).cloned().collect();
        device.compile_ahead(&fresh).then_some(fresh.len())
    }

    /// Compiles a job alone if it was compiled together with others. Returns whether it was.
    pub(super) fn compile_alone(&mut self, device: &mut dyn Device, job: &CompileJob) -> bool {
        match device.compile_alone(job) {
            Ok(apart) => apart,
            Err(CompileFault::Machine(why)) => {
                self.lacking = Some(why);
                false
            }
            // The error is reported when the job is measured.
            Err(CompileFault::Failed(_) | CompileFault::Invalid(_)) => false,
        }
    }

    pub(super) fn get(
        &mut self,
        device: &mut dyn Device,
        job: &CompileJob,
    ) -> Result<Kernel, TrialFailure> {
        self.compile(device, std::slice::from_ref(job));
        match self.known.get(job) {
            Some(Ok(kernel)) => Ok(device.load(*kernel).map(|()| *kernel)?),
            Some(Err(fault)) => Err(fault.clone().into()),
            None => Err(TrialFailure {
                status: Status::CompileFailed,
                reason: "the backend gave no kernel".to_owned(),
            }),
        }
    }
}
