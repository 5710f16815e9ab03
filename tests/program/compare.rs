//! `compare` with the real binary, on generated studies of known speed: real differences are found,
//! equal studies raise no alarm, and wrong folders give a message.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use math::{Rng, seeded};
use records::StudyRecord;
use serde_json::Value;

use crate::{
    made::{Made, SIZES},
    support::{autobench, json, sentence},
};

/// Writes the studies of a suite; the first benchmark is slower by this factor.
fn suite(path: &Path, slowness: f64, wander: f64, rng: &mut Rng) -> PathBuf {
    for at in 0..12 {
        let slowness = if at == 0 { slowness } else { 1.0 };
        let benchmark = format!("kernel{at}");
        let made = Made { benchmark: &benchmark, device: "device", slowness, wander };
        made.write(&path.join(&benchmark), rng);
    }
    path.to_owned()
}

fn at_seconds(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).expect("a time")
}

fn compared(a: &Path, b: &Path) -> Value {
    json(&autobench(&["compare", &a.to_string_lossy(), &b.to_string_lossy(), "--json"]))
}

/// Verdicts of a comparison, for whole curves and for single sizes.
fn verdicts(comparison: &Value) -> Vec<String> {
    let benchmarks = comparison["others"][0]["benchmarks"].as_array().expect("benchmarks");
    let all = benchmarks.iter().flat_map(|benchmark| {
        let sizes = benchmark["sizes"].as_array().expect("sizes").iter();
        std::iter::once(benchmark).chain(sizes)
    });
    all.map(|row| row["verdict"].as_str().expect("a verdict").to_owned()).collect()
}

fn alarms(comparison: &Value) -> bool {
    verdicts(comparison).iter().any(|verdict| verdict == "faster" || verdict == "slower")
}

#[test]
fn equals_raise_an_alarm_in_one_of_ten_pairs_at_most() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(11, 0);
    let mut alarmed = 0;
    for pair in 0..10 {
        let of = |side: &str| out.path().join(format!("{pair}{side}"));
        let a = suite(&of("a"), 1.0, 0.05, &mut rng);
        let b = suite(&of("b"), 1.0, 0.05, &mut rng);
        alarmed += usize::from(alarms(&compared(&a, &b)));
    }
    assert!(alarmed <= 1, "{alarmed} of 10 pairs of equals alarm");
}

#[test]
fn a_kernel_that_is_a_twentieth_slower_is_found_where_the_machine_is_calm() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(12, 0);
    let mut found = 0;
    for pair in 0..10 {
        let of = |side: &str| out.path().join(format!("{pair}{side}"));
        let a = suite(&of("a"), 1.0, 0.004, &mut rng);
        let b = suite(&of("b"), 1.0 / 0.95, 0.004, &mut rng);
        let comparison = compared(&a, &b);
        let first = &comparison["others"][0]["benchmarks"][0];
        found += usize::from(first["verdict"] == "slower");
        let ratio = first["ratio"].as_f64().expect("a ratio");
        assert!((ratio - 0.95).abs() < 0.03, "{ratio}");
    }
    assert!(found >= 9, "found in {found} of 10 pairs");
}

#[test]
fn sides_that_were_studied_in_turn_show_little_on_a_machine_that_drifts() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(13, 0);
    let (mut alarmed, mut found) = (0, 0);
    for pair in 0..10 {
        let side = |name: &str| out.path().join(format!("{pair}{name}"));
        let (a, equal, slower) = (side("a"), side("equal"), side("slower"));
        for turn in 0..4 {
            // Every turn has another machine speed, which also drifts a little.
            for (study, (folder, slowness)) in
                [(&a, 1.0), (&equal, 1.0), (&slower, 1.0 / 0.95)].into_iter().enumerate()
            {
                for at in 0..3 {
                    let drift = 0.1 * f64::from((turn * 7 + pair * 3) % 5);
                    let slowness = drift.exp() * if at == 0 { slowness } else { 1.0 };
                    let benchmark = format!("kernel{at}");
                    let made =
                        Made { benchmark: &benchmark, device: "device", slowness, wander: 0.004 };
                    let started = i64::from(turn) * 1000 + 100 * study as i64;
                    let record = StudyRecord { started: at_seconds(started), ..made.record() };
                    made.write_as(
                        &record,
                        None,
                        &folder.join(format!("{turn}{benchmark}")),
                        &mut rng,
                    );
                }
            }
        }
        alarmed += usize::from(alarms(&compared(&a, &equal)));
        let comparison = compared(&a, &slower);
        let first = &comparison["others"][0]["benchmarks"][0];
        assert_eq!(first["in_turn"], true);
        found += usize::from(first["verdict"] == "slower");
    }
    assert!(alarmed <= 1, "{alarmed} of 10 pairs of equals alarm");
    assert!(found >= 9, "found in {found} of 10 pairs");
}

#[test]
fn a_better_configuration_is_a_finding_and_no_faster_kernel() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(18, 0);
    let of = |name: &str| out.path().join(name);
    let made = |slowness| Made { benchmark: "kernel", device: "device", slowness, wander: 0.004 };
    made(1.0).write(&of("first"), &mut rng);
    // A search that found twice the speed, on an equal machine and on one half as fast.
    let lucky = made(1.0);
    lucky.write_as(&lucky.record(), Some(0.5), &of("lucky"), &mut rng);
    let slower = made(2.0);
    slower.write_as(&slower.record(), Some(0.5), &of("slower"), &mut rng);
    for (first, other, expected) in [
        ("first", "lucky", ["found"; 7]),
        ("lucky", "first", ["missed"; 7]),
        ("first", "slower", ["slower"; 7]),
        ("lucky", "slower", ["slower"; 7]),
    ] {
        let (first, other) = (of(first), of(other));
        let paths = [first.to_string_lossy(), other.to_string_lossy()];
        let arguments = ["compare", &paths[0], &paths[1], "--csv", "table.csv"];
        let table = of("table.csv").to_string_lossy().into_owned();
        let arguments = arguments.map(|word| if word == "table.csv" { &table } else { word });
        assert!(autobench(&arguments).status.success(), "{paths:?}");
        let table = fs::read_to_string(&table).expect("a table");
        let heads: Vec<&str> = table.lines().next().expect("a head").split(',').collect();
        let verdict = heads.iter().position(|head| *head == "verdict").expect("verdicts");
        let said: Vec<&str> =
            table.lines().skip(1).filter_map(|row| row.split(',').nth(verdict)).collect();
        assert_eq!(said, expected, "{paths:?}: {table}");
    }
    let comparison = compared(&of("first"), &of("lucky"));
    let benchmark = &comparison["others"][0]["benchmarks"][0];
    let ratio = |value: &Value| value["ratio"].as_f64().expect("a ratio");
    assert!((ratio(benchmark) - 1.0).abs() < 0.03, "{benchmark:#}");
    assert!((ratio(&benchmark["winners"]) - 2.0).abs() < 0.1, "{benchmark:#}");
    assert_eq!(benchmark["sizes"][0]["judged"]["block"], 256, "{benchmark:#}");
    let (first, lucky) = (of("first"), of("lucky"));
    let (first, lucky) = (first.to_string_lossy(), lucky.to_string_lossy());
    let fine = autobench(&["compare", &lucky, &first, "--fail-on", "slower:5%"]);
    assert_eq!(fine.status.code(), Some(0), "{fine:?}");
    let said = String::from_utf8_lossy(&fine.stdout).into_owned();
    assert!(said.contains("block=512, here block=256"), "{said}");
    let next = String::from_utf8_lossy(&fine.stderr).into_owned();
    assert!(next.contains("autobench tune kernel --size 1048576 --learn-from"), "{next}");
    let missed = autobench(&["compare", &lucky, &first, "--fail-on", "missed:5%"]);
    assert!(sentence(&missed).contains("first missed a faster kernel"), "{missed:?}");
}

#[test]
fn what_fails_a_build_is_named_and_has_an_exit_code_of_its_own() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(13, 0);
    let a = suite(&out.path().join("a"), 1.0, 0.004, &mut rng);
    let b = suite(&out.path().join("b"), 1.3, 0.004, &mut rng);
    let (a, b) = (a.to_string_lossy(), b.to_string_lossy());
    let table = out.path().join("compare.csv").to_string_lossy().into_owned();
    let slower =
        autobench(&["compare", &a, &b, "--markdown", "--csv", &table, "--fail-on", "slower:5%"]);
    assert_eq!(slower.status.code(), Some(6), "{slower:?}");
    let said = sentence(&slower);
    assert!(said.contains("kernel0 is slower in b"), "{said}");
    let page = String::from_utf8_lossy(&slower.stdout);
    assert!(page.contains("| kernel0 | slower |") && page.contains("|:---|---:|"), "{page}");
    let table = fs::read_to_string(table).expect("a table");
    assert_eq!(table.lines().count(), 1 + 12 * (1 + SIZES.len()), "{table}");
    for fine in ["slower:50%", "faster"] {
        let output = autobench(&["compare", &a, &b, "--fail-on", fine]);
        assert_eq!(output.status.code(), Some(0), "{fine}: {output:?}");
    }
    let wrong = autobench(&["compare", &a, &b, "--fail-on", "worse:5%"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
}

#[test]
fn the_devices_of_a_folder_are_compared_and_tabled() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(14, 0);
    for (device, slowness) in [("old", 2.0), ("new", 1.0)] {
        let made = Made { benchmark: "kernel", device, slowness, wander: 0.01 };
        made.write(&out.path().join(device), &mut rng);
    }
    let folder = out.path().to_string_lossy().into_owned();
    let other = Made { benchmark: "other", device: "new", slowness: 1.0, wander: 0.01 };
    other.write(&out.path().join("other"), &mut rng);
    for (name, holds) in [("best.csv", "new,"), ("best.h", "AUTOBENCH_DEVICE_NEW")] {
        let file = out.path().join(name).to_string_lossy().into_owned();
        let output = autobench(&["compare", &folder, "--best", &file, "--sizes"]);
        assert!(output.status.success(), "{output:?}");
        let text = fs::read_to_string(&file).expect("a file");
        assert!(text.contains(holds), "{text}");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("changed   device: "), "{said}");
    }
    // All benchmarks are in one header; macros choose one.
    let header = out.path().join("best.h");
    let compiler = std::process::Command::new("c++")
        .args([
            "-x",
            "c",
            "-E",
            "-Werror",
            "-DAUTOBENCH_CHOOSE_BENCHMARK",
            "-DAUTOBENCH_BENCHMARK_OTHER",
        ])
        .args(["-DAUTOBENCH_CHOOSE_DEVICE", "-DAUTOBENCH_DEVICE_NEW", "-dM"])
        .arg(&header)
        .output()
        .expect("a compiler");
    assert!(compiler.status.success(), "{compiler:?}");
    assert!(
        String::from_utf8_lossy(&compiler.stdout).contains("#define AUTOBENCH_OTHER_block 256")
    );
    let odd = autobench(&["compare", &folder, "--best", "best.txt"]);
    assert!(sentence(&odd).contains("end its name in .csv or .h"), "{odd:?}");
}

#[test]
fn links_and_copies_are_no_further_studies() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(16, 0);
    for side in ["a", "b"] {
        let made = Made { benchmark: "kernel", device: "device", slowness: 1.0, wander: 0.05 };
        made.write(&out.path().join(side).join("study"), &mut rng);
        let link = out.path().join(side).join("latest");
        std::os::unix::fs::symlink(".", link).expect("a link");
    }
    let comparison = compared(&out.path().join("a"), &out.path().join("b"));
    let studies = &comparison["others"][0]["benchmarks"][0]["studies"];
    assert_eq!(studies, &serde_json::json!([1, 1]), "{comparison:#}");
    assert!(!alarms(&comparison), "{comparison:#}");
}

#[test]
fn what_is_unknown_fails_a_build_if_that_is_asked_for() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(19, 0);
    let of = |name: &str| out.path().join(name).to_string_lossy().into_owned();
    for (name, wander) in [("a", 0.3), ("b", 0.3), ("calm", 0.001), ("as calm", 0.001)] {
        let made = Made { benchmark: "kernel", device: "device", slowness: 1.0, wander };
        made.write(&out.path().join(name), &mut rng);
    }
    for (first, other, choice, code) in
        [("a", "b", "pass", 0), ("a", "b", "fail", 6), ("calm", "as calm", "fail", 0)]
    {
        let (first, other) = (of(first), of(other));
        let arguments =
            ["compare", &first, &other, "--fail-on", "slower:5%", "--on-unknown", choice];
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(code == 6, said.contains("whether kernel is slower in b is unknown"), "{said}");
    }
}

#[test]
fn one_benchmark_in_two_ways_is_compared_and_both_ways_are_named() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(20, 0);
    let made = Made { benchmark: "kernel", device: "device", slowness: 1.0, wander: 0.004 };
    for (name, narrowed) in [("a", "block=256"), ("b", "block=512")] {
        let mut record = made.record();
        record.settings.parameters = vec![narrowed.to_owned()];
        made.write_as(&record, None, &out.path().join(name), &mut rng);
    }
    let comparison = compared(&out.path().join("a"), &out.path().join("b"));
    let benchmark = &comparison["others"][0]["benchmarks"][0];
    assert_eq!(benchmark["benchmark"], "kernel with block=256 → kernel with block=512");
}

#[test]
fn what_is_missing_fails_a_build_too() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(17, 0);
    let made = |benchmark| Made { benchmark, device: "device", slowness: 1.0, wander: 0.01 };
    for (side, benchmark) in [("a", "one"), ("a", "two"), ("b", "one")] {
        made(benchmark).write(&out.path().join(side).join(benchmark), &mut rng);
    }
    let of = |side: &str| out.path().join(side).to_string_lossy().into_owned();
    let output = autobench(&["compare", &of("a"), &of("b"), "--fail-on", "slower:5%"]);
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    assert!(sentence(&output).contains("two is in a alone"), "{output:?}");
    let alone = autobench(&["compare", &of("b"), "--best", &of("best.csv"), "--fail-on", "slower"]);
    assert_eq!(alone.status.code(), Some(2), "{alone:?}");
}

#[test]
fn folders_that_cannot_be_compared_end_in_a_sentence() {
    let out = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(15, 0);
    let of = |name: &str| out.path().join(name);
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let made = |benchmark| Made { benchmark, device: "device", slowness: 1.0, wander: 0.01 };
    made("one").write(&of("one"), &mut rng);
    made("two").write(&of("two"), &mut rng);
    fs::create_dir(of("empty")).expect("a folder");
    fs::create_dir(of("half")).expect("a folder");
    fs::write(of("half").join("study.json"), "{\"format\": \"autobe").expect("written");
    let (one, two) = (text(&of("one")), text(&of("two")));
    let cases: [(&[&str], &str); 5] = [
        (&[&one, &two], "nothing can be compared: one is in one alone; two is in two alone"),
        (&[&one, &text(&of("empty"))], "holds no study that can be compared"),
        (&[&one, &text(&of("half"))], "holds no study that can be compared: `"),
        (&[&one, &text(&of("absent"))], "absent"),
        (&[&one], "are of one device"),
    ];
    for (folders, says) in cases {
        let arguments: Vec<&str> = ["compare"].iter().chain(folders).copied().collect();
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{folders:?}: {output:?}");
        assert!(sentence(&output).contains(says), "{folders:?}: {output:?}");
    }
    // A damaged study among others is left out, with a message.
    fs::rename(of("half"), of("two").join("half")).expect("moved");
    fs::create_dir(of("both")).expect("a folder");
    fs::rename(of("one"), of("both").join("one")).expect("moved");
    fs::rename(of("two").join("half"), of("both").join("half")).expect("moved");
    made("one").write(&of("again"), &mut rng);
    let output = autobench(&["compare", &text(&of("both")), &text(&of("again"))]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("note      `") && said.contains("half"), "{said}");
}
