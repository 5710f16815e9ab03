//! The checked run, before any timing: the result must be complete, free of NaN and right, and the
//! kernel must have written only its outputs.

use std::{collections::BTreeMap, time::Instant};

use autobench_sdk::document::{ErrorBound, Role};
use device::{
    BoundLaunch, Buffer, Device, JudgedOutput, Kernel, OwnResults,
    workload::{Argument, Content, Workload},
};
use records::settings::Verification;
use space::accuracy::{Coverage, Element, ErrorMetric, worst_element};

use super::{
    Checking,
    arena::{Arena, Placement},
    benchmark_code::{BenchmarkCode, Pairs},
    process_state::ProcessState,
    references::References,
    trial_failure::TrialFailure,
};

/// How a result is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ResultCheck {
    /// `None` if a guest computes an error of its own.
    pub(super) metric: Option<ErrorMetric>,
    /// Results with larger errors break the benchmark's bound.
    bound: f64,
    /// Results with larger errors are wrong.
    pub(super) wrong_line: f64,
    /// Which elements are compared. `None` checks only completeness and NaN.
    pub(super) coverage: Option<Coverage>,
}

impl ResultCheck {
    /// The check of a plan, for a benchmark's metric and its limits of the error.
    pub(super) fn new(
        checking: &Checking,
        metric: impl Into<Option<ErrorMetric>>,
        limits: &ErrorBound,
    ) -> Self {
        let metric = metric.into();
        let coverage = match checking.verification {
            Verification::Off => None,
            Verification::Sampled => Some(Coverage::Sampled),
            Verification::Thorough => Some(Coverage::Thorough),
        };
        Self { metric, bound: limits.bound, wrong_line: limits.wrong_line(), coverage }
    }

    /// Checks only completeness and NaN, for a run that is itself the reference.
    pub(super) fn unjudged() -> Self {
        let (bound, wrong_line) = (f64::MAX, f64::MAX);
        Self { metric: Some(ErrorMetric::Max), bound, wrong_line, coverage: None }
    }
}

/// Position, argument and buffer of an output, in the slot that a run uses.
pub(super) type Output<'a> = (usize, &'a Argument, Buffer);

pub(super) fn outputs<'a>(
    arena: &Arena,
    (workload, placement): (&'a Workload, &Placement),
    slot: u32,
) -> Vec<Output<'a>> {
    workload
        .arguments
        .iter()
        .enumerate()
        .filter(|(_, argument)| argument.is_checked())
        .filter_map(|(at, argument)| Some((at, argument, arena.buffer(placement, at)?.at(slot))))
        .collect()
}

/// Overwrites `out` arguments with a pattern that no kernel writes by accident.
pub(super) fn poison(device: &mut dyn Device, outputs: &[Output<'_>]) -> Result<(), TrialFailure> {
    for (_, argument, buffer) in outputs.iter().filter(|(_, a, _)| a.role == Role::Out) {
        device.poison(*buffer, argument.element, argument.count().unwrap_or(0))?;
    }
    Ok(())
}

/// Errors of a result against its reference. The worst output counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ResultErrors {
    /// Error in the benchmark's own metric; `None` if there is no reference.
    pub(super) error: Option<f64>,
    /// Other errors, by name.
    pub(super) further: BTreeMap<String, f64>,
}

impl ResultErrors {
    fn add(&mut self, error: f64, further: Vec<(String, f64)>) {
        self.error = Some(self.error.map_or(error, |known| known.max(error)));
        for (name, error) in further {
            let worst = self.further.entry(name).or_insert(error);
            *worst = if error.is_nan() || worst.is_nan() { f64::NAN } else { worst.max(error) };
        }
    }
}

/// Does one checked run. Returns the errors against the reference.
pub(super) fn run(
    device: &mut dyn Device,
    arena: &mut Arena,
    references: &mut References,
    code: &mut dyn BenchmarkCode,
    (workload, placement): (&Workload, &Placement),
    (kernel, launches): (Kernel, &[BoundLaunch]),
    (result_check, seed): (ResultCheck, u64),
) -> Result<ResultErrors, TrialFailure> {
    arena.restore_first(device, placement)?;
    let outputs = outputs(arena, (workload, placement), 0);
    poison(device, &outputs)?;
    let before = device.runs_here().then(ProcessState::now);
    let own = match result_check.coverage {
        Some(coverage) => device.results(kernel, seed, coverage == Coverage::Thorough)?,
        None => None,
    };
    if let Some(results) = own {
        return judge(code, result_check, results);
    }
    device.run(kernel, launches)?;
    if let Some(before) = before {
        ProcessState::now().unchanged_since(&before)?;
    }
    intact(device, arena, workload, placement)?;
    let start = Instant::now();
    let errors =
        compare(device, references, code, workload, &outputs, (result_check, seed), usize::MAX);
    references.compared_since(start);
    errors
}

/// Compares `SPOTS` elements of every output, and scans for elements that were never written.
pub(super) fn spot_check(
    device: &mut dyn Device,
    references: &mut References,
    code: &mut dyn BenchmarkCode,
    workload: &Workload,
    outputs: &[Output<'_>],
    (result_check, seed): (ResultCheck, u64),
) -> Result<(), TrialFailure> {
    /// Enough elements to see whether the run used this copy.
    const SPOTS: usize = 4096;
    compare(device, references, code, workload, outputs, (result_check, seed), SPOTS).map(drop)
}

/// Fails if an output is incomplete or wrong. Returns the errors, over at most `most` elements of
/// each output.
fn compare(
    device: &mut dyn Device,
    references: &mut References,
    code: &mut dyn BenchmarkCode,
    workload: &Workload,
    outputs: &[Output<'_>],
    (result_check, seed): (ResultCheck, u64),
    most: usize,
) -> Result<ResultErrors, TrialFailure> {
    let mut errors = ResultErrors::default();
    for (at, argument, buffer) in outputs {
        complete(device, argument, *buffer)?;
        if let Some(coverage) = result_check.coverage
            && let Content::Buffer { shape, .. } = &argument.content
            && let Some(expected) = references.get(workload, *at, shape, coverage, seed, code)?
        {
            let part = (expected.set.indices.len() > most).then(|| expected.spots(most));
            let expected = part.as_ref().unwrap_or(&*expected);
            let found = device.gather(*buffer, argument.element, &expected.set.indices)?;
            let indices = &expected.set.indices;
            let pairs = Pairs { indices, found: &found, expected: &expected.values };
            let output = (argument.name.as_str(), argument.element);
            errors.add(right(result_check, output, &pairs)?, code.errors(&argument.name, &pairs));
        }
    }
    Ok(errors)
}

/// Judges results of a device that keeps its own data. Returns their errors.
fn judge(
    code: &mut dyn BenchmarkCode,
    result_check: ResultCheck,
    results: OwnResults,
) -> Result<ResultErrors, TrialFailure> {
    let mut errors = ResultErrors::default();
    for JudgedOutput { name, indices, found, expected } in results.outputs {
        let spoilt = |(found, right): (&f64, &f64)| found.is_nan() && !right.is_nan();
        if let Some(first) = found.iter().zip(&expected).position(spoilt) {
            let first = indices[first];
            return Err(TrialFailure::wrong(format!("`{name}[{first}]` is not a finite number")));
        }
        let pairs = Pairs { indices: &indices, found: &found, expected: &expected };
        // The guest does not say in which format it computes.
        let error = right(result_check, (&name, Element::F32), &pairs)?;
        errors.add(error, code.errors(&name, &pairs));
    }
    for (name, error) in results.errors {
        if name != "error" {
            errors.further.insert(name, error);
        } else if is_wrong(result_check, error) {
            let bound = result_check.bound;
            let why =
                format!("the guest computed an error of {error:.3e}, and its bound is {bound:e}");
            return Err(TrialFailure::wrong(why));
        } else {
            errors.add(error, Vec::new());
        }
    }
    Ok(errors)
}

fn is_wrong(result_check: ResultCheck, error: f64) -> bool {
    error.is_nan() || error > result_check.wrong_line || error.is_infinite()
}

/// The error of an output, which fails if the output is wrong.
fn right(
    result_check: ResultCheck,
    output: (&str, Element),
    pairs: &Pairs<'_>,
) -> Result<f64, TrialFailure> {
    let Some(metric) = result_check.metric else {
        let why = "the guest gave outputs, and has an error of its own that it must give instead";
        return Err(TrialFailure::run(why));
    };
    let error = metric.of(pairs.found, pairs.expected);
    match is_wrong(result_check, error) {
        true => {
            let bound = result_check.bound;
            Err(TrialFailure::wrong(verdict((metric, bound), error, output, pairs)))
        }
        false => Ok(error),
    }
}

/// Fails if a guard zone or an input has changed. The reason names the argument.
pub(super) fn intact(
    device: &mut dyn Device,
    arena: &mut Arena,
    workload: &Workload,
    placement: &Placement,
) -> Result<(), TrialFailure> {
    device.guards().map_err(|found| {
        arena.distrust();
        let found = arena.in_names(&found, workload, placement);
        TrialFailure::run(format!("it wrote outside its buffers: {found}"))
    })?;
    arena.inspect(device, workload, placement)
}

/// Fails unless every element of an output was written and none is NaN.
fn complete(
    device: &mut dyn Device,
    argument: &Argument,
    buffer: Buffer,
) -> Result<(), TrialFailure> {
    let count = argument.count().unwrap_or(0);
    let scan = device.scan(buffer, argument.element, count)?;
    let name = &argument.name;
    // An 8-bit poison pattern may be a right value. Only the comparison with the reference can
    // tell.
    let tells = argument.role == Role::Out && argument.element.bytes() > 1;
    if tells && scan.poisoned > 0 {
        return Err(TrialFailure::wrong(format!(
            "{} of {count} elements of `{name}` were never written, the first at index {}",
            scan.poisoned, scan.first_poisoned
        )));
    }
    if scan.nans > 0 {
        return Err(TrialFailure::wrong(format!(
            "{} of {count} elements of `{name}` are NaN, the first at index {}",
            scan.nans, scan.first_nan
        )));
    }
    Ok(())
}

fn verdict(
    (metric, bound): (ErrorMetric, f64),
    error: f64,
    (name, element): (&str, Element),
    Pairs { indices, found, expected }: &Pairs<'_>,
) -> String {
    let mut text = format!("{metric} of `{name}` is {error:.3e}, and its bound is {bound:e}");
    if let Some(worst) = worst_element(found, expected) {
        let wrong = found.iter().zip(*expected).filter(|(x, r)| differs(**x, **r, element));
        text += &format!(
            "; `{name}[{}]` is {} and should be {} ({} of {} compared elements differ)",
            indices[worst.at],
            worst.found,
            worst.expected,
            wrong.count(),
            found.len()
        );
    }
    text
}

/// Whether an element is further from its reference than rounding explains.
fn differs(found: f64, expected: f64, element: Element) -> bool {
    let rounding = match element {
        Element::F64 => 1e-12,
        Element::F32 => 1e-4,
        Element::Tf32 | Element::F16 | Element::Bf16 => 5e-2,
        Element::E4m3 | Element::E5m2 => 0.5,
        _ => 0.0,
    };
    let distance = (found - expected).abs();
    distance.is_nan() || distance > rounding * expected.abs()
}
