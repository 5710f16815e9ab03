//! `history clean`: lists first what it will delete, and never deletes anything else.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Output,
    time::{Duration, SystemTime},
};

use math::seeded;
use records::{Event, EventLog};

use crate::{
    history::write_on,
    made::Made,
    support::{command, sentence},
};

fn clean(out: &Path, arguments: &[&str]) -> Output {
    let mut command = command();
    command.args(["history", "clean"]).args(arguments).arg("--out").arg(out);
    command.output().expect("it runs")
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Names in a folder, without the index.
fn names(out: &Path) -> Vec<String> {
    let entries = fs::read_dir(out).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != "history.jsonl");
    names.sort();
    names
}

/// Writes four old studies, one per day.
fn studies(out: &Path) {
    let mut rng = seeded(1, 0);
    for day in 0..4 {
        let made = Made { benchmark: "gemm", device: "device", slowness: 1.0, wander: 0.01 };
        write_on(day, &made, &out.join(format!("gemm{day}")), &mut rng);
    }
}

/// Makes a study unfinished.
fn interrupt(folder: &Path) {
    let journal = folder.join("journal.jsonl");
    let text = fs::read_to_string(&journal).expect("read");
    let end = text.trim_end().rfind('\n').expect("lines") + 1;
    fs::write(&journal, &text[..end]).expect("written");
}

#[test]
fn it_names_what_would_go_and_deletes_with_yes_alone() {
    let out = tempfile::tempdir().expect("a folder");
    studies(out.path());
    let text = said(&clean(out.path(), &["--keep-last", "1"]));
    assert!(text.contains("3 results of") && text.contains("--yes deletes them"), "{text}");
    assert_eq!(names(out.path()).len(), 4);
    let text = said(&clean(out.path(), &["--keep-last", "1", "--yes"]));
    assert_eq!(text, "deleted gemm0\ndeleted gemm1\ndeleted gemm2\n");
    assert_eq!(names(out.path()), ["gemm3"]);
    assert_eq!(said(&clean(out.path(), &["--keep-last", "1", "--yes"])), "nothing to delete\n");
}

#[test]
fn rules_hold_together() {
    let out = tempfile::tempdir().expect("a folder");
    studies(out.path());
    interrupt(&out.path().join("gemm1"));
    said(&clean(out.path(), &["--unfinished", "--older-than", "100y", "--yes"]));
    assert_eq!(names(out.path()).len(), 4, "nothing is so old");
    said(&clean(out.path(), &["--unfinished", "--older-than", "1d", "--yes"]));
    assert_eq!(names(out.path()), ["gemm0", "gemm2", "gemm3"]);
    let nothing = clean(out.path(), &["--yes"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(sentence(&nothing).contains("nothing says what may go"));
}

#[test]
fn tagged_results_stay() {
    let out = tempfile::tempdir().expect("a folder");
    studies(out.path());
    fs::write(out.path().join("gemm0/tags.txt"), "release\n").expect("written");
    let output = clean(out.path(), &["--older-than", "1d", "--yes"]);
    said(&output);
    assert!(String::from_utf8_lossy(&output.stderr).contains("`gemm0` has a tag, and stays"));
    assert_eq!(names(out.path()), ["gemm0"]);
}

#[test]
fn what_cannot_be_read_stays() {
    let out = tempfile::tempdir().expect("a folder");
    studies(out.path());
    let record = out.path().join("gemm2/study.json");
    let text = fs::read_to_string(&record).expect("read");
    let later = text.replacen("\"version\": 1", "\"version\": 99", 1);
    assert_ne!(later, text);
    fs::write(&record, later).expect("written");
    fs::create_dir(out.path().join("optuna")).expect("a folder");
    fs::write(out.path().join("optuna/study.json"), "{}").expect("written");
    said(&clean(out.path(), &["--unfinished", "--yes"]));
    let long_ago = SystemTime::now() - Duration::from_hours(72);
    File::open(out.path().join("gemm2"))
        .and_then(|f| f.set_modified(long_ago))
        .expect("dated back");
    let output = clean(out.path(), &["--older-than", "1d", "--yes"]);
    said(&output);
    assert!(String::from_utf8_lossy(&output.stderr).contains("`gemm2` cannot be read, and stays"));
    assert_eq!(names(out.path()), ["gemm2", "optuna"]);
    fs::write(&record, text).expect("written");
    said(&clean(out.path(), &["--older-than", "1d", "--yes"]));
    assert_eq!(names(out.path()), ["optuna"], "the index remembers no fault");
}

#[test]
fn what_is_being_written_stays() {
    let out = tempfile::tempdir().expect("a folder");
    studies(out.path());
    for name in ["gemm0", "gemm1"] {
        interrupt(&out.path().join(name));
    }
    let journal = out.path().join("gemm0/journal.jsonl");
    let (writer, _) = EventLog::<Event>::open(&journal).expect("free");
    // A study that begins has a folder, but no journal to lock yet.
    let begun = out.path().join("20260101T000000Z_new_device_tune");
    fs::create_dir(&begun).expect("a folder");
    let output = clean(out.path(), &["--unfinished", "--yes"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(sentence(&output).contains("`gemm0` is being written, or cannot be locked, and stays"));
    assert_eq!(names(out.path()), ["20260101T000000Z_new_device_tune", "gemm0", "gemm2", "gemm3"]);
    drop(writer);
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    File::open(&begun).and_then(|open| open.set_modified(hour_ago)).expect("dated back");
    said(&clean(out.path(), &["--unfinished", "--yes"]));
    assert_eq!(names(out.path()), ["gemm2", "gemm3"]);
}

#[test]
fn nothing_outside_and_nothing_that_is_no_result_goes() {
    let place = tempfile::tempdir().expect("a folder");
    let (out, outside) = (place.path().join("out"), place.path().join("outside"));
    for folder in [&out, &outside] {
        fs::create_dir(folder).expect("a folder");
    }
    studies(&out);
    studies(&outside);
    let link = |to: &Path, at: PathBuf| std::os::unix::fs::symlink(to, at).expect("a link");
    link(&outside.join("gemm0"), out.join("linked"));
    link(&outside, out.join("gemm0/inside"));
    link(&outside.join("gemm1/journal.jsonl"), out.join("gemm0/file"));
    fs::create_dir(out.join("notes")).expect("a folder");
    fs::write(out.join("notes/words.txt"), "words").expect("written");
    fs::write(out.join("words.txt"), "words").expect("written");
    said(&clean(&out, &["--older-than", "1d", "--yes"]));
    assert_eq!(names(&out), ["linked", "notes", "words.txt"]);
    assert_eq!(names(&outside), ["gemm0", "gemm1", "gemm2", "gemm3"]);
    assert!(outside.join("gemm1/journal.jsonl").is_file());
    let one = clean(&outside.join("gemm0"), &["--older-than", "1d", "--yes"]);
    assert_eq!(said(&one), "nothing to delete\n", "a study is no folder of results");
}
