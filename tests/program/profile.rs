//! Ceilings with the real binary: measured, kept, used, damaged, unknown.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use crate::support::{command, json, sentence, turn};

/// Runs the program with ceilings in `kept`.
fn autobench(kept: &Path, arguments: &[&str]) -> Output {
    let mut command = command();
    command.env("AUTOBENCH_CEILINGS", kept).args(arguments).output().expect("the program starts")
}

fn only_folder(out: &Path) -> PathBuf {
    fs::read_dir(out).expect("out").next().expect("one").expect("it").path()
}

/// Tunes a chain of multiply-adds for a short time.
fn tuned(kept: &Path, out: &Path) -> Output {
    let out = out.to_string_lossy();
    let study = ["tune", "fma", "--size", "4096", "--budget", "1", "--time", "2"];
    let narrowed = ["--param=precision=f32", "--out", &*out];
    autobench(kept, &[&study[..], &narrowed].concat())
}

#[test]
fn ceilings_are_measured_and_kept_and_a_study_is_held_against_them_anywhere() {
    let _turn = turn();
    let folder = tempfile::tempdir().expect("a folder");
    let (kept, out) = (folder.path().join("kept"), folder.path().join("out"));
    let text = out.to_string_lossy().into_owned();
    let small = ["--set", "size=4096", "--set", "time=2", "--set", "budget=1", "--out", &text];
    let only = ["profile", "--quick", "--json", "--only", "fma size=1Mi precision=f32,launch"];
    let record = json(&autobench(&kept, &[&only[..], &small].concat()));
    let kinds: Vec<&str> = record["ceilings"]
        .as_array()
        .expect("ceilings")
        .iter()
        .map(|ceiling| ceiling["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(kinds, ["arithmetic", "launch"]);
    let ceiling = &record["ceilings"][0];
    assert_eq!(ceiling["of"], "f32");
    assert!(ceiling["value"].as_f64().expect("a rate") > 1e6, "{ceiling}");
    assert!(ceiling["samples"].as_u64().expect("samples") > 0, "{ceiling}");
    let profile = only_folder(&out);
    let written = fs::read(profile.join("ceilings.json")).expect("ceilings");
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&written).expect("JSON"), record);
    // The machine speed is stored in the same folder.
    let files = fs::read_dir(&kept).expect("kept").flatten().filter(|entry| entry.path().is_file());
    assert_eq!(files.count(), 1);

    let shown = autobench(&kept, &["profile", "--show"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("arithmetic") && shown.contains("GFLOP/s"), "{shown}");

    let studies = folder.path().join("studies");
    assert!(tuned(&kept, &studies).status.success());
    let study = only_folder(&studies).to_string_lossy().into_owned();
    let said = autobench(&kept, &["show", &study, "--all"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("ceiling   reaches "), "{said}");
    assert!(said.contains("f32 arithmetic of"), "{said}");
    // Where no ceilings are stored for the device, the study's folder still has them.
    let nowhere = folder.path().join("nowhere");
    let elsewhere = json(&autobench(&nowhere, &["export", &study, "--format", "json"]));
    assert_eq!(elsewhere["shares"][0]["roof"]["of"], "f32", "{}", elsewhere["shares"]);
    let sizes = fs::read_to_string(Path::new(&study).join("sizes.csv")).expect("a table");
    assert!(sizes.contains("arithmetic f32"), "{sizes}");

    // A damaged file or one of a later version gives a message, and the study still has its answer.
    let file = only_folder(&kept);
    for (damage, words) in [
        ("{\"format\":", "EOF"),
        ("{}", "its `format` is not"),
        (r#"{"format":"autobench-ceilings","version":99}"#, "update autobench"),
    ] {
        fs::write(&file, damage).expect("written");
        let other = folder.path().join(words.len().to_string());
        let output = tuned(&kept, &other);
        let warned = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{warned}");
        assert!(warned.contains("holds no ceilings") && warned.contains(words), "{warned}");
        let study = only_folder(&other).to_string_lossy().into_owned();
        let said = autobench(&kept, &["show", &study, "--all"]);
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.contains("no ceilings are known for this device"), "{said}");
    }
    // The profile's folder restores the stored ceilings.
    let from = profile.to_string_lossy().into_owned();
    let again = json(&autobench(&kept, &["profile", "--from", &from, "--json"]));
    assert_eq!(again, record);
}

#[test]
fn a_folder_without_ceilings_and_several_devices_are_refused_in_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().to_string_lossy().into_owned();
    let kept = folder.path().join("kept");
    let output = autobench(&kept, &["profile", "--from", &empty]);
    assert!(!output.status.success());
    sentence(&output);
    let several = sentence(&autobench(&kept, &["profile", "--device", "cuda:0,1"]));
    assert!(several.contains("several devices"), "{several}");
    let shown = autobench(&kept, &["profile", "--show"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("no ceilings are known here"), "{shown}");
}
