//! What a person types every day: several benchmarks, help, completions.

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
    let quick = ["--budget", "2", "--samples", "3", "--quiet", "--out", to];
    // The second benchmark has no such parameter.
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
    // Scripts for fish complete values of flags alone.
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
fn help_is_grouped_and_has_examples() {
    let help = said(&called(&["run", "--help"]));
    for words in ["What is measured:", "Search:", "Goal and accuracy:", "Measuring:", "Examples:"] {
        assert!(help.contains(words), "no `{words}` in {help}");
    }
}
