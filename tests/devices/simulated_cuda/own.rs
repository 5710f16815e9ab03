//! Tests for NVIDIA only: compute capabilities, PTX, NVML.

use std::{fs, path::Path};

use super::{
    libraries::{self, words},
    outer::{self, cost_a_sentence, listed, program, study, trials, tune, tune_at},
    vendor,
};

#[test]
fn a_device_that_the_compiler_does_not_know_gets_ptx_or_a_sentence() {
    let describe = |compute: &str| {
        let mut command = program();
        command.env("SIMULATED_GPU_COMPUTE", compute).arg("devices");
        words(&command.output().expect("it runs"))
    };
    for (compute, architecture) in [("80", "sm_80"), ("120", "compute_90")] {
        let said = describe(compute);
        let line = said.lines().find(|line| line.trim().starts_with("compiled_for"));
        assert!(line.is_some_and(|line| line.ends_with(architecture)), "{said}");
    }
    let old = describe("52");
    assert!(old.contains("NVRTC 12.4 knows no architecture as old as sm_52"), "{old}");
    let out = tempfile::tempdir().expect("a folder");
    let output = tune(out.path(), |command| {
        command.env("SIMULATED_GPU_COMPUTE", "120");
    });
    assert!(output.status.success(), "{}", words(&output));
    assert!(trials(out.path()).iter().any(|trial| trial["outcome"]["status"] == "measured"));
}

#[test]
fn sensors_of_the_device_are_in_the_records() {
    let nvml = libraries::build("libnvidia-ml", include_str!("nvml.cpp"));
    for (variable, source) in [
        ("SIMULATED_NVML_NO_COUNTER", "NVML's power, sampled"),
        ("SIMULATED_NVML_COUNTER", "NVML's counter of energy"),
    ]
    .into_iter()
    .take(if crate::support::exhaustive() { 2 } else { 1 })
    {
        let out = tempfile::tempdir().expect("a folder");
        // Runs must be long enough for energy: a large size, and a precision that is never reached.
        let output = tune_at("8M", out.path(), |command| {
            command.env("AUTOBENCH_NVML", &nvml).env(variable, "1").args(["--precision", "1e-9"]);
        });
        assert!(output.status.success(), "{}", words(&output));
        let trials = trials(out.path());
        let metrics = |name: &str| outer::metrics(&trials, name);
        assert!(!metrics("clock").is_empty() && metrics("clock").iter().all(|x| *x == 1.41e9));
        assert!(metrics("temperature").iter().all(|x| *x == 83.0));
        assert!(metrics("throttled").iter().all(|x| *x == 1.0));
        let watts = metrics("power");
        assert!(!watts.is_empty() && watts.iter().all(|x| (x - 250.0).abs() < 25.0), "{watts:?}");
        let counted = variable == "SIMULATED_NVML_COUNTER";
        assert_eq!(metrics("energy_sampled").is_empty(), !counted, "beside a counter alone");
        let text = study(out.path());
        assert!(text.contains(source) && text.contains("held down now by heat"), "{text}");
        assert!(text.contains("nvidia-smi -pm 1") && text.contains("550.54.15"), "{text}");
    }
}

#[test]
fn a_device_is_listed_with_its_facts() {
    let device = listed();
    assert_eq!(device["name"], "Simulated GPU");
    assert_eq!(device["compiler"], "NVRTC 12.4");
    // Twice 2.619 GHz on a bus of 5120 bits, and 4 × 128 lanes at 1.98 GHz.
    assert_eq!(device["peak_bandwidth"], 2.0 * 2.619e9 * 640.0);
    assert_eq!(device["peak_flops"], 2.0 * 1.98e9 * 512.0);
    for (fact, value) in [
        ("compute_capability", "9.0"),
        ("compiled_for", "sm_90a"),
        ("multiprocessors", "4"),
        ("cuda_of_driver", "12.4"),
        ("shared_memory_per_block", "227 KiB"),
    ] {
        assert_eq!(device["facts"][fact], value, "{fact}");
    }
    assert!(device["facts"]["sensors"].as_str().is_some_and(|text| text.starts_with("none")));
    assert_eq!(device["facts"].get("copy_bandwidth"), None);
}

#[test]
fn libraries_that_cannot_be_used_cost_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text.so");
    fs::write(&text, "this is no library").expect("written");
    let stub = libraries::build("stub", "extern \"C\" int cuInit(unsigned) { return 0; }");
    let newer = vendor::COMPILER_SOURCE.replacen("*major = 12", "*major = 99", 1);
    let newer = libraries::build("newer", &newer);
    cost_a_sentence(&[
        ("AUTOBENCH_CUDA_DRIVER", &text, "cannot be loaded"),
        ("AUTOBENCH_CUDA_DRIVER", Path::new("/nowhere/libcuda.so.1"), "cannot be loaded"),
        ("AUTOBENCH_CUDA_DRIVER", folder.path(), "where there is none of libcuda.so.1"),
        ("AUTOBENCH_CUDA_DRIVER", &stub, "it has no function `cuDriverGetVersion`"),
        ("AUTOBENCH_NVRTC", &text, "cannot be loaded"),
        ("AUTOBENCH_NVRTC", &stub, "it has no function `nvrtcVersion`"),
        ("AUTOBENCH_NVRTC", &newer, "NVRTC 99.4 and the driver runs CUDA 12.4 at most"),
    ]);
}

#[test]
fn a_driver_for_linking_only_is_said_to_be_one() {
    let mut command = program();
    let output = command.env("SIMULATED_GPU_FAIL", "1:34").arg("devices").output();
    let said = words(&output.expect("it runs"));
    assert!(said.contains("stub, made for linking only"), "{said}");
}
