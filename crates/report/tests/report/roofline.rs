//! Shares and rooflines of a made-up study with made-up ceilings.

use std::{fs, path::Path};

use records::{
    Ceiling, CeilingKind, CeilingsRecord, CeilingsUsed, Event, Host, SizeWork, StudyView,
};
use report::{
    ceilings::shares,
    exporters::{EXPORTERS, Options, ceilings, png, roofline},
};

use crate::study::{events, growing, record, view};

fn ceiling(kind: CeilingKind, of: &str, value: f64, reach: Option<u64>) -> Ceiling {
    let interval = (0.93 * value, 1.05 * value);
    let benchmark = "triad".to_owned();
    Ceiling {
        kind,
        of: of.to_owned(),
        value,
        interval,
        samples: 31,
        reach,
        benchmark,
        ..Ceiling::default()
    }
}

fn all() -> Vec<Ceiling> {
    vec![
        ceiling(CeilingKind::Bandwidth, "up to 40 MiB", 4.2e12, Some(40 << 20)),
        ceiling(CeilingKind::Bandwidth, "memory", 1.4e12, None),
        ceiling(CeilingKind::Arithmetic, "f32", 17.1e12, None),
        ceiling(CeilingKind::Arithmetic, "f64", 8.6e12, None),
    ]
}

/// The study of many octaves, with two operations for twelve bytes.
fn held() -> StudyView {
    let sizes = growing(1024, 2.6, 15);
    let mut events = events(&sizes);
    let work = sizes.iter().map(|&size| SizeWork {
        size,
        flops: Some(2.0 * size as f64),
        bytes: Some(12.0 * size as f64),
        formats: vec!["f32".to_owned()],
    });
    events.push(Event::Ceilings(CeilingsUsed {
        measured: "2026-03-04T12:00:00Z".parse().expect("a time"),
        profile: "20260304T120000Z_profile_suite".to_owned(),
        differs: vec!["3 days before".to_owned()],
        ceilings: all(),
        work: work.collect(),
    }));
    view(events)
}

#[test]
fn winners_stand_under_the_roofs_with_the_knee_marked() {
    let view = held();
    let svg = roofline(&record(), &view).expect("drawn");
    for words in [
        "roofline",
        "operations per byte",
        "memory: 1400 GB/s",
        "f32: 17100 GFLOP/s",
        "3 days before",
    ] {
        assert!(svg.contains(words), "no `{words}`");
    }
    assert!(!svg.contains("f64:"), "no winner computes in it");
    let pixels = png(&svg).expect("pixels");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::write(folder.join("roofline.svg"), &svg).expect("written");
    fs::write(folder.join("roofline.png"), pixels).expect("written");
    assert_eq!(shares(&view).len(), view.measured().count());
    let lines = ceilings::of_study(&record(), &view);
    assert!(lines[0].contains("of the memory bandwidth of 1400 GB/s"), "{lines:?}");
    assert_eq!(lines[1], "the profile was made 3 days before");
}

#[test]
fn the_page_the_table_and_the_pictures_know_the_share() {
    let view = held();
    let export = |format: &str| {
        let exporter = EXPORTERS.named(format).expect("a format");
        (exporter.export)(&record(), &view, &Options::default()).expect("files")
    };
    let text = |format: &str, name: &str| {
        let files = export(format);
        let file = files.into_iter().find(|(file, _)| file == name).expect(name);
        String::from_utf8(file.1).expect("text")
    };
    assert!(text("plot", "roofline.svg").contains("roofline"));
    assert!(text("report", "report.html").contains("<h2>Ceilings</h2>"));
    let table = text("csv", "sizes.csv");
    let rows = table.lines().filter(|line| line.contains("bandwidth memory")).count();
    assert_eq!(rows, view.measured().count(), "{table}");
}

#[test]
fn without_ceilings_there_is_no_roofline_and_a_word_how_to_get_one() {
    let view = view(events(&growing(1024, 2.6, 5)));
    assert!(roofline(&record(), &view).is_err());
    let mut record = record();
    record.benchmark.document = serde_json::json!({ "bytes": "12 * size" });
    let lines = ceilings::of_study(&record, &view);
    assert_eq!(lines, ["no ceilings are known for this device: autobench profile measures them"]);
    record.benchmark.document = serde_json::json!({});
    assert!(ceilings::of_study(&record, &view).is_empty());
}

#[test]
fn ceilings_are_a_file() {
    let study = record();
    let record = CeilingsRecord {
        format: "autobench-ceilings".to_owned(),
        version: 1,
        autobench: "0.1.0".to_owned(),
        measured: "2026-03-04T12:00:00Z".parse().expect("a time"),
        profile: "20260304T120000Z_profile_suite".to_owned(),
        host: Host { name: "a-host".to_owned(), ..Host::default() },
        device: study.device,
        ceilings: all(),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ceilings.json");
    record.write(&path).expect("written");
    assert_eq!(CeilingsRecord::read(&path).expect("read"), record);
    insta::assert_snapshot!(fs::read_to_string(&path).expect("text"));
}
