//! `score` and `simulate` with the real binary, on generated spaces.

use std::path::Path;

use crate::{
    support::{autobench, json},
    valley::space,
};

#[test]
fn scores_are_a_table_of_numbers_and_a_folder_that_repeat_with_their_seed() {
    let out = tempfile::tempdir().expect("a folder");
    let spaces = out.path().join("spaces");
    std::fs::create_dir(&spaces).expect("made");
    space(&spaces, "one", 1.0);
    space(&spaces, "two", 30.0);
    std::fs::write(spaces.join("notes.json"), "{}").expect("written");
    let out = out.path().join("out").to_string_lossy().into_owned();
    let spaces = spaces.to_string_lossy().into_owned();
    let score = |seed: &str| {
        json(&autobench(&[
            "score",
            "--spaces",
            &spaces,
            "--strategies",
            "random,local_search:kick=2,far=0,default",
            "--repeats",
            "6",
            "--seed",
            seed,
            "--json",
            "--out",
            &out,
        ]))
    };
    let first = score("3");
    let strategies = first["strategies"].as_array().expect("a list");
    assert_eq!(strategies.len(), 3);
    assert_eq!(strategies[0]["name"], "default", "sorted by score: {first:#}");
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    for strategy in strategies {
        let spaces = strategy["spaces"].as_object().expect("an object");
        assert_eq!(spaces.keys().collect::<Vec<_>>(), ["one", "two"]);
        let mean = (number(&spaces["one"]["score"]) + number(&spaces["two"]["score"])) / 2.0;
        assert!((mean - number(&strategy["score"])).abs() < 1e-12);
        assert!(number(&strategy["standard_error"]) >= 0.0);
    }
    assert!(number(&strategies[0]["score"]) > 0.5);
    assert_eq!(first, score("3"));
    assert_ne!(first, score("4"));
    let folder = std::fs::read_dir(&out).expect("made").next().expect("one").expect("one").path();
    for file in ["scores.csv", "curves.csv", "performance.svg", "performance.png"] {
        assert!(folder.join(file).metadata().is_ok_and(|m| m.len() > 0), "{file} is missing");
    }
}

#[test]
fn a_simulation_counts_different_configurations_and_repeats() {
    let out = tempfile::tempdir().expect("a folder");
    let file = space(out.path(), "one", 1.0);
    let out = out.path().join("out").to_string_lossy().into_owned();
    let simulate = || {
        let arguments = ["simulate", "--space", &file, "--strategy", "random", "--budget", "40"];
        let more = ["--seeds", "3", "--json", "--out", &out];
        let mut result = json(&autobench(&[&arguments[..], &more[..]].concat()));
        result["wall_seconds"].take();
        result
    };
    let first = simulate();
    let runs = first["runs"].as_array().expect("a list");
    assert_eq!(runs.len(), 3);
    assert!(runs.iter().all(|run| run["evaluations"] == 40));
    assert_eq!(first["optimum_ms"], 1.0);
    assert_eq!(first, simulate());
}

#[test]
fn wrong_names_and_files_are_said_before_any_work() {
    let out = tempfile::tempdir().expect("a folder");
    let file = space(out.path(), "one", 1.0);
    let empty = out.path().join("empty");
    std::fs::create_dir(&empty).expect("made");
    let empty = empty.to_string_lossy().into_owned();
    for (arguments, word) in [
        (vec!["score", "--spaces", &file, "--strategies", "anealing"], "local_search"),
        (vec!["score", "--spaces", &file, "--strategies", "default:desing=3"], "design"),
        (vec!["score", "--spaces", &file, "--strategies", "pso:preset=tpds"], "tpds2026"),
        (vec!["score", "--spaces", "/nowhere.json"], "/nowhere.json"),
        (vec!["score", "--spaces", &empty], "recorded space"),
        (vec!["simulate", "--space", &file, "--budget", "0"], "--budget a number above zero"),
        (vec!["score"], "--strategy exhaustive"),
        (vec!["score", "--spaces", &file, "--strategies", "pso:particles={4,8"], "has no partner"),
        (vec!["score", "--spaces", &file, "--speed-up-over", "d=1"], "no parameter `d`"),
        (vec!["score", "--spaces", &file, "--speed-up-over", "precise"], "chooses a format"),
        (vec!["score", "--spaces", &file, "--budget", "5", "--evaluations", "9"], "beyond"),
        (
            vec!["score", "--spaces", &file, "--objective", "seconds", "--objective", "seconds"],
            "given twice",
        ),
    ] {
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
}

#[test]
fn runs_with_a_budget_tell_medians_and_quartiles_of_what_they_attained() {
    let out = tempfile::tempdir().expect("a folder");
    let file = space(out.path(), "one", 1.0);
    let out = out.path().join("out").to_string_lossy().into_owned();
    let score = |more: &[&str]| {
        let arguments = ["score", "--spaces", &file, "--strategies", "random,local_search"];
        let rest = ["--budget", "40", "--repeats", "9", "--json", "--out", &out];
        json(&autobench(&[&arguments[..], &rest, more].concat()))
    };
    let plain = score(&["--evaluations", "10,40"]);
    for strategy in plain["strategies"].as_array().expect("a list") {
        for n in ["10", "40"] {
            let attained = &strategy["spaces"]["one"]["attained"][n];
            let share = attained["share_of_optimum"].as_f64().expect("a share");
            let [low, high] = [0, 1].map(|at| attained["quartiles"][at].as_f64().expect("one"));
            assert!(low <= share && share <= high && high <= 1.0, "{attained}");
            assert_eq!(attained["found"], 1.0);
        }
    }
    assert_eq!(plain, score(&["--evaluations", "40,10"]), "the order does not matter");
    // The best configuration with a = 0 takes 1 + 121 / 20 = 7.05 ms, the optimum 1 ms.
    let over = score(&["--speed-up-over", "a=0", "--by", "speed-up"]);
    for strategy in over["strategies"].as_array().expect("a list") {
        let attained = &strategy["spaces"]["one"]["attained"]["40"];
        let speed_up = attained["speed_up"].as_f64().expect("a speed-up");
        let share = strategy["spaces"]["one"]["fraction_of_optimum"]["40"].as_f64().expect("one");
        assert!((speed_up - 7.05 * share).abs() < 1e-9, "{speed_up} {share}");
    }
    // A bound that few configurations keep, so that a search may find none.
    let rate = score(&["--objective", "runs per second", "--bound", "compile_seconds<=0.5"]);
    assert_eq!(rate["strategies"].as_array().map(Vec::len), Some(2));
}

#[test]
fn braces_make_strategies_and_one_of_them_is_chosen() {
    let out = tempfile::tempdir().expect("a folder");
    let file = space(out.path(), "one", 1.0);
    let out = out.path().join("out").to_string_lossy().into_owned();
    let grid = "nsga2:population={6,12}:mutation={0.1,0.2},random";
    let score = || {
        let arguments = ["score", "--spaces", &file, "--strategies", grid, "--repeats", "5"];
        let aims = ["--objective", "seconds", "--objective", "noise", "--evaluations", "20,30"];
        let rest = ["--choose", "--json", "--out", &out];
        json(&autobench(&[&arguments[..], &aims, &rest].concat()))
    };
    let first = score();
    let strategies = first["strategies"].as_array().expect("a list");
    assert_eq!(strategies.len(), 5, "{first:#}");
    let chosen = first["chosen"].as_str().expect("a choice");
    assert!(chosen.starts_with("nsga2:population="), "{chosen}");
    assert_eq!(first, score());
}

fn ran(arguments: &[&str]) {
    let output = autobench(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// The same valley on another device: device and times of a file are replaced.
fn elsewhere(path: &str, to: &Path, device: &str, factor: f64) -> String {
    let mut space: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("read")).expect("JSON");
    space["device_name"] = device.into();
    for row in space["cache"].as_object_mut().expect("rows").values_mut() {
        if let Some(time) = row["time"].as_f64() {
            row["time"] = (time * factor).into();
            row["times"] = vec![time * factor; 2].into();
        }
    }
    let path = to.join(format!("{device}.json"));
    std::fs::write(&path, space.to_string()).expect("written");
    path.to_string_lossy().into_owned()
}

/// The same valley with rates in place of times.
fn elsewhere_backwards(path: &str, to: &Path) -> String {
    let mut space: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("read")).expect("JSON");
    space["device_name"] = "backwards".into();
    for row in space["cache"].as_object_mut().expect("rows").values_mut() {
        if let Some(time) = row["time"].as_f64() {
            row["time"] = (1.0 / time).into();
            row["times"] = vec![1.0 / time; 2].into();
        }
    }
    let path = to.join("backwards.json");
    std::fs::write(&path, space.to_string()).expect("written");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_search_learns_from_logs_of_other_devices_and_never_from_its_own_space() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let here = space(folder.path(), "here", 1.0);
    let there = elsewhere(&here, folder.path(), "there", 3.0);
    let (out, logs) = (at("out"), at("logs"));
    let record: [&str; 8] = ["--budget", "60", "--seed", "5", "--record", &logs, "--out", &out];
    for space in [&here, &there] {
        ran(&[["simulate", "--space", space.as_str()].as_slice(), &record].concat());
    }
    let kept: Vec<_> = std::fs::read_dir(&logs).expect("a folder").flatten().collect();
    assert_eq!(kept.len(), 2);
    let simulate = |more: &[&str]| {
        let usual: [&str; 8] =
            ["simulate", "--space", &here, "--budget", "4", "--json", "--out", &out];
        json(&autobench(&[usual.as_slice(), more].concat()))
    };
    let learnt = simulate(&["--learn-from", &logs]);
    assert_eq!(learnt["learnt_from"].as_array().expect("sources").len(), 1, "{learnt}");
    assert_eq!(learnt["learnt_from"][0]["evaluations"], 60);
    let optimum = learnt["optimum_ms"].as_f64().expect("a time");
    assert!(learnt["best"]["ms"].as_f64().expect("a time") <= 1.1 * optimum, "{learnt}");
    assert!(learnt["learnt_from"][0].get("against").is_none(), "{learnt}");
    let of_there = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("read");
        let space: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        space["device_name"] == "there"
    };
    let log = kept.iter().map(std::fs::DirEntry::path).find(of_there).expect("a log of there");
    let backwards = elsewhere_backwards(&log.to_string_lossy(), folder.path());
    let told = simulate(&["--learn-from", &backwards]);
    let against = told["learnt_from"][0]["against"].as_str().expect("what speaks against it");
    assert!(against.contains("crowd where they are slow"), "{told}");
    let cold = simulate(&[]);
    assert!(cold.get("learnt_from").is_none());
    let own = simulate(&["--learn-from", &here]);
    assert_eq!((&own["best"], &own["runs"]), (&cold["best"], &cold["runs"]));
    let score = json(&autobench(&[
        "score",
        "--spaces",
        &here,
        &there,
        "--strategies",
        "default,random",
        "--repeats",
        "4",
        "--json",
        "--learn-from",
        &logs,
        "--out",
        &out,
    ]));
    assert!(score["strategies"][0]["score"].as_f64().expect("a score") > 0.8, "{score}");
    // A search for a front begins with that of the other device, which is the same here.
    let objectives = ["--objective", "seconds", "--objective", "compile_seconds"];
    let front = |more: &[&str]| {
        let usual = ["score", "--spaces", &here, "--strategies", "random", "--repeats", "4"];
        let after = ["--evaluations", "8", "--json", "--out", &out];
        json(&autobench(&[&usual[..], &objectives, &after, more].concat()))
    };
    let apart = |answer: &serde_json::Value| {
        let spaces = answer["strategies"][0]["spaces"].as_object().expect("spaces");
        spaces.values().next().expect("a space")["8"]["igd_plus"]["median"].as_f64()
    };
    let (cold, learnt) = (front(&[]), front(&["--learn-from", &logs]));
    let (cold, learnt) = (apart(&cold).expect("a distance"), apart(&learnt).expect("a distance"));
    assert!(2.0 * learnt < cold, "{learnt} after eight evaluations, {cold} without");
}

#[test]
fn a_folder_whose_spaces_lie_deeper_is_answered_with_the_folder_to_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let deep = folder.path().join("logs").join("first");
    std::fs::create_dir_all(&deep).expect("folders");
    space(&deep, "here", 1.0);
    let logs = folder.path().join("logs");
    let logs = logs.to_string_lossy();
    let output = autobench(&["score", "--spaces", &logs, "--strategies", "random"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    let hint = format!("folders in folders are not read: name `{}`", deep.display());
    assert!(said.contains(&hint), "{said}");
}

#[test]
fn a_study_records_what_it_learnt_from_and_learns_again_when_it_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let here = space(folder.path(), "here", 1.0);
    let there = elsewhere(&here, folder.path(), "there", 3.0);
    let (device, there_too) = (format!("replay:{here}"), format!("replay:{there}"));
    let (out, first) = (at("out"), at("first"));
    ran(&["tune", "--device", &there_too, "--budget", "60", "--out", &first]);
    ran(&[
        "tune",
        "--device",
        &device,
        "--budget",
        "12",
        "--out",
        &out,
        "--learn-from",
        &first,
        &here,
    ]);
    let study =
        std::fs::read_dir(&out).expect("a folder").flatten().next().expect("a study").path();
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(study.join("study.json")).expect("read"))
            .expect("JSON");
    let learnt = record["learnt_from"].as_array().expect("sources");
    assert_eq!(learnt.len(), 1, "{record}");
    assert!(learnt[0]["evaluations"].as_u64() >= Some(40), "{record}");
    let paths = record["settings"]["learn_from"].as_array().expect("paths");
    assert!(paths.len() == 1 && paths[0].as_str().expect("a path").contains("first"), "{record}");
    let folder = study.to_string_lossy().into_owned();
    ran(&["resume", &folder]);
}
