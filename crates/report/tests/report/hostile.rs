//! Names, units, values and messages of others, put through every format, page and table: whatever
//! a document, a plugin, a compiler or a recorded file says is shown, and nothing obeys it.

use std::{io::Write as _, process::Command};

use exchange::{RecordedSpace, parse_kernel_tuner};
use records::{
    CandidateRecord, Event, FamilyView, Repeat, RepeatsRecord, RepeatsView, StudyRecord,
    StudyState, TestRow, TestTable,
};
use report::{
    comparison::{Side, Studied, compare},
    exporters::{EXPORTERS, NamedFile, Options, comparison, family, repeats},
};
use serde_json::{Value, json};

use crate::{
    formats::without_scripts,
    others::{BEFORE, Which, changed, hostile, steers},
    study::{events, growing, record, view},
};

fn made(which: Which) -> (StudyRecord, Vec<Event>) {
    let events = events(&growing(4096, 8.0, 3));
    (changed(&record(), which), events.iter().map(|event| changed(event, which)).collect())
}

/// A family of three candidates, of which one failed, with a last test.
fn family_of(which: Which) -> FamilyView {
    let text = |text: &str| match which {
        Which::Harmless => text.to_owned(),
        _ => hostile(text),
    };
    let space = |name: &str| json!({ "name": text(name), "configurations": 900, "hash": "0" });
    let record = serde_json::from_value(json!({
        "format": "autobench-family", "version": 1, "autobench": text("0.1"),
        "started": "2026-11-21T12:00:00Z", "argv": [text("autobench"), "evolve"], "candidates": 3,
        "generator": { "name": text("llm"), "described": text("a model") },
        "rules": { "seed": 1, "parents": 4, "offspring": 4, "repeats": 10, "final_repeats": 0,
                   "candidate_seconds": 300.0 },
        "spaces": [space("one"), space("two")],
        "test": { "spaces": [space("unseen")], "repeats": 100, "against": ["random"] },
    }));
    let candidate = |number: u64| {
        let score = (number != 2).then_some(0.1 * number as f64);
        CandidateRecord {
            number,
            generation: number,
            mutation: text("refine"),
            parent: number.checked_sub(1).filter(|parent| *parent > 0),
            name: text("climber"),
            about: text("climbs"),
            code: text("return {}"),
            score,
            spaces: score.map_or_else(Vec::new, |score| vec![score, score]),
            fault: score.is_none().then(|| text("2.luau:3: no")),
            calls: 1,
            ..CandidateRecord::default()
        }
    };
    let row = TestRow {
        strategy: text("climber"),
        score: 0.3,
        standard_error: Some(0.02),
        spaces: vec![(0.3, Some(0.02))],
        difference: None,
    };
    let spaces = vec![text("unseen")];
    let test = TestTable { best: 3, repeats: 100, seed: 1, spaces, rows: vec![row], seconds: 60.0 };
    FamilyView {
        record: record.expect("a record"),
        candidates: (1..=3).map(candidate).collect(),
        finals: None,
        test: Some(test),
    }
}

/// All files of all formats, pages and tables of a study.
fn files(which: Which) -> Vec<NamedFile> {
    let (record, events) = made(which);
    let view = view(events);
    let mut files = Vec::new();
    for exporter in EXPORTERS.iter() {
        match (exporter.export)(&record, &view, &Options::default()) {
            Ok(made) => files.extend(made),
            Err(error) => files.push(("error.txt".to_owned(), error.to_string().into_bytes())),
        }
    }
    let trials = view.trials.iter().map(|row| &row.event.trial);
    let space = RecordedSpace::of_study(Some(&record), trials, None).expect("trials");
    for exporter in EXPORTERS.iter() {
        if let Some(write) = exporter.recorded {
            let name = format!("recorded-{}", exporter.file_names[0]);
            files.push((name, write(&space).expect("written")));
        }
    }
    let name = if which == Which::Harmless { "a".to_owned() } else { hostile("a") };
    let repeated = RepeatsRecord::new(2, record.clone());
    let failed = StudyState::Failed(name.clone());
    let all = vec![
        Repeat::of(1, repeated.seed(1), StudyState::Finished, &view),
        Repeat::of(2, repeated.seed(2), failed, &view),
    ];
    files.extend(repeats::files(&RepeatsView::new(repeated, all)).expect("written"));
    let of_family = family::files(&family_of(which)).expect("written");
    files.extend(of_family.into_iter().map(|(name, bytes)| (format!("family-{name}"), bytes)));
    let side = |end: &str| {
        let studied = Studied { path: end.into(), record: record.clone(), view: view.clone() };
        Side { name: format!("{name}{end}"), studies: vec![studied], left_out: vec![name.clone()] }
    };
    let sides = [side("1"), side("2")];
    let compared = compare(&sides, 0.05);
    let mut add = |name: &str, bytes| files.push((name.to_owned(), bytes));
    add("compare.html", comparison::page(&compared, &sides).into_bytes());
    add("compare.csv", comparison::table(&compared).expect("a table"));
    add("compare.md", comparison::markdown(&compared, true).into_bytes());
    add("best-of.csv", comparison::best_configurations(&sides).expect("a table"));
    add("best-of.h", comparison::best_header(&sides));
    files
}

/// A harmless and a hostile study have the same lines, and these the same cells.
fn same_shape(name: &str, text: &str, harmless: &str) {
    assert_eq!(text.lines().count(), harmless.lines().count(), "{name}: {text}");
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    for (line, other) in text.lines().zip(harmless.lines()) {
        assert_eq!(bars(line), bars(other), "{name}: {line}");
    }
}

/// Without code, Markdown has no tag and no link.
fn no_markup(name: &str, text: &str) {
    for line in text.lines() {
        let prose: String = line.replace("\\`", "").split('`').step_by(2).collect();
        assert!(!prose.contains('<'), "{name}: {line}");
        assert!(!prose.replace("\\[", "").contains('['), "{name}: {line}");
    }
}

/// Whether all tags are known, closed in order, and all texts escaped.
fn is_xml(name: &str, text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices('<') {
        let rest = &text[at + 1..];
        let tag = &rest[..rest.find('>').unwrap_or_else(|| panic!("{name}: an open tag"))];
        let word = tag.split_whitespace().next().unwrap_or_default().trim_end_matches('/');
        if let Some(word) = word.strip_prefix('/') {
            assert_eq!(open.pop(), Some(word), "{name}: {tag}");
        } else if !tag.ends_with('/') {
            open.push(word);
        }
        let known =
            ["svg", "title", "rect", "text", "circle", "polygon", "polyline", "line", "path", "g"];
        assert!(known.contains(&word.trim_start_matches('/')), "{name}: {tag}");
    }
    assert!(open.is_empty(), "{name}: {open:?}");
    for (at, _) in text.match_indices('&') {
        let entity = &text[at + 1..at + 8.min(text.len() - at)];
        let known = ["amp;", "lt;", "gt;", "quot;", "apos;", "#39;"];
        assert!(known.iter().any(|one| entity.starts_with(one)), "{name}: &{entity}");
    }
}

fn no_formula(name: &str, bytes: &[u8]) {
    for row in csv::ReaderBuilder::new().has_headers(false).from_reader(bytes).records() {
        for cell in &row.unwrap_or_else(|error| panic!("{name}: {error}")) {
            let starts = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
            assert!(!starts || cell.parse::<f64>().is_ok(), "{name}: {cell}");
        }
    }
}

#[test]
fn nothing_obeys_the_texts_of_others() {
    let harmless = files(Which::Harmless);
    for which in [Which::Values, Which::All] {
        let all = files(which);
        let names = |files: &[NamedFile]| files.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
        assert_eq!(names(&all), names(&harmless));
        for ((name, bytes), (_, other)) in all.iter().zip(&harmless) {
            let ending = name.rsplit('.').next().unwrap_or_default();
            if ending == "png" {
                continue;
            }
            let text = std::str::from_utf8(bytes).expect("text");
            let other = std::str::from_utf8(other).expect("text");
            if ending == "json" {
                // Programs get texts as they are, and JSON escapes what is below a space.
                serde_json::from_str::<Value>(text).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert!(!text.contains(|c: char| c < ' ' && c != '\n'), "{name}");
                continue;
            }
            let first = text.find(steers);
            assert_eq!(first.map(|at| &text[at.saturating_sub(40)..at]), None, "{name}");
            match ending {
                "csv" => no_formula(name, bytes),
                "md" => {
                    same_shape(name, text, other);
                    no_markup(name, text);
                }
                "svg" => is_xml(name, text),
                "html" => {
                    let page = text.to_ascii_lowercase();
                    assert!(
                        !page.contains("<script>alert") && !page.contains("<img src=x"),
                        "{name}"
                    );
                    assert!(!without_scripts(text).contains("\"' onload"), "{name}");
                    let tags = |text: &str| text.matches('<').count();
                    let scripts = |page: &str| page.matches("<script").count();
                    assert_eq!(scripts(text), scripts(other), "{name}");
                    assert!(tags(text) > 20, "{name}");
                }
                "h" if which == Which::Values => {
                    assert_eq!(text.lines().count(), other.lines().count(), "{name}: {text}");
                }
                "h" | "txt" => {}
                other => panic!("no check for .{other}"),
            }
        }
    }
}

/// What is there of these compilers, with the language of a header.
fn compilers() -> Vec<(&'static str, &'static str)> {
    let all = [("g++", "c++"), ("clang++", "c++"), ("gcc", "c"), ("clang", "c")];
    let there = |name: &str| Command::new(name).arg("--version").output().is_ok();
    all.into_iter().filter(|(name, _)| there(name)).collect()
}

fn compiles(compiler: (&str, &str), text: &str) {
    let mut child = Command::new(compiler.0)
        .args(["-x", compiler.1, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-"])
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the compiler starts");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("the compiler ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}\n{text}", compiler.0);
}

/// Standard headers of C, and all of C++ that this compiler has.
const STANDARD: &str = "\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
                        #ifdef __cplusplus\n#include <bits/stdc++.h>\n#endif\n";

/// A study whose parameters are named like what standard headers use.
fn named_like_the_library() -> String {
    let (record, events) = made(Which::Harmless);
    let renamed = |event: &Event| {
        let mut text = serde_json::to_string(event).expect("JSON");
        for (name, other) in [
            ("block_size_x", "size"),
            ("vector_width", "_Tp"),
            ("unrolled", "T"),
            ("format", "int"),
        ] {
            text = text.replace(&format!("\"{name}\":"), &format!("\"{other}\":"));
        }
        serde_json::from_str(&text).expect("an event")
    };
    header(&record, events.iter().map(renamed).collect())
}

fn header(record: &StudyRecord, events: Vec<Event>) -> String {
    let exporter = EXPORTERS.find("header").expect("a known format");
    let files = (exporter.export)(record, &view(events), &Options::default()).expect("exported");
    String::from_utf8(files[0].1.clone()).expect("text")
}

#[test]
fn the_header_compiles_before_and_after_every_standard_header() {
    let of = |which| {
        let (record, events) = made(which);
        header(&record, events)
    };
    let (plain, named) = (of(Which::Harmless), named_like_the_library());
    let values = "\nint size_of_block[AUTOBENCH_VECADD_block_size_x == 256 ? 1 : -1];\n";
    let plain_names = "\nint size_of_block[block_size_x == 256 ? 1 : -1];\n";
    for compiler in compilers() {
        compiles(compiler, &format!("{plain}{STANDARD}{plain}{values}"));
        compiles(compiler, &format!("{STANDARD}{plain}{values}"));
        compiles(compiler, &format!("#define AUTOBENCH_SIZE 5000\n{named}{STANDARD}"));
        let plainly = format!("#define AUTOBENCH_PLAIN_NAMES\n{plain}{plain_names}");
        compiles(compiler, &plainly);
        // Included before, the header still gives plain names to whoever asks for them.
        compiles(compiler, &format!("{plain}{plainly}"));
        for which in [Which::Values, Which::All] {
            compiles(compiler, &of(which));
        }
    }
}

#[test]
fn a_space_whose_names_are_hostile_is_read_again_from_what_was_written() {
    let (record, events) = made(Which::All);
    let view = view(events);
    let exporter = EXPORTERS.find("kernel-tuner").expect("a known format");
    let files = (exporter.export)(&record, &view, &Options::default()).expect("exported");
    let read = parse_kernel_tuner(std::str::from_utf8(&files[0].1).expect("text")).expect("read");
    let trials = view.trials.iter().map(|row| &row.event.trial);
    let space = RecordedSpace::of_study(Some(&record), trials, None).expect("trials");
    assert_eq!(read.parameters, space.parameters);
    assert!(read.parameters[0].0.starts_with(BEFORE), "{:?}", read.parameters);
}
