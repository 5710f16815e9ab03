//! What a benchmark's own code gives for one size and seed, beside what its document says.

use std::{collections::BTreeMap, fmt::Write as _};

use super::stop::Stop;
use crate::{
    plugins::{Benchmark, FormulaFault, PluginInstance, Reference},
    records::Named,
    workload::Workload,
};

/// What the benchmark's own code gives for one size and seed.
pub(super) trait BenchmarkCode {
    /// The exact elements of an output at these indices, or `None` when only a run on the device
    /// can give them.
    fn reference(&mut self, output: usize, indices: &[u64]) -> Result<Option<Vec<f64>>, String>;
    /// The run whose outputs are the right answers, where the benchmark has no other.
    fn reference_run(&mut self) -> Result<Option<Workload>, Stop>;
    /// Elements `first ..` of an argument that the plugin fills.
    fn fill(&mut self, argument: usize, first: u64, elements: &mut [f64]) -> Result<(), String>;
    /// What is derived from the seconds per run and what observers saw, by name.
    fn metrics(
        &mut self,
        configuration: &Named,
        seconds: f64,
        seen: &BTreeMap<String, f64>,
    ) -> Result<BTreeMap<String, f64>, String>;
}

/// What the plugin built, and for what.
#[derive(Debug)]
pub(super) struct BuiltProblem {
    /// The problem size.
    pub(super) size: u64,
    /// The seed of the inputs.
    pub(super) seed: u64,
    /// Missing for benchmarks that are a document alone.
    pub(super) built: Option<PluginInstance>,
}

/// The benchmark's own code for a size and a seed.
#[derive(Debug)]
pub(super) struct BuiltBenchmark<'a> {
    pub(super) benchmark: &'a Benchmark,
    pub(super) problem: &'a BuiltProblem,
}

impl BenchmarkCode for BuiltBenchmark<'_> {
    fn reference(&mut self, output: usize, indices: &[u64]) -> Result<Option<Vec<f64>>, String> {
        let BuiltProblem { size, seed, built } = self.problem;
        let reference = Reference::new(self.benchmark, built.as_ref(), *size, *seed)
            .map_err(|fault| fault.to_string())?;
        if reference.is_on_device() {
            return Ok(None);
        }
        let name = &self.benchmark.document().arguments[output].name;
        reference.elements(name, indices).map(Some).map_err(|fault| fault.to_string())
    }

    fn reference_run(&mut self) -> Result<Option<Workload>, Stop> {
        let BuiltProblem { size, seed, built } = self.problem;
        let reference = Reference::new(self.benchmark, built.as_ref(), *size, *seed)
            .map_err(|fault| Stop::run(fault.to_string()))?;
        if !reference.is_on_device() {
            return Ok(None);
        }
        let precise = self.benchmark.most_precise();
        match self.benchmark.reference_workload(*size, &precise)? {
            None => Ok(Some(self.benchmark.workload(*size, &precise)?)),
            kernel => Ok(kernel),
        }
    }

    fn fill(&mut self, argument: usize, first: u64, elements: &mut [f64]) -> Result<(), String> {
        let built = self.problem.built.as_ref().ok_or("only a plugin can fill it")?;
        let position = u32::try_from(argument).map_err(|error| error.to_string())?;
        built.fill(position, first, elements).map_err(|fault| fault.to_string())
    }

    fn metrics(
        &mut self,
        configuration: &Named,
        seconds: f64,
        seen: &BTreeMap<String, f64>,
    ) -> Result<BTreeMap<String, f64>, String> {
        let mut metrics = self.benchmark.metrics(seconds, self.problem.size, configuration, seen);
        self.derive(configuration, seconds, &mut metrics)?;
        Ok(metrics)
    }
}

impl BuiltBenchmark<'_> {
    /// Puts what the plugin itself derives in the place of what the document's formulas say;
    /// whether it derives anything.
    pub(super) fn derive(
        &self,
        configuration: &Named,
        seconds: f64,
        metrics: &mut BTreeMap<String, f64>,
    ) -> Result<bool, String> {
        let Some(built) = &self.problem.built else { return Ok(false) };
        let own = built
            .analyze(self.problem.size, seconds, configuration, metrics)
            .map_err(|fault| fault.to_string())?;
        let Some((primary, secondary)) = own else { return Ok(false) };
        let document = self.benchmark.document();
        for (name, value) in [(&document.primary, primary), (&document.secondary, secondary)] {
            // Seconds are what was measured, whatever a plugin makes of them.
            if name != "seconds" {
                metrics.insert(name.clone(), value);
            }
        }
        Ok(true)
    }
}

/// The exact source, macros, flags and geometry of a configuration, for people.
pub(super) fn explain(
    benchmark: &Benchmark,
    size: u64,
    configuration: &Named,
    compiled: &str,
) -> Result<String, FormulaFault> {
    let workload = benchmark.workload(size, configuration)?;
    let mut text = format!("// {} at size {size}: {configuration}\n", benchmark.name());
    let _ = writeln!(text, "// compiled by: {compiled}");
    for (entry, launch) in workload.job.entries.iter().zip(&workload.launches) {
        let triple = |of: [u32; 3]| format!("({}, {}, {})", of[0], of[1], of[2]);
        let _ = writeln!(
            text,
            "// {entry}<<<{}, {}, {}>>>",
            triple(launch.grid),
            triple(launch.block),
            launch.shared_bytes
        );
    }
    for (name, value) in &workload.job.macros {
        let _ = writeln!(text, "#define {name} {value}");
    }
    for (name, source) in &workload.job.sources {
        let _ = write!(text, "#line 1 \"{name}\"\n{source}");
        if !source.ends_with('\n') {
            text.push('\n');
        }
    }
    Ok(text)
}
