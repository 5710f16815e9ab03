//! Studies of recorded spaces: nothing that they print is better than the record, and they name no
//! size and no unit that the record does not have.

use std::path::{Path, PathBuf};

use crate::support::{autobench, command, json};

/// Text for readers, of which a page's scripts and data are no part.
fn read(page: &str) -> String {
    let parts = page.split("<script").enumerate();
    parts
        .map(|(at, part)| if at == 0 { part } else { part.split("</script>").nth(1).unwrap_or("") })
        .collect()
}

/// The values of a column of a table, without empty cells.
fn column(path: &Path, name: &str) -> Vec<f64> {
    let mut table = csv::Reader::from_path(path).expect("a table");
    let at = table.headers().expect("a header").iter().position(|head| head == name);
    let at = at.unwrap_or_else(|| panic!("no column {name}"));
    let cells = table.records().map(|row| row.expect("a row")[at].to_owned());
    cells.filter_map(|cell| cell.parse().ok()).collect()
}

fn check(space: &Path, budget: &str) {
    let name = space.display().to_string();
    let inspected = json(&autobench(&["inspect", &name, "--json"]));
    let Some(optimum) = inspected["best_ms"].as_f64().map(|ms| ms / 1e3) else { return };
    let out = tempfile::tempdir().expect("a folder");
    let device = format!("replay:{name}");
    let folder = out.path().join("out");
    let output = command()
        .args([
            "tune",
            "--device",
            &device,
            "--strategy",
            "exhaustive",
            "--budget",
            budget,
            "--out",
        ])
        .arg(&folder)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{name}: {output:?}");
    let mut latest =
        std::fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path());
    let study: PathBuf = latest.find(|path| path.join("study.json").is_file()).expect("a study");
    let study_name = study.display().to_string();
    let least = optimum * (1.0 - 1e-9);
    for (file, names) in [
        ("trials.csv", &["seconds_median", "score"][..]),
        ("sizes.csv", &["seconds_median", "default_seconds_median"]),
    ] {
        for column_name in names {
            for value in column(&study.join(file), column_name) {
                assert!(value >= least, "{name}: {file} has {column_name} {value} below {optimum}");
            }
        }
    }
    // The number by which the program knows the problem is nothing to readers.
    for file in ["trials.csv", "sizes.csv"] {
        assert!(!column(&study.join(file), "size").contains(&1.0), "{name}: {file}");
    }
    for value in column(&study.join("sizes.csv"), "metric_value") {
        assert!(value <= 1.0 / least, "{name}: {value} runs per second, {optimum} s each");
    }
    let text = |arguments: &[&str]| {
        let output = autobench(arguments);
        assert!(output.status.success(), "{name}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for (what, text) in [
        ("tune", String::from_utf8_lossy(&output.stdout).into_owned()),
        ("show", text(&["show", &study_name])),
        ("show --all", text(&["show", &study_name, "--all"])),
        ("show --journal", text(&["show", &study_name, "--journal"])),
        ("history", text(&["history", "list", "--out", &folder.display().to_string()])),
        ("results", text(&["results", &folder.display().to_string()])),
        ("markdown", text(&["export", &study_name, "--format", "markdown"])),
        ("report", read(&std::fs::read_to_string(study.join("report.html")).expect("a page"))),
    ] {
        for wrong in [" at size ", "size 1 ", "size 1:", "()", " 1/s", "NaN", "inf "] {
            let said = |line: &&str| line.contains(wrong) && !line.contains("values are NaN");
            let line = text.lines().find(said);
            assert_eq!(line, None, "{name}: `{what}` has `{wrong}`");
        }
    }
}

#[test]
fn nothing_that_a_replay_prints_is_better_than_the_record() {
    for folder in ["tests/corpus/records", "tests/data/spaces"] {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().extension().is_some_and(|ending| ending != "jsonl") {
                check(&entry.path(), "300");
            }
        }
    }
}

mod shared {
    use super::check;
    use crate::shared_files::shared;

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn nothing_that_a_replay_of_a_real_kernel_prints_is_better_than_the_record() {
        let spaces = std::fs::read_dir(shared("data/spaces")).expect("a folder").flatten();
        for entry in spaces.filter(|entry| entry.path().extension().is_some_and(|end| end == "gz"))
        {
            check(&entry.path(), "2000");
        }
    }
}
