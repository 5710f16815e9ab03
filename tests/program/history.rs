//! `history` with the real binary, on generated studies of known speed: lists and filters, trends
//! and changes, and an index that only saves time.

use std::{fs, path::Path, process::Output};

use math::{Rng, seeded};
use records::StudyRecord;
use serde_json::Value;

use crate::{
    made::Made,
    support::{autobench, command, json, sentence},
};

/// Writes a study for a day, counted from the first day of 2026.
pub(crate) fn write_on(day: u64, made: &Made<'_>, path: &Path, rng: &mut Rng) {
    let mut record = made.record();
    record.started = "2026-01-01T00:00:00Z".parse().expect("a time");
    record.started = record.started + chrono::Days::new(day);
    made.write_as(&record, None, path, rng);
}

/// Calls `history` on a folder of results.
fn history(out: &Path, arguments: &[&str]) -> Output {
    command().arg("history").args(arguments).arg("--out").arg(out).output().expect("it runs")
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn noted(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn made(benchmark: &str, slowness: f64) -> Made<'_> {
    Made { benchmark, device: "device", slowness, wander: 0.003 }
}

/// Writes a study per day; from one day on, they are slower by a factor.
fn days(out: &Path, benchmark: &str, count: u64, change: Option<(u64, f64)>, rng: &mut Rng) {
    for day in 0..count {
        let slower = change.filter(|(from, _)| day >= *from).map_or(1.0, |(_, factor)| factor);
        let path = out.join(format!("{benchmark}{day:03}"));
        write_on(day, &made(benchmark, slower), &path, rng);
    }
}

fn listed(out: &Path, arguments: &[&str]) -> Vec<String> {
    let all = json(&history(out, &[arguments, &["-n", "0", "--json"]].concat()));
    let all = all.as_array().expect("a list").iter();
    all.map(|one| one["folder"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn studies_are_found_by_benchmark_device_driver_date_and_tag() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(1, 0);
    days(out.path(), "gemm", 3, None, &mut rng);
    let other = Made { device: "NVIDIA H100", ..made("xgemm", 1.0) };
    let mut record: StudyRecord = other.record();
    record.started = "2026-06-01T00:00:00Z".parse().expect("a time");
    record.device.facts.insert("driver".to_owned(), "550.54".to_owned());
    record.settings.tags = vec!["nightly".to_owned()];
    other.write_as(&record, None, &out.path().join("x"), &mut rng);
    let found = |arguments: &[&str]| listed(out.path(), arguments);
    assert_eq!(found(&[]), ["x", "gemm002", "gemm001", "gemm000"]);
    assert_eq!(found(&["list", "--benchmark", "gemm"]).len(), 3, "a whole name means itself");
    assert_eq!(found(&["--benchmark", "GEM"]).len(), 4);
    assert_eq!(found(&["--device", "h100"]), ["x"]);
    assert_eq!(found(&["--driver", "550"]), ["x"]);
    assert_eq!(found(&["--tag", "nightly"]), ["x"]);
    assert_eq!(found(&["--since", "2026-01-02", "--until", "2026-02"]), ["gemm002", "gemm001"]);
    assert_eq!(found(&["--state", "unfinished"]), [""; 0]);
    assert!(said(&history(out.path(), &["--device", "absent"])).contains("none of the 4 studies"));
    let text = said(&history(out.path(), &[]));
    assert!(text.contains("NVIDIA H100  550.54  finished  1"), "{text}");
}

#[test]
fn tags_lie_in_the_folder_and_count_for_what_lies_in_it() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(2, 0);
    let suite = out.path().join("a_suite");
    write_on(0, &made("gemm", 1.0), &suite.join("one"), &mut rng);
    fs::write(suite.join("suite.json"), "{}").expect("written");
    let path = suite.to_string_lossy();
    said(&autobench(&["history", "tag", &path, "release", "pull/17"]));
    assert_eq!(fs::read_to_string(suite.join("tags.txt")).expect("read"), "pull/17\nrelease\n");
    assert_eq!(listed(out.path(), &["--tag", "release", "--tag", "pull/17"]), ["a_suite/one"]);
    said(&autobench(&["history", "tag", &path, "release", "--remove"]));
    assert_eq!(listed(out.path(), &["--tag", "release"]), [""; 0]);
    for wrong in [&["release", "--remove"][..], &["two words"], &[""]] {
        let output = autobench(&[&["history", "tag", &path], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    let nothing = autobench(&["history", "tag", &out.path().to_string_lossy(), "x"]);
    assert!(sentence(&nothing).contains("is no result"), "{nothing:?}");
}

#[test]
fn tags_that_are_added_at_the_same_time_are_all_kept() {
    let out = tempfile::tempdir().expect("a folder");
    let study = out.path().join("one");
    write_on(0, &made("gemm", 1.0), &study, &mut seeded(3, 0));
    let words: Vec<String> = (0..8).map(|at| format!("tag{at}")).collect();
    let tag = |word: &String| {
        command().args(["history", "tag"]).arg(&study).arg(word).spawn().expect("it starts")
    };
    let mut all: Vec<_> = words.iter().map(tag).collect();
    assert!(all.iter_mut().all(|one| one.wait().expect("it ends").success()));
    let text = fs::read_to_string(study.join("tags.txt")).expect("read");
    assert_eq!(text.lines().collect::<Vec<_>>(), words);
}

#[test]
fn an_index_that_is_lost_damaged_or_of_another_version_is_made_again() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(3, 0);
    days(out.path(), "gemm", 3, None, &mut rng);
    let first = listed(out.path(), &[]);
    let file = out.path().join("history.jsonl");
    let whole = fs::read_to_string(&file).expect("an index");
    assert_eq!(whole.lines().count(), 4);
    for (text, words) in [
        (whole[..whole.len() / 2].to_owned(), "was damaged, and was made again"),
        (whole.replace("gemm001", "gemm999"), "was damaged, and was made again"),
        (String::new(), "was damaged, and was made again"),
        ("\u{0}\u{1}\n".to_owned(), "was damaged, and was made again"),
        ("[]\n".to_owned(), "was damaged, and was made again"),
        (whole.replacen("\"version\":3", "\"version\":9", 1), "of another version, and was made"),
    ] {
        fs::write(&file, &text).expect("written");
        let output = history(out.path(), &["--json"]);
        assert!(noted(&output).contains(words), "{output:?}");
        assert_eq!(fs::read_to_string(&file).expect("an index"), whole, "after {text:?}");
        assert_eq!(noted(&history(out.path(), &["--json"])), "", "it is told once");
    }
    fs::remove_file(&file).expect("removed");
    assert_eq!(listed(out.path(), &[]), first);
    fs::remove_file(&file).expect("removed");
    fs::create_dir(&file).expect("a folder in its place");
    let output = history(out.path(), &["--json"]);
    assert!(
        output.status.success() && noted(&output).contains("the index is not kept"),
        "{output:?}"
    );
    assert_eq!(json(&output).as_array().map(Vec::len), Some(3));
}

#[test]
fn what_changes_in_the_folders_changes_the_list() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(4, 0);
    days(out.path(), "gemm", 3, None, &mut rng);
    assert_eq!(listed(out.path(), &["--state", "finished"]).len(), 3);
    let journal = out.path().join("gemm001/journal.jsonl");
    let text = fs::read_to_string(&journal).expect("read");
    let shorter = text.trim_end().rfind('\n').expect("lines") + 1;
    fs::write(&journal, &text[..shorter]).expect("written");
    fs::remove_dir_all(out.path().join("gemm002")).expect("removed");
    days(out.path(), "new", 1, None, &mut rng);
    assert_eq!(listed(out.path(), &[]), ["gemm001", "new000", "gemm000"]);
    assert_eq!(listed(out.path(), &["--state", "unfinished"]), ["gemm001"]);
}

#[test]
fn folders_half_written_and_damaged_are_rows_with_a_sentence() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(5, 0);
    let path = |name: &str| out.path().join(name);
    days(out.path(), "gemm", 5, None, &mut rng);
    fs::write(path("gemm000/study.json"), "{\"format\":").expect("written");
    fs::remove_file(path("gemm001/journal.jsonl")).expect("removed");
    fs::remove_file(path("gemm002/study.json")).expect("removed");
    fs::write(path("gemm003/journal.jsonl"), "not an event\n").expect("written");
    let record = fs::read_to_string(path("gemm004/study.json")).expect("read");
    fs::write(path("gemm004/study.json"), record.replacen("\"version\": 1", "\"version\": 99", 1))
        .expect("written");
    fs::create_dir(path("20260101T000000Z_killed_device_tune")).expect("a folder");
    fs::create_dir(path("notes")).expect("a folder");
    fs::write(path("a file"), "words").expect("written");
    std::os::unix::fs::symlink(path("gemm000"), path("link")).expect("a link");
    let all = json(&history(out.path(), &["-n", "0", "--json"]));
    let of = |folder: &str| -> (String, String) {
        let one = all.as_array().expect("a list").iter().find(|one| one["folder"] == folder);
        let one = one.unwrap_or_else(|| panic!("no {folder} in {all}"));
        let text = |key: &str| one[key].as_str().expect("text").to_owned();
        (text("state"), text("reason"))
    };
    assert_eq!(all.as_array().map(Vec::len), Some(6), "{all}");
    for (folder, state, words) in [
        ("gemm000", "damaged", "is not a study of autobench"),
        ("gemm001", "unfinished", "has not begun"),
        ("gemm002", "unfinished", "its beginning is lost"),
        ("gemm003", "damaged", "line 1 of"),
        ("gemm004", "damaged", "update autobench"),
        ("20260101T000000Z_killed_device_tune", "unfinished", "it is empty"),
    ] {
        let (found, reason) = of(folder);
        assert_eq!(found, state, "{folder}: {reason}");
        assert!(reason.contains(words), "{folder}: {reason}");
    }
    said(&history(out.path(), &[]));
    let trend = history(out.path(), &["trend", "gemm"]);
    assert!(sentence(&trend).contains("no finished study of `gemm`"), "{trend:?}");
    let absent = history(&path("nowhere"), &[]);
    assert_eq!(absent.status.code(), Some(2));
    assert!(sentence(&absent).contains("nowhere"));
}

#[test]
fn records_of_versions_before_are_studies_too() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(6, 0);
    days(out.path(), "gemm", 1, None, &mut rng);
    // The first version wrote no checksums, and little more than this in the record.
    let journal = out.path().join("gemm000/journal.jsonl");
    let text = fs::read_to_string(&journal).expect("read");
    let without: String = text
        .lines()
        .map(|line| format!("{}}}\n", line.split(",\"sum\":").next().expect("a part")))
        .collect();
    fs::write(&journal, without).expect("written");
    let old = r#"{"format":"autobench-study","version":1,"autobench":"0.0.1","argv":[],"started":"2025-01-01T00:00:00Z","benchmark":{"name":"gemm","about":"","size_meaning":"","secondary":{"name":"","unit":"","sense":"maximise"},"error":["",0.0],"reference":"","document":null}}"#;
    fs::write(out.path().join("gemm000/study.json"), old).expect("written");
    let all = json(&history(out.path(), &["--json"]));
    assert_eq!(all[0]["state"], "finished", "{all}");
    assert_eq!(all[0]["answer"]["size"], 1 << 20, "{all}");
}

fn changes(out: &Path, arguments: &[&str]) -> Vec<Value> {
    let found = json(&history(out, &[&["regressions", "--json"], arguments].concat()));
    found.as_array().expect("a list").clone()
}

#[test]
fn a_step_is_told_with_its_place_its_size_and_what_else_changed() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(7, 0);
    days(out.path(), "gemm", 20, Some((12, 1.05)), &mut rng);
    days(out.path(), "calm", 20, None, &mut rng);
    for day in 12..20 {
        let path = out.path().join(format!("gemm{day:03}/study.json"));
        let record = fs::read_to_string(&path).expect("read");
        fs::write(&path, record.replacen("\"facts\": {}", "\"facts\": {\"driver\": \"560\"}", 1))
            .expect("written");
    }
    let found = changes(out.path(), &[]);
    let whole: Vec<&Value> = found.iter().filter(|change| change["size"].is_null()).collect();
    let [change] = whole[..] else { panic!("{found:?}") };
    assert_eq!((&change["subject"], &change["after"]), (&"gemm".into(), &"gemm012".into()));
    assert_eq!(change["verdict"], "slower");
    let ratio = change["ratio"].as_f64().expect("a number");
    assert!((ratio - 1.0 / 1.05).abs() < 0.01, "{ratio}");
    assert!(found.iter().all(|change| change["subject"] == "gemm"), "{found:?}");
    let text = said(&history(out.path(), &["regressions"]));
    assert!(text.contains("gemm on device became") && text.contains("slower"), "{text}");
    assert!(text.contains("driver: – → 560"), "{text}");
    assert_eq!(text.matches("became").count(), 1, "sizes stand behind their curve: {text}");
    let alarmed = history(out.path(), &["regressions", "--fail-on", "slower:3%"]);
    assert_eq!(alarmed.status.code(), Some(6));
    assert!(sentence(&alarmed).contains("gemm on device became"));
    for calm in [
        &["--fail-on", "slower:20%"][..],
        &["--fail-on", "faster"],
        &["--fail-on", "slower:3%", "--since", "2026-01-14"],
        &["--fail-on", "slower:3%", "--benchmark", "calm"],
    ] {
        said(&history(out.path(), &[&["regressions"], calm].concat()));
    }
}

#[test]
fn the_newest_study_alone_raises_an_alarm() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(8, 0);
    days(out.path(), "gemm", 13, Some((12, 1.1)), &mut rng);
    let found = changes(out.path(), &[]);
    assert!(
        found.iter().any(|change| change["size"].is_null() && change["after"] == "gemm012"),
        "{found:?}"
    );
}

#[test]
fn calm_trends_raise_no_alarm() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(9, 0);
    for benchmark in ["a", "b", "c", "d", "e", "f"] {
        days(out.path(), benchmark, 12, None, &mut rng);
    }
    assert_eq!(changes(out.path(), &[]), [Value::Null; 0]);
    let text = said(&history(out.path(), &["regressions"]));
    assert_eq!(text, "no change in the trends of 6 benchmarks and devices\n");
}

#[test]
fn a_trend_is_a_table_a_figure_and_json() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(10, 0);
    days(out.path(), "gemm", 12, Some((6, 1.2)), &mut rng);
    let (svg, picture) = (out.path().join("trend.svg"), out.path().join("trend.png"));
    let text = said(&history(out.path(), &["trend", "gemm", "--figure", &svg.to_string_lossy()]));
    assert!(text.starts_with("gemm on device, geometric mean over 6 sizes\n"), "{text}");
    assert_eq!(text.lines().count(), 14, "{text}");
    assert!(text.lines().nth(8).is_some_and(|line| line.contains("slower")), "{text}");
    let drawn = fs::read_to_string(&svg).expect("a figure");
    assert!(drawn.contains("slower") && drawn.contains("2026-01-"), "{drawn}");
    said(&history(out.path(), &["trend", "gemm", "--figure", &picture.to_string_lossy()]));
    assert!(fs::read(&picture).expect("a figure").starts_with(b"\x89PNG"));
    let one = json(&history(out.path(), &["trend", "gemm", "--size", "1024", "--json"]));
    let points = one["trends"][0]["points"].as_array().expect("points").len();
    assert_eq!((points, &one["trends"][0]["size"]), (12, &1024.into()));
    let wrong = history(out.path(), &["trend", "gemm", "--figure", "trend.gif"]);
    assert_eq!(wrong.status.code(), Some(2));
    let absent = history(out.path(), &["trend", "gemm", "--size", "7"]);
    assert!(sentence(&absent).contains("at size 7"));
}

#[test]
fn a_copy_of_a_study_counts_once() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(11, 0);
    days(out.path(), "gemm", 2, None, &mut rng);
    let copy = out.path().join("copy");
    fs::create_dir(&copy).expect("a folder");
    for file in ["study.json", "journal.jsonl"] {
        fs::copy(out.path().join("gemm000").join(file), copy.join(file)).expect("copied");
    }
    let trend = json(&history(out.path(), &["trend", "gemm", "--json"]));
    assert_eq!(trend["trends"][0]["points"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_table_has_a_row_per_size_and_units_in_its_columns() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(12, 0);
    days(out.path(), "gemm", 2, None, &mut rng);
    fs::create_dir(out.path().join("20260101T000000Z_killed_device_tune")).expect("a folder");
    let file = out.path().join("all.csv");
    said(&history(out.path(), &["export", "--file", &file.to_string_lossy()]));
    let text = fs::read_to_string(&file).expect("a table");
    assert_eq!(text.lines().count(), 1 + 2 * 6 + 1, "{text}");
    assert!(
        text.starts_with("folder,result,state,reason,tags,subject,benchmark,device,"),
        "{text}"
    );
    assert!(text.contains(",started_utc,size,seconds,log_seconds,"), "{text}");
    let parquet = history(out.path(), &["export", "--file", "all.parquet"]);
    assert!(sentence(&parquet).contains("does not write"));
}
