//! Whole runs of the program and of this binary over the simulated libraries.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use crate::{
    libraries::{self, again, simulated, words},
    support,
};

fn program() -> Command {
    simulated(support::command())
}

/// `autobench devices`, with something else in a variable's place.
fn devices_with(variable: &str, value: impl AsRef<Path>) -> String {
    let mut command = program();
    let output = command.env(variable, value.as_ref()).arg("devices").output().expect("it runs");
    let said = words(&output);
    assert!(output.status.success() && !said.contains("panicked"), "{said}");
    let mut lines = said.lines().skip_while(|line| !line.starts_with("cuda"));
    let about = lines.next().expect("it says something").to_owned();
    let cure = lines.next().expect("and how to get it");
    assert!(cure.trim().starts_with("to get it: "), "{said}");
    about + cure
}

#[test]
fn the_contract_of_all_backends_holds() {
    if libraries::are_in_use() {
        return;
    }
    let said = again("contract::", |_| {});
    let ran = said.lines().find_map(|line| line.strip_prefix("test result: ok. "));
    let count = ran.and_then(|line| line.split(' ').next()?.parse::<u32>().ok());
    assert!(count.is_some_and(|count| count >= 20), "{said}");
}

#[test]
fn the_tests_of_the_simulated_device_pass() {
    if libraries::are_in_use() {
        return;
    }
    again("inner::", |_| {});
}

#[test]
fn a_lost_device_is_given_to_a_new_worker() {
    if libraries::are_in_use() {
        return;
    }
    again("inner::a_device_lost", |command| {
        command.env("SIMULATED_CUDA_FAULT", "vecadd:5:700");
    });
}

#[test]
fn a_device_that_the_compiler_does_not_know_gets_ptx_or_a_sentence() {
    let describe = |compute: &str| {
        let mut command = program();
        command.env("SIMULATED_CUDA_COMPUTE", compute).arg("devices");
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
        command.env("SIMULATED_CUDA_COMPUTE", "120");
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
    ] {
        let out = tempfile::tempdir().expect("a folder");
        // Spans long enough for energy: large, and never precise enough.
        let output = tune_at("8M", out.path(), |command| {
            command.env("AUTOBENCH_NVML", &nvml).env(variable, "1").args(["--precision", "1e-9"]);
        });
        assert!(output.status.success(), "{}", words(&output));
        let trials = trials(out.path());
        let metrics = |name: &str| {
            trials
                .iter()
                .filter_map(|trial| trial["outcome"]["measurement"]["metrics"][name].as_f64())
                .collect::<Vec<f64>>()
        };
        assert!(!metrics("clock").is_empty() && metrics("clock").iter().all(|x| *x == 1.41e9));
        assert!(metrics("temperature").iter().all(|x| *x == 83.0));
        assert!(metrics("throttled").iter().all(|x| *x == 1.0));
        let watts = metrics("power");
        assert!(!watts.is_empty() && watts.iter().all(|x| (x - 250.0).abs() < 25.0), "{watts:?}");
        let counted = variable == "SIMULATED_NVML_COUNTER";
        assert_eq!(metrics("energy_sampled").is_empty(), !counted, "beside a counter alone");
        let folders = fs::read_dir(out.path()).expect("a folder").flatten();
        let study = folders.map(|entry| entry.path().join("study.json")).find(|p| p.is_file());
        let text = fs::read_to_string(study.expect("a record")).expect("readable");
        assert!(text.contains(source) && text.contains("held down now by heat"), "{text}");
        assert!(text.contains("nvidia-smi -pm 1") && text.contains("550.54.15"), "{text}");
    }
}

#[test]
fn a_device_is_listed_with_its_facts() {
    let output = program().args(["devices", "--json"]).output().expect("it runs");
    let backends = support::json(&output);
    let cuda = backends.as_array().expect("a list").iter().find(|b| b[0] == "cuda");
    let device = &cuda.expect("it is listed")[1]["Ok"][0];
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
fn a_copy_within_the_device_is_timed_on_request() {
    let output =
        program().args(["devices", "--measure", "cuda:0", "--json"]).output().expect("it runs");
    let backends = support::json(&output);
    let cuda = backends.as_array().expect("a list").iter().find(|b| b[0] == "cuda");
    let said = cuda.expect("it is listed")[1]["Ok"][0]["facts"]["copy_bandwidth"].as_str();
    assert!(said.is_some_and(|said| said.ends_with(" GB/s")), "{said:?}");
}

#[test]
fn libraries_that_cannot_be_used_cost_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text.so");
    fs::write(&text, "this is no library").expect("written");
    let stub = libraries::build("stub", "extern \"C\" int cuInit(unsigned) { return 0; }");
    let refuses = libraries::build(
        "refuses",
        &include_str!("driver.cpp").replacen("ENTER;\n  return success;", "return 34;", 1),
    );
    let newer = libraries::nvrtc_source().replacen("*major = 12", "*major = 99", 1);
    let newer = libraries::build("newer", &newer);
    for (variable, file, expected) in [
        ("AUTOBENCH_CUDA_DRIVER", text.as_path(), "cannot be loaded"),
        ("AUTOBENCH_CUDA_DRIVER", Path::new("/nowhere/libcuda.so.1"), "cannot be loaded"),
        ("AUTOBENCH_CUDA_DRIVER", folder.path(), "where there is none of libcuda.so.1"),
        ("AUTOBENCH_CUDA_DRIVER", &stub, "it has no function `cuDriverGetVersion`"),
        ("AUTOBENCH_CUDA_DRIVER", &refuses, "stub, made for linking only"),
        ("AUTOBENCH_NVRTC", text.as_path(), "cannot be loaded"),
        ("AUTOBENCH_NVRTC", &stub, "it has no function `nvrtcVersion`"),
        ("AUTOBENCH_NVRTC", &newer, "NVRTC 99.4 and the driver runs CUDA 12.4 at most"),
    ] {
        let said = devices_with(variable, file);
        let is_sentence = said.contains("not available") && said.contains(variable);
        assert!(is_sentence && said.contains(expected), "{}: {said}", file.display());
    }
}

fn tune(out: &Path, with: impl FnOnce(&mut Command)) -> Output {
    tune_at("4k", out, with)
}

fn tune_at(size: &str, out: &Path, with: impl FnOnce(&mut Command)) -> Output {
    let mut command = program();
    command
        .args(["tune", "vecadd", "--size", size, "--budget", "4", "--seed", "1", "--json"])
        .args(["--device", "cuda", "--strategy", "random", "--out"])
        .arg(out);
    with(&mut command);
    command.output().expect("it runs")
}

/// The trials of the only study in a folder.
fn trials(out: &Path) -> Vec<serde_json::Value> {
    let folders = fs::read_dir(out).expect("a folder").flatten().map(|entry| entry.path());
    let journal = folders.map(|folder| folder.join("journal.jsonl")).find(|path| path.is_file());
    let text = fs::read_to_string(journal.expect("a journal")).expect("readable");
    text.lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .filter(|event| event["event"] == "trial")
        .collect()
}

#[test]
fn a_study_runs_from_probe_to_report() {
    let out = tempfile::tempdir().expect("a folder");
    let output = program()
        .args(["run", "vecadd", "--sizes", "1k..8k*2", "--budget", "3", "--time", "30", "--json"])
        .args(["--device", "cuda", "--out"])
        .arg(out.path())
        .output()
        .expect("it runs");
    let result = support::json(&output);
    assert_eq!(result["sizes"], 4);
    let trials = trials(out.path());
    assert!(trials.iter().all(|trial| trial["outcome"]["status"] == "measured"), "{trials:#?}");
    let metrics = &trials[0]["outcome"]["measurement"]["metrics"];
    assert!(metrics["kernel_occupancy"].as_f64().is_some_and(|share| share > 0.0), "{metrics}");
}

#[test]
fn a_kernel_that_kills_the_device_costs_its_own_row() {
    let out = tempfile::tempdir().expect("a folder");
    // In every worker: the runs before are those of its first trial.
    let output = tune(out.path(), |command| {
        command.env("SIMULATED_CUDA_FAULT", "vecadd:9:700");
    });
    let trials = trials(out.path());
    assert!(trials.len() >= 4, "{}", words(&output));
    let reasons: Vec<&str> = trials
        .iter()
        .filter(|trial| trial["outcome"]["status"] == "run-failed")
        .filter_map(|trial| trial["outcome"]["reason"].as_str())
        .collect();
    assert!(!reasons.is_empty(), "{trials:#?}");
    for reason in reasons {
        assert!(reason.contains("memory that nobody allocated"), "{reason}");
    }
}

#[test]
fn any_failing_call_leaves_a_row() {
    for at in [3, 60, 400, 900, 1000, 1030, 1100] {
        let out = tempfile::tempdir().expect("a folder");
        let output = tune(out.path(), |command| {
            command.env("SIMULATED_CUDA_FAIL", format!("{at}:700"));
        });
        let said = words(&output);
        assert!(!said.contains("panicked"), "call {at}: {said}");
        // A device that cannot even be opened is said before there is a study.
        let refused = !output.status.success() && said.contains("error");
        assert!(refused || !trials(out.path()).is_empty(), "call {at}: {said}");
    }
}

#[test]
fn a_sample_is_queued_behind_the_gate_between_two_events() {
    let out = tempfile::tempdir().expect("a folder");
    let trace = out.path().join("trace");
    let studies = out.path().join("studies");
    let output = tune(&studies, |command| {
        command.env("SIMULATED_CUDA_TRACE", &trace);
    });
    assert!(output.status.success(), "{}", words(&output));
    let text = fs::read_to_string(&trace).expect("a trace");
    let calls: Vec<&str> = text.lines().filter(|line| *line != "cuLaunchKernel").collect();
    let kernel = |index: usize, name: &str| {
        calls.get(index).is_some_and(|call| call.starts_with("kernel") && call.contains(name))
    };
    let samples: Vec<usize> = (0..calls.len())
        .filter(|&at| kernel(at, "vecadd") && at > 0 && calls[at - 1] == "cuEventRecord")
        .collect();
    assert!(samples.iter().any(|&at| kernel(at - 4, "ab_flush")), "none of them is cold");
    for at in samples {
        assert_eq!(calls[at - 3], "cuStreamSynchronize");
        assert!(kernel(at - 2, "ab_gate"), "{:?}", &calls[at - 4..at + 4]);
        let after = ["cuEventRecord", "cuStreamSynchronize", "cuEventElapsedTime"];
        assert_eq!(calls[at + 1..at + 4], after);
    }
}
