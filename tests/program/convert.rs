//! `convert` and `inspect` with the real binary.

use std::path::{Path, PathBuf};

use crate::support::{autobench, sentence};

fn corpus(name: &str) -> String {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/records");
    corpus.join(name).to_string_lossy().into_owned()
}

/// JSON output of a command that succeeds.
fn answer(arguments: &[&str]) -> serde_json::Value {
    let output = autobench(arguments);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn place(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_string_lossy().into_owned()
}

#[test]
fn a_file_goes_to_every_format_by_its_name_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let steps = ["first.t4.json.gz", "second.json", "third_T4.json", "fourth.json.gz", "rows.csv"];
    let mut from = corpus("cache.json");
    for step in steps {
        let to = place(&folder, step);
        let output = autobench(&["convert", &from, &to]);
        assert!(output.status.success(), "{step}: {output:?}");
        if step.ends_with(".csv") {
            let text = std::fs::read_to_string(&to).expect("a table");
            assert!(text.starts_with("status,reason,time_ms,"), "{text}");
            assert_eq!(text.lines().count(), 4);
            continue;
        }
        let shown = answer(&["inspect", "--json", &to]);
        assert_eq!(shown["rows"], 3, "{step}");
        assert_eq!(shown["device"], "NVIDIA A100-PCIE-40GB", "{step}");
        assert_eq!(shown["best"]["precision"], "f32", "{step}");
        assert_eq!(shown["outcomes"]["compile-failed"], 1, "{step}");
        let format =
            if step.to_lowercase().contains("t4") { "T4 results" } else { "Kernel Tuner cache" };
        assert_eq!(shown["format"], format, "{step}");
        from = to;
    }
}

#[test]
fn a_file_that_is_there_is_replaced_only_by_force() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = place(&folder, "out.json");
    std::fs::write(&to, "precious").expect("written");
    let output = autobench(&["convert", &corpus("t4.json"), &to]);
    assert_eq!(output.status.code(), Some(2));
    assert!(sentence(&output).contains("--force"));
    assert_eq!(std::fs::read_to_string(&to).expect("there"), "precious");
    assert!(autobench(&["convert", &corpus("t4.json"), &to, "--force"]).status.success());
    assert_ne!(std::fs::read_to_string(&to).expect("there"), "precious");
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
}

#[test]
fn files_of_different_searches_are_not_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = place(&folder, "out.json");
    let output = autobench(&["convert", &corpus("cache.json"), &corpus("open.json"), &out]);
    assert_eq!(output.status.code(), Some(2));
    let message = sentence(&output);
    assert!(message.contains("the device is `NVIDIA A100-PCIE-40GB` in the one"), "{message}");
    assert!(!PathBuf::from(out).exists());
}

#[test]
fn what_cannot_be_converted_is_said_in_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = place(&folder, "out.json");
    for (arguments, words) in [
        (vec!["convert", &out], "2 values required"),
        (vec!["convert", "/nowhere.json", &out], "/nowhere.json"),
        (vec!["convert", &corpus("cache.json"), "out.parquet"], "--to"),
        (
            vec!["convert", &corpus("cache.json"), &out, "--to", "markdown"],
            "known: csv, kernel-tuner, t4",
        ),
        (vec!["convert", &corpus("cache.json"), &out, "--size", "64"], "leave --size out"),
        (vec!["convert", &corpus("journal.jsonl"), &out, "--size", "65"], "it has some at 64"),
        (vec!["inspect", &corpus("../../program/convert.rs")], "is not a recorded space"),
        (vec!["inspect", "/nowhere"], "/nowhere"),
    ] {
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains(words) && message.contains("error"), "{arguments:?}: {message}");
    }
}

#[test]
fn inspect_says_what_a_file_holds() {
    let output = autobench(&[
        "inspect",
        &corpus("cache.json"),
        &corpus("open.json"),
        &corpus("journal.jsonl"),
    ]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    for words in [
        "cache.json: Kernel Tuner cache",
        "device      NVIDIA A100-PCIE-40GB",
        "kernel      kernel, problem size 4096 × 2",
        "rows        3: 1 measured, 1 compile-failed, 1 run-failed",
        "best        block_size_x=16,unroll=true,precision=f32,share=0.5",
        "warning     the file ends inside a row, which is left out",
        "warning     2 values are NaN or infinite; they are read as missing",
        "journal.jsonl: study of autobench",
        "rows        2: 1 measured, 1 crashed",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

#[test]
fn every_format_can_be_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["cache.json", "open.json", "t4.json", "journal.jsonl"] {
        let device = format!("replay:{}", corpus(name));
        let out = place(&folder, "out");
        let result =
            answer(&["tune", "--device", &device, "--budget", "3", "--json", "--out", &out]);
        assert!(
            result["workload"]["best"]["seconds"]["median"].as_f64().is_some(),
            "{name}: {result}"
        );
    }
}
