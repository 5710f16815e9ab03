//! The values that suites print beside published ones, computed a second time: from the answers of
//! `simulate` with the same seeds, from `scores.csv`, or from what the recorded space holds.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use crate::{
    support::{autobench, json},
    valley::space,
};

type Row = BTreeMap<String, String>;

/// Checkpoints of *Bayesian Optimization for auto-tuning GPU kernels* (2021).
const CHECKPOINTS: [usize; 10] = [40, 60, 80, 100, 120, 140, 160, 180, 200, 220];
const STRATEGIES: [&str; 3] = ["random", "local_search", "genetic_algorithm:form=published"];
const RUNS: usize = 6;

fn ran(arguments: &[&str]) {
    let output = autobench(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

fn table(path: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(path).expect("a table");
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

fn only_folder(path: &Path) -> PathBuf {
    std::fs::read_dir(path).expect("made").next().expect("one").expect("one").path()
}

fn number(row: &Row, name: &str) -> f64 {
    row[name].parse().unwrap_or_else(|_| panic!("{name}: {row:?}"))
}

/// The value of a row of `figures.csv`.
fn figure(rows: &[Row], strategy: &str, space: &str, figure: &str, against: &str) -> f64 {
    let is = |row: &&Row| {
        let wanted = [("strategy", strategy), ("space", space), ("figure", figure)];
        wanted.iter().all(|(name, value)| row[*name] == *value) && row["against"] == against
    };
    let row = rows.iter().find(is).unwrap_or_else(|| panic!("{strategy} {figure} {against}"));
    number(row, "value")
}

/// A run: best value in milliseconds and seconds after each answer.
struct Answers(Vec<(f64, f64)>);

impl Answers {
    fn best(&self, n: usize) -> f64 {
        self.0[n.min(self.0.len()) - 1].0
    }
}

/// The answers of the runs of a strategy, read from `runs.csv`. The strategies here are told of no
/// configuration twice.
fn answers(space: &str, strategy: &str, out: &Path) -> Vec<Answers> {
    let (seeds, folder) = (RUNS.to_string(), out.to_string_lossy());
    let budget = ["simulate", "--space", space, "--strategy", strategy, "--budget", "220"];
    ran(&[&budget[..], &["--seeds", &seeds, "--seed", "1", "--out", &folder]].concat());
    let mut runs: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
    for row in table(&only_folder(out).join("runs.csv")) {
        let best = row["best"].parse().unwrap_or(f64::INFINITY);
        let seed = row["seed"].parse().expect("a seed");
        runs.entry(seed).or_default().push((best, number(&row, "simulated_seconds")));
    }
    runs.into_values().map(Answers).collect()
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

fn near(what: &str, ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{what}: {ours} and {theirs}");
}

#[test]
fn deviations_wins_and_speed_ups_are_those_of_the_answers_of_the_runs() {
    let out = tempfile::tempdir().expect("a folder");
    let file = space(out.path(), "one", 1.0);
    let folder = out.path().join("score");
    let (text, runs) = (folder.to_string_lossy(), RUNS.to_string());
    let strategies = STRATEGIES[..2].join(",");
    let first = ["score", "--spaces", &file, "--strategies", &strategies, "--budget", "220"];
    ran(&[&first[..], &["--repeats", &runs, "--seed", "1", "--out", &text]].concat());
    let rows = table(&only_folder(&folder).join("figures.csv"));
    let all: Vec<Vec<Answers>> = STRATEGIES[..2]
        .iter()
        .enumerate()
        .map(|(at, strategy)| answers(&file, strategy, &out.path().join(at.to_string())))
        .collect();
    assert!(all.iter().flatten().all(|run| run.0.len() == 220), "no answer is given twice");

    // S2: the optimum takes 1 ms, the slowest that did not fail is at (0, 11, 3).
    let worst = 1.0 + (121.0 + 2.0 * 49.0 + 3.0) / 20.0;
    let error = |run: &Answers| mean(CHECKPOINTS.map(|n| run.best(n).min(worst) - 1.0));
    let errors: Vec<f64> = all.iter().map(|runs| mean(runs.iter().map(error))).collect();
    for (strategy, own) in STRATEGIES.iter().zip(&errors) {
        let factor = own / mean(errors.iter().copied());
        near(strategy, figure(&rows, strategy, "all", "deviation_factor", ""), factor);
    }
    let less = figure(&rows, "local_search", "all", "less_deviation", "random");
    near("less deviation", less, 1.0 - errors[1] / errors[0]);

    // S0, figures 7 and 8: ties are shared.
    let finals: Vec<Vec<f64>> =
        all.iter().map(|runs| runs.iter().map(|run| run.best(220)).collect()).collect();
    let pairs = finals[1].iter().flat_map(|ours| finals[0].iter().map(move |b| (*ours, *b)));
    let won = mean(pairs.map(|(ours, other)| match ours.total_cmp(&other) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    }));
    near("wins", figure(&rows, "local_search", "all", "wins", "random"), won);

    // How much sooner local search has what random search has at its end, and in how much less time.
    let target = median(finals[0].iter().copied());
    let reached = |run: &Answers| run.0.iter().position(|(best, _)| *best <= target).expect("is");
    let needed = median(all[1].iter().map(|run| (reached(run) + 1) as f64));
    let seconds = median(all[1].iter().map(|run| run.0[reached(run)].1));
    let whole = median(all[0].iter().map(|run| run.0[219].1));
    let faster = |by: &str| figure(&rows, "local_search", "all", by, "random");
    near("evaluations", faster("faster_by_evaluations"), 220.0 / needed - 1.0);
    near("time", faster("faster_by_time"), whole / seconds - 1.0);
    assert!((faster("faster_by_time") - faster("faster_by_evaluations")).abs() > 1e-6);
}

#[test]
fn shares_within_a_bound_and_of_the_time_are_those_of_the_recording() {
    let out = tempfile::tempdir().expect("a folder");
    let file = space(out.path(), "one", 1.0);
    let text = out.path().join("score").to_string_lossy().into_owned();
    let first = ["score", "--spaces", &file, "--strategies", "random", "--repeats", "2"];
    let all_of_it = ["--budget", "768", "--bound", "seconds<=0.005", "--out", &text];
    ran(&[&first[..], &all_of_it].concat());
    let rows = table(&only_folder(Path::new(&text)).join("figures.csv"));
    let mut times = Vec::new();
    for (a, b, c) in
        (0..16_i32).flat_map(|a| (0..12_i32).flat_map(move |b| (0..4_i32).map(move |c| (a, b, c))))
    {
        let off = f64::from((a - 11).pow(2)) + f64::from((b - 4).pow(2) * 2 + c);
        times.extend((a + b <= 22).then_some(1.0 + off / 20.0));
    }
    // S0, table IV: of the configurations that ran.
    let within = times.iter().filter(|ms| **ms <= 5.0).count() as f64 / times.len() as f64;
    near("within", figure(&rows, "all", "all", "share_within_bounds", ""), within);
    assert!(within > 0.2 && within < 0.9, "{within}");
    // S0, figure 6: every configuration compiles for 500 ms, checks for 1 ms and costs 2 ms more.
    let runs: f64 = times.iter().map(|ms| 2.0 * ms / 1e3).sum();
    let total = 768.0 * 0.503 + runs;
    near("seconds", figure(&rows, "random", "all", "run_seconds", ""), total);
    for (name, seconds) in [
        ("compile_share", 768.0 * 0.5),
        ("check_share", 768.0 * 0.001),
        ("framework_share", 768.0 * 0.002),
        ("benchmark_share", runs),
        ("strategy_share", 0.0),
    ] {
        near(name, figure(&rows, "random", "all", name, ""), seconds / total);
    }
}

#[test]
fn scores_on_targets_are_those_of_the_spaces_of_their_kernels() {
    let out = tempfile::tempdir().expect("a folder");
    let spaces = out.path().join("spaces");
    std::fs::create_dir(&spaces).expect("made");
    for (name, scale) in [("apple_a", 1.0), ("apple_b", 7.0), ("pear_a", 30.0)] {
        space(&spaces, name, scale);
    }
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let folder = out.path().join("score");
    let [one, two, other] = STRATEGIES;
    ran(&[
        "score",
        "--spaces",
        &text(&spaces),
        "--strategies",
        &STRATEGIES.join(","),
        "--target",
        &format!("{one}=Apple"),
        "--target",
        &format!("{two}=pear"),
        "--repeats",
        "5",
        "--out",
        &text(&folder),
    ]);
    let folder = only_folder(&folder);
    let scores = table(&folder.join("scores.csv"));
    let on = |strategy: &str, kernel: &str| {
        let is = |row: &&Row| row["strategy"] == strategy && row["space"].starts_with(kernel);
        mean(scores.iter().filter(is).map(|row| number(row, "score")))
    };
    let whole =
        |strategy: &str| mean(["apple_a", "apple_b", "pear_a"].map(|space| on(strategy, space)));
    let rows = table(&folder.join("figures.csv"));
    let value = |strategy: &str, name: &str| figure(&rows, strategy, "all", name, "");
    near("one", value(one, "score_on_target"), on(one, "apple"));
    near("two", value(two, "score_on_target"), on(two, "pear"));
    // On the apples, the only one that was written for another kernel is the second.
    near("others", value(one, "score_of_others"), on(two, "apple"));
    near("others", value(two, "score_of_others"), on(one, "pear"));
    let targets = mean([on(one, "apple"), on(two, "pear")]);
    near("all", value("all", "score_on_target"), targets);
    near("all", value("all", "score_of_others"), mean([on(two, "apple"), on(one, "pear")]));
    near("all", value("all", "score"), mean(STRATEGIES.map(whole)));
    let ahead = targets - mean([on(other, "apple"), on(other, "pear")]);
    near("ahead", figure(&rows, "all", "all", "ahead_on_targets", other), ahead);
    let ahead = figure(&rows, two, "all", "ahead", other);
    near("ahead", ahead, whole(two) - whole(other));
}

#[test]
fn a_target_that_is_not_scored_is_refused() {
    let out = tempfile::tempdir().expect("a folder");
    let file = space(out.path(), "one", 1.0);
    let output = autobench(&[
        "score",
        "--spaces",
        &file,
        "--strategies",
        "random",
        "--target",
        "local_search=valley",
    ]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("--target names `local_search`, which is not scored"), "{said}");
}

/// Suites that print values beside published ones run as they are, at reduced size.
#[test]
fn suites_with_published_values_run_on_a_recorded_space_and_show_them() {
    let out = tempfile::tempdir().expect("a folder");
    let data = format!("{}/tests/data/spaces/kmeans_cpu.json.gz", env!("CARGO_MANIFEST_DIR"));
    let spaces = out.path().join("spaces");
    std::fs::create_dir(&spaces).expect("made");
    std::fs::copy(data, spaces.join("kmeans_cpu.json.gz")).expect("copied");
    let spaces = spaces.to_string_lossy().into_owned();
    let shown: [(&str, &[&str]); 3] = [
        ("deviation-factors", &["less_deviation"]),
        ("strategies-by-threshold", &["wins", "share_within_bounds"]),
        ("fronts", &["gain", "gain_over", "less_time", "faster_by_time"]),
    ];
    for (suite, figures) in shown {
        let into = out.path().join(suite).to_string_lossy().into_owned();
        let first = ["suite", suite, "--quick", "--set", "repeats=2", "--spaces", &spaces];
        let result = json(&autobench(&[&first[..], &["--out", &into, "--json"]].concat()));
        let studies = result["studies"].as_array().expect("studies");
        assert!(studies.iter().all(|study| study["state"] == "finished"), "{result:#}");
        let rows = table(&only_folder(Path::new(&into)).join("scores.csv"));
        let beside: BTreeSet<&str> = rows
            .iter()
            .filter(|row| !row["published"].is_empty())
            .map(|row| row["figure"].as_str())
            .collect();
        for wanted in figures {
            assert!(beside.contains(wanted), "{suite} {wanted}: {beside:?}");
        }
    }
}
