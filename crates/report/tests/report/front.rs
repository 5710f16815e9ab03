//! Exports of a study of several objectives: its front, derived from trials alone. The pictures
//! stay in the tests' temporary folder for inspection.

use std::{fs, path::Path};

use records::{
    Costs, Event, Exit, Figure, Measurement, Named, Outcome, Phase, SizeClosed, SizeOpened, Status,
    StudyRecord, StudyView, Summary, Trial, TrialEvent,
    settings::{Objective, Sense},
};
use report::exporters::{EXPORTERS, Options, front, png};
use space::Value;

use crate::study::{record, view};

const SIZE: u64 = 1 << 20;

/// Each block size in each format. Smaller blocks save energy, smaller formats cost accuracy.
fn configurations() -> Vec<Named> {
    let formats = ["f64", "f32", "f16"];
    let blocks = [32, 64, 128, 256, 512, 1024];
    let named = |format: &str, block: i64| {
        Named(vec![
            ("block_size_x".into(), Value::Int(block)),
            ("format".into(), Value::Text(format.into())),
        ])
    };
    formats.iter().flat_map(|format| blocks.map(|block| named(format, block))).collect()
}

fn measurement(named: &Named, slower: f64) -> Measurement {
    let Some(Value::Int(block)) = named.get("block_size_x") else { panic!("a block size") };
    let (bytes, error) = match named.get("format").and_then(Value::as_text) {
        Some("f64") => (8.0, 1e-16),
        Some("f32") => (4.0, 3e-8),
        _ => (2.0, 4e-4),
    };
    let octaves = (*block as f64 / 32.0).log2();
    let seconds = slower * 1e-4 * bytes * (1.0 + 1.5 / (1.0 + octaves));
    let samples: Vec<f64> = (0..9).map(|i| seconds * (1.0 + 0.01 * f64::from(i))).collect();
    Measurement {
        seconds: Summary::of(&samples).expect("samples"),
        exit: Exit::Precise,
        batch: 1,
        cold: Some(true),
        disturbed: Vec::new(),
        beside: None,
        flushed: false,
        samples: samples.iter().map(|s| *s as f32).collect(),
        error: Some(error),
        metrics: [
            ("energy".to_owned(), seconds * 120.0 * (1.0 + 0.5 * octaves)),
            ("throughput".to_owned(), 12.0 * SIZE as f64 / seconds / 1e9),
        ]
        .into(),
    }
}

fn trial(named: &Named, phase: Phase, slower: f64) -> Event {
    let outcome = Outcome {
        device: String::new(),
        status: Status::Measured,
        reason: String::new(),
        measurement: Some(measurement(named, slower)),
        costs: Costs { measure: 0.1, ..Costs::default() },
    };
    let score = (phase == Phase::Search).then_some(1.0);
    let trial = Trial { size: SIZE, phase, configuration: named.clone(), outcome, score };
    Event::Trial(TrialEvent { trial, samples_offset: 0, samples_count: 0, charged: 0.1 })
}

fn objectives(names: &[(&str, Sense)], max_error: Option<f64>) -> StudyRecord {
    let mut record = record();
    let mut named = names
        .iter()
        .map(|(metric, sense)| Objective { metric: (*metric).to_owned(), sense: *sense });
    record.settings.objective = named.next().expect("one");
    record.settings.further_objectives = named.collect();
    record.settings.max_error = max_error;
    record
}

/// A search of all configurations. Those in `held` were measured again and checked.
fn study(held: &[usize]) -> StudyView {
    let all = configurations();
    let mut events = vec![Event::SizeOpened(SizeOpened { size: SIZE, ..SizeOpened::default() })];
    events.extend(all.iter().map(|named| trial(named, Phase::Search, 1.0)));
    if !held.is_empty() {
        // Fresh samples are a little slower than the luckiest of the search.
        events.extend(held.iter().map(|at| trial(&all[*at], Phase::Final, 1.02)));
        events.extend(held.iter().map(|at| trial(&all[*at], Phase::Check, 1.0)));
        let best = measurement(&all[held[0]], 1.02);
        let figure = |at: usize, m: Measurement| Figure {
            configuration: all[at].clone(),
            seconds: m.seconds,
            metric: None,
            error: m.error,
            unsettled: false,
            metrics: m.metrics,
        };
        events.push(Event::SizeClosed(SizeClosed {
            size: SIZE,
            best: Some(figure(held[0], best)),
            default: Some(figure(2, measurement(&all[2], 1.1))),
            ..SizeClosed::default()
        }));
    }
    view(events)
}

fn keep(name: &str, svg: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::write(folder.join(format!("{name}.svg")), svg).expect("written");
    fs::write(folder.join(format!("{name}.png")), png(svg).expect("pixels")).expect("written");
}

const TIME: (&str, Sense) = ("seconds", Sense::Minimise);
const ENERGY: (&str, Sense) = ("energy", Sense::Minimise);
const ERROR: (&str, Sense) = ("error", Sense::Minimise);
const RATE: (&str, Sense) = ("throughput", Sense::Maximise);

#[test]
fn the_front_of_an_open_size_is_that_of_its_search_and_of_a_closed_one_what_was_checked() {
    let record = objectives(&[TIME, ENERGY], None);
    let open = study(&[]).answering_front(&record).expect("a front");
    assert!(!open.fresh && open.tried.len() == 12, "f16 is beyond the bound");
    let times: Vec<f64> = open.members.iter().map(|member| member.values[0]).collect();
    assert!(times.is_sorted() && times.len() > 2, "the fastest first: {times:?}");
    assert!(open.members.windows(2).all(|pair| pair[0].values[1] > pair[1].values[1]));
    let closed = study(&[11, 10, 9]).answering_front(&record).expect("a front");
    assert!(closed.fresh && closed.members.len() <= 3);
    let fresh = measurement(&configurations()[11], 1.02).seconds.median;
    assert!((closed.members[0].values[0] - fresh).abs() < 1e-12, "no luck of the search is left");
}

#[test]
fn an_error_that_is_an_objective_is_not_bounded_unless_the_user_says_so() {
    let formats = |record: &StudyRecord| {
        let front = study(&[]).answering_front(record).expect("a front");
        let text = |named: &Named| named.get("format").map(ToString::to_string).expect("a format");
        let formats = front.members.iter().map(|member| text(&member.configuration));
        formats.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(formats(&objectives(&[TIME, ERROR], None)), ["f16", "f32", "f64"]);
    assert_eq!(formats(&objectives(&[TIME, ERROR], Some(1e-4))), ["f32", "f64"]);
    assert_eq!(formats(&objectives(&[TIME, ENERGY], None)), ["f32"]);
}

#[test]
fn one_objective_has_no_front() {
    let record = objectives(&[TIME], None);
    assert!(study(&[5]).fronts(&record).is_empty());
    assert!(front(&record, &study(&[5])).is_err());
}

#[test]
fn fronts_of_two_and_three_objectives_are_drawn() {
    let two = front(&objectives(&[TIME, ENERGY], None), &study(&[11, 10, 9, 8])).expect("drawn");
    for words in ["run time, less is better", "energy (J), less is better", "default", "1\u{a0}048"]
    {
        assert!(two.contains(words), "no `{words}`");
    }
    keep("front-two", &two);
    let held = [17, 16, 15, 11, 10, 5, 4];
    let three = objectives(&[TIME, ERROR, ENERGY], None);
    let three = front(&three, &study(&held)).expect("drawn");
    assert!(three.contains("error (nrmse), less is better"));
    keep("front-three", &three);
    let rate = front(&objectives(&[RATE, ERROR], None), &study(&held)).expect("drawn");
    assert!(rate.contains("throughput (GB/s), more is better"));
    keep("front-rate", &rate);
    keep("front-open", &front(&objectives(&[TIME, ENERGY], None), &study(&[])).expect("drawn"));
}

#[test]
fn every_format_has_the_front() {
    let record = objectives(&[TIME, ENERGY], None);
    let study = study(&[11, 10, 9]);
    let files = |format: &str| {
        let exporter = EXPORTERS.find(format).expect("known");
        let files = (exporter.export)(&record, &study, &Options::default()).expect("exported");
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.iter().all(|name| exporter.file_names.contains(name)), "{names:?}");
        files
    };
    let file = |format: &str, wanted: &str| {
        let found = files(format).into_iter().find(|(name, _)| name == wanted);
        String::from_utf8_lossy(&found.expect("the file").1).into_owned()
    };
    let table = file("csv", "front.csv");
    let header = "benchmark,device,host,started,size,fresh,objective_seconds,objective_energy,seconds_median";
    assert!(table.starts_with(header), "{table}");
    assert!(table.contains("1048576,yes,"), "{table}");
    let front = study.answering_front(&record).expect("a front");
    assert_eq!(table.lines().count(), 1 + front.members.len());
    let document: serde_json::Value =
        serde_json::from_str(&file("json", "export.json")).expect("JSON");
    let members = document["fronts"][0]["members"].as_array().expect("a list");
    assert_eq!(members.len(), front.members.len());
    assert_eq!(document["fronts"][0]["objectives"][1]["metric"], "energy");
    assert!(file("plot", "front.svg").contains("<svg"));
    let page = file("report", "report.html");
    assert!(page.contains("<h2>Front at size 1\u{a0}048\u{a0}576</h2>"), "{page}");
    assert!(page.contains("trade-offs of run time and energy (J)"));
}
