//! The HIP backend over a simulated GPU: what can be known of it without a real one.
//!
//! `driver.cpp` is a libamdhip64 over the host's memory, `hiprtc.cpp` makes kernels of the host of
//! CUDA sources. The backend finds both through the variables that users have. Since a process
//! reads those for its whole life, what needs them runs in processes of its own: the program, or
//! this very binary, started again for the tests in `contract` and `inner`. What is not the
//! vendor's own is in `simulated_gpu`.

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
