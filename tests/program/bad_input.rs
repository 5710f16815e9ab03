//! Wrong input of every kind: one clear sentence, the documented exit code, before any long work.

use crate::support::{autobench, sentence};

#[test]
fn unknown_names_are_answered_with_what_exists() {
    for (arguments, known) in [
        (vec!["run", "vecadd", "--detector", "neele"], "kneedle"),
        (vec!["run", "vecadd", "--strategy", "anealing"], "local_search"),
        (vec!["run", "vecadd", "--device", "abacus"], "cpu"),
        (vec!["run", "vecad"], "vecadd"),
        (vec!["run", "vecadd", "--objective", "beauty"], "bandwidth"),
        (vec!["tune", "vecadd", "--size", "1k", "--param", "blok=1"], "block_size_x"),
        (vec!["tune", "vecadd", "--size", "1k", "--knob", "colour=red"], "colour"),
        (vec!["tune", "vecadd", "--size", "1k", "--strategy", "pso:particels=9"], "`particles`"),
        (vec!["tune", "vecadd", "--size", "1k", "--strategy", "pso:preset=tpds"], "tpds2026"),
    ] {
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let message = sentence(&output);
        assert!(message.contains(known), "{arguments:?}: {message}");
    }
}

#[test]
fn sizes_of_nothing_and_nonsense_are_refused() {
    for arguments in [
        vec!["tune", "vecadd", "--size", "0"],
        vec!["tune", "vecadd"],
        vec!["run", "vecadd", "--sizes", "5,x"],
        vec!["run", "vecadd", "--factor", "1"],
        vec!["run", "vecadd", "--factor", "often"],
        vec!["run", "vecadd", "--min-run-ms", "-1"],
        vec!["run", "vecadd", "--confirm-by", "kneedle"],
        vec!["run", "vecadd", "--confirm-by", "triangle,triangle"],
        vec!["run", "vecadd", "--budget", "0"],
        vec!["run", "vecadd", "--time", "-1"],
        vec!["run", "vecadd", "--memory-share", "2"],
        vec!["run", "vecadd", "--max-error", "nan"],
        vec!["run"],
        vec!["tune", "--device", "replay:/nowhere/space.json"],
        vec!["resume", "/nowhere"],
        vec!["show", "/nowhere"],
        vec!["export", "/nowhere", "--format", "csv"],
        vec!["knee", "/nowhere.csv"],
    ] {
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        sentence(&output);
    }
}

#[test]
fn restrictions_that_leave_nothing_end_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_string_lossy().into_owned();
    let output = autobench(&[
        "tune",
        "vecadd",
        "--size",
        "1k",
        "--restrict",
        "block_size_x > 100000",
        "--out",
        &out,
    ]);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(sentence(&output).contains("restriction"), "{output:?}");
}

#[test]
fn an_unwritable_folder_is_told_before_anything_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").expect("a file");
    let out = file.join("out").to_string_lossy().into_owned();
    let output = autobench(&["tune", "vecadd", "--size", "1k", "--out", &out]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(sentence(&output).contains(&out), "{output:?}");
}

#[test]
fn a_missing_compiler_is_told_with_the_cure() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_string_lossy().into_owned();
    let output = crate::support::command()
        .args(["tune", "vecadd", "--size", "1k", "--out", &out])
        .env("PATH", folder.path())
        .env_remove("CXX")
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(sentence(&output).contains("g++"), "{output:?}");
}
