//! `autobench space`: reports on files, and errors.

use std::{fs, path::PathBuf};

use crate::support::{autobench, json, sentence};

const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/t1/small.json");

/// A Kernel Tuner cache file without its end, as left by a writer that did not finish.
const CACHE: &str = r#"{"device_name": "GPU", "kernel_name": "recorded", "problem_size": [64],
"tune_params_keys": ["x", "y"], "tune_params": {"x": [1, 2, 4], "y": [0, 1]}, "objective": "time",
"cache": {"1,0": {"x": 1, "y": 0, "time": 1.5}, "2,0": {"x": 2, "y": 0, "time": 1.25},
"2,1": {"x": 2, "y": 1, "__error__": "InvalidConfig"},"#;

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path: PathBuf = folder.path().join(name);
    fs::write(&path, text).expect("a file");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_t1_file_is_counted_and_described() {
    let said = json(&autobench(&["space", SMALL, "--json", "--sample", "3", "--neighbours"]));
    // 11 blocks (3 × 4 without 16 × 1, which has fewer than 32 threads), times 3 of 4 pairs of c
    // and d.
    assert_eq!((&said["cartesian"], &said["valid"]), (&48.into(), &33.into()));
    assert!(said["seconds"].as_f64().expect("seconds") > 0.0);
    assert_eq!(said["name"], "small");
    assert_eq!(said["sample"].as_array().expect("a sample").len(), 3);
    assert_eq!(said["parameters"][0]["default"], 32);
    assert_eq!(said["parameters"][2]["values"][0]["valid"], 22);
    let removes = said["restrictions"][0]["removes"].as_f64().expect("a share");
    assert!((removes - 1.0 / 12.0).abs() < 1e-12, "{removes}");
    assert_eq!(said["neighbours"][0]["kind"], "hamming");
}

#[test]
fn a_seed_repeats_a_sample_and_flags_narrow_the_space() {
    let drawn = |seed: &str| {
        let arguments = ["space", SMALL, "--json", "--sample", "8", "--seed", seed];
        json(&autobench(&arguments))["sample"].clone()
    };
    assert_eq!(drawn("1"), drawn("1"));
    assert_ne!(drawn("1"), drawn("2"));
    let arguments = ["space", SMALL, "--json", "--param", "a=32,64", "--restrict", "b > 1"];
    let said = json(&autobench(&arguments));
    assert_eq!((&said["cartesian"], &said["valid"]), (&32.into(), &18.into()));
}

#[test]
fn recorded_spaces_count_what_they_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = written(&folder, "cache.json", CACHE);
    let output = autobench(&["space", &cache, SMALL, "--json"]);
    let said = json(&output);
    assert_eq!((&said[0]["valid"], &said[0]["cartesian"]), (&3.into(), &6.into()));
    assert!(said[0]["warnings"][0].as_str().expect("a warning").contains("never closed"));
    assert_eq!(said[1]["name"], "small");
}

#[test]
fn people_get_a_table() {
    let output = autobench(&["space", SMALL]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{output:?}");
    for words in ["33 valid of 48", "seconds", "32 <= a * b <= MAX", "T1, kernel `small_kernel`"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn spaces_beyond_every_machine_number_are_counted() {
    let parameters: Vec<String> = (0..40)
        .map(|p| format!(r#"{{"Name": "p{p}", "Type": "int", "Values": "list(range(100))"}}"#))
        .collect();
    let text = format!(
        r#"{{"ConfigurationSpace": {{"TuningParameters": [{}], "Conditions":
           [{{"Expression": "{} <= 3"}}]}}}}"#,
        parameters.join(","),
        (0..40).map(|p| format!("p{p}")).collect::<Vec<_>>().join(" + ")
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(&folder, "long.json", &text);
    let said = json(&autobench(&["space", &file, "--json"]));
    assert_eq!(said["cartesian"].as_str(), Some(&*format!("1{}", "0".repeat(80))));
    // Sums of up to 3 over forty parameters: C(43, 3).
    assert_eq!(said["valid"], 12_341);
}

#[test]
fn what_is_no_space_gets_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let faulty = |values: &str, condition: &str| {
        let text = format!(
            r#"{{"ConfigurationSpace": {{"TuningParameters":
               [{{"Name": "a", "Values": "{values}"}}],
               "Conditions": [{{"Expression": "{condition}"}}]}}}}"#
        );
        let name = format!("faulty {} {}.json", values.len(), condition.len());
        written(&folder, &name, &text)
    };
    for (file, said) in [
        ("/nowhere/space.json".to_owned(), "cannot read"),
        ("no_such_benchmark".to_owned(), "no_such_benchmark"),
        (written(&folder, "else.json", "{\"a\": 1}"), "neither a T1 file"),
        (written(&folder, "torn.json", "{\"a\": "), "neither a T1 file"),
        (faulty("range(10**12)", "a > 0"), "`a`"),
        (faulty("[1, 2]", "b > 0"), "there is no `b`"),
        (faulty("[1, 2]", "a >"), "expected a value"),
        (faulty("[1, 2]", "log(a - 1) > 0"), "`log` is not defined"),
    ] {
        let output = autobench(&["space", &file]);
        assert_eq!(output.status.code(), Some(2), "{file}: {output:?}");
        assert!(sentence(&output).contains(said), "{file}: {output:?}");
    }
    let output = autobench(&["space", SMALL, "--param", "a=5"]);
    assert!(sentence(&output).contains("has no value 5"), "{output:?}");
}
