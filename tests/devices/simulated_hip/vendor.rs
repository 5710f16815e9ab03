//! AMD's names, for the tests that both vendors share.

use std::{ffi::OsString, process::Command};

use device::CompileFault;

/// Name of the backend in `--device`.
pub(crate) const BACKEND: &str = "hip";
/// Variables that name the libraries, and variables of libraries that must not be found.
pub(crate) const DRIVER: &str = "AUTOBENCH_HIP_RUNTIME";
pub(crate) const COMPILER: &str = "AUTOBENCH_HIPRTC";
pub(crate) const ABSENT: &[&str] = &["AUTOBENCH_ROCM_SMI", "AUTOBENCH_AMD_COMGR"];
/// The simulated libraries.
pub(crate) const DRIVER_SOURCE: &str = include_str!("driver.cpp");
pub(crate) const COMPILER_SOURCE: &str = include_str!("hiprtc.cpp");
/// Functions whose names are searched in a trace.
pub(crate) const LAUNCH: &str = "hipModuleLaunchKernel";
pub(crate) const RECORD: &str = "hipEventRecord";
pub(crate) const WAIT: &str = "hipStreamSynchronize";
pub(crate) const ELAPSED: &str = "hipEventElapsedTime";

/// How to install the real compiler.
pub(crate) const INSTALL: &str =
    "`apt-get install libamdhip64-dev`, or set AUTOBENCH_HIPRTC to a libhiprtc.so";
/// The variable for the simulated device's architecture, and the architectures to compile for.
pub(crate) const ARCHITECTURES: (&str, &[&str]) = ("SIMULATED_GPU_ARCHITECTURE", &["gfx90a"]);
/// Architectures for the whole header.
pub(crate) const HEADER_ARCHITECTURES: &[&str] = &["gfx90a", "gfx1030"];

/// Names of real compilers to try; the simulated runtime contains none.
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

/// Messages of the compiler for an unknown name, for too much shared memory, and for a vendor's
/// header.
pub(crate) const UNDECLARED: &str =
    "test.cu:2:10: error: use of undeclared identifier 'undeclared'";
pub(crate) const TOO_LARGE: &str = "exceeds limit";
pub(crate) const HEADER: &str = "cuda_fp16.h";

/// Number of processes that compile at the same time: within one, hiprtc runs on a single thread.
pub(crate) fn compiling_processes() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().min(8))
}

/// Vector registers that any kernel of these tests uses.
pub(crate) const FEWEST_REGISTERS: f64 = 2.0;

/// Whether a kernel needs too much shared memory: a block of this device has 64 KiB.
pub(crate) fn is_too_large(fault: &CompileFault) -> bool {
    matches!(fault, CompileFault::Invalid(why) if why.contains("local memory"))
}
