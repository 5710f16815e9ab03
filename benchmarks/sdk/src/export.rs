//! From a [`BenchmarkConfig`] to the C table: texts through sinks, panics into messages.
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

/// Exports a [`BenchmarkConfig`] as the plugin's one symbol.
#[macro_export]
macro_rules! export_benchmark {
    ($benchmark:ty) => {
        /// The table that hosts look up.
        #[unsafe(export_name = "autobench_benchmark")]
        pub static AUTOBENCH_BENCHMARK: $crate::abi::Table = $crate::export::table::<$benchmark>();
    };
}

/// The table of a benchmark; `export_benchmark!` calls it.
#[must_use]
pub const fn table<B: BenchmarkConfig>() -> Table {
    Table {
        abi_version: ABI_VERSION,
        struct_size: size_of::<Table>() as u32,
        describe: Some(describe::<B>),
        footprint: Some(footprint::<B>),
        build: Some(build::<B>),
        reference: Some(reference::<B>),
        fill: Some(fill::<B>),
        analyze: Some(analyze::<B>),
        free: Some(free::<B>),
        build_stage: Some(build_stage::<B>),
        source: Some(source::<B>),
        reference_for: Some(reference_for::<B>),
    }
}

struct Instance<B> {
    benchmark: B,
    problem: Problem,
}

/// What a function answers, unless it fails.
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

/// Runs an author's function; a panic must not cross the boundary, where it would abort the host.
fn guarded(message: Sink, function: impl FnOnce() -> Result<Answer, Fault>) -> Status {
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

/// The text behind a pointer of the host.
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

/// The instance behind a pointer of the host.
///
/// # Safety
/// `instance` is null or came from `build::<B>` and was not freed.
unsafe fn built<'a, B>(instance: *mut c_void) -> Result<&'a Instance<B>, Fault> {
    // SAFETY: by this function's own contract.
    unsafe { instance.cast::<Instance<B>>().as_ref() }.ok_or_else(|| "nothing was built".into())
}

/// The elements that the host wants written.
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

unsafe extern "C" fn describe<B: BenchmarkConfig>(document: Sink, message: Sink) -> Status {
    guarded(message, || {
        write(document, &serde_json::to_string(&B::default().describe())?);
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn footprint<B: BenchmarkConfig>(
    size: u64,
    configuration: *const c_char,
    bytes: *mut u64,
    message: Sink,
) -> Status {
    guarded(message, || {
        // SAFETY: the host hands a zero-terminated text that outlives the call.
        let configuration: Configuration = serde_json::from_str(unsafe { text(configuration)? })?;
        let Some(total) = B::default().footprint(size, &configuration)? else {
            return Ok(Answer::NotOffered);
        };
        // SAFETY: the host hands room for one number.
        unsafe { bytes.write(total) };
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn source<B: BenchmarkConfig>(
    name: *const c_char,
    size: u64,
    configuration: *const c_char,
    made: Sink,
    message: Sink,
) -> Status {
    guarded(message, || {
        // SAFETY: the host hands zero-terminated texts that outlive the call.
        let (name, configuration) = unsafe { (text(name)?, text(configuration)?) };
        let configuration: Configuration = serde_json::from_str(configuration)?;
        write(made, &B::default().source(name, size, &configuration)?);
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn build<B: BenchmarkConfig>(
    size: u64,
    seed: u64,
    instance: *mut *mut c_void,
    message: Sink,
) -> Status {
    guarded(message, || {
        let made = make::<B>(|document| Ok(Problem::new(document, size, seed)))?;
        // SAFETY: the host hands room for one pointer.
        unsafe { instance.write(made) };
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn build_stage<B: BenchmarkConfig>(
    size: u64,
    seed: u64,
    stage: *const c_char,
    instance: *mut *mut c_void,
    message: Sink,
) -> Status {
    guarded(message, || {
        // SAFETY: the host hands a zero-terminated text that outlives the call.
        let stage = unsafe { text(stage)? };
        let made = make::<B>(|document| Problem::of_stage(&document, stage, size, seed))?;
        // SAFETY: the host hands room for one pointer.
        unsafe { instance.write(made) };
        Ok(Answer::Given)
    })
}

fn make<B: BenchmarkConfig>(
    problem: impl FnOnce(Document) -> Result<Problem, Fault>,
) -> Result<*mut c_void, Fault> {
    let mut benchmark = B::default();
    let problem = problem(benchmark.describe())?;
    benchmark.build(&problem)?;
    Ok(Box::into_raw(Box::new(Instance { benchmark, problem })).cast())
}

unsafe extern "C" fn reference<B: BenchmarkConfig>(
    instance: *mut c_void,
    output: u32,
    indices: *const u64,
    count: u64,
    out: *mut f64,
    message: Sink,
) -> Status {
    guarded(message, || {
        // SAFETY: the host hands back what `build` gave.
        let Instance { benchmark, problem } = unsafe { built::<B>(instance)? };
        // SAFETY: the host hands room for `count` numbers, and as many indices.
        unsafe { answered(benchmark, problem, output, indices, (out, count)) }
    })
}

unsafe extern "C" fn reference_for<B: BenchmarkConfig>(
    instance: *mut c_void,
    answer: *const c_char,
    output: u32,
    indices: *const u64,
    count: u64,
    out: *mut f64,
    message: Sink,
) -> Status {
    guarded(message, || {
        // SAFETY: the host hands back what `build` gave.
        let Instance { benchmark, problem } = unsafe { built::<B>(instance)? };
        // SAFETY: the host hands a zero-terminated text that outlives the call.
        let answer: Configuration = serde_json::from_str(unsafe { text(answer)? })?;
        let problem = problem.answering(answer);
        // SAFETY: the host hands room for `count` numbers, and as many indices.
        unsafe { answered(benchmark, &problem, output, indices, (out, count)) }
    })
}

/// Has the author's `reference` write what the host asks for.
///
/// # Safety
/// `indices` points to as many numbers as there is room for at `out`.
unsafe fn answered<B: BenchmarkConfig>(
    benchmark: &B,
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

unsafe extern "C" fn fill<B: BenchmarkConfig>(
    instance: *mut c_void,
    argument: u32,
    first: u64,
    count: u64,
    out: *mut f64,
    message: Sink,
) -> Status {
    guarded(message, || {
        // SAFETY: the host hands back what `build` gave.
        let Instance { benchmark, problem } = unsafe { built::<B>(instance)? };
        let name = problem.name(argument).ok_or("there is no such argument")?;
        // SAFETY: the host hands room for `count` numbers.
        benchmark.fill(problem, name, first, unsafe { elements(out, count)? })?;
        Ok(Answer::Given)
    })
}

unsafe extern "C" fn analyze<B: BenchmarkConfig>(
    instance: *mut c_void,
    measurement: *const c_char,
    primary: *mut f64,
    secondary: *mut f64,
    message: Sink,
) -> Status {
    guarded(message, || {
        // SAFETY: the host hands back what `build` gave.
        let Instance { benchmark, problem } = unsafe { built::<B>(instance)? };
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

unsafe extern "C" fn free<B: BenchmarkConfig>(instance: *mut c_void) {
    if !instance.is_null() {
        // SAFETY: the host hands back, once, what `build` gave.
        let made = unsafe { Box::from_raw(instance.cast::<Instance<B>>()) };
        // A panicking destructor leaks what is left; it must not cross the boundary.
        drop(catch_unwind(AssertUnwindSafe(|| drop(made))));
    }
}
