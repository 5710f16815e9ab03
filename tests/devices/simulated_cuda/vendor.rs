//! NVIDIA's names, for the tests that both vendors share.

use std::{ffi::OsString, process::Command};

use device::CompileFault;

/// Name of the backend in `--device`.
pub(crate) const BACKEND: &str = "cuda";
/// Variables that name the libraries, and variables of libraries that must not be found.
pub(crate) const DRIVER: &str = "AUTOBENCH_CUDA_DRIVER";
pub(crate) const COMPILER: &str = "AUTOBENCH_NVRTC";
pub(crate) const ABSENT: &[&str] = &["AUTOBENCH_NVML"];
/// The simulated libraries.
pub(crate) const DRIVER_SOURCE: &str = include_str!("driver.cpp");
pub(crate) const COMPILER_SOURCE: &str = include_str!("nvrtc.cpp");
/// Functions whose names are searched in a trace.
pub(crate) const LAUNCH: &str = "cuLaunchKernel";
pub(crate) const RECORD: &str = "cuEventRecord";
pub(crate) const WAIT: &str = "cuStreamSynchronize";
pub(crate) const ELAPSED: &str = "cuEventElapsedTime";

/// How to install the real compiler.
pub(crate) const INSTALL: &str =
    "`pip install nvidia-cuda-nvrtc-cu12`, or set AUTOBENCH_NVRTC to a libnvrtc.so.12";
/// The variable for the simulated device's architecture, and the architectures to compile for.
pub(crate) const ARCHITECTURES: (&str, &[&str]) = ("SIMULATED_GPU_COMPUTE", &["80", "90"]);
/// Architectures for the whole header: without bf16, with bf16, and with 8-bit formats.
pub(crate) const HEADER_ARCHITECTURES: &[&str] = &["70", "80", "90"];

/// Names of real compilers to try; `None` stands for what the program finds by itself.
pub(crate) fn candidates() -> Vec<Option<OsString>> {
    vec![std::env::var_os(COMPILER)]
}

/// Makes the simulated driver accept a real compiler's output.
pub(crate) fn accept_real(command: &mut Command, _compiler: &str) {
    command.env("SIMULATED_GPU_VERSION", "99000");
}

/// Messages of the compiler for an unknown name, for too much shared memory, and for a vendor's
/// header.
pub(crate) const UNDECLARED: &str = "test.cu:2: error: identifier \"undeclared\" is undefined";
pub(crate) const TOO_LARGE: &str = "uses too much shared data";
pub(crate) const HEADER: &str = "cuda_fp16.h";

/// Number of processes that compile at the same time: each one uses all cores.
pub(crate) const fn compiling_processes() -> usize {
    1
}

/// Fewest registers that any kernel uses.
pub(crate) const FEWEST_REGISTERS: f64 = 8.0;

/// Whether a kernel needs too much shared memory: f64 tiles can exceed a block's default limit.
pub(crate) fn is_too_large(fault: &CompileFault) -> bool {
    matches!(fault, CompileFault::Invalid(why) if why.contains("shared data"))
}
