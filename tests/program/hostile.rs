//! What commands print of studies and recorded spaces whose texts are hostile: a terminal obeys
//! nothing of it, and every line is the program's own.

use std::path::Path;

use records::{Event, Journal, StudyFolder};
use serde_json::json;

use crate::{
    exporters_others::{Which, changed, hostile, steers},
    exporters_study::{events, growing, record},
    support::{command, sentence},
};

fn write_study(folder: &Path, name: &str) {
    let record = changed(&record(), Which::All);
    let folder = StudyFolder::create(folder, record.started, name, "b", "c").expect("made");
    folder.write_study(&record).expect("written");
    let mut journal = Journal::create(&folder).expect("made");
    for event in events(&growing(4096, 8.0, 3)) {
        match changed(&event, Which::All) {
            Event::Trial(one) => journal.append_trials([one.trial]).map(drop),
            other => journal.append(other).map(drop),
        }
        .expect("written");
    }
}

fn write_space(path: &Path) {
    let (x, p) = (hostile("x"), hostile("p"));
    let values = [hostile("f32"), "f16".to_owned()];
    let mut rows = serde_json::Map::new();
    for (at, block) in [16, 32, 64].into_iter().enumerate() {
        for value in &values {
            let time = 1.0 + at as f64;
            rows.insert(
                format!("{block},{value}"),
                json!({ x.as_str(): block, p.as_str(): value, "time": time, "times": [time, time, time],
                        "compile_time": 1.0, "verification_time": 0.0, "benchmark_time": 1.0,
                        "strategy_time": 0.0, "framework_time": 0.0 }),
            );
        }
    }
    let space = json!({
        "device_name": hostile("device"), "kernel_name": hostile("kernel"),
        "problem_size": hostile("size"), "tune_params_keys": [x, p],
        "tune_params": { x.as_str(): [16, 32, 64], p.as_str(): values },
        "objective": "time", "cache": rows,
    });
    std::fs::write(path, space.to_string()).expect("written");
}

/// A suite of two studies of the space, whose own texts are hostile.
fn write_suite(path: &Path) {
    let study = |label: &str| {
        let label = hostile(label);
        json!({ "tune": null, "device": "replay:space.json", "budget": 3, "label": label })
    };
    let suite = json!({ "suite": hostile("suite"), "about": hostile("about"),
                        "studies": [study("first"), study("second")] });
    // YAML takes only escapes of what steers a terminal.
    let escaped = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false => format!("\\u{:04x}", u32::from(c)),
    };
    let text: String = suite.to_string().chars().map(escaped).collect();
    std::fs::write(path, text).expect("written");
}

#[test]
fn a_terminal_obeys_nothing_that_commands_print() {
    let folder = tempfile::tempdir().expect("a folder");
    write_study(&folder.path().join("out"), "first");
    write_study(&folder.path().join("other"), "first");
    write_space(&folder.path().join("space.json"));
    write_suite(&folder.path().join("suite.yaml"));
    for line in [
        "show latest",
        "show latest --all",
        "show latest --journal",
        "results",
        "results --json",
        "history",
        "history --json",
        "compare out other --sizes",
        "compare out other --json",
        "compare out other --markdown",
        "inspect space.json",
        "inspect space.json --json",
        "space space.json",
        "space space.json --json",
        "simulate --space space.json --repeats 2 --out simulated",
        "tune --device replay:space.json --budget 3 --out replayed",
        "tune --device replay:space.json --budget 3 --out replayed --json",
        "score --strategies random,local --spaces space.json --repeats 2 --out scored",
        "convert space.json space.csv",
        "export latest --format nothing",
        "suite suite.yaml --out suites",
        "results suites",
    ] {
        let mut command = command();
        command.current_dir(folder.path()).env("XDG_DATA_HOME", folder.path());
        let output = command.args(line.split(' ')).output().expect("the program starts");
        assert!(output.status.code().is_some_and(|code| code != 1), "{line}: {output:?}");
        for bytes in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(bytes);
            let found = text.find(steers).map(|at| &text[..at]);
            assert_eq!(found, None, "`{line}` prints what a terminal obeys");
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let foreign = text.lines().find(|line| line.starts_with("#error"));
        assert_eq!(foreign, None, "`{line}` prints a line that others wrote");
        if line.ends_with("--json") && output.status.success() {
            let read = serde_json::from_str::<serde_json::Value>(&text);
            assert!(read.is_ok(), "{line}: {read:?}: {}", sentence(&output));
        }
    }
    assert!(check_files(&folder.path().join("suites")) > 1);
}

/// Checks all tables, pictures and pages in a folder and the folders in it. Returns how many pages
/// and pictures there are.
fn check_files(folder: &Path) -> usize {
    let mut pages = 0;
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            pages += check_files(&path);
            continue;
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let bytes = std::fs::read(&path).expect("read");
        let text = String::from_utf8_lossy(&bytes);
        let shown = path.display();
        if ["html", "svg", "csv", "md", "h"].contains(&ending) {
            assert_eq!(text.find(steers), None, "{shown}");
        }
        if ["html", "svg"].contains(&ending) {
            pages += 1;
            for harm in ["<script>alert", "<img src=x"] {
                assert!(!text.contains(harm), "{shown}: {harm}");
            }
        }
        if ending == "csv" {
            for row in csv::ReaderBuilder::new().has_headers(false).from_reader(&*bytes).records() {
                for cell in &row.expect("a row") {
                    assert!(!cell.starts_with(['=', '@', '+']), "{shown}: {cell}");
                }
            }
        }
    }
    pages
}
