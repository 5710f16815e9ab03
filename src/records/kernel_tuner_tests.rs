//! Cache files as they are found: whole, unclosed, with words in number fields, and real ones.

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
        ("[]", "object"),
        ("{}", "`cache`"),
        (r#"{"cache": {}}"#, "`tune_params_keys`"),
        ("x", "line 1"),
    ] {
        let why = parse_kernel_tuner(text).expect_err("refused");
        assert!(why.contains(word), "{why}");
    }
}

fn shared(name: &str) -> Option<std::path::PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["../shared", "../../shared"].map(|s| root.join(s).join("data/spaces").join(name));
    let found = places.into_iter().find(|p| p.is_file());
    if found.is_none() {
        eprintln!("skipped: `{name}` is not here");
    }
    found
}

#[test]
fn the_recorded_convolution_of_an_a100_is_read_whole() {
    let Some(path) = shared("convolution_A100.json.gz") else { return };
    let space = read_kernel_tuner(&path).expect("read");
    assert_eq!(space.device, "NVIDIA A100-PCIE-40GB");
    assert_eq!(space.parameters.len(), 10);
    assert!(space.warnings.is_empty(), "{:?}", space.warnings);
    let count = |status| space.rows().iter().filter(|(_, row)| row.status == status).count();
    assert_eq!(count(Status::CompileFailed), 6);
    assert_eq!(count(Status::RunFailed), 155);
    assert_eq!(count(Status::Measured) + 161, space.rows().len());
}

#[test]
fn the_recorded_dedispersion_of_an_a100_is_read_whole() {
    let Some(path) = shared("dedispersion_A100.json.gz") else { return };
    let space = read_kernel_tuner(&path).expect("read");
    assert!(space.rows().len() > 10_000, "{}", space.rows().len());
    let first = &space
        .rows()
        .iter()
        .find(|(n, _)| n.key().starts_with("block_size_x=1,block_size_y=32,"))
        .expect("there")
        .1;
    assert_eq!(first.times_ms.len(), 32);
    assert!(space.rows().iter().all(|(_, row)| row.status == Status::Measured));
}
