//! Whole studies with the real binary, small enough for a test.

use std::path::{Path, PathBuf};

use crate::support::{autobench, json, turn};

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn folder_of(result: &serde_json::Value) -> PathBuf {
    PathBuf::from(result["folder"].as_str().expect("a folder"))
}

#[test]
fn a_small_study_leaves_a_whole_folder() {
    let _turn = turn();
    let out = tempfile::tempdir().expect("a folder");
    let output = autobench(&[
        "run",
        "vecadd",
        "--sizes",
        "1k..32k*2",
        "--budget",
        "3",
        "--time",
        "12",
        "--json",
        "--out",
        &text(out.path()),
    ]);
    let result = json(&output);
    let folder = folder_of(&result);
    // If the sizes show a knee, further sizes are measured around it.
    let sizes = std::fs::read_to_string(folder.join("sizes.csv")).expect("a table");
    let grown = sizes.lines().filter(|row| row.contains(",growth,")).count();
    // A busy machine may not reach the last size, and reports this.
    let ended = result["growth_ended"].as_str().unwrap_or_default();
    assert!(grown == 6 || (grown >= 3 && ended.contains("--time")), "{ended}: {sizes}");
    assert_eq!(result["sizes"], sizes.lines().count() - 1);
    assert!(result["workload"]["best"]["seconds"]["median"].as_f64().expect("a time") > 0.0);
    assert!(result["workload"]["gain"].as_f64().expect("a gain") > 0.0);
    for file in [
        "study.json",
        "journal.jsonl",
        "samples.f32",
        "sizes.csv",
        "trials.csv",
        "saturation.svg",
        "saturation.png",
        "tuning.svg",
        "tuning.png",
        "report.html",
        "winner.cu",
    ] {
        assert!(folder.join(file).metadata().is_ok_and(|m| m.len() > 0), "{file} is missing");
    }
    let study = std::fs::read_to_string(folder.join("study.json")).expect("a record");
    let study: serde_json::Value = serde_json::from_str(&study).expect("JSON");
    for (name, value) in study["host"].as_object().expect("a host") {
        assert!(*value != "" && *value != 0, "nothing is known of the host's {name}");
    }
    for format in ["csv", "json", "markdown", "header"] {
        let output = autobench(&["export", &text(&folder), "--format", format]);
        assert!(output.status.success(), "{format}: {output:?}");
    }
    let shown = autobench(&["show", &text(&folder)]);
    assert!(shown.status.success(), "{shown:?}");
    assert!(String::from_utf8_lossy(&shown.stdout).contains("block_size_x"));
}

#[test]
fn a_finished_study_is_resumed_without_measuring_again() {
    let _turn = turn();
    let out = tempfile::tempdir().expect("a folder");
    let output = autobench(&[
        "tune",
        "vecadd",
        "--size",
        "4k",
        "--budget",
        "3",
        "--time",
        "10",
        "--json",
        "--out",
        &text(out.path()),
    ]);
    let first = json(&output);
    let folder = folder_of(&first);
    let trials = |folder: &Path| {
        let journal = std::fs::read_to_string(folder.join("journal.jsonl")).expect("a journal");
        journal.lines().filter(|l| l.contains("\"event\":\"trial\"")).count()
    };
    let before = trials(&folder);
    assert!(before >= 3);
    let again = json(&autobench(&["resume", &text(&folder), "--json"]));
    assert_eq!(again["workload"], first["workload"]);
    assert_eq!(trials(&folder), before);
    let export = json(&autobench(&["export", &text(&folder), "--format", "json"]));
    assert_eq!(export["progress"], "finished");
}

#[test]
fn a_dry_run_says_sizes_and_writes_nothing() {
    let _turn = turn();
    let out = tempfile::tempdir().expect("a folder");
    let output = autobench(&["run", "gemm", "--dry-run", "--out", &text(out.path())]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("configurations"));
    let folder = text(out.path());
    let tuned = autobench(&["tune", "gemm", "--size", "256", "--dry-run", "--out", &folder]);
    let said = String::from_utf8_lossy(&tuned.stdout).into_owned();
    assert!(said.contains("size 256") && said.contains("estimate"), "{said}");
    assert!(!said.contains("knee"), "{said}");
    let sizes = "1k..4k*2";
    let document = json(&autobench(&[
        "run",
        "vecadd",
        "--sizes",
        sizes,
        "--dry-run",
        "--json",
        "--out",
        &folder,
    ]));
    assert_eq!(document["sizes"].as_array().map(Vec::len), Some(3));
    assert!(document["estimated_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert_eq!(out.path().read_dir().expect("a folder").count(), 0);
}

#[test]
fn what_can_be_named_is_listed() {
    let _turn = turn();
    let listed = json(&autobench(&["list", "--json"]));
    for (section, name) in [
        ("benchmarks", "vecadd"),
        ("benchmarks", "gemm"),
        ("detectors", "kneedle"),
        ("strategies", "local_search"),
        ("devices", "cpu"),
    ] {
        let entries = listed[section].as_array().expect("a list");
        assert!(entries.iter().any(|e| e["name"] == name), "{section}: {name}");
    }
}
