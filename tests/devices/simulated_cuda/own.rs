//! Tests for NVIDIA only: compute capabilities, PTX, NVML.

use std::{fs, path::Path};

use super::{
    libraries::{self, words},
    outer::{self, cost_a_sentence, listed, program, study, trials, tune},
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
        ("SIMULATED_NVML_STEP", "NVML's counter of energy"),
    ]
    .into_iter()
    .take(if crate::support::exhaustive() { 2 } else { 1 })
    {
        let out = tempfile::tempdir().expect("a folder");
        let output = tune(out.path(), |command| {
            command.env("AUTOBENCH_NVML", &nvml).env(variable, "33").args(["--observe", "power"]);
        });
        assert!(output.status.success(), "{}", words(&output));
        let trials = trials(out.path());
        let metrics = |name: &str| outer::metrics(&trials, name);
        assert!(!metrics("clock").is_empty() && metrics("clock").iter().all(|x| *x == 1.41e9));
        assert!(metrics("temperature").iter().all(|x| *x == 83.0));
        assert!(metrics("throttled").iter().all(|x| *x == 1.0));
        let watts = metrics("power");
        assert!(!watts.is_empty() && watts.iter().all(|x| (x - 250.0).abs() < 25.0), "{watts:?}");
        let counted = variable == "SIMULATED_NVML_STEP";
        assert_eq!(metrics("energy_sampled").is_empty(), !counted, "beside a counter alone");
        let text = study(out.path());
        assert!(text.contains(source) && text.contains("held down now by heat"), "{text}");
        assert!(text.contains("nvidia-smi -pm 1") && text.contains("550.54.15"), "{text}");
    }
}

/// The note of a study that reads energy.
const COST: &str = "energy is read over 0.3 s: each configuration takes up to that much longer";

/// Checks that at least 95 % of the measured trials have an energy, and that it comes from the
/// card's 250 W, as far as its standard error says.
fn have_energy(trials: &[serde_json::Value]) {
    let measured = |trial: &&serde_json::Value| {
        trial["outcome"]["status"] == "measured" && trial["phase"] != "check"
    };
    let measured: Vec<serde_json::Value> = trials.iter().filter(measured).cloned().collect();
    let of = |name| outer::metrics(&measured, name);
    let (joules, errors, watts) = (of("energy"), of("energy_uncertainty"), of("power"));
    assert!(measured.len() >= 3, "{measured:#?}");
    assert!(joules.len() * 20 >= measured.len() * 19, "{} of {}", joules.len(), measured.len());
    assert_eq!((joules.len(), joules.len()), (errors.len(), watts.len()));
    for ((joules, error), watts) in joules.iter().zip(&errors).zip(&watts) {
        // A renewal lies anywhere between two readings, so no error exceeds √6 standard errors. A
        // sampled power is one of two values.
        let allowed = 2.5 * watts * error / joules + 6.0;
        assert!(*error >= 0.0 && (watts - 250.0).abs() <= allowed, "{watts} W, {error} J");
    }
}

#[test]
fn energy_is_read_with_default_flags_however_rarely_its_counter_is_renewed() {
    let nvml = libraries::build("libnvidia-ml", include_str!("nvml.cpp"));
    let sensors = [
        ("SIMULATED_NVML_STEP", "100"),
        ("SIMULATED_NVML_STEP", "20"),
        ("SIMULATED_NVML_NO_COUNTER", "1"),
    ];
    let sensors = &sensors[..if crate::support::exhaustive() { 3 } else { 1 }];
    for (variable, value) in sensors {
        let out = tempfile::tempdir().expect("a folder");
        let mut command = program();
        command.args(["tune", "kmeans", "--size", "4Ki", "--objective", "error"]);
        command.args(["--bound", "energy<=1e9", "--budget", "4", "--time", "60"]);
        command.args(["--device", "cuda", "--out"]).arg(out.path());
        let output = command.env("AUTOBENCH_NVML", &nvml).env(variable, value).output();
        let output = output.expect("it runs");
        let said = words(&output);
        assert!(output.status.success() && said.contains(COST), "{said}");
        assert!(said.contains(", energy ") && said.contains(" J, error"), "{said}");
        have_energy(&trials(out.path()));
    }
}

#[test]
fn fronts_and_curves_have_energy_too() {
    let nvml = libraries::build("libnvidia-ml", include_str!("nvml.cpp"));
    let front = ["tune", "axpy", "--size", "4Ki", "--objective", "seconds"];
    let curve = ["run", "vecadd", "--sizes", "1k..4k*2"];
    for arguments in [&front[..], &curve] {
        let out = tempfile::tempdir().expect("a folder");
        let mut command = program();
        command.args(arguments).args(["--objective", "energy", "--budget", "3", "--time", "30"]);
        command.args(["--device", "cuda", "--quiet", "--out"]).arg(out.path());
        command.env("AUTOBENCH_NVML", &nvml).env("SIMULATED_NVML_STEP", "50");
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{}", words(&output));
        let trials = trials(out.path());
        have_energy(&trials);
        let finals = trials.iter().filter(|trial| trial["phase"] == "final");
        let counts = finals.map(|trial| trial["samples_count"].as_u64());
        let counts: Vec<u64> = counts.flatten().collect();
        // Sampled alone for 0.3 s they would have the most samples that are kept. A busy machine may
        // leave no time for finals.
        let alternated = counts.is_empty() || counts.iter().any(|count| *count < 256);
        assert!(alternated, "times of finals are compared in pairs all the same: {counts:?}");
    }
}

#[test]
fn the_suite_of_mixed_precision_reads_energy() {
    let nvml = libraries::build("libnvidia-ml", include_str!("nvml.cpp"));
    let out = tempfile::tempdir().expect("a folder");
    let mut command = program();
    command.args(["suite", "mixed-precision", "--quick", "--set", "budget=4"]);
    if !crate::support::exhaustive() {
        command.args(["--only", "axpy"]);
    }
    command.args(["--device", "cuda", "--out"]).arg(out.path());
    command.env("AUTOBENCH_NVML", &nvml).env("SIMULATED_NVML_STEP", "100");
    let output = command.output().expect("it runs");
    let said = words(&output);
    assert!(output.status.success() && said.contains(COST), "{said}");
    let suite = fs::read_dir(out.path()).expect("results").flatten().next().expect("a suite");
    have_energy(&trials(&suite.path()));
}

#[test]
fn without_sensors_an_objective_of_energy_is_refused_before_there_is_a_study() {
    let out = tempfile::tempdir().expect("a folder");
    let output = tune(out.path(), |command| {
        command.args(["--objective", "energy"]);
    });
    let said = words(&output);
    assert!(said.contains("nothing here measures `energy`"), "{said}");
    assert!(fs::read_dir(out.path()).is_ok_and(|mut made| made.next().is_none()), "{said}");
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
