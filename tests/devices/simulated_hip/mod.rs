//! Tests of the HIP backend on a simulated GPU.
//!
//! `driver.cpp` is a libamdhip64 that uses the host's memory; `hiprtc.cpp` compiles CUDA sources to
//! kernels for the host. The backend finds both through the usual environment variables. A process
//! reads these only once, so tests that need them run in separate processes: the program, or this
//! test binary, restarted for the tests in `contract` and `inner`. Tests that both vendors share
//! are in `simulated_gpu`.

#[path = "../simulated_gpu/inner.rs"]
mod inner;
#[path = "../simulated_gpu/libraries.rs"]
mod libraries;
#[path = "../simulated_gpu/outer.rs"]
mod outer;
mod own;
#[path = "../simulated_gpu/real_compiler.rs"]
mod real_compiler;
mod vendor;
