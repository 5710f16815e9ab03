//! From a described benchmark to what trials need: a configuration at a size as a workload, and
//! the benchmark's own code for a size and a seed as an instance.

use std::{collections::BTreeMap, fmt::Write as _};

use super::workload::{ArgumentSpec, Content, Instance, LaunchSpec, Stop, Workload};
use crate::{
    backends::CompileJob,
    plugins::{self, ArgumentPlan, Benchmark, CompileParts, FormulaFault, Geometry, Reference},
    records::Named,
};

/// What the plugin built, and for what.
#[derive(Debug)]
pub(super) struct Held {
    /// The problem size.
    pub(super) size: u64,
    /// The seed of the inputs.
    pub(super) seed: u64,
    /// Missing for benchmarks that are a document alone.
    pub(super) built: Option<plugins::Instance>,
}

/// The benchmark's own code for a size and a seed.
#[derive(Debug)]
pub(super) struct Described<'a> {
    pub(super) benchmark: &'a Benchmark,
    pub(super) held: &'a Held,
}

impl Instance for Described<'_> {
    fn reference(&mut self, output: usize, indices: &[u64]) -> Result<Option<Vec<f64>>, String> {
        let Held { size, seed, built } = self.held;
        let reference = Reference::new(self.benchmark, built.as_ref(), *size, *seed)
            .map_err(|fault| fault.to_string())?;
        if reference.is_on_device() {
            return Ok(None);
        }
        let name = &self.benchmark.document().arguments[output].name;
        reference.elements(name, indices).map(Some).map_err(|fault| fault.to_string())
    }

    fn reference_run(&mut self) -> Result<Option<Workload>, Stop> {
        let Held { size, seed, built } = self.held;
        let reference = Reference::new(self.benchmark, built.as_ref(), *size, *seed)
            .map_err(|fault| Stop::run(fault.to_string()))?;
        if !reference.is_on_device() {
            return Ok(None);
        }
        let precise = self.benchmark.most_precise();
        let kernel =
            self.benchmark.reference_kernel(*size, &precise).map_err(|fault| refused(&fault))?;
        let Some((parts, geometry, arguments)) = kernel else {
            return workload(self.benchmark, *size, &precise).map(Some);
        };
        Ok(Some(Workload {
            size: *size,
            configuration: precise.clone(),
            job: job(parts),
            arguments: arguments_of(self.benchmark, *size, &precise)?,
            launches: vec![launch(geometry, arguments)],
        }))
    }

    fn fill(&mut self, argument: usize, first: u64, elements: &mut [f64]) -> Result<(), String> {
        let built = self.held.built.as_ref().ok_or("only a plugin can fill it")?;
        let position = u32::try_from(argument).map_err(|error| error.to_string())?;
        built.fill(position, first, elements).map_err(|fault| fault.to_string())
    }

    fn metrics(
        &mut self,
        configuration: &Named,
        seconds: f64,
        seen: &BTreeMap<String, f64>,
    ) -> Result<BTreeMap<String, f64>, String> {
        let mut metrics = self.benchmark.metrics(seconds, self.held.size, configuration, seen);
        self.derive(configuration, seconds, &mut metrics)?;
        Ok(metrics)
    }
}

impl Described<'_> {
    /// Puts what the plugin itself derives in the place of what the document's formulas say;
    /// whether it derives anything.
    pub(super) fn derive(
        &self,
        configuration: &Named,
        seconds: f64,
        metrics: &mut BTreeMap<String, f64>,
    ) -> Result<bool, String> {
        let Some(built) = &self.held.built else { return Ok(false) };
        let own = built
            .analyze(self.held.size, seconds, configuration, metrics)
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

/// A configuration at a size, as a device takes it.
pub(super) fn workload(
    benchmark: &Benchmark,
    size: u64,
    configuration: &Named,
) -> Result<Workload, Stop> {
    let parts = benchmark.compile_parts(size, configuration).map_err(|fault| refused(&fault))?;
    let launches = (0..parts.entries.len())
        .map(|at| {
            let geometry = benchmark.geometry(at, size, configuration)?;
            Ok(launch(geometry, benchmark.launch_arguments(at)))
        })
        .collect::<Result<_, FormulaFault>>()
        .map_err(|fault| refused(&fault))?;
    let arguments = arguments_of(benchmark, size, configuration)?;
    let configuration = configuration.clone();
    Ok(Workload { size, configuration, job: job(parts), arguments, launches })
}

/// The exact source, macros, flags and geometry of a configuration, for people.
pub(super) fn explain(
    benchmark: &Benchmark,
    size: u64,
    configuration: &Named,
    compiled: &str,
) -> Result<String, Stop> {
    let workload = workload(benchmark, size, configuration)?;
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

/// The outcome of a configuration whose formulas have no value.
fn refused(fault: &FormulaFault) -> Stop {
    Stop::invalid(fault.to_string())
}

fn job(parts: CompileParts) -> CompileJob {
    let CompileParts { sources, macros, entries, blocks } = parts;
    CompileJob { sources, macros, entries, blocks }
}

fn launch(geometry: Geometry, arguments: Vec<usize>) -> LaunchSpec {
    let Geometry { grid, block, shared_bytes } = geometry;
    LaunchSpec { grid, block, shared_bytes, arguments }
}

fn arguments_of(
    benchmark: &Benchmark,
    size: u64,
    configuration: &Named,
) -> Result<Vec<ArgumentSpec>, Stop> {
    let plans = benchmark.shapes(size, configuration).map_err(|fault| refused(&fault))?;
    Ok(plans.into_iter().map(argument).collect())
}

fn argument(plan: ArgumentPlan) -> ArgumentSpec {
    let ArgumentPlan { name, role, element, extents, value, fill, .. } = plan;
    let content = match value {
        Some(value) => {
            let mut bytes = Vec::new();
            element.encode(&[value], &mut bytes);
            Content::Scalar(bytes)
        }
        None => Content::Buffer { shape: extents, fill },
    };
    ArgumentSpec { name, role, element, content }
}
