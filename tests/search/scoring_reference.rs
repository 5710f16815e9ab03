//! The community score against values that its own package computed.
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::{collections::BTreeMap, fs::File, io::Read as _, path::PathBuf};

use autobench::{
    records::{RecordedTrial, read_space_file},
    scoring::{Baseline, Row, Run, performance},
};
use flate2::read::GzDecoder;
use serde_json::Value;

fn shared() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let found = ["../shared", "../../shared"].map(|path| root.join(path));
    let found = found.into_iter().find(|path| path.join("reference/score_reference.json").exists());
    if found.is_none() {
        eprintln!("skipped: there is no shared/reference/score_reference.json here");
    }
    found
}

/// The rows of a recorded space, in the file's order.
fn rows(shared: &std::path::Path, name: &str) -> Vec<Row> {
    let file = shared.join(format!("data/spaces/{name}.json.gz"));
    let space = read_space_file(&file).expect("a recorded space");
    let row = |trial: &RecordedTrial| {
        let runs: f64 = trial.times_ms.iter().sum();
        let cost = trial.compile_ms + trial.verification_ms + trial.framework_ms + runs;
        Row { value: trial.time_ms, cost: cost / 1e3 }
    };
    space.trials().iter().map(row).collect()
}

fn close(what: &str, ours: f64, theirs: f64) {
    let apart = (ours - theirs).abs() / theirs.abs().max(1.0);
    assert!(apart < 1e-9, "{what}: {ours} and {theirs}");
}

#[test]
fn baselines_and_scores_equal_those_of_the_package() {
    let Some(shared) = shared() else { return };
    let file = File::open(shared.join("reference/score_reference.json")).expect("there");
    let reference: Value = serde_json::from_reader(file).expect("JSON");
    let spaces: BTreeMap<String, Value> =
        serde_json::from_value(reference["spaces"].clone()).expect("spaces");
    for (name, expected) in &spaces {
        let rows = rows(&shared, &name.replace("_milo/", "_"));
        let baseline = Baseline::new(&rows).expect("valid configurations");
        let number = |key: &str| expected[key].as_f64().expect("a number");
        close(name, baseline.optimum(), number("optimum"));
        close(name, baseline.median, number("median"));
        close(name, baseline.cut_off, number("cutoff_objective"));
        close(name, baseline.evaluations.0 as f64, number("fevals_start"));
        close(name, baseline.evaluations.1 as f64, number("fevals_end"));
        close(name, baseline.median_cost, number("median_total_time_s"));
        close(name, baseline.mean_cost, number("mean_time_per_feval_s"));
        close(name, baseline.span.0, number("time_start_s"));
        close(name, baseline.span.1, number("time_end_s"));
        let curve = expected["baseline"].as_array().expect("a curve");
        for (at, value) in curve.iter().enumerate() {
            close(&format!("{name} at {at}"), baseline.curve[at], value.as_f64().expect("number"));
        }
        for (strategy, theirs) in expected["strategies"].as_object().expect("strategies") {
            let trace = theirs["trace_file"].as_str().expect("a file");
            let runs = runs(&shared.join("reference/traces").join(trace), &rows);
            let points = performance(&baseline, &runs).expect("something was found");
            let score = points.iter().sum::<f64>() / points.len() as f64;
            let expected = theirs["iso"]["score"].as_f64().expect("a score");
            assert!((score - expected).abs() < 0.005, "{strategy} on {name}: {score}, {expected}");
        }
    }
}

/// The runs of a recorded trace.
fn runs(file: &std::path::Path, rows: &[Row]) -> Vec<Run> {
    let mut text = String::new();
    let file = File::open(file).expect("a trace");
    GzDecoder::new(file).read_to_string(&mut text).expect("a trace");
    let trace: Value = serde_json::from_str(&text).expect("JSON");
    let numbers = |run: &Value, key: &str| -> Vec<f64> {
        let list = run[key].as_array().expect("a list");
        list.iter().map(|value| value.as_f64().expect("a number")).collect()
    };
    let run = |run: &Value| Run {
        times: numbers(run, "cum_s"),
        values: numbers(run, "idx").into_iter().map(|at| rows[at as usize].value).collect(),
    };
    trace["runs"].as_array().expect("runs").iter().map(run).collect()
}
