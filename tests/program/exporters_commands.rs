//! Output and errors of `show` and `export` for a study on disk.

use std::path::Path;

use assert_cmd::Command;
use records::{Event, Journal, StudyFolder};

use crate::exporters_study::{events, growing, record, view};

/// A folder with the study, as `run` would have left it.
fn study() -> (tempfile::TempDir, StudyFolder) {
    let out = tempfile::tempdir().expect("a folder");
    let record = record();
    let folder =
        StudyFolder::create(out.path(), record.started, "vecadd", "A100", "kneedle").expect("made");
    folder.write_study(&record).expect("written");
    let mut journal = Journal::create(&folder).expect("made");
    for event in events(&growing(4096, 8.0, 5)) {
        match event {
            Event::Trial(t) => journal.append_trials([t.trial]).map(|_| ()),
            other => journal.append(other).map(|_| ()),
        }
        .expect("written");
    }
    folder.write_whole("winner.cu", b"__global__ void vecadd();\n").expect("written");
    (out, folder)
}

/// Runs the program. Returns exit code, standard output and standard error.
fn autobench(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("autobench").expect("built");
    let output = command.args(arguments).output().expect("ran");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn words(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn show_tells_the_winner_the_knee_and_the_source() {
    let (_out, folder) = study();
    let (code, text, fault) = autobench(&["show", words(folder.path()), "--all"]);
    assert_eq!(code, 0, "{fault}");
    let trials = view(events(&growing(4096, 8.0, 5))).trials.len();
    assert!(text.contains(&format!("{trials} trials at 5 sizes")), "{text}");
    for part in [
        "vecadd on NVIDIA A100-PCIE-40GB",
        "2\u{a0}097\u{a0}152 by kneedle, settled, 95 % interval",
        "block_size_x = 256",
        "the speed of the default",
        "cold by rotation: 160 MiB between two uses of the same bytes",
        "of measuring was spent inside kernels",
        "__global__ void vecadd();",
        "autobench run vecadd --detector kneedle",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
fn show_tells_the_answer_in_eight_lines_and_the_source() {
    let (_out, folder) = study();
    let dir = words(folder.path());
    let (code, text, fault) = autobench(&["show", dir]);
    assert_eq!(code, 0, "{fault}");
    assert!(text.ends_with("\n\n__global__ void vecadd();\n"), "{text}");
    let (_, answer, _) = autobench(&["show", dir, "--no-source"]);
    assert!(text.starts_with(&answer), "{text}");
    let first: Vec<&str> = answer.lines().map(|line| line.split("  ").next().unwrap()).collect();
    let title = "vecadd on NVIDIA A100-PCIE-40GB: 5 sizes (elements), 60 trials";
    assert_eq!(first, [title, "knee", "best", "", "gain", "results", "warning"], "{answer}");
    for line in answer.lines().filter(|line| !line.starts_with("results")) {
        assert!(line.chars().count() <= 110, "{line}");
    }
}

#[test]
fn show_tells_the_journal_in_words() {
    let (_out, folder) = study();
    let (code, text, fault) = autobench(&["show", words(folder.path()), "--journal"]);
    assert_eq!(code, 0, "{fault}");
    assert_eq!(text.lines().count(), 1 + 5 * 14 + 5);
    for part in [
        "the largest size is 3\u{a0}221\u{a0}225\u{a0}472 (36 GiB), bounded by 90 %",
        "compile-failed (kernel.cu:12: error: no such type",
        "the knee 2\u{a0}097\u{a0}152 by kneedle is accepted",
        "finished; 97.4 s were charged",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
fn export_prints_text_and_writes_pictures() {
    let (_out, folder) = study();
    let dir = words(folder.path());
    for (format, start) in [
        ("csv", "benchmark,device,host,started,size,"),
        ("json", "{"),
        ("markdown", "**vecadd**"),
        ("header", "/* The best"),
    ] {
        let (code, text, fault) = autobench(&["export", dir, "--format", format]);
        assert_eq!(code, 0, "{fault}");
        assert!(text.starts_with(start), "{text}");
    }
    let (code, text, _) = autobench(&["export", dir, "--format", "plot", "--size-scale", "linear"]);
    assert_eq!((code, text.as_str()), (0, ""));
    for name in ["saturation.svg", "saturation.png", "tuning.svg", "tuning.png"] {
        assert!(folder.file(name).is_file(), "{name}");
    }
    let png = folder.file("other.png");
    let arguments = ["export", dir, "--format", "plot", "--output", words(&png)];
    assert_eq!(autobench(&arguments).0, 0);
    assert!(std::fs::read(&png).expect("written").starts_with(b"\x89PNG"), "the ending decides");
}

#[test]
fn other_folders_and_formats_get_one_sentence() {
    let (out, folder) = study();
    let dir = words(folder.path());
    for (arguments, part) in [
        (vec!["show", words(out.path())], "is not a study"),
        (vec!["show", "/nowhere/at/all"], "is not a study"),
        (vec!["export", words(out.path()), "--format", "csv"], "is not a study"),
        (
            vec!["export", dir, "--format", "xlsx"],
            "csv, header, json, kernel-tuner, markdown, plot, precision, report, t4",
        ),
        (vec!["export", dir, "--format", "csv", "--output", "/nowhere/at/all.csv"], "cannot write"),
    ] {
        let (code, text, fault) = autobench(&arguments);
        assert_eq!(code, 2, "{arguments:?}: {fault}");
        assert!(text.is_empty() && fault.contains(part), "{arguments:?}: {fault}");
        assert!(fault.lines().count() <= 2, "{fault}");
    }
}

#[test]
fn a_damaged_journal_names_its_line() {
    let (_out, folder) = study();
    let path = folder.file("journal.jsonl");
    let text = std::fs::read_to_string(&path).expect("read");
    std::fs::write(&path, text.replacen("\"seq\":4", "\"seq\":", 1)).expect("damaged");
    let (code, _, fault) = autobench(&["show", words(folder.path())]);
    assert_eq!(code, 2);
    assert!(fault.contains("line 4 of"), "{fault}");
}
