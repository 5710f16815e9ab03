//! Compiled and loaded kernels, by what they were compiled from.

use std::collections::{HashMap, VecDeque};

use super::trial_failure::TrialFailure;
use crate::{
    backends::{CompileFault, Device, Kernel},
    records::Status,
    workload::CompileJob,
};

/// Most kernels kept; beyond them the oldest is dropped (the disk cache still has it).
const LOADED: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Kernels {
    known: HashMap<String, Result<Kernel, CompileFault>>,
    order: VecDeque<String>,
    /// Why the machine could not compile, since the last `take_lacking`.
    lacking: Option<String>,
}

impl Kernels {
    /// Compiles the unknown jobs together and returns their number.
    pub(super) fn compile(&mut self, device: &mut dyn Device, jobs: &[CompileJob]) -> usize {
        let mut fresh: Vec<(String, CompileJob)> = Vec::new();
        for job in jobs {
            let key = key(job);
            if !self.known.contains_key(&key) && fresh.iter().all(|(other, _)| *other != key) {
                fresh.push((key, job.clone()));
            }
        }
        let (keys, jobs): (Vec<String>, Vec<CompileJob>) = fresh.into_iter().unzip();
        if jobs.is_empty() {
            return 0;
        }
        let compiled = device.compile(&jobs);
        let count = keys.len();
        for (key, kernel) in keys.into_iter().zip(compiled) {
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
            self.order.push_back(key.clone());
            self.known.insert(key, kernel);
        }
        count
    }

    /// Why the machine could not compile since the last call, which says nothing about the sources.
    pub(super) fn take_lacking(&mut self) -> Option<String> {
        self.lacking.take()
    }

    /// Has the device compile unknown jobs beside its other work and returns their number; `None`
    /// where compiling would disturb it.
    pub(super) fn start(&self, device: &mut dyn Device, jobs: &[CompileJob]) -> Option<usize> {
        let fresh: Vec<CompileJob> =
            jobs.iter().filter(|job| !self.known.contains_key(&key(job))).cloned().collect();
        device.compile_ahead(&fresh).then_some(fresh.len())
    }

    /// Compiles a job alone if it was compiled together with others; returns whether it was.
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
        match self.known.get(&key(job)) {
            Some(Ok(kernel)) => Ok(device.load(*kernel).map(|()| *kernel)?),
            Some(Err(fault)) => Err(fault.clone().into()),
            None => Err(TrialFailure {
                status: Status::CompileFailed,
                reason: "the backend gave no kernel".to_owned(),
            }),
        }
    }
}

/// Tells jobs of one benchmark apart; their sources are the same.
fn key(job: &CompileJob) -> String {
    let mut key = String::new();
    for (name, value) in &job.macros {
        key.extend([name.as_str(), "=", value.as_str(), "\n"]);
    }
    for (entry, block) in job.entries.iter().zip(&job.blocks) {
        key.push_str(entry);
        key.extend(block.iter().flat_map(|threads| [",".to_owned(), threads.to_string()]));
    }
    key
}
