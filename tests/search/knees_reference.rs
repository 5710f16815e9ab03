//! Detectors on raw curves against others' answers: `kneedle` equals the published Python
//! implementation, `triangle` the textbook's cross product. `tests/data/README.md` says how the
//! answers were made.

use std::{collections::BTreeMap, path::Path};

use autobench::knees::{
    Curve, DETECTORS, DetectorSettings, Direction, Interpolation, Mode, Preparation, Shape, XScale,
    find,
};
use serde_json::Value;

use crate::support::data;

/// Other implementations' answers to curves.
fn cases(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("readable");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    all["cases"].as_array().expect("cases").clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn settings(case: &Value, interpolation: Interpolation) -> DetectorSettings {
    DetectorSettings {
        x_scale: XScale::Linear,
        shape: if case["curve"] == "convex" { Shape::Convex } else { Shape::Concave },
        direction: if case["direction"] == "decreasing" {
            Direction::Decreasing
        } else {
            Direction::Increasing
        },
        mode: if case["online"] == true { Mode::Online } else { Mode::Offline },
        interpolation,
        resamples: 0,
        ..DetectorSettings::default()
    }
    .with_knobs(&BTreeMap::from([("sensitivity".to_owned(), case["S"].to_string())]))
    .expect("a knob")
}

/// Numbers of kneed's answers compared, on lines and on polynomials, and the answers that differ.
fn compare_kneedle(cases: &[Value]) -> (usize, usize, Vec<String>) {
    let kneedle = DETECTORS.find("kneedle").expect("registered");
    let mut wrong = Vec::new();
    let (mut linear, mut polynomial) = (0, 0);
    for case in cases {
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
    (linear, polynomial, wrong)
}

#[test]
fn kneedle_equals_kneed_on_generated_curves() {
    let (linear, polynomial, wrong) = compare_kneedle(&cases(&data("knees.json")));
    assert_eq!((linear, polynomial), (160, 160));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn triangle_is_the_farthest_point_of_the_textbook() {
    let triangle = DETECTORS.find("triangle").expect("registered");
    let mut seen = 0;
    for case in cases(&data("knees.json")) {
        let expected = &case["expected"]["triangle"];
        let Some(index) = expected["index"].as_u64() else { continue };
        let curve = Curve::new(&numbers(&case["x"]), &numbers(&case["y"])).expect("a curve");
        let settings = settings(&case, Interpolation::Linear);
        let settings = settings
            .with_knobs(&BTreeMap::from([("threshold".to_owned(), "0".to_owned())]))
            .expect("a knob");
        let found = find(triangle, &curve, &settings, Preparation::Raw);
        let knee = found.knee.expect("a farthest point");
        assert_eq!(knee.index as u64, index, "{}: {found:?}", case["name"]);
        let distance = expected["distance"].as_f64().expect("a number");
        let (_, ours) = found.facts.iter().find(|(name, _)| *name == "distance").expect("a fact");
        assert!((ours - distance).abs() < 1e-12, "{}: {ours}, {distance}", case["name"]);
        seen += 1;
    }
    assert_eq!(seen, 159);
}

mod shared {
    use crate::support::shared;

    #[test]
    #[ignore = "needs ../shared: cargo test --test search -- --ignored shared::"]
    fn raw_kneedle_equals_the_recorded_answers() {
        let cases = super::cases(&shared("reference/knees.json"));
        let (linear, polynomial, wrong) = super::compare_kneedle(&cases);
        assert!(linear >= 100 && polynomial >= 10, "the recording is smaller than it was");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
