//! Twice as long a file takes twice the memory and work to read, in every format.

use std::fmt::Write as _;

use exchange::{RecordedSpace, parse_kernel_tuner, parse_kernel_tuner_times, parse_t4, read_t1};

use crate::counted::{counted, grows_linearly};

/// A format: its name, its text with this many values in each of three parameters, and its reader.
type Format = (&'static str, fn(usize) -> String, fn(&str) -> usize);

const FORMATS: [Format; 5] = [
    ("Kernel Tuner", cache, |text| rows(parse_kernel_tuner(text))),
    ("Kernel Tuner, times", cache, |text| rows(parse_kernel_tuner_times(text))),
    ("Kernel Tuner, by keys", keyed_cache, |text| rows(parse_kernel_tuner(text))),
    ("T4", t4, |text| rows(parse_t4(text))),
    ("T1", t1, |text| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t1.json");
        std::fs::write(&path, text).expect("written");
        read_t1(&path).expect("a T1 file").parameters.len()
    }),
];

fn rows(space: Result<RecordedSpace, String>) -> usize {
    space.expect("a recorded space").len()
}

fn list(count: usize) -> String {
    let values: Vec<String> = (0..count).map(|value| value.to_string()).collect();
    format!("[{}]", values.join(","))
}

fn cache_of(count: usize, row: impl Fn(usize) -> String) -> String {
    let list = list(count);
    let mut text = format!(
        "{{\"device_name\": \"d\", \"kernel_name\": \"k\", \"problem_size\": 1, \"objective\": \"time\",\n\
         \"tune_params_keys\": [\"a\", \"b\", \"c\"],\n\
         \"tune_params\": {{\"a\": {list}, \"b\": {list}, \"c\": {list}}},\n\"cache\": {{\n"
    );
    for at in 0..count {
        let comma = if at > 0 { "," } else { "" };
        let _ = writeln!(text, "{comma}\"{at},{at},{at}\": {{{}\"time\": {at}.5}}", row(at));
    }
    text + "}}"
}

fn cache(count: usize) -> String {
    cache_of(count, |at| format!("\"a\": {at}, \"b\": {at}, \"c\": {at}, "))
}

/// Rows whose configuration is only in their key.
fn keyed_cache(count: usize) -> String {
    cache_of(count, |_| String::new())
}

fn t4(count: usize) -> String {
    let row = |at: usize| {
        format!(
            "{{\"configuration\": {{\"a\": {at}, \"b\": {at}, \"c\": {at}}}, \"times\": \
             {{\"compilation_time\": 1, \"runtimes\": [{at}.5]}}, \"invalidity\": \"correct\", \
             \"correctness\": 1, \"measurements\": [{{\"name\": \"time\", \"value\": {at}.5, \
             \"unit\": \"ms\"}}], \"objectives\": [\"time\"]}}"
        )
    };
    let rows: Vec<String> = (0..count).map(row).collect();
    format!(
        "{{\"schema_version\": \"1.0.0\", \"metadata\": {{\"timeunit\": \"milliseconds\"}}, \
         \"results\": [\n{}]}}",
        rows.join(",\n")
    )
}

fn t1(count: usize) -> String {
    let list = list(count);
    let parameter = |name: &str| {
        format!(
            "{{\"Name\": \"{name}\", \"Type\": \"int\", \"Values\": \"{list}\", \"Default\": 0}}"
        )
    };
    format!(
        "{{\"ConfigurationSpace\": {{\"TuningParameters\": [{}, {}], \"Conditions\": []}}}}",
        parameter("a"),
        parameter("b")
    )
}

#[test]
fn every_reader_takes_twice_the_memory_for_twice_the_rows() {
    for (name, text, read) in FORMATS {
        let counts = [1, 2, 4].map(|times| {
            let text = text(500 * times);
            counted(|| read(&text)).1
        });
        grows_linearly(name, counts);
    }
}

/// This has no assertion on time. A reader that compares each value with each would take minutes.
#[test]
fn forty_thousand_values_of_each_parameter_are_read() {
    for (name, text, read) in FORMATS {
        let text = text(40_000);
        let (read, counted) = counted(|| read(&text));
        assert!(read == 40_000 || read == 2, "{name}: {read}");
        assert!(counted.peak < 40 * text.len(), "{name}: {counted:?} for {} bytes", text.len());
    }
}

#[test]
fn spaces_with_many_values_are_built_and_merged() {
    let space = parse_kernel_tuner(&cache(20_000)).expect("a cache");
    let (built, rows) = space.space().expect("a space");
    assert_eq!((built.len(), rows.len()), (20_000, 20_000));
    let first = space.rows().iter().next().expect("a row").0;
    assert!(space.get(&first).is_some());
}
