//! AMD's names for the tests shared by both vendors.

use std::{ffi::OsString, process::Command};

use device::CompileFault;

/// What `--device` calls the backend.
pub(crate) const BACKEND: &str = "hip";
/// Variables that name the libraries, and those whose libraries must not be found.
pub(crate) const DRIVER: &str = "AUTOBENCH_HIP_RUNTIME";
pub(crate) const COMPILER: &str = "AUTOBENCH_HIPRTC";
pub(crate) const ABSENT: &[&str] = &["AUTOBENCH_ROCM_SMI", "AUTOBENCH_AMD_COMGR"];
/// The simulated libraries.
pub(crate) const DRIVER_SOURCE: &str = include_str!("driver.cpp");
pub(crate) const COMPILER_SOURCE: &str = include_str!("hiprtc.cpp");
/// Functions that a trace is searched for.
pub(crate) const LAUNCH: &str = "hipModuleLaunchKernel";
pub(crate) const RECORD: &str = "hipEventRecord";
pub(crate) const WAIT: &str = "hipStreamSynchronize";
pub(crate) const ELAPSED: &str = "hipEventElapsedTime";

/// How to get the real compiler.
pub(crate) const INSTALL: &str =
    "`apt-get install libamdhip64-dev`, or set AUTOBENCH_HIPRTC to a libhiprtc.so";
/// Architectures to compile for, and the variable of the simulated device that says so.
pub(crate) const ARCHITECTURES: (&str, &[&str]) = ("SIMULATED_GPU_ARCHITECTURE", &["gfx90a"]);
/// Those that the whole header is compiled for.
pub(crate) const HEADER_ARCHITECTURES: &[&str] = &["gfx90a", "gfx1030"];

/// Names of real compilers to try: a simulated runtime has none inside.
pub(crate) fn candidates() -> Vec<Option<OsString>> {
    let versions = ["7", "6", "5"];
    let names = ["libhiprtc.so", "libamdhip64.so"]
        .into_iter()
        .flat_map(|name| versions.map(|version| Some(OsString::from(format!("{name}.{version}")))));
    std::env::var_os(COMPILER).map(Some).into_iter().chain(names).collect()
}

/// Makes the simulated driver accept a real compiler's output, by reporting its version.
pub(crate) fn accept_real(command: &mut Command, compiler: &str) {
    let number = compiler.rsplit_once(".so.").and_then(|(_, version)| version.split('.').next());
    if let Some(number) = number {
        command.env("SIMULATED_GPU_VERSION", format!("{number}0000000"));
    }
}

/// Messages of the compiler on an unknown name, on too much shared memory, and on a vendor's
/// header.
pub(crate) const UNDECLARED: &str =
    "test.cu:2:10: error: use of undeclared identifier 'undeclared'";
pub(crate) const TOO_LARGE: &str = "exceeds limit";
pub(crate) const HEADER: &str = "cuda_fp16.h";

/// Processes that compile kernels at a time: in each the backend lets one thread at a time into hiprtc.
pub(crate) fn compiling_processes() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().min(8))
}

/// Vector registers that any kernel of these tests uses.
pub(crate) const FEWEST_REGISTERS: f64 = 2.0;

/// Whether a kernel needs too much for the device, which has 64 KiB of shared memory for a block.
pub(crate) fn is_too_large(fault: &CompileFault) -> bool {
    matches!(fault, CompileFault::Invalid(why) if why.contains("local memory"))
}
