//! Templates of `autobench plugin new` build, load, run and verify without changes.

use std::{path::Path, process::Command};

use assert_cmd::cargo::cargo_bin;

use crate::support::turn;

fn autobench(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(cargo_bin("autobench"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the program");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

fn checked(folder: &Path, file: &str) {
    let (code, text) = autobench(folder, &["plugin", "check", file]);
    assert!(code == 0 && text.contains("all is well"), "{code}: {text}");
    assert!(text.contains("error          0.00e0 (nrmse"), "verified: {text}");
}

#[test]
fn the_template_in_c_runs_and_is_verified() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (code, text) = autobench(folder.path(), &["plugin", "new", "my-sum", "--language", "c"]);
    assert_eq!(code, 0, "{text}");
    let own = folder.path().join("my-sum");
    // The command that it prints, unchanged.
    let build = text.lines().map(str::trim).find(|line| line.starts_with("cc ")).unwrap();
    let built = Command::new("sh").current_dir(&own).args(["-c", build]).status().unwrap();
    assert!(built.success(), "{build}");
    checked(&own, "./libmy_sum.so");
}

#[test]
fn the_template_in_yaml_runs_and_is_verified() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (code, text) = autobench(folder.path(), &["plugin", "new", "sum", "--language", "yaml"]);
    assert_eq!(code, 0, "{text}");
    checked(folder.path(), "sum.yaml");
}

#[test]
#[ignore = "builds a crate with Cargo"]
fn the_template_in_rust_builds_runs_and_is_verified() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (code, text) = autobench(folder.path(), &["plugin", "new", "sum"]);
    assert_eq!(code, 0, "{text}");
    let own = folder.path().join("sum");
    let built = Command::new(env!("CARGO"))
        .current_dir(&own)
        .env_remove("CARGO_TARGET_DIR")
        .args(["build", "--release"])
        .status()
        .unwrap();
    assert!(built.success());
    checked(&own, "target/release/libsum.so");
}

/// The first Rust example on the page for authors.
fn example() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/builder.md");
    let page = std::fs::read_to_string(page).unwrap();
    let code = page.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next());
    code.unwrap().to_owned()
}

#[test]
#[ignore = "builds a crate with Cargo"]
fn the_example_for_authors_builds_and_its_whole_and_its_stages_are_right() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (code, text) = autobench(folder.path(), &["plugin", "new", "smooth"]);
    assert_eq!(code, 0, "{text}");
    let own = folder.path().join("smooth");
    std::fs::write(own.join("src/lib.rs"), example()).unwrap();
    let built = Command::new(env!("CARGO"))
        .current_dir(&own)
        .env_remove("CARGO_TARGET_DIR")
        .args(["build", "--release"])
        .status()
        .unwrap();
    assert!(built.success());
    let (code, text) = autobench(&own, &["plugin", "check", "target/release/libsmooth.so"]);
    assert!(code == 0 && text.contains("all is well"), "{code}: {text}");
    for stage in ["weigh", "smooth"] {
        let tune = ["tune", "target/release/libsmooth.so", "--size", "5000", "--stage", stage];
        let (code, text) = autobench(&own, &[&tune[..], &["--budget", "4"]].concat());
        assert!(code == 0 && text.contains("(nrmse)"), "{stage}: {code}: {text}");
    }
}

#[test]
fn nothing_is_overwritten_and_names_are_names() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let new = ["plugin", "new", "sum", "--language", "yaml"];
    assert_eq!(autobench(folder.path(), &new).0, 0);
    let (code, text) = autobench(folder.path(), &new);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("`sum.yaml` exists already"), "{text}");
    let (code, text) = autobench(folder.path(), &["plugin", "new", "My Sum"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("cannot be a benchmark's name"), "{text}");
}

#[test]
fn a_wrong_document_is_one_sentence_with_its_place_and_the_plugin_exit_code() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let yaml = autobench_sdk::templates::YAML.replace("NAME", "sum");
    let wrong = yaml.replace("bytes: 12 * size", "bytes: 12 * sice");
    std::fs::write(folder.path().join("sum.yaml"), &wrong).unwrap();
    let line = wrong.lines().position(|line| line.starts_with("bytes:")).unwrap() + 1;
    let (code, text) = autobench(folder.path(), &["plugin", "check", "sum.yaml"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains(&format!("sum.yaml:{line}:8: bytes: ")), "{text}");
    let (code, text) = autobench(folder.path(), &["plugin", "check", "missing.yaml"]);
    assert_eq!(code, 2, "{text}");
}

/// Writes the YAML template as `sum.yaml`, without the lines of these fields.
fn without(folder: &Path, fields: &[&str]) {
    let yaml = autobench_sdk::templates::YAML.replace("NAME", "sum");
    let kept = |line: &&str| !fields.iter().any(|field| line.starts_with(field));
    let lines: Vec<&str> = yaml.lines().filter(kept).collect();
    std::fs::write(folder.join("sum.yaml"), lines.join("\n")).unwrap();
}

const METRIC: &str = "  - {name: bandwidth";

#[test]
fn a_benchmark_that_names_no_metric_is_saturated_by_what_it_counts() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    without(folder.path(), &["metrics:", METRIC, "secondary:"]);
    let sizes = ["--sizes", "4k,8k", "--budget", "1", "--time", "5"];
    let run = ["run", "sum.yaml", "--objective", "performance", "--json", "--quiet"];
    let (code, text) = autobench(folder.path(), &[&run[..], &sizes[..]].concat());
    assert_eq!(code, 0, "{text}");
    let result: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(result["workload"]["best"]["metric"]["value"].as_f64().unwrap() > 0.0, "{text}");
    let study = result["folder"].as_str().unwrap();
    let record = std::fs::read_to_string(folder.path().join(study).join("study.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    let objective = serde_json::json!({ "metric": "performance", "sense": "maximise" });
    assert_eq!(record["settings"]["objective"], objective, "figures read the direction there");
    let secondary =
        serde_json::json!({ "name": "performance", "unit": "GFLOP/s", "sense": "maximise" });
    assert_eq!(record["benchmark"]["secondary"], secondary);
    let (code, text) = autobench(folder.path(), &["resume", study, "--json"]);
    assert_eq!(code, 0, "the same settings resolve to the same study: {text}");
}

#[test]
fn a_benchmark_of_time_alone_is_tuned_and_not_saturated() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    without(folder.path(), &["metrics:", METRIC, "secondary:", "flops:", "bytes:"]);
    let (code, text) = autobench(folder.path(), &["run", "sum.yaml"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("`seconds` does not saturate"), "{text}");
    let (code, text) = autobench(folder.path(), &["plugin", "check", "sum.yaml"]);
    assert!(code == 0 && text.contains("needs a `secondary` metric"), "{text}");
    let tune = ["tune", "sum.yaml", "--size", "4k", "--budget", "1", "--json"];
    let (code, text) = autobench(folder.path(), &tune);
    assert_eq!(code, 0, "{text}");
    // Energy is only a metric if an observer measures it.
    let (code, text) = autobench(folder.path(), &[&tune[..], &["--objective", "energy"]].concat());
    assert!(code == 0 || text.contains("nothing here measures `energy`"), "{code}: {text}");
}
