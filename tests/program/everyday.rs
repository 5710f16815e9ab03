//! What users type every day: several benchmarks, help, completions.

use std::process::Output;

use crate::support::{command, sentence};

fn called(arguments: &[&str]) -> Output {
    command().args(arguments).output().expect("the program runs")
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn several_benchmarks_make_a_study_each_and_a_failure_keeps_none_from_being_made() {
    let out = tempfile::tempdir().expect("a folder");
    let to = out.path().to_str().expect("a path");
    let quick = ["--budget", "2", "--time", "5", "--samples", "3", "--quiet", "--out", to];
    // The second benchmark does not have this parameter.
    let narrowed = ["tune", "vecadd", "fma", "vecadd", "--size", "4096"];
    let output = called(&[&narrowed[..], &quick, &["--param", "items_per_thread=1"]].concat());
    let studies = std::fs::read_dir(out.path()).expect("a folder").count();
    assert_eq!((output.status.code(), studies), (Some(2), 2), "{output:?}");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("1 of 3 studies failed: fma"), "{words}");
}

#[test]
fn a_misspelt_benchmark_is_said_before_anything_starts() {
    let out = tempfile::tempdir().expect("a folder");
    let to = out.path().to_str().expect("a path");
    let output = called(&["run", "vecadd", "gemn", "--out", to]);
    assert_eq!(output.status.code(), Some(2));
    assert!(sentence(&output).contains("gemn"), "{output:?}");
    assert_eq!(std::fs::read_dir(out.path()).expect("a folder").count(), 0);
}

#[test]
fn completions_know_names() {
    // Scripts for fish complete only the values of flags.
    let of_flags = ["kneedle", "genetic_algorithm", "hip"];
    let all = ["vecadd", "saturation", "kneedle", "genetic_algorithm", "hip"];
    for (shell, names) in [("bash", &all[..]), ("zsh", &all), ("fish", &of_flags)] {
        let script = said(&called(&["completions", shell]));
        for name in names {
            assert!(script.contains(name), "{shell}: no {name}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("man1");
    assert_eq!(called(&["completions", "man"]).status.code(), Some(2));
    said(&called(&["completions", "man", "--to", to.to_str().expect("a path")]));
    let page = |name: &str| std::fs::read_to_string(to.join(name)).expect(name);
    assert!(page("autobench.1").contains("autobench\\-tune(1)"));
    for part in [".TH", ".SH OPTIONS", "\\-\\-budget"] {
        assert!(page("autobench-tune.1").contains(part), "{part}");
    }
    let names = std::fs::read_dir(&to).expect("a folder").flatten().map(|entry| entry.file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains("__")));
}

#[test]
fn help_is_grouped_and_has_examples() {
    let help = said(&called(&["run", "--help"]));
    for words in ["What is measured:", "Search:", "Goal and accuracy:", "Measuring:", "Examples:"] {
        assert!(help.contains(words), "no `{words}` in {help}");
    }
    let short = said(&called(&["run", "-h"]));
    let options = short.lines().filter(|line| line.trim_start().starts_with("--")).count();
    assert_eq!(options, 10, "{short}");
    for (known, absent) in [("--max-error", "--digits"), ("--sizes", "--memory-share")] {
        assert!(short.contains(known) && !short.contains(absent), "{short}");
        assert!(help.contains(absent), "{help}");
    }
    let commands = said(&called(&["--help"]));
    for words in ["\nMeasure:\n  run ", "\nRead results:\n  results ", "\nExtend:\n  plugin "] {
        assert!(commands.contains(words), "no `{words}` in {commands}");
    }
    assert!(commands.lines().all(|line| !line.starts_with("  ") || line.len() <= 84), "{commands}");
}

#[test]
fn the_program_alone_has_its_benchmarks_wherever_it_lies() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("autobench");
    std::fs::copy(env!("CARGO_BIN_EXE_autobench"), &program).expect("a copy");
    let called = |arguments: &[&str]| {
        let mut alone = std::process::Command::new(&program);
        alone.env_remove("AUTOBENCH_PLUGIN_PATH").env("XDG_DATA_HOME", folder.path());
        alone.current_dir(folder.path()).args(arguments).output().expect("the program runs")
    };
    let known = said(&called(&["list", "benchmarks"]));
    assert!(known.contains("vector addition, c[i] = a[i] + b[i]"), "{known}");
    assert!(!known.contains("kneedle"), "one list alone: {known}");
    for name in ["vecadd", "gemm", "black_scholes", "bfs"] {
        assert!(
            known.lines().any(|line| line.contains(name) && line.contains("built in")),
            "{name}"
        );
    }
    let tuned = called(&["tune", "black-scholes", "--size", "4Ki", "--budget", "2", "--json"]);
    let tuned: serde_json::Value = serde_json::from_str(&said(&tuned)).expect("JSON");
    let study = folder.path().join(tuned["folder"].as_str().expect("a folder"));
    let record = std::fs::read_to_string(study.join("study.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    assert_eq!(record["settings"]["benchmark"], "black_scholes", "found again by that name");
    let resumed = called(&["resume", study.to_str().expect("a path"), "--json"]);
    assert!(resumed.status.success(), "{resumed:?}");
    let again = called(&["resume", study.to_str().expect("a path")]);
    let noted = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(noted.contains("is finished: its answer stays"), "{noted}");
}
