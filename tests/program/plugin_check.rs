//! `autobench plugin check` finds kernels that are right only at certain sizes, or only with the
//! default.

use std::{fs, path::Path};

use crate::support::{command, turn};

const YAML: &str = r#"
name: grey
about: "twice a square image"
sources:
  - name: grey.cu
    text: |
      __global__ void grey(float *out, const float *in, int n)
      {
        const int x = blockIdx.x * block_size_x + threadIdx.x;
        const int y = blockIdx.y * block_size_y + threadIdx.y;
        if (GUARD) out[y * n + x] = FACTOR * in[y * n + x];
      }
launches:
  - {entry: grey, problem: [size, size], grid_divisors: [[block_size_x], [block_size_y]]}
arguments:
  - {name: out, role: out, format: f32, shape: ["size * size"]}
  - {name: in, role: in, format: f32, shape: ["size * size"], fill: {uniform: {low: 1, high: 2}}}
  - {name: n, role: in, format: i32, value: size}
parameters:
  - {name: block_size_x, values: [16, 32]}
  - {name: block_size_y, values: [1, 2, 4]}
size: {start: 64, meaning: rows}
bytes: 8 * size * size
metrics:
  - {name: bandwidth, unit: GB/s, expression: bytes / seconds / 1e9}
secondary: bandwidth
error: {metric: nrmse, bound: 1e-6}
reference:
  expressions: {out: "2 * in[i]"}
"#;

fn check(folder: &Path, guard: &str, factor: &str, more: &[&str]) -> (i32, String) {
    let text = YAML.replace("GUARD", guard).replace("FACTOR", factor);
    fs::write(folder.join("grey.yaml"), text).unwrap();
    let mut check = command();
    check.current_dir(folder).args(["plugin", "check", "grey.yaml"]).args(more);
    let output = check.output().expect("the program");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_missing_guard_shows_at_a_size_that_no_block_divides() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (code, text) = check(folder.path(), "x < n && y < n", "2", &[]);
    assert!(code == 0 && text.contains("6 right, at size 97"), "{code} {text}");
    let (code, text) = check(folder.path(), "x < n", "2", &["--sizes", "64"]);
    assert!(code == 0 && text.contains("6 right, at size 64"), "{code} {text}");
    let (code, text) = check(folder.path(), "x < n", "2", &[]);
    assert!(code == 3 && text.contains("at size 97"), "{code} {text}");
}

#[test]
fn a_value_that_makes_the_kernel_wrong_is_named() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let wrong_for_four = "(block_size_y == 4 ? 3 : 2)";
    let (code, text) = check(folder.path(), "x < n && y < n", wrong_for_four, &[]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("4 right, 2 wrong, at size 64"), "{text}");
    assert!(text.contains("wrong-result: block_size_x=16,block_size_y=4"), "{text}");
    assert!(text.contains("2 of 6 configurations fail at size 64"), "{text}");
    let only_default = ["--configurations", "0"];
    let (code, text) = check(folder.path(), "x < n && y < n", wrong_for_four, &only_default);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn what_is_wrong_is_told_in_the_documents_own_words() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (_, text) = check(folder.path(), "x < n && y < n", "3", &[]);
    assert!(text.contains(", and its bound is 1e-6; `out["), "{text}");
    // The line of the compiler, and that of the file.
    let (_, text) = check(folder.path(), "x < n &&& y < n", "2", &[]);
    let line = 1 + YAML.lines().position(|line| line.contains("GUARD")).unwrap();
    assert!(text.contains("grey.cu:5:"), "{text}");
    assert!(text.contains(&format!("(grey.yaml:{line})")), "{text}");
}

#[test]
fn a_parameter_that_nothing_uses_is_told_once_wherever_the_benchmark_runs() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let values = "values: [1, 2, 4]}\n";
    let wide = YAML.replace(values, &format!("{values}  - {{name: padding, values: [0, 1, 2]}}\n"));
    let wide = wide.replace("GUARD", "x < n && y < n").replace("FACTOR", "2");
    fs::write(folder.path().join("grey.yaml"), wide).unwrap();
    for arguments in [
        &["plugin", "check", "grey.yaml", "--sizes", "64"][..],
        &["tune", "grey.yaml", "--size", "64", "--budget", "2"],
    ] {
        let output = command().current_dir(folder.path()).args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = text.lines().filter(|line| line.contains("`padding`"));
        let told: Vec<&str> = told.collect();
        assert_eq!(told.len(), 1, "{text}");
        assert!(told[0].contains("warning") && told[0].contains("space 3"), "{text}");
    }
}
