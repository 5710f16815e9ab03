//! Cache files of all kinds: whole, unclosed, with words in number fields, and real ones.

use records::{Named, Status};
use space::Value;

use super::*;

const SMALL: &str = r#"{"device_name": "D", "kernel_name": "k", "problem_size": [4, 2],
"tune_params_keys": ["b", "u"], "tune_params": {"b": [16, 32], "u": [true, false]},
"objective": "time", "cache": {
"16,True": {"b": 16.0, "u": true, "time": 2.0, "times": [1.0, 2.0, 3.0], "compile_time": 500, "GB/s": 7.5},
"16,False": {"b": 16, "u": false, "time": "CompilationFailedConfig", "compile_time": 250},
"32,True": {"b": 32, "u": true, "time": 1e20},
"32,False": {"b": 32, "u": false, "__error__": "RuntimeFailedConfig", "time": NaN},
"#;

fn named(b: i64, u: bool) -> Named {
    Named(vec![("b".into(), Value::Int(b)), ("u".into(), Value::Bool(u))])
}

#[test]
fn what_a_search_over_times_needs_is_the_same_in_half_the_time() {
    let whole = parse_kernel_tuner(SMALL).expect("read");
    let times = parse_kernel_tuner_times(SMALL).expect("read");
    assert_eq!(times.len(), whole.len());
    for (times, whole) in times.trials().iter().zip(whole.trials()) {
        assert_eq!((times.status, &times.reason), (whole.status, &whole.reason));
        assert_eq!((times.time_ms, times.costs()), (whole.time_ms, whole.costs()));
        let runs = whole.times_ms.iter().sum::<f64>();
        assert!((times.times_ms.iter().sum::<f64>() - runs).abs() < 1e-12);
    }
    assert_eq!(times.trials()[0].times_ms, [6.0]);
    assert!(times.trials()[0].metrics.is_empty());
}

#[test]
fn of_members_that_are_there_twice_the_first_counts() {
    let once = "\"tune_params_keys\": [\"a\"], \"tune_params\": {\"a\": [1, 2]}, \"cache\": {\"1\": {\"a\": 1, \"time\": 1}}";
    let again = once.replace("[\"a\"]", "[\"a\", \"b\"]");
    for text in
        [format!("{{{once}, {again}}}"), format!("{{{}, {once}, {again}}}", "\"cache\": {}")]
    {
        let space = parse_kernel_tuner(&text).expect("read");
        assert_eq!(space.parameters.len(), 1);
        assert!(space.warnings.iter().any(|warning| warning.contains("again")), "{space:?}");
        assert!(space.len() <= 1);
    }
}

#[test]
fn an_unclosed_file_serves_its_rows() {
    let space = parse_kernel_tuner(SMALL).expect("mended");
    assert_eq!(space.rows().len(), 4);
    assert_eq!(space.problem_size, "4 × 2");
    assert_eq!(space.warnings.len(), 3, "{:?}", space.warnings);
    let row = space.get(&named(16, true)).expect("recorded");
    assert_eq!(row.status, Status::Measured);
    assert_eq!(row.metrics.get("GB/s"), Some(&7.5));
    let outcome = row.outcome();
    let measurement = outcome.measurement.expect("measured");
    assert!((measurement.seconds.median - 2e-3).abs() < 1e-12);
    assert!((outcome.costs.compile - 0.5).abs() < 1e-12);
    let status = |b, u| space.get(&named(b, u)).map(|row| row.status);
    assert_eq!(status(16, false), Some(Status::CompileFailed));
    assert_eq!(status(32, true), Some(Status::RunFailed));
    assert_eq!(status(32, false), Some(Status::RunFailed));
    assert_eq!(status(64, false), None);
}

#[test]
fn the_order_of_parameters_does_not_matter_to_a_question() {
    let space = parse_kernel_tuner(SMALL).expect("mended");
    let mut turned = named(16, true);
    turned.0.reverse();
    assert!(space.get(&turned).is_some());
}

#[test]
fn rows_without_fields_are_read_from_their_keys() {
    let text = r#"{"tune_params_keys": ["b"], "tune_params": {"b": [1, 2]},
        "cache": {"2": {"time": 1.5}, "3": {"time": 1.0}}}"#;
    let space = parse_kernel_tuner(text).expect("read");
    assert_eq!(space.rows().len(), 1);
    assert_eq!(space.warnings, ["1 rows do not name a configuration; they are left out"]);
}

#[test]
fn other_files_are_refused_with_what_they_lack() {
    for (text, word) in [
        ("[] ", "a JSON object was expected"),
        ("{} ", "`tune_params_keys`"),
        (r#"{"cache": {}} "#, "`tune_params_keys`"),
        (r#"{"tune_params_keys": ["a"], "tune_params": {}} "#, "`cache`"),
        (r#"{"tune_params_keys": 5} "#, "a list of names was expected in line 1, column 22"),
        ("x", "line 1"),
    ] {
        let why = parse_kernel_tuner(text).expect_err("refused");
        assert!(why.contains(word), "{why}");
    }
}

#[test]
fn a_file_whose_members_are_sorted_by_name_is_read_all_the_same() {
    let text = r#"{"cache": {"2": {"a": 2, "time": 1.5}}, "device_name": "D",
        "tune_params": {"a": [1, 2]}, "tune_params_keys": ["a"]}"#;
    let space = parse_kernel_tuner(text).expect("read");
    assert_eq!((space.len(), space.device.as_str()), (1, "D"));
    assert!(space.warnings.is_empty(), "{:?}", space.warnings);
}

#[test]
fn words_for_failures_are_found_wherever_a_figure_could_stand() {
    let row = |members: &str| {
        let text = format!(
            r#"{{"tune_params_keys": ["a"], "tune_params": {{"a": [1]}}, "objective": "GFLOP/s",
            "cache": {{"1": {{"a": 1, {members}}}}}}}"#
        );
        let space = parse_kernel_tuner(&text).expect("read");
        (space.trials()[0].status, space.trials()[0].reason.clone(), space.warnings.len())
    };
    let known = "recorded as compile-failed".to_owned();
    for members in [
        r#""time": "CompilationFailedConfig""#,
        r#""GFLOP/s": "CompilationFailedConfig", "time": 1.5"#,
        r#""__error__": "CompilationFailedConfig", "time": 1.5"#,
        r#""time": "CompilationFailedConfig", "__error__": "CompilationFailedConfig""#,
    ] {
        assert_eq!(row(members), (Status::CompileFailed, known.clone(), 0), "{members}");
    }
    let unknown = (Status::RunFailed, "recorded as MeltedConfig".to_owned(), 1);
    assert_eq!(row(r#""time": "MeltedConfig""#), unknown);
    assert_eq!(row(r#""__error__": "MeltedConfig""#), unknown);
    let untimed = (Status::RunFailed, "the file records no time".to_owned(), 1);
    assert_eq!(row(r#""GFLOP/s": 5"#), untimed);
    assert_eq!(row(r#""times": [1, 2]"#), (Status::Measured, String::new(), 0));
    let own = r#""__error__": "RuntimeFailedConfig", "autobench": {"status": "crashed", "reason": "signal 11"}"#;
    assert_eq!(row(own), (Status::Crashed, "signal 11".to_owned(), 0));
}

#[test]
fn an_open_file_can_be_cut_anywhere() {
    let whole = SMALL.trim_end().trim_end_matches(',').to_owned() + "}}";
    let rows_at = whole.find("\"cache\": {").expect("rows") + 10;
    let ends: Vec<usize> = whole.match_indices("}").map(|(at, _)| at + 1).collect();
    for cut in (0..whole.len()).filter(|at| whole.is_char_boundary(*at)) {
        let read = parse_kernel_tuner(&whole[..cut]);
        if cut < rows_at {
            assert!(read.is_err(), "cut at {cut}");
            continue;
        }
        let complete = ends.iter().filter(|end| **end > rows_at && **end <= cut).count().min(4);
        let space = read.expect("mended");
        assert_eq!(space.len(), complete, "cut at {cut}");
        assert!(space.warnings.iter().any(|w| w.starts_with("the file")), "{:?}", space.warnings);
    }
}

#[test]
fn what_is_not_understood_is_kept() {
    let text = r#"{"tune_params_keys": ["a"], "tune_params": {"a": [1]}, "host": {"name": "n"},
        "problem_size": [64, 2], "cache": {"1": {"a": 1, "time": 1.5, "env": {"x": [NaN]},
        "note": "a \"b\"", "GB/s": 2, "strategy_time": 3, "timestamp": "today"}}}"#;
    let space = parse_kernel_tuner(text).expect("read");
    let header = [("host", r#"{"name": "n"}"#), ("problem_size", "[64, 2]")];
    assert_eq!(space.header, header.map(|(name, json)| (name.to_owned(), json.to_owned())));
    let trial = &space.trials()[0];
    let more = [("env", r#"{"x": [null]}"#), ("note", r#""a \"b\"""#)];
    assert_eq!(trial.more, more.map(|(name, json)| (name.to_owned(), json.to_owned())));
    assert_eq!((trial.strategy_ms, trial.timestamp.as_str()), (3.0, "today"));
}
