//! What a benchmark computes for a size and a seed: references, inputs, metrics.

use std::{collections::BTreeMap, fmt::Write as _};

use autobench_sdk::{document::Fill, inputs};
use device::workload::{Content, Workload};
use plugins::{
    Benchmark, ComparedOutput, FormulaFault, NamedError, PluginInstance, Reference, with_answer,
};
use records::{
    Named,
    sinks::{c_comment, c_string},
};
use space::accuracy::{Compared, ErrorMetric};

use super::trial_failure::TrialFailure;

pub(super) trait BenchmarkCode {
    /// Exact elements of an output at these indices; `None` if only a run on the device gives them.
    /// `answer` is that of the workload.
    fn reference(
        &mut self,
        output: usize,
        indices: &[u64],
        answer: &str,
    ) -> Result<Option<Vec<f64>>, String>;
    /// The workload whose outputs are the reference, if the benchmark has no other reference.
    fn reference_run(&mut self, answer: &str) -> Result<Option<Workload>, TrialFailure>;
    /// Fills elements `first ..` of an argument that the plugin generates.
    fn fill(&mut self, argument: usize, first: u64, elements: &mut [f64]) -> Result<(), String>;
    /// Errors of an output by name, in addition to the error that is bounded.
    fn errors(&mut self, output: &str, pairs: &Pairs<'_>) -> Vec<(String, f64)>;
    /// Metrics by name, derived from the seconds per run and the observers' values.
    fn metrics(
        &mut self,
        configuration: &Named,
        seconds: f64,
        seen: &BTreeMap<String, f64>,
    ) -> Result<BTreeMap<String, f64>, String>;
}

#[derive(Debug)]
pub(super) struct BuiltProblem {
    pub(super) size: u64,
    pub(super) seed: u64,
    /// `None` for benchmarks without a plugin.
    pub(super) built: Option<PluginInstance>,
}

/// Elements of an output with their reference values.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    /// Flat indices.
    pub(super) indices: &'a [u64],
    pub(super) found: &'a [f64],
    pub(super) expected: &'a [f64],
}

#[derive(Debug)]
pub(super) struct BuiltBenchmark<'a> {
    pub(super) benchmark: &'a Benchmark,
    /// Errors that are computed in addition to the error that is bounded.
    pub(super) errors: &'a [NamedError],
    pub(super) problem: &'a BuiltProblem,
}

impl BenchmarkCode for BuiltBenchmark<'_> {
    fn reference(
        &mut self,
        output: usize,
        indices: &[u64],
        answer: &str,
    ) -> Result<Option<Vec<f64>>, String> {
        let BuiltProblem { size, seed, built } = self.problem;
        let reference = Reference::new(self.benchmark, built.as_ref(), *size, *seed, answer)
            .map_err(|fault| fault.to_string())?;
        if reference.is_on_device() {
            return Ok(None);
        }
        let name = &self.benchmark.document().arguments[output].name;
        reference.elements(name, indices).map(Some).map_err(|fault| fault.to_string())
    }

    fn reference_run(&mut self, answer: &str) -> Result<Option<Workload>, TrialFailure> {
        let BuiltProblem { size, seed, built } = self.problem;
        let reference = Reference::new(self.benchmark, built.as_ref(), *size, *seed, answer)
            .map_err(|fault| TrialFailure::run(fault.to_string()))?;
        if !reference.is_on_device() {
            return Ok(None);
        }
        let precise = with_answer(self.benchmark.most_precise(), answer);
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

    fn errors(&mut self, name: &str, pairs: &Pairs<'_>) -> Vec<(String, f64)> {
        if self.errors.is_empty() {
            return Vec::new();
        }
        let Pairs { indices, found, expected } = *pairs;
        let metrics: Vec<ErrorMetric> = self.errors.iter().filter_map(NamedError::metric).collect();
        let sums = Compared::of(found, expected, &metrics);
        let size = self.problem.size;
        let output = ComparedOutput { name, indices, found, expected, size };
        let of = |error: &NamedError| {
            let value = match error.against(name) {
                None => error.of(output, &sums)?,
                Some(against) => match self.inputs(against, indices) {
                    Ok(expected) => {
                        let sums = Compared::of(found, &expected, &metrics);
                        error.of(ComparedOutput { expected: &expected, ..output }, &sums)?
                    }
                    Err(_) => f64::NAN,
                },
            };
            Some((error.name().to_owned(), value))
        };
        self.errors.iter().filter_map(of).collect()
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
    /// Elements of an input at ascending indices, before they are rounded to its format.
    fn inputs(&self, argument: &str, indices: &[u64]) -> Result<Vec<f64>, String> {
        let BuiltProblem { size, seed, built } = self.problem;
        let arguments = self.benchmark.arguments(*size, &self.benchmark.defaults());
        let arguments = arguments.map_err(|fault| fault.to_string())?;
        let at = arguments.iter().position(|known| known.name == argument);
        let at = at.ok_or("there is no such argument")?;
        let position = u32::try_from(at).map_err(|error| error.to_string())?;
        let Content::Buffer { fill, .. } = &arguments[at].content else {
            return Err("it is no buffer".to_owned());
        };
        if *fill != Fill::Plugin {
            let count = arguments[at].count().unwrap_or(0);
            let element = |&index| inputs::element(fill, *seed, position, index, count);
            return Ok(indices.iter().map(element).collect());
        }
        let built = built.as_ref().ok_or("only a plugin can fill it")?;
        let mut elements = vec![f64::NAN; indices.len()];
        let mut rest = &mut elements[..];
        for run in indices.chunk_by(|a, b| a + 1 == *b) {
            let (these, others) = rest.split_at_mut(run.len());
            built.fill(position, run[0], these).map_err(|fault| fault.to_string())?;
            rest = others;
        }
        Ok(elements)
    }

    /// Replaces metrics by those that the plugin derives. Returns whether it derives any.
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
            // Seconds are measured, never derived.
            if name != "seconds" {
                metrics.insert(name.clone(), value);
            }
        }
        Ok(true)
    }
}

/// Source, macros, flags and geometry of a configuration, as text for people.
pub(super) fn explain(
    benchmark: &Benchmark,
    size: u64,
    configuration: &Named,
    compiled: &str,
) -> Result<String, FormulaFault> {
    let workload = benchmark.workload(size, configuration)?;
    let mut text = String::new();
    let mut comment = |line: String| {
        let _ = writeln!(text, "// {}", c_comment(&line));
    };
    comment(format!("{} at size {size}: {configuration}", benchmark.name()));
    comment(format!("compiled by: {compiled}"));
    for (entry, launch) in workload.job.entries.iter().zip(&workload.launches) {
        let triple = |of: [u32; 3]| format!("({}, {}, {})", of[0], of[1], of[2]);
        let (grid, block) = (triple(launch.grid), triple(launch.block));
        comment(format!("{entry}<<<{grid}, {block}, {}>>>", launch.shared_bytes));
    }
    let once = workload.job.entries.len();
    if workload.launches.len() > once {
        comment(format!("all of these {} times", workload.launches.len() / once.max(1)));
    }
    if !workload.job.options.is_empty() {
        comment(format!("options of the benchmark: {}", workload.job.options.join(" ")));
    }
    for (name, value) in &workload.job.macros {
        let _ = writeln!(text, "#define {name} {value}");
    }
    for (name, source) in &workload.job.sources {
        let _ = write!(text, "#line 1 {}\n{source}", c_string(name));
        if !source.ends_with('\n') {
            text.push('\n');
        }
    }
    Ok(text)
}
