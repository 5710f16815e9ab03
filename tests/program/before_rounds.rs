//! Studies of the version without rounds: `journals/before_rounds` was written by it.

use std::{fs, path::Path, process::Output};

use crate::support::{self, exhaustive, turn};

/// This machine's name of its processor: a study resumes only where it began.
fn processor() -> String {
    let devices = said(&support::autobench(&["devices", "--json"]));
    let devices: serde_json::Value = serde_json::from_str(&devices).expect("a list of backends");
    let mut backends = devices.as_array().into_iter().flatten();
    let cpu = backends.find(|backend| backend[0] == "cpu").expect("the embedded device");
    cpu[1]["Ok"][0]["name"].as_str().expect("a name").to_owned()
}

/// A copy of the study, as if begun on this machine, whose journal has only `lines` lines.
fn study(folder: &Path, lines: usize) -> String {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals/before_rounds");
    fs::copy(kept.join("samples.f32"), folder.join("samples.f32")).expect("it is copied");
    let record = fs::read_to_string(kept.join("study.json")).expect("a record");
    let benchmark = kept.join("plusone.yaml").to_str().expect("a name").to_owned();
    let record = record.replace("plusone.yaml", &benchmark).replace("AMD EPYC", &processor());
    fs::write(folder.join("study.json"), record).expect("it is written");
    let journal = fs::read_to_string(kept.join("journal.jsonl")).expect("a journal");
    let cut: String = journal.split_inclusive('\n').take(lines).collect();
    fs::write(folder.join("journal.jsonl"), cut).expect("it is written");
    folder.to_str().expect("a name").to_owned()
}

fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn it_is_shown_and_exported_as_it_was() {
    let _turn = turn();
    let folder = tempfile::tempdir().expect("a folder");
    let study = study(folder.path(), usize::MAX);
    let shown = said(&support::autobench(&["show", &study]));
    assert!(shown.contains("4 sizes") && shown.contains("8000"), "{shown}");
    for format in ["csv", "json", "markdown", "plot", "report", "kernel-tuner", "t4"] {
        let output = support::autobench(&["export", "--format", format, &study]);
        assert!(output.status.success(), "{format}: {output:?}");
    }
    assert!(!said(&support::autobench(&["resume", &study])).is_empty());
}

#[test]
fn one_that_was_cut_goes_on_with_what_follows_today() {
    if !exhaustive() {
        return;
    }
    let _turn = turn();
    let lines = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals/before_rounds/journal.jsonl"),
    )
    .expect("a journal")
    .lines()
    .count();
    for left in [4, lines / 2, lines - 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let study = study(folder.path(), left);
        let resumed = said(&support::autobench(&["resume", &study]));
        assert!(resumed.contains("4 sizes"), "{resumed}");
        let journal = fs::read_to_string(folder.path().join("journal.jsonl")).expect("a journal");
        assert!(journal.lines().count() > left, "nothing was added to {left} lines");
    }
}
