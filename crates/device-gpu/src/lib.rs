//! GPUs: NVIDIA's through CUDA and NVRTC, AMD's through HIP and hiprtc. Both vendors' libraries are
//! found at run time, so building needs neither. `gpu` holds what both vendors have in common;
//! `cuda` and `hip` add each vendor's names.
//!
//! This crate never knows about benchmarks or strategies. Begin with `gpu/device.rs`.

mod gpu;

mod cuda;
mod hip;
