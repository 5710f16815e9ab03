//! Studies over several simulated devices.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use super::libraries::{self, simulated, words};
use crate::support;

/// `autobench` with `count` devices.
fn with_devices(count: usize) -> Command {
    let mut command = simulated(support::command());
    command.env("SIMULATED_GPU_DEVICES", count.to_string());
    command
}

fn tune(devices: &str, out: &Path, with: impl FnOnce(&mut Command)) -> Output {
    let mut command = with_devices(3);
    command
        .args(["tune", "vecadd", "--size", "4k", "--budget", "6", "--seed", "1", "--quiet"])
        .args(["--samples", "5", "--device", devices, "--out"])
        .arg(out);
    with(&mut command);
    command.output().expect("it runs")
}

fn studies(out: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir(out).expect("a folder").flatten().map(|entry| entry.path()).collect();
    all.sort();
    all
}

fn trials(study: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(study.join("journal.jsonl")).expect("a journal");
    let events = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    events.filter(|event: &serde_json::Value| event["event"] == "trial").collect()
}

fn searched(study: &Path) -> Vec<String> {
    let all = trials(study).into_iter().filter(|trial| trial["phase"] == "search");
    all.map(|trial| trial["configuration"].to_string()).collect()
}

#[test]
fn devices_of_a_model_share_the_trials_of_one_study() {
    if libraries::are_in_use() {
        return;
    }
    let (one, several) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir());
    let several = several.expect("a folder");
    let output = tune("cuda:0", one.path(), |command| {
        command.args(["--strategy", "random"]);
    });
    assert!(output.status.success(), "{}", words(&output));
    let output = tune("cuda:all", several.path(), |command| {
        command.args(["--strategy", "random"]);
    });
    assert!(output.status.success(), "{}", words(&output));
    let (one, study) = (studies(one.path()).remove(0), studies(several.path()).remove(0));
    // Configurations and their order do not depend on the number of devices.
    assert_eq!(searched(&study), searched(&one));
    let trials_of = trials(&study);
    let device = |trial: &serde_json::Value| trial["outcome"]["device"].as_str().map(str::to_owned);
    let used: std::collections::BTreeSet<_> = trials_of.iter().map(device).collect();
    assert!(used.len() > 1 && !used.contains(&None), "{used:?}");
    let is_search =
        |trial: &&serde_json::Value| trial["phase"] == "search" || trial["phase"] == "precise";
    for trial in trials_of.iter().filter(|trial| !is_search(trial)) {
        assert_eq!(device(trial).as_deref(), Some("cuda:0"), "what is compared is of one device");
    }
    assert!(trials(&one).iter().all(|trial| device(trial).is_none()), "one needs no name");
    let record = fs::read_to_string(study.join("study.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    assert_eq!(record["device"]["others"], serde_json::json!(["cuda:1", "cuda:2"]));
    assert_eq!(record["settings"]["device"], "cuda:0,1,2");
}

#[test]
fn a_study_on_several_devices_goes_on_where_it_was_cut_off() {
    if libraries::are_in_use() {
        return;
    }
    let out = tempfile::tempdir().expect("a folder");
    let output = tune("cuda:0,1", out.path(), |_| {});
    assert!(output.status.success(), "{}", words(&output));
    let study = studies(out.path()).remove(0);
    let before = searched(&study);
    let journal = study.join("journal.jsonl");
    let text = fs::read_to_string(&journal).expect("a journal");
    let kept: String = text.split_inclusive('\n').take(6).collect();
    fs::write(&journal, kept).expect("cut");
    let output = with_devices(3).arg("resume").arg(&study).arg("--quiet").output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{}", words(&output));
    let after = searched(&study);
    assert_eq!(after.len(), before.len());
    assert_eq!(after[..3], before[..3], "what was kept is not done again");
}

#[test]
fn devices_of_different_models_get_studies_of_their_own() {
    if libraries::are_in_use() || !support::exhaustive() {
        return;
    }
    let out = tempfile::tempdir().expect("a folder");
    let output = tune("cuda:all", out.path(), |command| {
        command.env("SIMULATED_GPU_OTHER", "1");
    });
    assert!(output.status.success(), "{}", words(&output));
    let mut devices: Vec<(String, String)> = Vec::new();
    for study in studies(out.path()) {
        let record = fs::read_to_string(study.join("study.json")).expect("a record");
        let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        devices.push((text(&record["settings"]["device"]), text(&record["device"]["name"])));
    }
    devices.sort();
    let expected = [("cuda:0,2", "Simulated GPU"), ("cuda:1", "Another simulated GPU")];
    assert_eq!(devices, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn devices_that_are_not_there_are_named() {
    if libraries::are_in_use() {
        return;
    }
    let out = tempfile::tempdir().expect("a folder");
    let absent = tune("cuda:0,7", out.path(), |_| {});
    assert!(words(&absent).contains("there is no `cuda:7`"), "{}", words(&absent));
    let twice = tune("cuda:1,1", out.path(), |_| {});
    assert!(words(&twice).contains("`cuda:1` is named twice"), "{}", words(&twice));
}
