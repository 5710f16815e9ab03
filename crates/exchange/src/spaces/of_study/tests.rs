//! Which trials of a study its recorded space shows, and in which units.

use records::{Costs, Exit, Measurement, Summary};

use records::{Outcome, Status};

use super::*;

fn trial(size: u64, phase: Phase, a: i64, seconds: f64) -> Trial {
    let measurement = Measurement {
        seconds: Summary::of(&[seconds, seconds]).expect("samples"),
        exit: Exit::Precise,
        batch: 4,
        cold: Some(true),
        disturbed: Vec::new(),
        beside: None,
        flushed: false,
        samples: vec![seconds as f32; 2],
        error: Some(0.5),
        metrics: [("GB/s".to_owned(), 7.5)].into(),
    };
    let costs =
        Costs { compile: 0.5, verify: 0.25, measure: 0.125, overhead: 0.0625, ..Costs::default() };
    let outcome = Outcome {
        device: String::new(),
        status: Status::Measured,
        reason: String::new(),
        measurement: Some(measurement),
        costs,
    };
    let configuration = Named(vec![("a".into(), Value::Int(a))]);
    Trial { size, phase, configuration, outcome, score: Some(seconds) }
}

fn trials() -> Vec<Trial> {
    vec![
        trial(64, Phase::Search, 1, 0.25),
        trial(128, Phase::Final, 1, 2.0),
        trial(128, Phase::Search, 4, 0.5),
        trial(128, Phase::Search, 2, 1.0),
        trial(128, Phase::Final, 2, 4.0),
    ]
}

#[test]
fn the_largest_size_shows_the_search_and_what_only_the_finals_tried() {
    let space = RecordedSpace::of_study(None, trials().iter(), None).expect("trials");
    let rows: Vec<_> = space.rows().iter().map(|(named, t)| (named.key(), t.time_ms)).collect();
    let expected = [("a=4", 500.0), ("a=2", 1000.0), ("a=1", 2000.0)];
    assert_eq!(rows, expected.map(|(key, ms)| (key.to_owned(), Some(ms))));
    assert_eq!(space.problem_size, "128");
    assert_eq!(space.parameters, [("a".to_owned(), [1, 2, 4].map(Value::Int).to_vec())]);
    let first = &space.trials()[0];
    assert_eq!((first.compile_ms, first.verification_ms), (500.0, 250.0));
    assert_eq!((first.benchmark_ms, first.framework_ms), (125.0, 62.5));
    assert_eq!(first.times_ms, [500.0, 500.0]);
    assert_eq!((first.metrics["error"], first.metrics["GB/s"]), (0.5, 7.5));
}

#[test]
fn a_size_can_be_chosen_and_one_that_was_not_measured_is_refused_with_those_that_were() {
    let space = RecordedSpace::of_study(None, trials().iter(), Some(64)).expect("trials");
    assert_eq!(space.len(), 1);
    let error = RecordedSpace::of_study(None, trials().iter(), Some(65)).expect_err("no such size");
    assert_eq!(error.to_string(), "the study has no trials at size 65; it has some at 64, 128");
    let error = RecordedSpace::of_study(None, [].iter(), None).expect_err("nothing");
    assert_eq!(error, StudiedError::NoTrials);
}

#[test]
fn the_benchmark_lists_the_values_where_it_knows_all_that_were_tried() {
    let record = |values: serde_json::Value| {
        let document = serde_json::json!({"parameters": [{"name": "a", "values": values}]});
        BenchmarkRecord { document, ..BenchmarkRecord::default() }
    };
    let listed = |values| {
        let trials = trials();
        let at_size: Vec<&Trial> = trials.iter().collect();
        parameters(Some(&record(values)), &at_size)[0].1.clone()
    };
    assert_eq!(listed(serde_json::json!([8, 4, 2, 1])), [8, 4, 2, 1].map(Value::Int));
    assert_eq!(listed(serde_json::json!("[2**i for i in range(3)]")), [1, 2, 4].map(Value::Int));
    assert_eq!(listed(serde_json::json!([8, 4])), [1, 2, 4].map(Value::Int));
}
