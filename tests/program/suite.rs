//! Suites with the real binary: a file, its studies, its table, its mistakes, and a kill.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{autobench, command, json, sentence, turn};

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The device name of a recorded space in the repository.
fn space(name: &str) -> String {
    format!("replay:{}/tests/data/spaces/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Writes a suite to a new folder; returns the folder and the file.
fn suite(yaml: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.yaml");
    fs::write(&path, yaml).expect("written");
    (folder, text(&path))
}

/// A suite of two studies of recorded spaces, each of them twice.
fn replays() -> String {
    format!(
        "suite: my replays\nabout: two spaces\ndefaults: {{budget: 12, seed: 3}}\nstudies:\n  \
         - tune:\n    label: vectors\n    device: {}\n    repeats: 2\n  \
         - tune:\n    device: {}\n    for_each: {{strategy: [random, local_search]}}\n",
        space("vecadd_cpu.json.gz"),
        space("gemm_cpu.json.gz")
    )
}

fn column(table: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let at = reader.headers().expect("heads").iter().position(|head| head == name).expect(name);
    reader.records().map(|row| row.expect("a row")[at].to_owned()).collect()
}

fn states(result: &Value) -> Vec<String> {
    let studies = result["studies"].as_array().expect("studies");
    studies.iter().map(|study| study["state"].as_str().expect("a state").to_owned()).collect()
}

fn the_folder(out: &Path) -> PathBuf {
    fs::read_dir(out).expect("out").next().expect("one").expect("it").path()
}

#[test]
fn many_studies_of_one_file_become_one_table_and_folders_of_their_own() {
    let (folder, file) = suite(&replays());
    let out = folder.path().join("out");
    let result = json(&autobench(&["suite", &file, "--out", &text(&out), "--json"]));
    assert_eq!(states(&result), ["finished"; 4]);
    let made = the_folder(&out);
    assert!(text(&made).ends_with("_my-replays_suite"), "{made:?}");
    let table = fs::read_to_string(made.join("suite.csv")).expect("a table");
    let labels = column(&table, "label");
    assert_eq!(
        labels,
        [
            "vectors #1",
            "vectors #2",
            "replay:gemm_cpu strategy=random",
            "replay:gemm_cpu strategy=local_search"
        ]
    );
    let seeds = column(&table, "seed");
    assert!(seeds[0] == "3" && seeds[1] != "3" && seeds[2] == "3", "{seeds:?}");
    assert_eq!(column(&table, "evaluations"), ["12"; 4]);
    for (name, seconds) in column(&table, "folder").iter().zip(column(&table, "seconds")) {
        assert!(seconds.parse::<f64>().expect("seconds") > 0.0);
        let study = fs::read_to_string(made.join(name).join("study.json")).expect("a study");
        assert!(study.contains("\"tune\""), "its own command line: {study}");
        assert!(made.join(name).join("report.html").is_file());
    }
    let page = fs::read_to_string(made.join("suite.md")).expect("a page");
    assert!(page.contains("two spaces") && page.contains("| vectors #2 |"), "{page}");

    // The record names the file and every study; each study can be repeated alone.
    let record: Value =
        serde_json::from_slice(&fs::read(made.join("suite.json")).expect("a record"))
            .expect("JSON");
    assert_eq!(record["text"], replays());
    let argv: Vec<&str> = record["studies"][1]["argv"]
        .as_array()
        .expect("words")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let alone = folder.path().join("alone");
    json(&autobench(&[&argv[..], &["--json", "--out", &text(&alone)]].concat()));

    // Finished studies are left alone, and every command opens the folder.
    let journal = fs::read_to_string(made.join("journal.jsonl")).expect("a journal");
    let again = json(&autobench(&["resume", &text(&made), "--json"]));
    assert_eq!(states(&again), ["finished"; 4]);
    assert_eq!(fs::read_to_string(made.join("journal.jsonl")).expect("a journal"), journal);
    let shown = autobench(&["show", &text(&made)]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("suite my replays: 4 studies, 4 finished"), "{shown}");
    let told = autobench(&["show", &text(&made), "--journal"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("study 1 of 4, vectors #1 began in"), "{told}");
    let no_study = autobench(&["export", &text(&made), "--format", "csv"]);
    assert!(sentence(&no_study).contains("studies of a suite"), "{no_study:?}");
}

#[test]
fn a_study_that_cannot_succeed_is_a_row_and_the_suite_goes_on() {
    let (folder, file) = suite(&format!(
        "suite: s\nstudies:\n  - tune:\n    label: broken\n    device: replay:broken.json\n  - tune:\n    device: {}\n    budget: 3\n",
        space("vecadd_cpu.json.gz")
    ));
    let broken = folder.path().join("broken.json");
    fs::write(&broken, "{}").expect("written");
    let out = folder.path().join("out");
    let output = autobench(&["suite", &file, "--out", &text(&out)]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("study     1 of 2, broken: failed: "), "{printed}");
    assert!(printed.contains("2 studies, 1 finished, 1 failed"), "{printed}");
    let made = the_folder(&out);
    let table = fs::read_to_string(made.join("suite.csv")).expect("a table");
    assert_eq!(column(&table, "state"), ["failed", "finished"]);
    assert!(column(&table, "reason")[0].contains("broken.json"), "{table}");

    // After the repair, the failed study is tried once more; the finished one is left alone.
    fs::copy(space("gemm_cpu.json.gz").trim_start_matches("replay:"), &broken).expect("copied");
    let result = json(&autobench(&["resume", &text(&made), "--json"]));
    assert_eq!(states(&result), ["finished"; 2]);

    // If no study has an answer, the exit code is that of the first study.
    fs::write(&broken, "{}").expect("written");
    let none = autobench(&["suite", &file, "--only", "broken", "--out", &text(&out)]);
    assert_eq!(none.status.code(), Some(2), "{none:?}");
    assert!(sentence(&none).contains("none of 1 studies has an answer"), "{none:?}");
}

#[test]
fn every_mistake_is_a_sentence_with_its_line() {
    let mistakes = [
        ("suite: s\nstudies:\n  - run: vecad\n", "3:10: no benchmark named `vecad`"),
        (
            "suite: s\nstudies:\n  - run: vecadd\n    detectr: kneedle\n",
            "4:5: `detectr` is no flag of `autobench run`; did you mean `detector`?",
        ),
        (
            "suite: s\nstudies:\n  - run: vecadd\n    detector: [kneedle, triangel]\n",
            "4:25: no detector named `triangel`",
        ),
        (
            "suite: s\nstudies:\n  - run: vecadd\n    confirm-by: [triangle, triangel]\n",
            "4:18: no detector named `triangel`",
        ),
        (
            "suite: s\nstudies:\n  - tune: vecadd\n    size: many\n",
            "4:11: invalid value `many` for `--size`",
        ),
        (
            "suite: s\nstudies:\n  - tune: vecadd\n    size: [1, 2]\n",
            "4:11: `size` takes one value; for a study of each",
        ),
        ("suite: s\nstudies:\n  - tune: vecadd\n", "3:11: `vecadd` has no `size`"),
        (
            "suite: s\nstudies:\n  - tune: vecadd\n    size: 64\n    strategy: randm\n",
            "5:15: no strategy named `randm`",
        ),
        (
            "suite: s\nstudies:\n  - tune: vecadd\n    size: 64\n    objective: [seconds, eror]\n",
            "5:26: no metric named `eror`",
        ),
        (
            "suite: s\nstudies:\n  - tune: vecadd\n    size: 64\n    param: {blok: 1}\n",
            "5:19: there is no parameter `blok`",
        ),
        (
            "suite: s\nstudies:\n  - tune: vecadd\n    size: 64\n    device: cdua\n",
            "5:13: no kind of device named `cdua`",
        ),
        (
            "suite: s\nstudies:\n  - run: vecadd\n    out: here\n",
            "4:5: `out` is no flag of a study in a suite; give it to `autobench suite`",
        ),
        (
            "suite: s\nquick: {budgt: 3}\nstudies:\n  - run: vecadd\n",
            "2:9: `budgt` is no flag of `autobench run`; did you mean `budget`?",
        ),
        ("suite: s\nstudies:\n  - run: [vecadd\n", "mine.yaml:"),
        ("studies:\n  - run: vecadd\n", "1:1: a suite needs a name"),
        ("suite: s\n", "1:1: a suite needs `studies`"),
        (
            "suite: s\nstudies:\n  - rnu: vecadd\n",
            "3:5: a study begins with `run: BENCHMARK` or `tune: BENCHMARK` or `score: SPACES`; did you mean `run`?",
        ),
    ];
    for (yaml, words) in mistakes {
        let (folder, file) = suite(yaml);
        let out = folder.path().join("out");
        let output = autobench(&["suite", &file, "--out", &text(&out)]);
        assert_eq!(output.status.code(), Some(2), "{yaml}: {output:?}");
        let said = sentence(&output);
        assert!(said.starts_with(&format!("error: {file}:")), "{said}");
        assert!(said.contains(words), "{words}: {said}");
        assert_eq!(said.matches("error: ").count(), 1, "{said}");
        assert!(!out.exists(), "nothing is written");
    }
    // All mistakes of a file are reported at once, each with its line.
    let (_folder, file) =
        suite("suite: s\nabuot: x\nstudies:\n  - tune: vecadd\n    sise: 1\n  - rn: x\n");
    let said = sentence(&autobench(&["suite", &file]));
    for place in [":2:1: ", ":5:5: ", ":6:5: "] {
        assert!(said.contains(place), "{said}");
    }
    for (arguments, words) in [
        (&["suite", "smok"][..], "did you mean `smoke`?"),
        (&["suite", "nothing.yaml"], "there is no such file"),
        (&["suite", "."], "is a folder"),
        (&["suite", "--print", "smok"], "did you mean `smoke`?"),
        (&["suite", "smoke", "--only", "vecad", "--dry-run"], "did you mean `vecadd`?"),
        (&["suite", "smoke", "--device", "cdua"], "error: no kind of device named `cdua`"),
        (&["suite", "smoke", "--sizes-from", "nowhere"], "cannot read `nowhere`"),
        (
            &["suite", "smoke", "--sizes-from", ".", "--set", "size=8"],
            "--set size and --sizes-from",
        ),
    ] {
        let output = autobench(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(sentence(&output).contains(words), "{output:?}");
    }
}

#[test]
fn built_in_suites_are_files_like_any_other() {
    let listed = json(&autobench(&["suite", "--json"]));
    let listed = listed.as_array().expect("suites");
    assert!(listed.iter().any(|suite| suite["name"] == "smoke"));
    for built_in in listed {
        let name = built_in["name"].as_str().expect("a name");
        if name == "generated-optimizers" {
            let refused = sentence(&autobench(&["suite", name, "--dry-run"]));
            assert!(refused.contains("scripts run in `autobench-lab`"), "{refused}");
            continue;
        }
        let printed = autobench(&["suite", "--print", name]);
        let (_folder, file) = suite(&String::from_utf8_lossy(&printed.stdout));
        let plan = |suite: &str, more: &[&str]| {
            let all = [&["suite", suite, "--dry-run", "--json"], more].concat();
            json(&autobench(&all))["studies"].clone()
        };
        assert_eq!(plan(&file, &[]), plan(name, &[]), "{name}");
        assert!(!plan(name, &["--quick"]).as_array().expect("studies").is_empty(), "{name}");
    }
    let everything = autobench(&["list"]);
    assert!(String::from_utf8_lossy(&everything.stdout).contains("  smoke  "));
    let plan = json(&autobench(&[
        "suite",
        "smoke",
        "--dry-run",
        "--json",
        "--only",
        "gemm",
        "--device",
        "hip",
    ]));
    let studies = plan["studies"].as_array().expect("studies");
    assert_eq!(studies.len(), 1);
    assert!(studies[0]["argv"].to_string().contains("--device=hip"), "{plan}");
    let mixed = |device: &str| {
        let only = ["--dry-run", "--json", "--only", "axpy", "--device", device];
        let plan = json(&autobench(&[&["suite", "mixed-precision"], &only[..]].concat()));
        plan["differs"].as_str().unwrap_or_default().contains("suite saturate-then-mix`")
    };
    assert!(mixed("hip") && !mixed("cpu"));
}

/// A suite whose second study takes long.
const LONG: &str = "suite: s\ndefaults: {budget: 2, size: 4096}\nstudies:\n  \
    - tune: vecadd\n    time: 2\n  \
    - tune: vecadd\n    label: long\n    time: 600\n    budget: 500\n    precision: 1e-9\n  \
    - tune: vecadd\n    time: 2\n";

fn journal(folder: &Path) -> String {
    fs::read_to_string(folder.join("journal.jsonl")).unwrap_or_default()
}

/// Starts the long suite. Returns the process, and the folder of the second study once it has a
/// trial.
fn under_way(file: &str, out: &Path) -> (Child, PathBuf) {
    let child = command()
        .args(["suite", file, "--out", &text(out)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let second = wait_for(|| {
        let made = fs::read_dir(out).ok()?.next()?.ok()?.path();
        let events = journal(&made);
        let line = events.lines().find(|line| line.contains("\"study\":2,"))?;
        // The last line may be incomplete.
        let event: Value = serde_json::from_str(line).ok()?;
        let study = made.join(event["folder"].as_str()?);
        journal(&study).contains("\"event\":\"trial\"").then_some(study)
    });
    (child, second)
}

fn wait_for<T>(what: impl Fn() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = what() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(240), "it never happened");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn ctrl_c_ends_in_order_and_says_how_to_go_on() {
    let _turn = turn();
    let (folder, file) = suite(LONG);
    let out = folder.path().join("out");
    let (child, _) = under_way(&file, &out);
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.expect("kill").success());
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let said = sentence(&output);
    assert!(said.contains("study 2 of 3, long;") && said.contains("autobench resume"), "{said}");
    let made = the_folder(&out);
    assert!(journal(&made).contains("\"how\":\"interrupted\""));
    let table = fs::read_to_string(made.join("suite.csv")).expect("a table");
    assert_eq!(column(&table, "state"), ["finished", "unfinished", "unfinished"]);
}

#[test]
fn a_kill_in_the_second_study_is_gone_on_from() {
    let _turn = turn();
    let (folder, file) = suite(LONG);
    let out = folder.path().join("out");
    let (mut child, second) = under_way(&file, &out);
    child.kill().expect("killed");
    child.wait().expect("gone");
    let made = the_folder(&out);
    let first = journal(&made);
    let before = journal(&second);
    let whole = &before[..=before.rfind('\n').expect("a line")];
    let shown = autobench(&["show", &text(&made)]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("3 studies, 1 finished, 2 not finished"), "{shown}");

    // Shorten the record of the long study, as if less had been asked for, so that it ends.
    let record = second.join("study.json");
    let less = fs::read_to_string(&record).expect("a record").replace("600.0", "1.0");
    fs::write(&record, less).expect("written");
    let result = json(&autobench(&["resume", &text(&made), "--json"]));
    assert_eq!(states(&result), ["finished"; 3]);
    assert!(journal(&made).starts_with(&first), "what was recorded is kept");
    assert!(journal(&second).starts_with(whole), "what was measured is kept");
    assert!(journal(&second).contains("\"event\":\"resumed\""));
    assert_eq!(journal(&made).matches("study-began").count(), 3);
}

#[test]
fn a_tune_takes_its_size_and_its_first_candidates_from_a_run() {
    let _turn = turn();
    let (folder, file) = suite(
        "suite: fed\ndefaults: {seed: 3}\nstudies:\n  \
         - {run: axpy, label: saturate, sizes: [1Ki, 4Ki, 16Ki], budget: 6, time: 8}\n  \
         - {tune: axpy, label: mix, size_of: saturate, objective: [seconds, error], budget: 8, \
         time: 8}\n",
    );
    let out = folder.path().join("out");
    let result = json(&autobench(&["suite", &file, "--out", &text(&out), "--json"]));
    assert_eq!(states(&result), ["finished"; 2], "{result:#}");
    let mix = &result["studies"][1];
    let size = mix["sized"]["size"].as_u64().expect("a size");
    assert_eq!(mix["answer"]["size"].as_u64(), Some(size), "{result:#}");
    let made = the_folder(&out);
    let table = fs::read_to_string(made.join("suite.md")).expect("a table");
    let why = mix["sized"]["why"].as_str().expect("a reason");
    assert!(table.contains(&format!(", {why}")), "{table}");

    let begun = made.join(mix["folder"].as_str().expect("a folder"));
    let record: Value = json_file(&begun.join("study.json"));
    let run = mix["sized"]["folder"].as_str().expect("a folder");
    assert_eq!(record["settings"]["learn_from"], serde_json::json!([run]));
    let from: u64 = record["learnt_from"]
        .as_array()
        .expect("sources")
        .iter()
        .filter_map(|source| source["evaluations"].as_u64())
        .sum();
    let journal = fs::read_to_string(begun.join("journal.jsonl")).expect("a journal");
    let events = || journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let opened = events().find(|event| event["event"] == "size-opened").expect("opened");
    let starts = opened["starts"].as_array().expect("starts");
    assert_eq!(starts.len() as u64, from, "{starts:?} from {}", record["learnt_from"]);
    let tried: Vec<Value> = events().filter(|event| event["event"] == "trial").collect();
    let tried = tried.iter().map(|trial| &trial["configuration"]).take(starts.len() + 1);
    let tried: Vec<&Value> = tried.collect();
    assert!((1..=4).contains(&starts.len()), "at most half of the evaluations: {starts:?}");
    assert!(starts.iter().all(|start| tried.contains(&start)), "{starts:?} before {tried:?}");

    let (_folder, other) = suite("suite: o\nstudies:\n  - {tune: [axpy, vecadd], size: 64}\n");
    let args = ["suite", &other, "--sizes-from", &text(&out), "--dry-run"];
    let why = sentence(&autobench(&args));
    assert!(why.contains("holds no finished run of `vecadd`"), "{why}");
    let planned = json(&autobench(&[&args[..], &["--only", "axpy", "--json"]].concat()));
    let argv = planned["studies"][0]["argv"].to_string();
    assert!(argv.contains(&format!("--size={size}")) && argv.contains("--learn-from="), "{argv}");
}

#[test]
fn the_original_protocol_of_the_thesis_takes_means_of_single_sizes() {
    let _turn = turn();
    let folder = tempfile::tempdir().expect("a folder");
    let out = text(&folder.path().join("out"));
    let only = "original vecadd detector=triangle";
    let quick = ["--quick", "--only", only, "--set", "time=5", "--set", "largest=200"];
    let result =
        json(&autobench(&[&["suite", "thesis", "--out", &out, "--json"], &quick[..]].concat()));
    assert_eq!(states(&result), ["finished"; 2], "{result:#}");
    let made = the_folder(Path::new(&out));
    let table = fs::read_to_string(made.join("suite.md")).expect("a table");
    assert!(table.contains(&format!("| {only} | 2 |")), "{table}");
    let page = fs::read_to_string(made.join("suite.html")).expect("a page");
    assert_eq!(page.matches(&format!("<h2>{only} #")).count(), 2, "a curve of each run");
    for study in result["studies"].as_array().expect("studies") {
        let begun = made.join(study["folder"].as_str().expect("a folder"));
        let sizes = fs::read_to_string(begun.join("sizes.csv")).expect("sizes");
        let number = |name: &str| -> Vec<f64> {
            column(&sizes, name).iter().map(|text| text.parse().expect("a number")).collect()
        };
        let (elements, means, speeds) =
            (number("size"), number("seconds_mean"), number("metric_value"));
        assert!(elements.starts_with(&[1.0, 2.0, 3.0, 4.0]), "{elements:?}");
        for ((elements, mean), speed) in elements.iter().zip(means).zip(speeds) {
            // Two vectors are read and one is written, in four bytes each; samples are kept as f32.
            let expected = 12.0 * elements / mean / 1e9;
            assert!((speed / expected - 1.0).abs() < 1e-3, "{elements}: {speed} for {expected}");
        }
        let journal = fs::read_to_string(begun.join("journal.jsonl")).expect("a journal");
        assert!(!journal.contains(r#""event":"rounds""#), "every size by itself");
    }
}

fn json_file(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}
