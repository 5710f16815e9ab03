//! `autobench knee` on a file, with detectors that confirm the first one's knee.

use std::fs;

use serde_json::Value;

use crate::support::{autobench, sentence};

/// A file with a hyperbola that reaches half of its level at 64 Ki.
fn hyperbola() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("curve.csv");
    let row = |rung: i32| {
        let x = (1024.0 * 1.5_f64.powi(rung)).round();
        format!("{x},{}\n", x / (x + 65536.0))
    };
    fs::write(&file, (0..30).map(row).collect::<String>()).expect("written");
    let name = file.to_string_lossy().into_owned();
    (folder, name)
}

#[test]
fn the_first_detector_proposes_and_others_confirm_it_or_do_not() {
    let (_folder, curve) = hyperbola();
    let output = autobench(&["knee", &curve, "--confirm-by", "triangle,menger", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let names: Vec<&str> =
        found.as_array().expect("a list").iter().filter_map(|f| f["detector"].as_str()).collect();
    assert_eq!(names, ["kneedle", "triangle", "menger"], "the default proposes");
    assert_eq!(found[0]["answer"], true);
    assert_eq!(found[0]["confirmed_by"], serde_json::json!(["triangle"]));
    let against = found[0]["against"].to_string();
    assert!(against.contains("menger, which should confirm it, sees"), "{against}");

    let output = autobench(&["knee", &curve, "--detector", "triangle", "--confirm-by", "kneedle"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("by triangle, confirmed by kneedle"), "{said}");
    let output = autobench(&["knee", &curve, "--detector", "triangle", "--confirm-by", "triangle"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(sentence(&output).contains("cannot confirm its own knee"), "{output:?}");
}
