//! The values of an output, for users who want to see a result.

use device::workload::Workload;
use records::Costs;

use super::{
    benchmark_code::BenchmarkCode,
    checked::{self, ResultCheck},
    trial::Bench,
    trial_failure::TrialFailure,
};

impl Bench<'_> {
    /// Does one checked run. Returns all elements of an output.
    pub(super) fn output(
        &mut self,
        workload: &Workload,
        code: &mut dyn BenchmarkCode,
        (result_check, seed): (ResultCheck, u64),
        name: &str,
    ) -> Result<Vec<f64>, TrialFailure> {
        let costs = &mut Costs::default();
        let ready = self.ready(workload, code, (result_check, seed), true, costs)?;
        let outputs = checked::outputs(self.arena, (workload, &ready.placement), 0);
        let Some((_, argument, buffer)) = outputs.iter().find(|(_, a, _)| a.name == name) else {
            return Err(TrialFailure::run(format!("no output named `{name}`")));
        };
        let indices: Vec<u64> = (0..argument.count().unwrap_or(0)).collect();
        Ok(self.device.gather(*buffer, argument.element, &indices)?)
    }
}
