//! T4 files: by the schema, by Kernel Tuner, by the hub, and invalid ones.

use records::{Named, Status};
use space::Value;

use super::*;

fn named(a: i64) -> Named {
    Named(vec![("a".into(), Value::Int(a))])
}

/// A result of configuration `a` with further members.
fn result(a: i64, members: &str) -> String {
    format!(r#"{{"configuration": {{"a": {a}}}, {members}}}"#)
}

const MEASURED: &str = r#""times": {"compilation_time": 500, "benchmark": 9, "runtimes": [1, 3]},
    "invalidity": "correct", "correctness": 1,
    "measurements": [{"name": "time", "value": 2.5, "unit": "ms"}, {"value": 7.5, "name": "GB/s", "unit": "GB/s"}],
    "objectives": ["time"]"#;

fn file(unit: &str, results: &[String]) -> String {
    let results = results.join(",\n");
    format!(
        r#"{{"schema_version": "1.0.0", "metadata": {{"timeunit": "{unit}"}}, "results": [{results}]}}"#
    )
}

#[test]
fn a_file_by_the_schema_is_read_without_a_warning() {
    let space = parse_t4(&file("milliseconds", &[result(2, MEASURED), result(1, MEASURED)]));
    let space = space.expect("read");
    assert!(space.warnings.is_empty(), "{:?}", space.warnings);
    assert_eq!(space.parameters, [("a".to_owned(), vec![Value::Int(1), Value::Int(2)])]);
    assert_eq!((space.objective.as_str(), space.units["GB/s"].as_str()), ("time", "GB/s"));
    let trial = space.get(&named(2)).expect("recorded");
    assert_eq!(trial.status, Status::Measured);
    assert_eq!((trial.time_ms, trial.compile_ms, trial.benchmark_ms), (Some(2.5), 500.0, 9.0));
    assert_eq!(trial.times_ms, [1.0, 3.0]);
    assert_eq!(trial.metrics.get("GB/s"), Some(&7.5));
}

#[test]
fn times_are_in_the_unit_that_the_file_or_the_measurement_names() {
    for (unit, factor, warnings) in [
        ("seconds", 1e3, 0),
        ("microseconds", 1e-3, 0),
        ("miliseconds", 1.0, 1),
        ("fortnights", 1.0, 1),
    ] {
        let space = parse_t4(&file(unit, &[result(1, MEASURED)])).expect("read");
        let trial = &space.trials()[0];
        assert_eq!((trial.compile_ms, trial.time_ms), (500.0 * factor, Some(2.5)), "{unit}");
        assert_eq!(space.warnings.len(), warnings, "{:?}", space.warnings);
    }
}

#[test]
fn the_unit_may_come_after_the_results_as_kernel_tuner_writes_it() {
    let text = format!(
        r#"{{"results": [{}], "schema_version": "1.0.0", "metadata": {{"timeunit": "seconds"}}}}"#,
        result(1, MEASURED)
    );
    let space = parse_t4(&text).expect("read");
    assert_eq!(space.trials().first().map(|trial| trial.compile_ms), Some(500e3));
    assert!(space.warnings.is_empty(), "{:?}", space.warnings);
}

#[test]
fn every_deviation_is_borne_and_counted() {
    let results = [
        // Times as Kernel Tuner names them, without a benchmark time.
        result(
            1,
            r#""times": {"compilation": 5, "runtimes": [1, 2]}, "invalidity": "correct", "correctness": true,
            "measurements": [{"name": "time", "value": 1.5, "unit": ""}], "objectives": ["time"]"#,
        ),
        result(
            2,
            r#""times": {}, "invalidity": "compile", "correctness": 1, "objectives": ["energy"]"#,
        ),
        result(3, r#""times": {}, "invalidity": "exploded", "correctness": 1"#),
        result(4, &MEASURED.replace("\"correctness\": 1", "\"correctness\": 0")),
        result(5, r#""invalidity": "timeout""#),
        // A repeated configuration, another configuration, and something that is not a result.
        result(1, MEASURED),
        r#"{"configuration": {"b": 1}}"#.to_owned(),
        "7".to_owned(),
        result(
            6,
            r#""times": {"linking": 2.5}, "invalidity": "correct", "correctness": 1,
            "measurements": [{"name": "time", "value": NaN}, {"name": "note", "value": "odd"}]"#,
        ),
    ];
    let space = parse_t4(&file("milliseconds", &results)).expect("read");
    let status = |a| space.get(&named(a)).map(|trial| trial.status);
    assert_eq!(
        [1, 2, 3, 4, 5, 6].map(status),
        [
            Status::Measured,
            Status::CompileFailed,
            Status::RunFailed,
            Status::WrongResult,
            Status::TimedOut,
            Status::RunFailed
        ]
        .map(Some)
    );
    let first = space.get(&named(1)).expect("recorded");
    assert_eq!((first.compile_ms, first.benchmark_ms, first.time_ms), (5.0, 3.0, Some(1.5)));
    let last = space.get(&named(6)).expect("recorded");
    assert_eq!(last.metrics.get("times.linking"), Some(&2.5));
    assert_eq!(last.more, [("note".to_owned(), "\"odd\"".to_owned())]);
    assert_eq!(space.get(&named(3)).expect("recorded").reason, "recorded as exploded");
    for sentence in [
        "1 values are NaN or infinite; they are read as missing",
        "2 results do not name a configuration as the first one does; they are left out",
        "1 results repeat a configuration, as revisits do; the first of each counts",
        "1 results lack `times`, `invalidity` or `correctness`, which the schema demands",
        "2 results have no time, or no known word for validity; they count as failed runs",
        "1 results name other objectives than the first one",
        "1 results say `compilation` where the schema says `compilation_time`",
        "1 results have no `benchmark` time; the sum of their runtimes stands for it",
    ] {
        assert!(space.warnings.iter().any(|w| w == sentence), "{sentence}: {:?}", space.warnings);
    }
    assert_eq!(space.warnings.len(), 8, "{:?}", space.warnings);
}

#[test]
fn several_objectives_are_kept() {
    let text = MEASURED.replace(r#"["time"]"#, r#"["time", "energy"]"#);
    let space = parse_t4(&file("milliseconds", &[result(1, &text)])).expect("read");
    assert_eq!(space.objective, "time, energy");
    let stated = ("objective".to_owned(), r#"["time", "energy"]"#.to_owned());
    assert_eq!(space.header, [stated]);
}

#[test]
fn a_torn_file_serves_its_complete_results() {
    let whole = file("milliseconds", &[result(1, MEASURED), result(2, MEASURED)]);
    let space = parse_t4(&whole[..whole.len() - 60]).expect("mended");
    assert_eq!(space.len(), 1);
    assert_eq!(space.warnings, ["the file ends too early; its complete results are read"]);
}

#[test]
fn other_files_are_refused_with_what_they_lack() {
    for (text, word) in [
        ("[] ", "a JSON object was expected"),
        ("{} ", "`results`"),
        (r#"{"results": {}} "#, "a list of results was expected in line 1, column 13"),
        (r#"{"results": [{"configuration": }]} "#, "a value was expected"),
    ] {
        let why = parse_t4(text).expect_err("refused");
        assert!(why.contains(word), "{why}");
    }
}
