//! What is mended in files of other programs is said, counted and bounded: files with one fault in
//! every member, for every reader.

use exchange::{RecordedSpace, parse_kernel_tuner, parse_kernel_tuner_times, parse_t1, parse_t4};

/// Most sentences about one file.
const MOST: usize = 40;
const MANY: usize = 5_000;

/// `first`, `MANY` members made from their numbers, and `last`.
fn text(first: &str, member: impl Fn(usize) -> String, last: &str) -> String {
    let members: Vec<String> = (0..MANY).map(member).collect();
    format!("{first}{}{last}", members.join(","))
}

fn cache(rows: &str) -> String {
    format!(
        r#"{{"tune_params_keys": ["a"], "tune_params": {{"a": [1, 2, 3]}}, "cache": {{{rows}}}}}"#
    )
}

fn t4(results: &str) -> String {
    format!(r#"{{"metadata": {{"timeunit": "milliseconds"}}, "results": [{results}]}}"#)
}

fn result(at: usize, time: f64, runtimes: &str) -> String {
    format!(
        r#"{{"configuration": {{"a": {at}}}, "invalidity": "correct", "correctness": 1,
        "objectives": ["time"], "times": {{"benchmark": 1, "runtimes": {runtimes}}},
        "measurements": [{{"name": "time", "value": {time}, "unit": "milliseconds"}}]}}"#
    )
}

#[test]
fn a_fault_in_every_member_is_told_in_a_few_sentences_and_counted() {
    let names = |at: usize| format!("\"p{at}\"");
    let row = r#"{"time": 1.0}"#;
    let own = [
        text("{", |_| r#""tune_params_keys": ["a"]"#.to_owned(), r#", "cache": {}}"#),
        text("{\"tune_params_keys\": [", names, r#"], "tune_params": {}, "cache": {}}"#),
        cache(&text("", |at| format!("\"{at},1\": {row}"), "")),
        cache(&text("", |_| format!("\"1\": {row}"), "")),
    ];
    for (at, text) in own.iter().enumerate() {
        for parse in [parse_kernel_tuner, parse_kernel_tuner_times] {
            let told = parse(text).expect("read leniently").warnings;
            assert!((1..=MOST).contains(&told.len()), "cache {at}: {} warnings", told.len());
            // The first member is right in two of them.
            let counts = ["5000", "4999", "4997", "4996"];
            let counted = told.iter().any(|said| counts.iter().any(|count| said.contains(count)));
            assert!(counted, "cache {at}: {told:?}");
        }
    }
    let of_t1 = |parameters: &str, conditions: &str| {
        let text = format!(
            r#"{{"ConfigurationSpace": {{"TuningParameters": [{parameters}], "Conditions": [{conditions}]}}}}"#
        );
        parse_t1(&text).expect("read leniently").warnings
    };
    let parameter = |at: usize| {
        format!(r#"{{"Name": "p{at}", "Type": "int", "Values": "['1']", "Default": 7}}"#)
    };
    for told in [
        of_t1(&parameter(0), &text("", |at| format!("{{\"x\": {at}}}"), "")),
        of_t1(&text("", parameter, ""), ""),
    ] {
        assert!((2..=MOST).contains(&told.len()), "{} warnings", told.len());
        assert!(told.last().is_some_and(|last| last.contains("more warnings")), "{told:?}");
    }
}

/// Negative times are nowhere in the space, and one sentence counts them.
fn holds_no_negative_time(what: &str, space: &RecordedSpace, count: usize) {
    let sentence = format!("{count} times are negative; they are read as missing");
    assert!(space.warnings.contains(&sentence), "{what}: {:?}", space.warnings);
    for trial in space.trials() {
        let times = trial.times_ms.iter().copied().chain(trial.time_ms);
        let costs = [trial.compile_ms, trial.benchmark_ms, trial.verification_ms];
        assert!(times.chain(costs).all(|time| time >= 0.0), "{what}: {trial:?}");
    }
}

#[test]
fn negative_times_are_read_as_missing_and_counted() {
    let rows = r#""1": {"a": 1, "time": -1.5, "times": [-2, 3, 4], "compile_time": -7},
                  "2": {"a": 2, "time": 2, "times": [2]}, "3": {"a": 3, "time": -3}"#;
    for parse in [parse_kernel_tuner, parse_kernel_tuner_times] {
        holds_no_negative_time("cache", &parse(&cache(rows)).expect("read"), 4);
    }
    let results = text("", |at| result(at, -1.0, "[1.0, -0.5, 2.0]"), "");
    let space = parse_t4(&t4(&results)).expect("read");
    holds_no_negative_time("results", &space, 2 * MANY);
}
