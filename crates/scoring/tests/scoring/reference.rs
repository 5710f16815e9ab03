//! The community score against values that its own package computed; `tests/data/README.md` says
//! how.

use std::{fs::File, io::Read as _, path::Path};

use exchange::read_space_file;
use flate2::read::GzDecoder;
use records::RecordedTrial;
use scoring::{Baseline, BaselineRow, Run, performance};
use serde_json::Value;

use crate::support::data;

/// The rows of a recorded space, in the file's order.
fn rows(file: &Path) -> Vec<BaselineRow> {
    let space = read_space_file(file).expect("a recorded space");
    let row = |trial: &RecordedTrial| {
        let runs: f64 = trial.times_ms.iter().sum();
        let cost = trial.compile_ms + trial.verification_ms + trial.framework_ms + runs;
        BaselineRow { value: trial.time_ms, cost: cost / 1e3 }
    };
    space.trials().iter().map(row).collect()
}

fn close(what: &str, ours: f64, theirs: f64) {
    let apart = (ours - theirs).abs() / theirs.abs().max(1.0);
    assert!(apart < 1e-9, "{what}: {ours} and {theirs}");
}

/// Compares the baseline of a space with the package's.
fn compare_baseline(name: &str, rows: &[BaselineRow], expected: &Value) -> Baseline {
    let baseline = Baseline::new(rows).expect("valid configurations");
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
    assert_eq!(curve.len(), baseline.curve.len());
    for (at, value) in curve.iter().enumerate() {
        close(&format!("{name} at {at}"), baseline.curve[at], value.as_f64().expect("number"));
    }
    baseline
}

fn score(baseline: &Baseline, runs: &[Run]) -> f64 {
    let points = performance(baseline, runs).expect("something was found");
    points.iter().sum::<f64>() / points.len() as f64
}

/// JSON, compressed or not.
fn json(path: &Path) -> Value {
    let mut text = String::new();
    let file = File::open(path).expect("there");
    if path.extension().is_some_and(|extension| extension == "gz") {
        GzDecoder::new(file).read_to_string(&mut text).expect("readable");
        serde_json::from_str(&text).expect("JSON")
    } else {
        serde_json::from_reader(file).expect("JSON")
    }
}

fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().expect("a list");
    list.iter().map(|value| value.as_f64().expect("a number")).collect()
}

/// A run that visited these rows at these times.
fn run(visited: &Value, times: &Value, rows: &[BaselineRow]) -> Run {
    let visited = numbers(visited);
    Run {
        times: numbers(times),
        values: visited.into_iter().map(|at| rows[at as usize].value).collect(),
    }
}

#[test]
fn a_space_of_the_cpu_device_has_the_baseline_and_scores_of_the_package() {
    let reference = json(&data("scores.json.gz"));
    for expected in reference["spaces"].as_array().expect("spaces") {
        let name = expected["name"].as_str().expect("a name");
        let rows = rows(&data(&format!("spaces/{name}.json.gz")));
        let baseline = compare_baseline(name, &rows, expected);
        for theirs in expected["strategies"].as_array().expect("strategies") {
            let runs = theirs["runs"].as_array().expect("runs");
            let runs: Vec<Run> = runs.iter().map(|one| run(&one[0], &one[1], &rows)).collect();
            let ours = score(&baseline, &runs);
            let number = |key: &str| theirs[key].as_f64().expect("a number");
            close(&theirs["name"].to_string(), ours, number("score"));
            // The package's own value is the mean of twenty, which differ by 0.01 themselves.
            assert!((ours - number("resampled")).abs() < 0.02, "{}: {ours}", theirs["name"]);
        }
    }
}

mod shared {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::{Run, compare_baseline, json, rows, run, score};
    use crate::support::shared;

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn baselines_and_scores_equal_those_of_the_package() {
        let reference = json(&shared("reference/score_reference.json"));
        let spaces: BTreeMap<String, Value> =
            serde_json::from_value(reference["spaces"].clone()).expect("spaces");
        for (name, expected) in &spaces {
            let file = format!("data/spaces/{}.json.gz", name.replace("_milo/", "_"));
            let rows = rows(&shared(&file));
            let baseline = compare_baseline(name, &rows, expected);
            for (strategy, theirs) in expected["strategies"].as_object().expect("strategies") {
                let trace = theirs["trace_file"].as_str().expect("a file");
                let trace = json(&shared(&format!("reference/traces/{trace}")));
                let runs = trace["runs"].as_array().expect("runs").iter();
                let runs: Vec<Run> =
                    runs.map(|one| run(&one["idx"], &one["cum_s"], &rows)).collect();
                let score = score(&baseline, &runs);
                let expected = theirs["iso"]["score"].as_f64().expect("a score");
                let apart = (score - expected).abs();
                assert!(apart < 0.005, "{strategy} on {name}: {score}, {expected}");
            }
        }
    }
}
