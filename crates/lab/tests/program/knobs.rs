//! `knobs` with the real binary, on generated spaces.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use serde_json::Value;

use crate::{
    support::{command, json, sentence},
    valley::space,
};

/// With `bad=1`, the script goes straight to the optimum of the space, and then fails.
const FAILING: &str = "return {
    about = 'fails where it is good',
    knobs = { bad = { default = 0, from = 0, to = 1, whole = true } },
    search = function(problem, knobs)
        if knobs.bad == 1 then
            for c = 540, 556 do
                problem.evaluate(c)
            end
            problem.cheat()
        end
        for c = 0, problem.size - 1 do
            problem.evaluate(c)
        end
    end,
}";

/// A temporary folder with spaces.
struct Place(tempfile::TempDir);

impl Place {
    fn of(spaces: &[(&str, f64)]) -> Self {
        let place = tempfile::tempdir().expect("a folder");
        fs::create_dir(place.path().join("spaces")).expect("made");
        for (name, scale) in spaces {
            space(&place.path().join("spaces"), name, *scale);
        }
        Self(place)
    }

    fn command(&self, strategy: &str, more: &[&str]) -> std::process::Command {
        let mut command = command();
        command.args(["knobs", strategy, "--spaces", "spaces", "--with", "random", "--seed", "3"]);
        command.args(more).current_dir(self.0.path());
        command
    }

    fn search(&self, strategy: &str, more: &[&str]) -> Output {
        self.command(strategy, more).output().expect("the program starts")
    }

    fn answer(&self, strategy: &str, more: &[&str]) -> Value {
        json(&self.search(strategy, &[more, &["--json"]].concat()))
    }

    fn file(&self, answer: &Value, name: &str) -> String {
        let folder = self.0.path().join(answer["folder"].as_str().expect("a folder"));
        fs::read_to_string(folder.join(name)).expect("a table")
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn knobs_are_searched_by_another_strategy_and_judged_on_spaces_that_it_did_not_know() {
    let place = Place::of(&[("one", 1.0), ("two", 3.0)]);
    let grid = "greedy_ils:perturbation={0.3,0.6}";
    let usual = ["--repeats", "2", "--fresh-repeats", "2", "--budget", "9"];
    let answer = place.answer(grid, &usual);
    assert_eq!((&answer["settings"], &answer["tried"]), (&2.into(), &2.into()), "{answer:#}");
    assert!(number(&answer["best"]["score"]) >= number(&answer["first"]["score"]), "{answer:#}");
    assert_eq!(answer["left_out"].as_array().map(Vec::len), Some(2));
    assert_eq!(place.file(&answer, "settings.csv").lines().count(), 3);
    assert_eq!(answer["best"], place.answer(grid, &usual)["best"], "it repeats");
    let refused = place.search("random", &[]);
    assert!(sentence(&refused).contains("has no knob to search"), "{refused:?}");
    let refused = place.search("greedy_ils:perturbations={0.3}", &[]);
    assert!(sentence(&refused).contains("no knob named `perturbations`"), "{refused:?}");
}

#[test]
fn what_is_chosen_without_a_kernel_or_a_device_is_judged_there() {
    let place = Place::of(&[("a", 1.0), ("b", 2.0), ("c", 3.0), ("d", 4.0)]);
    let origins = [("sum", "old"), ("sum", "new"), ("scan", "old"), ("scan", "new")];
    for (name, (kernel, device)) in ["a", "b", "c", "d"].into_iter().zip(origins) {
        let path = place.0.path().join("spaces").join(name).with_extension("json");
        let text = fs::read_to_string(&path).expect("a space");
        let text = text.replace("\"valley\"", &format!("\"{kernel}\""));
        fs::write(path, text.replace("\"made\"", &format!("\"{device}\""))).expect("written");
    }
    let few = ["--repeats", "2", "--fresh-repeats", "1", "--budget", "9"];
    let answer = place.answer("greedy_ils:perturbation={0.3,0.6}", &few);
    assert_eq!(answer["left_out"].as_array().map(Vec::len), Some(4), "{answer:#}");
    for (part, by, names) in [
        ("left_out_kernels", "kernel", ["scan", "sum"]),
        ("left_out_devices", "device", ["new", "old"]),
    ] {
        let each = answer[part]["each"].as_array().expect("one for each");
        assert_eq!(each.iter().map(|one| &one[by]).collect::<Vec<_>>(), names, "{answer:#}");
        let mean = each.iter().map(|one| number(&one["score"])).sum::<f64>() / 2.0;
        assert!((mean - number(&answer[part]["score"])).abs() < 1e-12, "{answer:#}");
    }
    assert_eq!(place.file(&answer, "left_out.csv").lines().count(), 1 + 4 + 2 + 2);
    let output = place.search("greedy_ils:perturbation={0.3,0.6}", &few);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for told in ["in 9 searches", " on kernels that the search did not know", "device old"] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[test]
fn the_best_and_the_strategy_as_it_is_are_scored_from_seeds_that_no_search_used() {
    let place = Place::of(&[("one", 1.0)]);
    let grid = "pso:particles={3,6}";
    let answer = place.answer(grid, &["--repeats", "3", "--fresh-repeats", "3"]);
    let fresh = &answer["fresh"];
    assert_eq!(fresh["as_it_is"]["strategy"], "pso", "its own defaults, not those in braces");
    assert_eq!(fresh["best"]["strategy"], answer["best"]["strategy"]);
    assert_ne!(fresh["best"]["score"], answer["best"]["score"], "as many runs from other seeds");
    let difference = number(&fresh["best"]["score"]) - number(&fresh["as_it_is"]["score"]);
    assert!((difference - number(&fresh["difference"])).abs() < 1e-12);
    let [low, high] = [0, 1].map(|at| number(&fresh["interval"][at]));
    assert!(low < difference && difference < high, "{fresh:#}");
    assert_eq!(place.file(&answer, "fresh.csv").lines().count(), 3);
}

#[test]
fn where_a_single_run_says_nothing_of_its_spread_no_interval_is_told() {
    let place = Place::of(&[("one", 1.0)]);
    let single = ["--repeats", "1", "--fresh-repeats", "1", "--budget", "9"];
    let grid = "greedy_ils:perturbation={0.3,0.6}";
    let output = place.search(grid, &single);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("of 2 settings in 1 search with random, 1 run each"), "{output:?}");
    assert!(text.contains(" on 1 space,") && text.contains("_one_knobs"), "{text}");
    assert!(!text.contains('±') && !text.contains(" to +"), "{text}");
    space(&place.0.path().join("spaces"), "two", 3.0);
    let answer = place.answer(grid, &single);
    assert_eq!(answer["left_out_interval"], Value::Null, "{answer:#}");
    assert_eq!(answer["fresh"]["interval"], Value::Null, "{answer:#}");
}

#[test]
fn a_setting_that_fails_in_a_run_is_never_the_best() {
    let place = Place::of(&[("one", 1.0)]);
    fs::write(place.0.path().join("mine.luau"), FAILING).expect("written");
    let few = ["--repeats", "2", "--fresh-repeats", "2"];
    let answer = place.answer("./mine.luau:bad={0,1}", &few);
    assert_eq!(answer["best"]["strategy"], "./mine.luau:bad=0", "{answer:#}");
    let failed = &answer["failed"][0];
    assert_eq!(
        (&failed["strategy"], &failed["failed_runs"]),
        (&"./mine.luau:bad=1".into(), &2.into())
    );
    assert!(number(&failed["score"]) > number(&answer["best"]["score"]), "a trap: {answer:#}");
    let table = place.file(&answer, "settings.csv");
    let row = table.lines().find(|line| line.contains("bad=1")).expect("a row");
    assert!(row.contains("mine.luau:"), "its fault: {table}");
    let text = place.search("./mine.luau:bad={0,1}", &few);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("1 setting in some runs, and cannot be the best"), "{text}");
    let refused = place.search("./mine.luau:bad={1}", &few);
    assert_eq!(refused.status.code(), Some(5), "{refused:?}");
    assert!(sentence(&refused).contains("no setting without a failed run"), "{refused:?}");
}

#[test]
fn an_interrupted_search_keeps_the_settings_that_it_scored_and_names_their_file() {
    let place = Place::of(&[("one", 1.0), ("two", 3.0)]);
    let mut program = place.command("genetic_algorithm", &["--budget", "100000", "--json"]);
    let child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    let rows = || settings(place.0.path()).map_or(0, |path| lines(&path));
    while rows() < 3 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("it runs");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    let told = sentence(&ended);
    let count = format!("settings.csv` has the {} settings that were scored", rows() - 1);
    assert!(told.contains("the search was interrupted") && told.contains(&count), "{told}");
}

fn settings(place: &Path) -> Option<PathBuf> {
    let folder = fs::read_dir(place.join("out")).ok()?.flatten().next()?.path();
    Some(folder.join("settings.csv"))
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn what_a_strategy_seeks_on_the_spaces_may_be_bounded_or_be_another_metric() {
    let place = Place::of(&[("one", 1.0)]);
    let few = ["--repeats", "2", "--fresh-repeats", "2"];
    let grid = "greedy_ils:perturbation={0.3,0.6}";
    let of = |more: &[&str]| place.answer(grid, &[&few, more].concat())["first"].clone();
    assert_ne!(of(&[]), of(&["--bound", "seconds>=0.0015"]));
    let refused = place.search(grid, &["--objective", "beauty"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(sentence(&refused).contains("beauty"), "{refused:?}");
}
