//! Bounds, errors and precision with the real binary, on a device and on its recording.

use std::{fs, path::Path};

use crate::support::{autobench, exhaustive, json, sentence, turn};

/// A product that is exact in f64, and has errors of 3e-8 in f32, 2e-4 in f16 and 2e-3 in bf16.
const DOCUMENT: &str = r#"
name: squares
about: squares numbers in a format
sources:
  - name: squares.cu
    text: |
      __global__ void squares(const precision *a, precision *c, precision *d, int n)
      {
        const int i = blockIdx.x * block_size_x + threadIdx.x;
        if (i < n) {
          c[i] = a[i] * a[i];
          d[i] = a[i] + a[i];
        }
      }
launches:
  - {entry: squares, problem: [size]}
arguments:
  - {name: a, role: in, format: precision, shape: [size], fill: {uniform: {low: 1, high: 2}}}
  - {name: c, role: out, format: precision, shape: [size]}
  - {name: d, role: out, format: precision, shape: [size]}
  - {name: n, role: in, format: i32, value: size}
parameters:
  - {name: block_size_x, values: [64]}
  - {name: precision, values: [f32, f64, f16, bf16]}
size: {start: 4096, meaning: elements}
bytes: 3 * size * precision_bytes
metrics:
  - {name: bandwidth, unit: GB/s, expression: bytes / seconds / 1e9}
secondary: bandwidth
error: {metric: nrmse, bound: 1, wrong_above: 10, levels: {high: 1e-8, medium: 1e-5, low: 1e-3}}
errors:
  - mae
  - {metric: max, output: d}
  - {name: own, each: "abs(x - r) * 2", over: max, output: c}
reference:
  expressions: {c: "a[i] * a[i]", d: "a[i] + a[i]"}
"#;

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("squares.yaml"), DOCUMENT).expect("written");
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    fn tune(&self, more: &[&str]) -> std::process::Output {
        let (document, out) = (self.path("squares.yaml"), self.path("out"));
        let fixed = [
            "tune",
            &document,
            "--size",
            "16Ki",
            "--strategy",
            "exhaustive",
            "--time",
            "12",
            "--out",
            &out,
            "--quiet",
        ];
        autobench(&[&fixed[..], more].concat())
    }
}

fn precision(result: &serde_json::Value) -> &str {
    result["workload"]["best"]["configuration"]["precision"].as_str().expect("a format")
}

fn trials(folder: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(Path::new(folder).join("trials.csv")).expect("a table");
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

#[test]
fn a_strict_bound_leaves_every_configuration_its_error_and_time_live_and_recorded() {
    let _turn = turn();
    let bench = Bench::new();
    let result = json(&bench.tune(&["--max-error", "1e-8", "--json"]));
    assert_eq!(precision(&result), "f64", "{result:#}");
    let folder = result["folder"].as_str().expect("a folder");
    let searched: Vec<_> =
        trials(folder).into_iter().filter(|row| row["phase"] == "search").collect();
    assert_eq!(searched.len(), 4);
    for row in &searched {
        let number = |column: &str| row[column].parse::<f64>().expect(column);
        assert_eq!(row["status"], "measured", "{row:?}");
        assert!(number("seconds_median") > 0.0 && number("score") > 0.0);
        // The errors in the document's own list are there as well.
        let [mae, max, own] = ["metric_mae", "metric_max_of_d", "metric_own"].map(number);
        match row["parameter_precision"].as_str() {
            "f64" => assert!(number("error") < 1e-15 && mae < 1e-15 && own < 1e-15),
            "bf16" => assert!(number("error") > 1e-4 && mae > 1e-4 && max > 1e-3 && own > 1e-3),
            _ => assert!(number("error") > 1e-9),
        }
        let bytes = if row["parameter_precision"] == "f64" {
            8.0
        } else if row["parameter_precision"] == "f32" {
            4.0
        } else {
            2.0
        };
        assert!((number("metric_footprint") - 3.0 * 16384.0 * bytes).abs() < 0.5, "{row:?}");
    }
    // The recording gives the same winner under the same bound, and another winner without it.
    let device = format!("replay:{folder}");
    let out = bench.path("out");
    let replay = |more: &[&str]| {
        let fixed =
            ["tune", "--device", &device, "--strategy", "exhaustive", "--out", &out, "--quiet"];
        autobench(&[&fixed[..], more].concat())
    };
    assert_eq!(precision(&json(&replay(&["--max-error", "1e-8", "--json"]))), "f64");
    assert_eq!(precision(&json(&replay(&["--max-error", "high", "--json"]))), "f64");
    assert_eq!(precision(&json(&replay(&["--digits", "8", "--json"]))), "f64");
    assert_eq!(precision(&json(&replay(&["--bound", "mae<=1e-12", "--json"]))), "f64");
    let smallest = ["--objective", "footprint", "--max-error", "1e-3", "--json"];
    assert_eq!(precision(&json(&replay(&smallest))), "f16");
    let simulated = |more: &[&str]| {
        let fixed =
            ["simulate", "--space", folder, "--strategy", "exhaustive", "--json", "--out", &out];
        json(&autobench(&[&fixed[..], more].concat()))
    };
    let best = simulated(&["--max-error", "1e-8"])["best"]["configuration"].to_string();
    assert!(best.contains("precision=f64"), "{best}");
    let best = simulated(&["--objective", "error", "--bound", "footprint<=98304"]);
    assert!(best["best"]["configuration"].to_string().contains("precision=f16"), "{best:#}");
}

#[test]
fn any_metric_is_an_objective_or_a_bound() {
    let _turn = turn();
    let bench = Bench::new();
    // The most accurate configuration that needs no more memory than half formats.
    let result =
        json(&bench.tune(&["--objective", "mae_of_c", "--bound", "footprint<=98304", "--json"]));
    assert_eq!(precision(&result), "f16", "{result:#}");
    let result = json(&bench.tune(&["--objective", "digits", "--json"]));
    assert_eq!(precision(&result), "f64", "{result:#}");
    if !exhaustive() {
        return;
    }
    let three =
        ["--objective", "seconds", "--objective", "footprint", "--objective", "log10_mre_plain"];
    let result = json(&bench.tune(&[&three[..], &["--json"]].concat()));
    let members = result["front"]["members"].as_array().expect("a front");
    assert!(
        members.iter().any(|member| member["configuration"]["precision"] == "f64"),
        "{result:#}"
    );
    for penalty in ["hard", "linear", "decay", "factor"] {
        let result = json(&bench.tune(&["--max-error", "1e-5", "--penalty", penalty, "--json"]));
        assert!(["f32", "f64"].contains(&precision(&result)), "{penalty}: {result:#}");
    }
}

#[test]
fn what_nothing_satisfies_and_what_makes_no_sense_is_said_with_the_next_step() {
    let _turn = turn();
    let bench = Bench::new();
    let text = sentence(&bench.tune(&["--max-error", "1e-30", "--bound", "footprint<=1"]));
    assert!(
        text.contains("satisfies error <= 1e-30 and footprint <= 1.0; the closest is"),
        "{text}"
    );
    for (flags, words) in [
        (["--max-error", "hihg"], "did you mean `high`"),
        (["--max-error", "20"], "allows wrong results"),
        (["--bound", "energi<=1"], "did you mean `energy`"),
        (["--bound", "energy<1"], "write a metric"),
        (["--bound", "mae_of_a<=1"], "no metric named `mae_of_a`"),
        (["--digits", "-1"], "a number of digits"),
    ] {
        let text = sentence(&bench.tune(&flags));
        assert!(text.contains(words), "{flags:?}: {text}");
    }
}

#[test]
fn the_gain_over_full_precision_is_said_and_drawn() {
    let _turn = turn();
    let bench = Bench::new();
    let result = json(&bench.tune(&["--max-error", "low", "--json"]));
    let folder = Path::new(result["folder"].as_str().expect("a folder"));
    for file in ["precision.csv", "precision.svg", "precision.png"] {
        assert!(folder.join(file).metadata().is_ok_and(|m| m.len() > 0), "{file} is missing");
    }
    let rows = fs::read_to_string(folder.join("precision.csv")).expect("a table");
    assert_eq!(rows.lines().count(), 5, "{rows}");
    assert!(rows.lines().any(|row| row.contains(",f64,") && row.contains(",yes,")), "{rows}");
    let shown = autobench(&["show", &folder.to_string_lossy()]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let gain = shown.lines().find(|line| line.starts_with("gain ")).expect("a gain");
    assert!(gain.contains("the best in full precision"), "{shown}");
}

#[test]
fn the_best_under_each_threshold_is_checked_on_fresh_inputs_live_and_replayed() {
    let _turn = turn();
    let bench = Bench::new();
    let asked = ["--thresholds", "high,medium,2e-4", "--objective", "seconds", "--json"];
    let live = json(&bench.tune(&asked));
    let thresholds = live["thresholds"]["bests"].as_array().expect("a list").clone();
    let names: Vec<&str> = thresholds.iter().filter_map(|best| best["name"].as_str()).collect();
    assert_eq!(names, ["high", "medium", "2e-4"]);
    for (best, bound) in thresholds.iter().zip([1e-8, 1e-5, 2e-4]) {
        let fresh = best["fresh_error"].as_f64().expect("an error");
        assert!(fresh <= bound && best["gain"].as_f64().is_some_and(|gain| gain > 0.0), "{best}");
    }
    assert_eq!(thresholds[0]["best"]["configuration"]["precision"], "f64");
    let folder = live["folder"].as_str().expect("a folder").to_owned();
    let table = fs::read_to_string(Path::new(&folder).join("thresholds.csv")).expect("a table");
    assert!(table.starts_with("size,threshold,bound,") && table.lines().count() == 4, "{table}");
    let page = fs::read_to_string(Path::new(&folder).join("report.html")).expect("a page");
    assert!(page.contains("error at most") && page.contains("high, 1e-8"));
    let shown = String::from_utf8(autobench(&["show", &folder, "--all"]).stdout).expect("text");
    assert!(shown.contains("within    high, 1e-8: block_size_x=64,precision=f64"), "{shown}");

    let replayed = json(&autobench(&[
        "tune",
        "--device",
        &format!("replay:{folder}"),
        "--strategy",
        "exhaustive",
        "--thresholds",
        "high,medium,2e-4",
        "--objective",
        "seconds",
        "--out",
        &bench.path("replayed"),
        "--json",
    ]));
    assert_eq!(replayed["thresholds"]["bests"][0]["best"]["configuration"]["precision"], "f64");

    for (given, said) in [
        ("hihg", "no level of accuracy named `hihg`"),
        ("high,high", "the threshold `high` is named twice"),
        ("100", "allows wrong results"),
        ("-1", "the error bound is a number from 0"),
    ] {
        let asked = format!("--thresholds={given}");
        assert!(sentence(&bench.tune(&[&asked])).contains(said), "{given}");
    }
    let impossible =
        json(&bench.tune(&["--thresholds", "1e-30", "--param", "precision=f32,f16", "--json"]));
    assert!(impossible["thresholds"]["bests"][0]["best"].is_null(), "{impossible}");
}

/// Time and error of every configuration in a recorded space.
fn rows(space: &Path) -> Vec<(String, f64, f64)> {
    let space = exchange::read_space_file(space).expect("a space");
    let of = |(named, trial): (records::Named, &records::RecordedTrial)| {
        let seconds = trial.outcome().measurement?.seconds.median;
        Some((named.to_string(), seconds, *trial.metrics.get("error")?))
    };
    space.rows().iter().filter_map(|(named, trial)| of((named.clone(), trial))).collect()
}

#[test]
fn an_exhaustive_recording_replays_exactly_its_front_and_the_best_under_each_threshold() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/spaces/kmeans_cpu.json.gz");
    let rows = rows(&space);
    assert_eq!(rows.len(), 256);
    let answer = json(&autobench(&[
        "tune",
        "--device",
        &format!("replay:{}", space.display()),
        "--strategy",
        "exhaustive",
        "--budget",
        "300",
        "--objective",
        "seconds",
        "--objective",
        "error",
        "--thresholds",
        "high,medium,low",
        "--out",
        &folder.path().to_string_lossy(),
        "--json",
    ]));
    for best in answer["thresholds"]["bests"].as_array().expect("a list") {
        let bound = best["bound"].as_f64().expect("a bound");
        let within = rows.iter().filter(|(.., error)| *error <= bound).map(|row| row.1);
        let fastest = within.fold(f64::INFINITY, f64::min);
        let found = best["best"]["seconds"]["median"].as_f64().expect("a time");
        assert!((found / fastest - 1.0).abs() < 1e-6, "{}: {found}, not {fastest}", best["name"]);
    }
    let is_beaten = |row: &(String, f64, f64)| {
        let better = |other: &(String, f64, f64)| {
            other.1 <= row.1 && other.2 <= row.2 && (other.1 < row.1 || other.2 < row.2)
        };
        rows.iter().any(better)
    };
    let mut expected: Vec<&str> =
        rows.iter().filter(|row| !is_beaten(row)).map(|row| row.0.as_str()).collect();
    expected.sort_unstable();
    let members = answer["front"]["members"].as_array().expect("a list");
    let mut found: Vec<String> = members
        .iter()
        .map(|member| {
            let values = member["configuration"].as_object().expect("a configuration");
            let text = |value: &serde_json::Value| {
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            };
            let pairs = values.iter().map(|(name, value)| format!("{name}={}", text(value)));
            pairs.collect::<Vec<_>>().join(",")
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}
