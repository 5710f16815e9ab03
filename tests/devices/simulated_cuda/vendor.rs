//! NVIDIA's names for the tests shared by both vendors.

use std::{ffi::OsString, process::Command};

use device::CompileFault;

/// What `--device` calls the backend.
pub(crate) const BACKEND: &str = "cuda";
/// Variables that name the libraries, and those whose libraries must not be found.
pub(crate) const DRIVER: &str = "AUTOBENCH_CUDA_DRIVER";
pub(crate) const COMPILER: &str = "AUTOBENCH_NVRTC";
pub(crate) const ABSENT: &[&str] = &["AUTOBENCH_NVML"];
/// The simulated libraries.
pub(crate) const DRIVER_SOURCE: &str = include_str!("driver.cpp");
pub(crate) const COMPILER_SOURCE: &str = include_str!("nvrtc.cpp");
/// Functions that a trace is searched for.
pub(crate) const LAUNCH: &str = "cuLaunchKernel";
pub(crate) const RECORD: &str = "cuEventRecord";
pub(crate) const WAIT: &str = "cuStreamSynchronize";
pub(crate) const ELAPSED: &str = "cuEventElapsedTime";

/// How to get the real compiler.
pub(crate) const INSTALL: &str =
    "`pip install nvidia-cuda-nvrtc-cu12`, or set AUTOBENCH_NVRTC to a libnvrtc.so.12";
/// Architectures to compile for, and the variable of the simulated device that says so.
pub(crate) const ARCHITECTURES: (&str, &[&str]) = ("SIMULATED_GPU_COMPUTE", &["80", "90"]);
/// Those that the whole header is compiled for: before bf16, with it, and with 8-bit formats.
pub(crate) const HEADER_ARCHITECTURES: &[&str] = &["70", "80", "90"];

/// Names of real compilers to try; none is what the program finds by itself.
pub(crate) fn candidates() -> Vec<Option<OsString>> {
    vec![std::env::var_os(COMPILER)]
}

/// Makes the simulated driver accept a real compiler's output.
pub(crate) fn accept_real(command: &mut Command, _compiler: &str) {
    command.env("SIMULATED_GPU_VERSION", "99000");
}

/// Messages of the compiler on an unknown name, on too much shared memory, and on a vendor's
/// header.
pub(crate) const UNDECLARED: &str = "test.cu:2: error: identifier \"undeclared\" is undefined";
pub(crate) const TOO_LARGE: &str = "uses too much shared data";
pub(crate) const HEADER: &str = "cuda_fp16.h";

/// Processes that compile kernels at a time: each does on all cores.
pub(crate) const fn compiling_processes() -> usize {
    1
}

/// Registers that any kernel uses.
pub(crate) const FEWEST_REGISTERS: f64 = 8.0;

/// Whether a kernel needs too much for the device: tiles of f64 can exceed a block's default limit.
pub(crate) fn is_too_large(fault: &CompileFault) -> bool {
    matches!(fault, CompileFault::Invalid(why) if why.contains("shared data"))
}
