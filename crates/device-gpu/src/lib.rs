//! GPUs: NVIDIA's through CUDA and NVRTC, AMD's through HIP and hiprtc. Both vendors' libraries are found at run
//! time, so this builds without either. `gpu` holds what is true of both; `cuda` and `hip` are the vendors' names
//! around it.
//!
//! It never knows benchmarks and strategies. Begin with `gpu/device.rs`.

mod gpu;

mod cuda;
mod hip;
