//! Several objectives with the real binary: on a recorded space, on a device, and in an interrupted
//! study.

use std::{fmt::Write as _, fs, path::Path};

use crate::support::{autobench, json, turn};

/// A Kernel Tuner cache of 8 × 8 configurations: fast ones compile slowly, and some fail.
fn space(folder: &Path) -> String {
    let path = folder.join("traded.json");
    let mut cache = String::new();
    for a in 0..8_i32 {
        for b in 0..8_i32 {
            let time = 1.0 + 0.2 * f64::from((a - 6).pow(2)) + 0.1 * f64::from(b);
            let compile =
                300.0 + 50.0 * f64::from((a - 1).pow(2)) + 10.0 * f64::from((b - 2).pow(2));
            let figures = if a + b > 12 {
                r#""time": "RuntimeFailedConfig", "times": []"#.to_owned()
            } else {
                let spread = 0.01 * f64::from(1 + (a * b) % 5);
                format!(r#""time": {time}, "times": [{}, {}]"#, time - spread, time + spread)
            };
            let comma = if cache.is_empty() { "" } else { ",\n" };
            write!(
                cache,
                r#"{comma}"{a},{b}": {{"a": {a}, "b": {b}, {figures}, "compile_time": {compile}, "verification_time": 1.0, "benchmark_time": 5.0, "strategy_time": 0, "framework_time": 2.0}}"#
            )
            .expect("text");
        }
    }
    let list = "[0, 1, 2, 3, 4, 5, 6, 7]";
    let text = format!(
        r#"{{"device_name": "made", "kernel_name": "traded", "problem_size": "1", "tune_params_keys": ["a", "b"], "tune_params": {{"a": {list}, "b": {list}}}, "objective": "time", "cache": {{{cache}}}}}"#
    );
    fs::write(&path, text).expect("written");
    path.to_string_lossy().into_owned()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn the_front_of_a_recorded_space_is_found_written_and_shown() {
    let _turn = turn();
    let out = tempfile::tempdir().expect("a folder");
    let device = format!("replay:{}", space(out.path()));
    let tune = |strategy: &str, more: &[&str]| {
        let out = text(out.path());
        let fixed = ["tune", "--device", &device, "--strategy", strategy, "--out", &out];
        autobench(&[&fixed[..], more].concat())
    };
    let two = ["--objective", "seconds", "--objective", "compile_seconds", "--json"];
    let result = json(&tune("exhaustive", &[&two[..], &["--budget", "64"]].concat()));
    let members = result["front"]["members"].as_array().expect("a front");
    // b = 0 runs fastest and b = 2 compiles fastest; a trades one for the other from 1 to 6.
    assert!(members.len() >= 6, "{result:#}");
    let value =
        |at: usize, objective: usize| members[at]["values"][objective].as_f64().expect("a number");
    for at in 1..members.len() {
        assert!(value(at, 0) > value(at - 1, 0) && value(at, 1) < value(at - 1, 1));
    }
    assert_eq!(result["front"]["fresh"], true);
    let folder = Path::new(result["folder"].as_str().expect("a folder"));
    for file in ["front.csv", "front.svg", "front.png", "report.html"] {
        assert!(folder.join(file).metadata().is_ok_and(|m| m.len() > 0), "{file} is missing");
    }
    let shown = autobench(&["show", &text(folder)]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let counted = format!("{} trade-offs of run time and compile time", members.len());
    assert!(shown.contains(&counted), "no `{counted}` in:\n{shown}");
    for strategy in ["nsga2", "nsga3", "default", "random"] {
        let more = ["--budget", "30", "--objective", "noise", "--json", "--quiet"];
        let result = json(&tune(strategy, &[&two[..4], &more].concat()));
        let values = result["front"]["members"][0]["values"].as_array().map(Vec::len);
        assert_eq!(values, Some(3), "{strategy}");
    }
}

#[test]
fn a_device_trades_time_against_error_and_a_resumed_study_says_the_same() {
    let _turn = turn();
    let out = tempfile::tempdir().expect("a folder");
    let out = text(out.path());
    let result = json(&autobench(&[
        "tune",
        "vecadd",
        "--size",
        "4k",
        "--budget",
        "12",
        "--time",
        "20",
        "--strategy",
        "nsga2",
        "--objective",
        "seconds",
        "--objective",
        "error",
        "--json",
        "--out",
        &out,
    ]));
    let front = &result["front"];
    let members = front["members"].as_array().expect("a front");
    assert!(!members.is_empty());
    for member in members {
        assert_eq!(member["values"][1], member["error"]);
    }
    let folder = result["folder"].as_str().expect("a folder");
    let record: serde_json::Value =
        serde_json::from_slice(&fs::read(Path::new(folder).join("study.json")).expect("read"))
            .expect("JSON");
    assert_eq!(record["settings"]["objective"]["metric"], "seconds");
    assert_eq!(record["settings"]["further_objectives"][0]["metric"], "error");
    let again = json(&autobench(&["resume", folder, "--json"]));
    assert_eq!(&again["front"], front);
}

#[test]
fn objectives_that_make_no_sense_are_refused_before_any_work() {
    let _turn = turn();
    let out = tempfile::tempdir().expect("a folder");
    let file = space(out.path());
    let device = format!("replay:{file}");
    let two = |a: &'static str, b: &'static str| ["--objective", a, "--objective", b];
    for (arguments, words) in [
        ([&["tune", "--device", &device][..], &two("seconds", "time")].concat(), "named twice"),
        ([&["tune", "--device", &device][..], &two("seconds", "beauty")].concat(), "`beauty`"),
        (
            [&["score", "--spaces", &file][..], &two("seconds", "beauty")].concat(),
            "compile_seconds",
        ),
        ([&["score", "--spaces", &file][..], &["--objective", "beauty"]].concat(), "`beauty`"),
    ] {
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn strategies_are_scored_by_how_near_the_front_they_come() {
    let _turn = turn();
    let out = tempfile::tempdir().expect("a folder");
    let file = space(out.path());
    let out = text(&out.path().join("out"));
    let score = || {
        json(&autobench(&[
            "score",
            "--spaces",
            &file,
            "--strategies",
            "nsga2,exhaustive",
            "--objective",
            "seconds",
            "--objective",
            "compile_seconds",
            "--evaluations",
            "20,64",
            "--repeats",
            "5",
            "--json",
            "--out",
            &out,
        ]))
    };
    let first = score();
    let strategies = first["strategies"].as_array().expect("a list");
    assert_eq!(strategies.len(), 3, "random search is always there");
    for strategy in strategies {
        let at_end = &strategy["spaces"]["traded"]["64"];
        assert_eq!(at_end["igd_plus"]["median"], 0.0, "64 evaluations are the whole space");
        assert!((at_end["hypervolume"]["median"].as_f64().expect("a number") - 1.0).abs() < 1e-12);
        let sooner = strategy["spaces"]["traded"]["20"]["igd_plus"]["median"].as_f64();
        assert!(sooner.is_some_and(|distance| distance > 0.0));
    }
    assert_eq!(first, score());
    let folder = fs::read_dir(&out).expect("made").next().expect("one").expect("one").path();
    assert!(folder.join("fronts.csv").metadata().is_ok_and(|m| m.len() > 0));
}
