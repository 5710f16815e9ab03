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
