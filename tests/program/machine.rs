//! Faults of the machine are not blamed on configurations: the study pauses, and resumes later.

use std::{os::unix::fs::PermissionsExt as _, path::Path};

use crate::support::{command, exhaustive, json, sentence, turn};

/// A compiler that does `harm` instead of compiling while the file `lacking` exists.
fn compiler(folder: &Path, harm: &str) -> String {
    let path = folder.join("compiler");
    let lacking = folder.join("lacking");
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in *--version*) ;; *) if [ -e '{}' ]; then\n{harm}\nfi ;; esac\n\
         exec c++ \"$@\"\n",
        lacking.display()
    );
    std::fs::write(&path, text).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("allowed");
    std::fs::write(lacking, "").expect("written");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_study_pauses_when_the_machine_cannot_compile_and_goes_on_when_it_can() {
    let _turn = turn();
    for (harm, word) in [
        (
            "echo 'unit.cpp:1: fatal error: error writing to a: No space left on device' >&2\nexit 1",
            "No space left",
        ),
        ("kill -9 $$", "signal: 9"),
        ("exit 1", "said nothing"),
    ]
    .into_iter()
    .take(if exhaustive() { 3 } else { 1 })
    {
        let folder = tempfile::tempdir().expect("a folder");
        let compiler = compiler(folder.path(), harm);
        let run = |arguments: &[&str]| {
            let mut command = command();
            command.args(arguments).env("CXX", &compiler).current_dir(folder.path());
            command.env("XDG_CACHE_HOME", folder.path().join("cache"));
            command.output().expect("the program starts")
        };
        let begin =
            ["tune", "vecadd", "--size", "4k", "--budget", "3", "--time", "20", "--out", "out"];
        let paused = run(&begin);
        assert_eq!(paused.status.code(), Some(1), "{paused:?}");
        let words = sentence(&paused);
        assert!(words.contains("the machine cannot go on") && words.contains(word), "{words}");
        assert!(words.contains("autobench resume"), "{words}");
        let study = std::fs::read_dir(folder.path().join("out")).expect("a study");
        let study = study.flatten().next().expect("a folder").path();
        let journal = std::fs::read_to_string(study.join("journal.jsonl")).expect("a journal");
        assert!(!journal.contains("compile-failed"), "{journal}");

        std::fs::remove_file(folder.path().join("lacking")).expect("there");
        let study = study.to_string_lossy().into_owned();
        let resumed = json(&run(&["resume", &study, "--json"]));
        assert!(resumed["workload"]["best"]["seconds"]["median"].as_f64().expect("a time") > 0.0);
        let journal = std::fs::read_to_string(Path::new(&study).join("journal.jsonl"));
        assert!(!journal.expect("a journal").contains("compile-failed"));
    }
}

#[test]
fn a_worker_that_somebody_kills_while_it_sets_up_is_no_fault_of_the_device() {
    let _turn = turn();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("compiler");
    std::fs::write(&path, "#!/bin/sh\nkill -9 $PPID\n").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("allowed");
    let mut command = command();
    command.args(["tune", "vecadd", "--size", "4k", "--budget", "2"]).current_dir(folder.path());
    let output = command.env("CXX", &path).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(sentence(&output).contains("a kill from outside"), "{output:?}");
}

#[test]
fn a_temporary_folder_that_cannot_be_made_is_named_with_its_cause() {
    let folder = tempfile::tempdir().expect("a folder");
    for (place, cause) in [("missing", "No such file"), ("file", "Not a directory")] {
        std::fs::write(folder.path().join("file"), "").expect("written");
        let mut command = command();
        command.args(["tune", "vecadd", "--size", "4k", "--budget", "2"]);
        command.current_dir(folder.path()).env("TMPDIR", folder.path().join(place));
        let output = command.output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let words = sentence(&output);
        assert!(words.contains("cannot create the temporary folder"), "{words}");
        assert!(words.contains(cause) && words.contains("set TMPDIR"), "{words}");
    }
}

#[test]
fn a_study_whose_journal_is_removed_says_so_and_offers_nothing_to_go_on_with() {
    let _turn = turn();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("compiler");
    // The journal is there when the first kernel is compiled.
    let text = "#!/bin/sh\ncase \"$*\" in *unit.cpp*) rm -f \"$JOURNALS\"/*/journal.jsonl ;; esac\n\
                exec c++ \"$@\"\n";
    std::fs::write(&path, text).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("allowed");
    let mut command = command();
    command
        .args(["tune", "vecadd", "--size", "4k", "--budget", "2", "--time", "5", "--out", "out"]);
    command.current_dir(folder.path()).env("CXX", &path);
    command.env("JOURNALS", folder.path().join("out"));
    command.env("XDG_CACHE_HOME", folder.path().join("cache"));
    let output = command.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let words = sentence(&output);
    assert!(words.contains("was removed") && !words.contains("resume"), "{words}");
}

#[test]
fn isolated_workers_measure_as_others_do_and_the_record_says_which_they_were() {
    let _turn = turn();
    let permitted = std::process::Command::new("unshare").args(["-Urn", "true"]).status();
    let permitted = permitted.is_ok_and(|status| status.success());
    for (asked, isolated) in [("yes", permitted), ("no", false)] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = command();
        command.args(["tune", "vecadd", "--size", "4k", "--budget", "2", "--time", "5"]);
        command.args(["--out", "out", "--json"]).current_dir(folder.path());
        let answer = json(&command.env("AUTOBENCH_ISOLATE", asked).output().expect("it starts"));
        assert!(answer["workload"]["best"]["seconds"]["median"].as_f64().expect("a time") > 0.0);
        let study = std::fs::read_dir(folder.path().join("out")).expect("a study");
        let study = study.flatten().next().expect("a folder").path().join("study.json");
        let record = std::fs::read_to_string(study).expect("a record");
        let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
        let said = record["host"]["isolated"].as_bool().unwrap_or(false);
        assert_eq!(said, isolated, "{asked}: {}", record["host"]);
    }
}
