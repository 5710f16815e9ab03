//! Pipelines of several kernels with the real binary: iterations, stages, and suites that combine
//! the winners of the stages.

use std::fs;

use serde_json::Value;

use crate::support::{autobench, json, sentence, turn};

/// Two kernels run alternately, three times: y grows by half of x each time. The labels are the
/// planted ones under other names.
const DOCUMENT: &str = r#"
name: pipe
about: adds halves
sources:
  - name: pipe.cu
    text: |
      __global__ void halve(half_type *h, const double *x, const unsigned char *planted,
                            unsigned char *labels, int n)
      {
        const int i = blockIdx.x * halve_block + threadIdx.x;
        if (i < n) {
          h[i] = ab::convert<half_type>(x[i] / 2);
          labels[i] = (planted[i] + 1) % 4;
        }
      }
      __global__ void grow(double *y, const half_type *h, int n)
      {
        const int i = blockIdx.x * grow_block + threadIdx.x;
        if (i < n) y[i] += ab::convert<double>(h[i]);
      }
launches:
  - {entry: halve, problem: [size], block: [halve_block], arguments: [h, x, planted, labels, n]}
  - {entry: grow, problem: [size], block: [grow_block], arguments: [y, h, n]}
iterations: "3"
stages:
  - name: halve
    about: halves
    launches: [halve]
    parameters: [halve_block, half_type]
    outputs: [h]
    scratch: [labels]
    error: {metric: nrmse, bound: 1e-4, wrong_above: 1, levels: {high: 1e-8}}
    reference: {expressions: {h: "x[i] / 2"}}
  - name: grow
    launches: [1]
    parameters: [grow_block]
    outputs: [y]
    fills: {h: {constant: 0.25}, y: {uniform: {low: 1, high: 2}}}
    bytes: 16 * size
    error: {metric: nrmse, bound: 1e-4, wrong_above: 1}
    reference: {expressions: {y: "y[i] + h[i]"}}
arguments:
  - {name: y, role: inout, format: f64, shape: [size], fill: {uniform: {low: 1, high: 2}}}
  - {name: h, role: scratch, format: half_type, shape: [size]}
  - {name: x, role: in, format: f64, shape: [size], fill: {uniform: {low: 1, high: 2}}}
  - {name: n, role: in, format: i32, value: size}
  - {name: planted, role: in, format: u8, shape: [size], fill: {integer: {low: 0, high: 3}}}
  - {name: labels, role: out, format: u8, shape: [size]}
parameters:
  - {name: halve_block, values: [64, 128]}
  - {name: grow_block, values: [64, 128, 256]}
  - {name: half_type, values: [f64, f32, f16]}
size: {start: 4096, meaning: elements}
bytes: 80 * size
metrics:
  - {name: bandwidth, unit: GB/s, expression: bytes / seconds / 1e9}
secondary: bandwidth
error: {metric: nrmse, bound: 0.1, wrong_above: 10}
errors:
  - {metric: nmi_loss, output: labels, against: planted}
reference:
  expressions: {y: "y[i] + 1.5 * x[i]", labels: "(planted[i] + 1) % 4"}
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("pipe.yaml"), DOCUMENT).expect("written");
    folder
}

fn tune(folder: &tempfile::TempDir, more: &[&str]) -> std::process::Output {
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let fixed = ["tune", &path("pipe.yaml"), "--size", "4Ki", "--time", "8", "--quiet"];
    autobench(&[&fixed[..], &["--out", &path("out")], more].concat())
}

fn best<'a>(result: &'a Value, parameter: &str) -> &'a Value {
    &result["workload"]["best"]["configuration"][parameter]
}

#[test]
fn a_pipeline_in_yaml_runs_all_launches_as_often_as_it_says() {
    let _turn = turn();
    let folder = folder();
    let narrowed = ["--param", "half_type=f64", "--budget", "2", "--json"];
    let asked = ["--bound", "nmi_loss_of_labels_against_planted<=1e-9"];
    let result = json(&tune(&folder, &[&narrowed[..], &asked].concat()));
    let error = result["workload"]["best"]["error"].as_f64().expect("an error");
    assert!(error < 1e-14, "three times, and on the same inputs: {error}");
}

#[test]
fn a_stage_is_tuned_by_itself_with_its_own_parameters() {
    let _turn = turn();
    let folder = folder();
    let whole = ["--strategy", "exhaustive", "--budget", "99", "--json"];
    let halves = json(&tune(&folder, &[&["--stage", "halve"][..], &whole].concat()));
    assert_eq!(halves["benchmark"], "pipe-halve");
    assert_eq!(best(&halves, "grow_block"), 64, "what is no parameter of it stays");
    assert!(halves["workload"]["best"]["error"].as_f64().expect("an error") <= 1e-4);
    // A format that is not a parameter of the stage can still be set for it.
    let chosen = ["--stage", "grow", "--param", "half_type=f16"];
    let grown = json(&tune(&folder, &[&chosen[..], &whole].concat()));
    assert_eq!(
        (best(&grown, "half_type"), best(&grown, "halve_block")),
        (&"f16".into(), &64.into())
    );
    let level = ["--stage", "halve", "--max-error", "high"];
    let exact = json(&tune(&folder, &[&level[..], &whole].concat()));
    assert_eq!(best(&exact, "half_type"), "f64");
}

#[test]
fn stages_that_do_not_exist_or_make_no_sense_are_answered_in_a_sentence() {
    let folder = folder();
    let why = sentence(&tune(&folder, &["--stage", "halv"]));
    assert!(why.contains("has no stage named `halv` (did you mean `halve`?)"), "{why}");
    let shown = tune(&folder, &["--dry-run"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("stages: halve (halves), grow; --stage tunes one by itself"), "{shown}");
    let wrong = DOCUMENT.replace("parameters: [grow_block]", "parameters: [grw_block]");
    fs::write(folder.path().join("pipe.yaml"), wrong).expect("written");
    let why = sentence(&tune(&folder, &[]));
    let line = DOCUMENT.lines().position(|line| line.contains("parameters: [grow_block]"));
    let line = line.expect("a line") + 1;
    let place = format!("pipe.yaml:{line}:");
    assert!(why.contains(&place) && why.contains("did you mean `grow_block`?"), "{why}");
}

#[test]
fn a_suite_puts_together_what_its_stages_won_and_draws_them() {
    let _turn = turn();
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let suite = "suite: pipes\nfigure: [plain, whole]\n\
        defaults: {size: 4Ki, budget: 3, time: 5, seed: 3, strategy: random}\nstudies:\n  \
        - {tune: ./pipe.yaml, label: plain, param: {half_type: f64}}\n  \
        - {tune: ./pipe.yaml, label: never, stage: halve, max-error: 1e-300, \
        param: {half_type: f16}}\n  \
        - {tune: ./pipe.yaml, label: first, stage: halve, param: {half_type: \"f32,f16\"}}\n  \
        - {tune: ./pipe.yaml, label: second, stage: grow, param: {grow_block: \"128,256\"}}\n  \
        - {tune: ./pipe.yaml, label: whole, winners_of: [first, second]}\n  \
        - {tune: ./pipe.yaml, label: broken, winners_of: [never]}\n";
    fs::write(folder.path().join("pipes.yaml"), suite).expect("written");
    let result = json(&autobench(&["suite", &path("pipes.yaml"), "--out", &path("o"), "--json"]));
    let studies = result["studies"].as_array().expect("studies");
    let states: Vec<&str> = studies.iter().filter_map(|study| study["state"].as_str()).collect();
    let expected = ["finished", "failed", "finished", "finished", "finished", "failed"];
    assert_eq!(states, expected, "{result:#}");
    let won = |study: usize, name: &str| studies[study]["answer"]["configuration"][name].clone();
    for (study, name) in [(2, "half_type"), (2, "halve_block"), (3, "grow_block")] {
        assert_eq!(won(4, name), won(study, name), "{name}: {result:#}");
    }
    assert_eq!(studies[4]["evaluations"], 1, "nothing is left to search");
    let why = studies[5]["reason"].as_str().expect("a reason");
    assert!(why.contains("study 2, `never`, has no winner"), "{why}");
    let made = result["folder"].as_str().expect("a folder");
    let svg = fs::read_to_string(format!("{made}/figure.svg")).expect("a figure");
    assert!(svg.contains("whole") && svg.contains("speed-up") && svg.contains("nrmse"));
    assert!(fs::read(format!("{made}/figure.png")).expect("a picture").starts_with(b"\x89PNG"));
    // Failed studies are tried once more; finished ones stay.
    let again = json(&autobench(&["resume", made, "--json"]));
    assert_eq!(again["studies"][4], studies[4]);
}

#[test]
fn labels_that_no_earlier_study_has_are_mistakes_in_the_file() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let suite = "suite: s\nfigure: [whole, hole]\nstudies:\n  \
        - {tune: ./pipe.yaml, label: first, size: 4Ki, stage: grow}\n  \
        - {tune: ./pipe.yaml, label: whole, size: 4Ki, winners_of: [frst]}\n";
    let file = path("s.yaml");
    fs::write(&file, suite).expect("written");
    let figure = sentence(&autobench(&["suite", &file, "--dry-run"]));
    assert!(figure.contains("s.yaml:2:") && figure.contains("labelled `hole`"), "{figure}");
    fs::write(&file, suite.replace(", hole", "")).expect("written");
    let why = sentence(&autobench(&["suite", &file, "--dry-run"]));
    assert!(why.contains("s.yaml:5:") && why.contains("did you mean `first`?"), "{why}");
    fs::write(&file, suite.replace(", hole", "").replace("frst", "first")).expect("written");
    let planned = autobench(&["suite", &file, "--dry-run"]);
    let planned = String::from_utf8_lossy(&planned.stdout).into_owned();
    assert!(planned.contains("with what study 1 won"), "{planned}");
    let part = autobench(&["suite", &file, "--dry-run", "--only", "whole"]);
    assert!(!part.status.success() && sentence(&part).contains("labelled `first`"), "{part:?}");
}

#[test]
fn the_suite_of_coclustering_is_planned() {
    let planned = json(&autobench(&["suite", "coclustering", "--quick", "--dry-run", "--json"]));
    let studies = planned["studies"].as_array().expect("studies");
    assert_eq!(studies.len(), 14);
    assert_eq!(studies[13]["winners_of"], serde_json::json!([11, 12, 13]));
    assert_eq!(planned["figures"], serde_json::json!([[1, 2, 6, 10, 14]]));
}
