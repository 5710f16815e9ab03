//! The list of results, and how commands name results.

use std::{fs, path::Path, process::Output};

use math::seeded;

use crate::{
    made::Made,
    support::{command, json, sentence},
};

/// Runs the program in a folder that contains `out`.
fn called(folder: &Path, arguments: &[&str]) -> Output {
    command().args(arguments).current_dir(folder).output().expect("the program runs")
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Writes three results: two readable ones, and a damaged one between them.
fn results(folder: &Path) {
    let mut rng = seeded(3, 0);
    let out = folder.join("out");
    fs::create_dir(&out).expect("a folder");
    for (name, benchmark) in
        [("20260101T000000Z_old_device_tune", "old"), ("20260301T000000Z_new_device_tune", "new")]
    {
        let made = Made { benchmark, device: "device", slowness: 1.0, wander: 0.01 };
        made.write(&out.join(name), &mut rng);
    }
    let damaged = out.join("20260201T000000Z_torn_device_tune");
    fs::create_dir(&damaged).expect("a folder");
    fs::write(damaged.join("study.json"), "{").expect("written");
    fs::create_dir(out.join("notes")).expect("a folder");
}

#[test]
fn results_are_listed_newest_first_whatever_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    results(folder.path());
    let listed = json(&called(folder.path(), &["results", "--json"]));
    let of: Vec<&str> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["of"].as_str().expect("text"))
        .collect();
    assert_eq!(of, ["new", "", "old"]);
    assert!(listed[1]["state"].as_str().expect("text").starts_with("damaged: "), "{listed}");
    let text = said(&called(folder.path(), &["results", "-n", "1"]));
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("new") && text.contains("finished"), "{text}");
    let absent = called(folder.path(), &["results", "nowhere"]);
    assert_eq!(absent.status.code(), Some(2));
    assert!(sentence(&absent).contains("nowhere"));
}

#[test]
fn scores_are_listed_and_a_result_has_its_page() {
    let folder = tempfile::tempdir().expect("a folder");
    results(folder.path());
    let out = folder.path().join("out");
    let score = out.join("20260401T000000Z_greedy_2-spaces_score");
    fs::create_dir(&score).expect("a folder");
    let space =
        |name: &str| serde_json::json!({ "name": name, "configurations": 9, "device": "A100" });
    let record = serde_json::json!({
        "format": "autobench-score", "version": 1, "autobench": "0.1.0",
        "started": "2026-04-01T00:00:00Z", "wall_seconds": 1.0, "repeats": 10, "seed": 1,
        "objectives": ["seconds"], "spaces": [space("one"), space("two")],
        "strategies": ["greedy_mls", "random_search"], "headline": { "figure": "score" },
        "rows": [{ "strategy": "greedy_mls", "figure": "score", "value": 0.8125 }],
    });
    fs::write(score.join("score.json"), record.to_string()).expect("written");
    let page = out.join("20260301T000000Z_new_device_tune/report.html");
    fs::write(&page, "a page").expect("written");
    let listed = json(&called(folder.path(), &["results", "--json"]));
    assert_eq!(listed[0]["of"], "score of 2 strategies on 2 spaces", "{listed}");
    assert_eq!(listed[0]["answer"], "greedy_mls: score 0.812", "{listed}");
    assert_eq!(
        (&listed[0]["device"], &listed[0]["page"]),
        (&"A100".into(), &serde_json::Value::Null)
    );
    assert_eq!(listed[1]["page"], "out/20260301T000000Z_new_device_tune/report.html");
    let text = said(&called(folder.path(), &["results"]));
    assert!(!text.contains('\u{1b}'), "a pipe gets no links: {text}");
    let latest = said(&called(folder.path(), &["show", "latest", "--no-source"]));
    assert!(latest.contains("new on device"), "scores are not what `latest` means: {latest}");
}

#[test]
fn results_are_named_by_latest_or_by_a_part_of_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let nothing = called(folder.path(), &["show", "latest"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(sentence(&nothing).contains("there is no latest result"));
    results(folder.path());
    let latest = said(&called(folder.path(), &["show", "latest", "--no-source"]));
    assert!(latest.contains("new on device"), "{latest}");
    let old = said(&called(folder.path(), &["export", "20260101", "--format", "csv"]));
    assert!(old.starts_with("benchmark,device,host,started,size,"), "{old}");
    let compared = said(&called(folder.path(), &["compare", "_new_", "latest"]));
    assert!(compared.contains("same") || compared.contains("unknown"), "{compared}");
    let several = sentence(&called(folder.path(), &["show", "device"]));
    assert!(several.contains("part of the names of 3 results"), "{several}");
    let unknown = sentence(&called(folder.path(), &["show", "elsewhere"]));
    assert!(unknown.contains("elsewhere"), "{unknown}");
}
