//! Suites of comparisons of strategies with the real binary, on recorded spaces.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::support::{autobench, command, json, sentence};

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn spaces() -> String {
    format!("{}/tests/data/spaces", env!("CARGO_MANIFEST_DIR"))
}

/// Writes a suite to a new folder; returns the folder and the file.
fn suite(yaml: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.yaml");
    fs::write(&path, yaml).expect("written");
    (folder, text(&path))
}

fn the_folder(out: &Path) -> PathBuf {
    fs::read_dir(out).expect("out").next().expect("one").expect("it").path()
}

fn rows(table: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A suite with two comparisons for one objective and one of fronts, and with published values.
fn scores() -> String {
    format!(
        "suite: scores\npublished: [random is beaten]\ndiffers: another machine\n\
         defaults: {{repeats: 6, seed: 3, strategies: [random, local_search]}}\nstudies:\n  \
         - score: {0}/gemm_cpu.json.gz\n    for_each: {{budget: [20, 60]}}\n    \
         published: {{local_search: {{share_of_optimum: '0.9', wins over random: 77 %}}}}\n  \
         - score: [{0}/gemm_cpu.json.gz, {0}/vecadd_cpu.json.gz]\n    label: fronts\n    \
         strategies: ['nsga2:population={{8,16}}', random]\n    choose: true\n    \
         objective: [seconds, compile_seconds]\n    evaluations: [20, 40]\n    \
         published: {{'nsga2:population=8': {{gain@20: 12 %}}}}\n",
        spaces()
    )
}

#[test]
fn comparisons_are_rows_of_a_suite_and_stand_beside_what_was_published() {
    let (folder, file) = suite(&scores());
    let out = folder.path().join("out");
    let output = autobench(&["suite", &file, "--out", &text(&out)]);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout);
    for words in ["random is beaten", "another machine", "77 %", "wins over random"] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
    let made = the_folder(&out);
    let table = rows(&read(&made.join("suite.csv")));
    let labels: Vec<&str> = table.iter().map(|row| row["label"].as_str()).collect();
    assert_eq!(labels, ["gemm_cpu budget=20", "gemm_cpu budget=60", "fronts"]);
    assert!(table.iter().all(|row| row["state"] == "finished" && row["command"] == "score"));
    assert_eq!(table[1]["metric"], "share_of_optimum");
    assert!(table[1]["metric_value"].parse::<f64>().expect("a share") > 0.5);
    assert!(table[2]["chosen"].starts_with("nsga2:population="), "{table:?}");

    let all = rows(&read(&made.join("scores.csv")));
    let share = |row: &&std::collections::BTreeMap<String, String>| {
        row["study"] == "2" && row["figure"] == "share_of_optimum" && row["space"] == "gemm_cpu"
    };
    let shares: Vec<_> = all.iter().filter(share).collect();
    assert_eq!(shares.len(), 2, "a row for each strategy");
    for row in shares {
        let number = |name: &str| row[name].parse::<f64>().unwrap_or_else(|_| panic!("{row:?}"));
        assert!(number("q1") <= number("value") && number("value") <= number("q3"));
        assert!(number("low") <= number("value") && number("value") <= number("high"));
        assert!((number("found") - 1.0).abs() < 1e-12);
    }
    let published: Vec<(&str, &str)> = all
        .iter()
        .filter(|row| !row["published"].is_empty())
        .map(|row| (row["figure"].as_str(), row["published"].as_str()))
        .collect();
    let both = [("share_of_optimum", "0.9"), ("wins", "77 %")];
    assert_eq!(published, [&both[..], &both[..], &[("gain", "12 %")]].concat());
    let page = read(&made.join("suite.md"));
    assert!(page.contains("## Strategies") && page.contains("| 77 % |"), "{page}");

    // Each comparison has a folder like a separate run, and repeats exactly.
    let one = made.join(&table[0]["folder"]);
    for name in
        ["score.json", "figures.csv", "wins.csv", "matching.csv", "progress.svg", "attained.png"]
    {
        assert!(one.join(name).is_file(), "{name}");
    }
    let again = folder.path().join("again");
    assert!(autobench(&["suite", &file, "--out", &text(&again), "--quiet"]).status.success());
    assert_eq!(read(&the_folder(&again).join("scores.csv")), read(&made.join("scores.csv")));
    let resumed = json(&autobench(&["resume", &text(&made), "--json"]));
    let strategies = resumed["studies"][0]["score"]["strategies"].as_array();
    assert_eq!(strategies.map(Vec::len), Some(2), "{resumed:#}");
    let shown = autobench(&["show", &text(&made)]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("3 studies, 3 finished"));
}

#[test]
fn spaces_are_given_by_name_or_in_place_of_a_suite_s_own() {
    let (folder, file) = suite(
        "suite: s\ndefaults: {repeats: 2, budget: 5, strategies: random}\nstudies:\n  \
         - score: gemm\n  - score:\n    label: all\n",
    );
    let out = folder.path().join("out");
    let missing = autobench(&["suite", &file, "--out", &text(&out)]);
    assert_eq!(missing.status.code(), Some(2));
    let said = sentence(&missing);
    assert!(said.contains(":4:12: no recorded space of `gemm` is given"), "{said}");
    assert!(said.contains("--spaces DIR") && said.contains("--strategy exhaustive"), "{said}");
    assert!(said.contains(":5:5: `score` has no recorded spaces"), "{said}");
    let plan = autobench(&["suite", &file, "--dry-run"]);
    assert!(plan.status.success());
    assert!(String::from_utf8_lossy(&plan.stderr).contains("has no recorded spaces yet"));
    let given = ["suite", &file, "--spaces", &spaces(), "--out", &text(&out), "--json"];
    let result = json(&autobench(&given));
    let many = |at: usize| result["studies"][at]["score"]["spaces"].as_array().map(Vec::len);
    assert_eq!((many(0), many(1)), (Some(2), Some(7)), "{result:#}");
}

#[test]
fn mistakes_in_comparisons_are_told_with_their_line() {
    let spaces = spaces();
    let study = |lines: &str| {
        format!("suite: s\nstudies:\n  - score: {spaces}/gemm_cpu.json.gz\n    repeats: 2\n{lines}")
    };
    for (lines, place, words) in [
        ("    strategies: [random, anealing]\n", ":5:26: ", "no strategy named `anealing`"),
        ("    strategies: 'nsga2:population={20,40'\n", ":5:17: ", "`{` at column 18 of"),
        ("    repeat: 3\n", ":5:5: ", "`repeat` is no flag of a study in a suite"),
        ("    objective: eror\n", ":5:16: ", "no metric named `eror`"),
        ("    max-error: hihg\n", ":5:16: ", "`hihg`"),
        ("    by: gain\n", ":5:9: ", "--by names a figure that is not taken here"),
        ("    budget: 5\n    evaluations: 9\n", ":5:13: ", "--evaluations 9 is beyond"),
        (
            "    budget: 5\n    speed-up-over: precise\n",
            ":3:",
            "no parameter chooses a format or a policy",
        ),
        (
            "    strategies: random\n    published: {randm: 3}\n",
            ":6:17: ",
            "`randm` is no strategy of this study; did you mean `random`?",
        ),
    ] {
        let (folder, file) = suite(&study(lines));
        let out = folder.path().join("out");
        let output = autobench(&["suite", &file, "--out", &text(&out)]);
        assert_ne!(output.status.code(), Some(0), "{lines}: {output:?}");
        let said = sentence(&output);
        assert!(said.contains(place) && said.contains(words), "{place} {words}: {said}");
        assert!(!out.exists(), "nothing is written");
    }
    let (_folder, file) =
        suite("suite: s\nstudies:\n  - score: ./none.json\n    strategies: random\n");
    let said = sentence(&autobench(&["suite", &file]));
    assert!(said.contains("3:12: there is no `"), "{said}");
}

#[test]
fn a_comparison_that_was_interrupted_is_done_again() {
    let (folder, file) = suite(&format!(
        "suite: s\ndefaults: {{budget: 60, repeats: 3, strategies: [random, local_search]}}\nstudies:\n  \
         - score: {0}/gemm_cpu.json.gz\n  - score: {0}/vecadd_cpu.json.gz\n    label: long\n    \
         strategies: default\n    repeats: 100000\n",
        spaces()
    ));
    let out = folder.path().join("out");
    let child = command()
        .args(["suite", &file, "--out", &text(&out)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let began = Instant::now();
    let journal = || -> Option<String> {
        let made = fs::read_dir(&out).ok()?.next()?.ok()?.path();
        fs::read_to_string(made.join("journal.jsonl")).ok()
    };
    while !journal().is_some_and(|text| text.contains("\"study\":2,")) {
        assert!(began.elapsed() < Duration::from_secs(240), "it never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.expect("kill").success());
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let made = the_folder(&out);
    let states = |made: &Path| -> Vec<String> {
        rows(&read(&made.join("suite.csv"))).iter().map(|row| row["state"].clone()).collect()
    };
    assert_eq!(states(&made), ["finished", "unfinished"]);

    // Shorten the record of the long comparison, as if less had been asked for, so that it ends.
    let record = made.join("suite.json");
    let less = read(&record).replace("--repeats=100000", "--repeats=2");
    fs::write(&record, less).expect("written");
    let first = made.join(&rows(&read(&made.join("suite.csv")))[0]["folder"]).join("score.json");
    let before = read(&first);
    let result = json(&autobench(&["resume", &text(&made), "--json"]));
    assert_eq!(result["studies"][1]["state"], "finished", "{result:#}");
    assert_eq!(read(&first), before, "what is finished is left alone");
    assert_eq!(states(&made), ["finished", "finished"]);
    let journal = read(&made.join("journal.jsonl"));
    assert_eq!(journal.matches("study-began").count(), 2, "{journal}");
}
