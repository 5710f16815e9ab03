//! Whole runs of the program and of this test binary with the simulated libraries.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use super::{
    libraries::{self, again, ours, simulated, words},
    vendor::{self, BACKEND},
};
use crate::support;

pub(crate) fn program() -> Command {
    simulated(support::command())
}

/// Output of `autobench devices` with a changed environment variable.
pub(crate) fn devices_with(variable: &str, value: impl AsRef<Path>) -> String {
    let mut command = program();
    let output = command.env(variable, value.as_ref()).arg("devices").output().expect("it runs");
    let said = words(&output);
    assert!(output.status.success() && !said.contains("panicked"), "{said}");
    let mut lines = said.lines().skip_while(|line| !line.starts_with(BACKEND));
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
    again(&ours("inner::"), |_| {});
}

#[test]
fn a_lost_device_is_given_to_a_new_worker() {
    if libraries::are_in_use() {
        return;
    }
    again(&ours("inner::a_device_lost"), |command| {
        command.env("SIMULATED_GPU_FAULT", "vecadd:5:700");
    });
}

pub(crate) fn tune(out: &Path, with: impl FnOnce(&mut Command)) -> Output {
    let mut command = program();
    command
        .args([
            "tune", "vecadd", "--size", "4k", "--budget", "4", "--time", "15", "--seed", "1",
            "--json",
        ])
        .args(["--device", BACKEND, "--strategy", "random", "--out"])
        .arg(out);
    with(&mut command);
    command.output().expect("it runs")
}

/// The record of the only study in a folder.
pub(crate) fn study(out: &Path) -> String {
    let folders = fs::read_dir(out).expect("a folder").flatten();
    let study = folders.map(|entry| entry.path().join("study.json")).find(|path| path.is_file());
    fs::read_to_string(study.expect("a record")).expect("readable")
}

/// Values of a metric, from every trial that has it.
pub(crate) fn metrics(trials: &[serde_json::Value], name: &str) -> Vec<f64> {
    let metric =
        |trial: &serde_json::Value| trial["outcome"]["measurement"]["metrics"][name].as_f64();
    trials.iter().filter_map(metric).collect()
}

/// The simulated device as `autobench devices` lists it.
pub(crate) fn listed() -> serde_json::Value {
    let output = program().args(["devices", "--json"]).output().expect("it runs");
    let backends = support::json(&output);
    let ours = backends.as_array().expect("a list").iter().find(|backend| backend[0] == BACKEND);
    ours.expect("it is listed")[1]["Ok"][0].clone()
}

/// Checks the messages of `autobench devices` for wrong files in a library's place.
pub(crate) fn cost_a_sentence(files: &[(&str, &Path, &str)]) {
    for (variable, file, expected) in files {
        let said = devices_with(variable, file);
        let is_sentence = said.contains("not available") && said.contains(variable);
        assert!(is_sentence && said.contains(expected), "{}: {said}", file.display());
    }
}

/// The trials of the only study in a folder.
pub(crate) fn trials(out: &Path) -> Vec<serde_json::Value> {
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
    if BACKEND != "cuda" && !support::exhaustive() {
        return;
    }
    let out = tempfile::tempdir().expect("a folder");
    let output = program()
        .args(["run", "vecadd", "--sizes", "1k..8k*2", "--budget", "2", "--time", "15", "--json"])
        .args(["--device", BACKEND, "--out"])
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

/// Values of a column, from a table of the only study in a folder.
fn column(out: &Path, table: &str, name: &str) -> Vec<String> {
    let folders = fs::read_dir(out).expect("a folder").flatten().map(|entry| entry.path());
    let path = folders.map(|folder| folder.join(table)).find(|path| path.is_file());
    let mut rows = csv::Reader::from_path(path.expect("a table")).expect("readable");
    let at = rows.headers().expect("a header").iter().position(|header| header == name);
    let at = at.unwrap_or_else(|| panic!("`{table}` has no column `{name}`"));
    rows.records().map(|row| row.expect("a row")[at].to_owned()).collect()
}

#[test]
fn no_study_mixes_kinds_of_samples_however_coarse_and_noisy_the_timer() {
    // Both kinds with the coarsest timer, which is the hardest.
    let all = [("0.5", true), ("0.5", false), ("0.02", false), ("0", false)];
    let tried = match (support::exhaustive(), BACKEND) {
        (true, _) => 4,
        (false, "cuda") => 2,
        (false, _) => 1,
    };
    for (tick, hot) in all.into_iter().take(tried) {
        let out = tempfile::tempdir().expect("a folder");
        let mut command = program();
        command
            .args(["run", "vecadd", "--sizes", "1k..64k*4", "--budget", "3", "--time", "12"])
            .args(["--json", "--device", BACKEND, "--out"])
            .arg(out.path())
            .env("SIMULATED_GPU_TICK", tick);
        if hot {
            command.arg("--hot");
        }
        let said = words(&command.output().expect("it runs"));
        let trials = trials(out.path());
        assert!(!trials.is_empty(), "{said}");
        for trial in &trials {
            let outcome = &trial["outcome"];
            match outcome["status"].as_str() {
                Some("measured") => assert_eq!(outcome["measurement"]["cold"], !hot, "{trial:#}"),
                // A kernel that the timer cannot resolve has a reason, and no sample of the other
                // kind.
                _ => assert!(outcome["reason"].as_str().is_some_and(|why| !why.is_empty())),
            }
        }
        let kind = if hot { "hot" } else { "cold" };
        for table in ["trials.csv", "sizes.csv"] {
            let kinds = column(out.path(), table, "caches");
            assert!(!kinds.is_empty() && kinds.iter().all(|k| k == kind), "{table}: {kinds:?}");
        }
        // The winners' checks on fresh inputs flush the caches, but give no results.
        let made = column(out.path(), "sizes.csv", "cold_by");
        let by = if hot { "" } else { "rotation" };
        assert!(made.iter().all(|word| word == by), "{made:?}");
    }
}

#[test]
fn a_kernel_that_kills_the_device_costs_its_own_row() {
    let out = tempfile::tempdir().expect("a folder");
    // The fault happens in every worker: the runs before it belong to the worker's first trial.
    let output = tune(out.path(), |command| {
        command.env("SIMULATED_GPU_FAULT", "vecadd:9:700");
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
    let all = [3, 60, 400, 900, 1000, 1030, 1100];
    let step = if support::exhaustive() { 1 } else { 3 };
    for at in all.into_iter().step_by(step) {
        let out = tempfile::tempdir().expect("a folder");
        let output = tune(out.path(), |command| {
            command.env("SIMULATED_GPU_FAIL", format!("{at}:700"));
        });
        let said = words(&output);
        assert!(!said.contains("panicked"), "call {at}: {said}");
        // A device that cannot be opened is reported before there is a study.
        let refused = !output.status.success() && said.contains("error");
        assert!(refused || !trials(out.path()).is_empty(), "call {at}: {said}");
    }
}

#[test]
fn a_sample_is_queued_behind_the_gate_between_two_events() {
    if BACKEND != "cuda" && !support::exhaustive() {
        return;
    }
    let out = tempfile::tempdir().expect("a folder");
    let trace = out.path().join("trace");
    let studies = out.path().join("studies");
    let output = tune(&studies, |command| {
        command.env("SIMULATED_GPU_TRACE", &trace);
    });
    assert!(output.status.success(), "{}", words(&output));
    let text = fs::read_to_string(&trace).expect("a trace");
    let calls: Vec<&str> = text.lines().filter(|line| *line != vendor::LAUNCH).collect();
    let kernel = |index: usize, name: &str| {
        calls.get(index).is_some_and(|call| call.starts_with("kernel") && call.contains(name))
    };
    let samples: Vec<usize> = (0..calls.len())
        .filter(|&at| kernel(at, "vecadd") && at > 0 && calls[at - 1] == vendor::RECORD)
        .collect();
    assert!(samples.iter().any(|&at| kernel(at - 4, "ab_flush")), "none of them is cold");
    for at in samples {
        assert_eq!(calls[at - 3], vendor::WAIT);
        assert!(kernel(at - 2, "ab_gate"), "{:?}", &calls[at - 4..at + 4]);
        let after = [vendor::RECORD, vendor::WAIT, vendor::ELAPSED];
        assert_eq!(calls[at + 1..at + 4], after);
    }
}

#[test]
fn a_copy_within_the_device_is_timed_on_request() {
    let device = format!("{BACKEND}:0");
    let arguments = ["devices", "--measure", &device, "--seconds", "0.2", "--json"];
    let output = program().args(arguments).output();
    let backends = support::json(&output.expect("it runs"));
    let ours = backends.as_array().expect("a list").iter().find(|b| b[0] == BACKEND);
    let ours = &ours.expect("it is listed")[1]["Ok"][0];
    let said = ours["facts"]["copy_bandwidth"].as_str();
    assert!(said.is_some_and(|said| said.ends_with(" GB/s")), "{said:?}");
    let noise = ours["health"]["noise"].as_array().expect("it was watched");
    assert_eq!(noise.len(), 2);
    // Waiting for cores is counted only for threads of the host.
    assert!(noise.iter().all(|noise| noise["disturbed"].is_null()), "{noise:?}");
}
