//! Builds the C table of a [`BenchmarkConfig`]: texts go through sinks, and panics become messages.
#![expect(unsafe_code, reason = "this is the boundary that hosts call through")]

use std::{
    any::Any,
    ffi::{CStr, c_char, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
};

use crate::{
    abi::{ABI_VERSION, Sink, Status, Table},
    author::{BenchmarkConfig, Configuration, Fault, Measured, Problem},
    document::Document,
};

/// Exports a [`BenchmarkConfig`] as a library's only benchmark. With a name, exports it as one of
/// several benchmarks, each in a module of its own.
#[macro_export]
macro_rules! export_benchmark {
    ($benchmark:ty) => {
        $crate::export_benchmark!(= "autobench_benchmark", $benchmark);
    };
    ($benchmark:ty, $name:literal) => {
        $crate::export_benchmark!(= concat!("autobench_benchmark_", $name), $benchmark);
    };
    (= $symbol:expr, $benchmark:ty) => {
        /// The table that hosts look up.
        #[unsafe(export_name = $symbol)]
        pub static AUTOBENCH_BENCHMARK: $crate::abi::Table = $crate::export::table::<$benchmark>();
    };
}

/// The table of a benchmark, for `export_benchmark!`. Code that does not depend on the author's
/// types is compiled once, not for every benchmark.
#[must_use]
pub const fn table<B: BenchmarkConfig + Default>() -> Table {
    Table {
        abi_version: ABI_VERSION,
        struct_size: size_of::<Table>() as u32,
        describe: Some(describe::<B>),
        footprint: Some(footprint::<B>),
        build: Some(build::<B>),
        reference: Some(reference),
        fill: Some(fill),
        analyze: Some(analyze),
        free: Some(free),
        build_stage: Some(build_stage::<B>),
        source: Some(source::<B>),
        reference_for: Some(reference_for),
    }
}

struct Instance {
    benchmark: Box<dyn BenchmarkConfig>,
    problem: Problem,
}

/// What a function returns unless it fails.
enum Answer {
    Given,
    NotOffered,
}

fn write(sink: Sink, text: &str) {
    if let Some(write) = sink.write {
        // SAFETY: the host's callback takes its own context and any bytes for the call's time.
        unsafe { write(sink.context, text.as_ptr(), text.len()) };
    }
}

/// Runs an author's function and catches panics: a panic that crosses the boundary would abort the
/// host.
fn guarded(message: Sink, function: &mut dyn FnMut() -> Result<Answer, Fault>) -> Status {
    match catch_unwind(AssertUnwindSafe(function)) {
        Ok(Ok(Answer::Given)) => Status::OK,
        Ok(Ok(Answer::NotOffered)) => Status::UNSUPPORTED,
        Ok(Err(fault)) => {
            write(message, &fault.to_string());
            Status::FAILED
        }
        Err(panic) => {
            write(message, &format!("panicked: {}", panic_text(&*panic)));
            Status::FAILED
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("with something that is not a text")
}

/// The text at a pointer from the host.
///
/// # Safety
/// `text` is null or a zero-terminated text that lives for `'a`.
unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Fault> {
    if text.is_null() {
        return Err("the host gave no text".into());
    }
    // SAFETY: by this function's own contract.
    Ok(unsafe { CStr::from_ptr(text) }.to_str()?)
}

fn write_document(sink: Sink, document: &Document) -> Result<(), Fault> {
    write(sink, &serde_json::to_string(document)?);
    Ok(())
}

/// The parameter values at a pointer from the host.
///
/// # Safety
/// As for [`text`].
unsafe fn values(json: *const c_char) -> Result<Configuration, Fault> {
    // SAFETY: by this function's own contract.
    Ok(serde_json::from_str(unsafe { text(json)? })?)
}

/// The instance at a pointer from the host.
///
/// # Safety
/// `instance` is null or came from `build` and was not freed.
unsafe fn built<'a>(instance: *mut c_void) -> Result<&'a Instance, Fault> {
    // SAFETY: by this function's own contract.
    unsafe { instance.cast::<Instance>().as_ref() }.ok_or_else(|| "nothing was built".into())
}

/// The elements that the host asks for, as a slice to write to.
///
/// # Safety
/// `elements` points to `count` writable numbers.
unsafe fn elements<'a>(elements: *mut f64, count: u64) -> Result<&'a mut [f64], Fault> {
    if count == 0 {
        return Ok(&mut []);
    }
    if elements.is_null() {
        return Err("the host gave no room for the elements".into());
    }
    // SAFETY: by this function's own contract, and not null.
    Ok(unsafe { slice::from_raw_parts_mut(elements, usize::try_from(count)?) })
}

unsafe extern "C" fn describe<B: BenchmarkConfig + Default>(
    document: Sink,
    message: Sink,
) -> Status {
    guarded(message, &mut || {
        write_document(document, &B::default().describe())?;
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn footprint<B: BenchmarkConfig + Default>(
    size: u64,
    configuration: *const c_char,
    bytes: *mut u64,
    message: Sink,
) -> Status {
    guarded(message, &mut || {
        // SAFETY: the host hands a zero-terminated text that outlives the call.
        let configuration = unsafe { values(configuration)? };
        let Some(total) = B::default().footprint(size, &configuration)? else {
            return Ok(Answer::NotOffered);
        };
        // SAFETY: the host hands room for one number.
        unsafe { bytes.write(total) };
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn source<B: BenchmarkConfig + Default>(
    name: *const c_char,
    size: u64,
    configuration: *const c_char,
    made: Sink,
    message: Sink,
) -> Status {
    guarded(message, &mut || {
        // SAFETY: the host hands zero-terminated texts that outlive the call.
        let (name, configuration) = unsafe { (text(name)?, values(configuration)?) };
        write(made, &B::default().source(name, size, &configuration)?);
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn build<B: BenchmarkConfig + Default>(
    size: u64,
    seed: u64,
    instance: *mut *mut c_void,
    message: Sink,
) -> Status {
    guarded(message, &mut || {
        let made = make::<B>(&|document| Ok(Problem::new(document, size, seed)))?;
        // SAFETY: the host hands room for one pointer.
        unsafe { instance.write(made) };
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn build_stage<B: BenchmarkConfig + Default>(
    size: u64,
    seed: u64,
    stage: *const c_char,
    instance: *mut *mut c_void,
    message: Sink,
) -> Status {
    guarded(message, &mut || {
        // SAFETY: the host hands a zero-terminated text that outlives the call.
        let stage = unsafe { text(stage)? };
        let made = make::<B>(&|document| Problem::of_stage(&document, stage, size, seed))?;
        // SAFETY: the host hands room for one pointer.
        unsafe { instance.write(made) };
        Ok(Answer::Given)
    })
}

fn make<B: BenchmarkConfig + Default>(
    problem: &dyn Fn(Document) -> Result<Problem, Fault>,
) -> Result<*mut c_void, Fault> {
    let mut benchmark = Box::new(B::default());
    let problem = problem(benchmark.describe())?;
    benchmark.build(&problem)?;
    Ok(Box::into_raw(Box::new(Instance { benchmark, problem })).cast())
}

unsafe extern "C" fn reference(
    instance: *mut c_void,
    output: u32,
    indices: *const u64,
    count: u64,
    out: *mut f64,
    message: Sink,
) -> Status {
    guarded(message, &mut || {
        // SAFETY: the host hands back what `build` gave.
        let Instance { benchmark, problem } = unsafe { built(instance)? };
        // SAFETY: the host hands room for `count` numbers, and as many indices.
        unsafe { answered(&**benchmark, problem, output, indices, (out, count)) }
    })
}

unsafe extern "C" fn reference_for(
    instance: *mut c_void,
    answer: *const c_char,
    output: u32,
    indices: *const u64,
    count: u64,
    out: *mut f64,
    message: Sink,
) -> Status {
    guarded(message, &mut || {
        // SAFETY: the host hands back what `build` gave.
        let Instance { benchmark, problem } = unsafe { built(instance)? };
        // SAFETY: the host hands a zero-terminated text that outlives the call.
        let answer = unsafe { values(answer)? };
        let problem = problem.answering(answer);
        // SAFETY: the host hands room for `count` numbers, and as many indices.
        unsafe { answered(&**benchmark, &problem, output, indices, (out, count)) }
    })
}

/// Lets the author's `reference` write the elements that the host asks for.
///
/// # Safety
/// `indices` points to as many numbers as `out` has room for.
unsafe fn answered(
    benchmark: &dyn BenchmarkConfig,
    problem: &Problem,
    output: u32,
    indices: *const u64,
    (out, count): (*mut f64, u64),
) -> Result<Answer, Fault> {
    let name = problem.name(output).ok_or("there is no such argument")?;
    // SAFETY: by this function's own contract.
    let out = unsafe { elements(out, count)? };
    let indices = if out.is_empty() {
        &[]
    } else {
        // SAFETY: by this function's own contract.
        unsafe { slice::from_raw_parts(indices, out.len()) }
    };
    benchmark.reference(problem, name, indices, out)?;
    Ok(Answer::Given)
}

unsafe extern "C" fn fill(
    instance: *mut c_void,
    argument: u32,
    first: u64,
    count: u64,
    out: *mut f64,
    message: Sink,
) -> Status {
    guarded(message, &mut || {
        // SAFETY: the host hands back what `build` gave.
        let Instance { benchmark, problem } = unsafe { built(instance)? };
        let name = problem.name(argument).ok_or("there is no such argument")?;
        // SAFETY: the host hands room for `count` numbers.
        benchmark.fill(problem, name, first, unsafe { elements(out, count)? })?;
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn analyze(
    instance: *mut c_void,
    measurement: *const c_char,
    primary: *mut f64,
    secondary: *mut f64,
    message: Sink,
) -> Status {
    guarded(message, &mut || {
        // SAFETY: the host hands back what `build` gave.
        let Instance { benchmark, problem } = unsafe { built(instance)? };
        // SAFETY: the host hands a zero-terminated text that outlives the call.
        let measured: Measured = serde_json::from_str(unsafe { text(measurement)? })?;
        let Some((first, second)) = benchmark.analyze_results(problem, &measured) else {
            return Ok(Answer::NotOffered);
        };
        // SAFETY: the host hands room for one number each.
        unsafe {
            primary.write(first);
            secondary.write(second);
        }
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn free(instance: *mut c_void) {
    if !instance.is_null() {
        // SAFETY: the host hands back, once, what `build` gave.
        let made = unsafe { Box::from_raw(instance.cast::<Instance>()) };
        // A panicking destructor leaks what is left, but the panic must not cross the boundary.
        drop(catch_unwind(AssertUnwindSafe(|| drop(made))));
    }
}
