//! `kneedle` on raw curves equals the published Python implementation, on every recorded case.

#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::PathBuf;

use autobench::knees::{
    Curve, Direction, Interpolation, Mode, Preparation, Scale, Settings, Shape, detector, find,
};
use serde_json::Value;

/// The recorded cases, beside the checkout; `None` where they are not.
fn cases() -> Option<Vec<Value>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let found = ["../shared", "../../shared"]
        .iter()
        .map(|shared| root.join(shared).join("reference/knees.json"))
        .find(|path| path.is_file());
    let Some(path) = found else {
        eprintln!("skipped: no ../shared/reference/knees.json beside this checkout");
        return None;
    };
    let text = std::fs::read_to_string(path).expect("readable");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    Some(all["cases"].as_array().expect("cases").clone())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn settings(case: &Value, interpolation: Interpolation) -> Settings {
    Settings {
        x_scale: Scale::Linear,
        shape: if case["curve"] == "convex" { Shape::Convex } else { Shape::Concave },
        direction: if case["direction"] == "decreasing" {
            Direction::Decreasing
        } else {
            Direction::Increasing
        },
        sensitivity: case["S"].as_f64().expect("S"),
        mode: if case["online"] == true { Mode::Online } else { Mode::Offline },
        interpolation,
        resamples: 0,
        ..Settings::default()
    }
}

#[test]
fn raw_kneedle_equals_the_recorded_answers() {
    let Some(cases) = cases() else { return };
    let kneedle = detector("kneedle").expect("registered");
    let mut wrong = Vec::new();
    let (mut linear, mut polynomial) = (0, 0);
    for case in &cases {
        let expected = &case["expected"];
        for which in ["kneed", "kneed_polynomial"] {
            let Some(answer) = expected.get(which).filter(|a| a.get("error").is_none()) else {
                continue;
            };
            let interpolation = if which == "kneed" {
                linear += 1;
                Interpolation::Linear
            } else {
                polynomial += 1;
                let degree = answer["degree"].as_u64().expect("a degree");
                Interpolation::Polynomial(usize::try_from(degree).expect("small"))
            };
            let curve = Curve::new(&numbers(&case["x"]), &numbers(&case["y"])).expect("a curve");
            let settings = settings(case, interpolation);
            let found = find(kneedle, &curve, &settings, Preparation::Raw);
            if found.knee.map(|k| k.x) != answer["knee"].as_f64() {
                wrong.push(format!(
                    "{} {which}: found {:?}, recorded {}",
                    case["name"], found.knee, answer["knee"]
                ));
            }
        }
    }
    eprintln!("{linear} cases, {polynomial} of them with a polynomial");
    assert!(linear >= 100 && polynomial >= 10, "the recording is smaller than it was");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
