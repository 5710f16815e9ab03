//! `autobench devices --measure`: its findings as JSON and in words, its errors, and interruption.

use std::{os::unix::process::ExitStatusExt as _, process::Stdio};

use crate::support::{autobench, command, json, sentence, turn};

#[test]
fn a_device_is_examined_with_its_host() {
    let _turn = turn();
    let output = autobench(&["devices", "--measure", "cpu", "--seconds", "1", "--json"]);
    let backends = json(&output);
    let ours = backends.as_array().expect("a list").iter().find(|backend| backend[0] == "cpu");
    let device = &ours.expect("it is listed")[1]["Ok"][0];
    let copied = device["facts"]["copy_bandwidth"].as_str().expect("it was measured");
    assert!(copied.ends_with(" GB/s"), "{copied}");

    let health = &device["health"];
    assert!(health["seconds"].as_f64().is_some_and(|seconds| seconds >= 1.0), "{health}");
    let works: Vec<&str> = list(&health["noise"]).map(|n| n["work"].as_str().unwrap()).collect();
    assert_eq!(works, ["memory", "caches"]);
    for noise in list(&health["noise"]) {
        assert!(noise["samples"].as_u64().is_some_and(|count| count >= 2), "{noise}");
        assert!(noise["median"].as_f64().is_some_and(|median| median > 0.0), "{noise}");
        let counts: Vec<u64> =
            list(&noise["resolves"]).map(|answer| answer["samples"].as_u64().unwrap()).collect();
        assert_eq!(counts, [10, 30, 100, 300]);
    }
    let shares: Vec<f64> =
        list(&health["caches"]["proof"]).map(|proof| proof["share"].as_f64().unwrap()).collect();
    // Without enough memory for these reads, there are none.
    assert!(shares.is_empty() || shares == [0.1, 0.5, 0.9], "{shares:?}");
    assert!(list(&health["advice"]).all(serde_json::Value::is_string), "{health}");

    // A call instead of a separate test: two tests at once would disturb each other.
    told_in_sections();
}

fn list(value: &serde_json::Value) -> impl Iterator<Item = &serde_json::Value> {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list")).iter()
}

fn told_in_sections() {
    let output = autobench(&["devices", "--measure", "cpu:0", "--seconds", "0.5"]);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("text");
    for part in [
        "health of cpu:0",
        "  governor ",
        "  virtual machine ",
        "  stolen time ",
        "  cold\n",
        "  noise of the same reads",
        "  smallest difference that is seen (95 % confidence, 80 % power)",
        "memory, in turn ",
        "caches, apart ",
        "  what to change",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn devices_that_are_not_there_and_times_that_make_no_sense_are_refused() {
    let _turn = turn();
    for (arguments, code) in [
        (vec!["--measure", "abacus"], 2),
        (vec!["--measure", "cpu:0,1"], 2),
        (vec!["--measure", "cpu", "--seconds", "0"], 2),
        (vec!["--measure", "cpu", "--seconds", "-1"], 2),
        (vec!["--measure", "cpu", "--seconds", "nan"], 2),
        (vec!["--measure", "cpu", "--seconds", "1e9"], 2),
        (vec!["--measure", "cpu", "--seconds", "soon"], 2),
        (vec!["--seconds", "3"], 2),
        (vec!["--measure", "cpu:7"], 4),
    ] {
        let output = autobench(&[vec!["devices"], arguments.clone()].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
        sentence(&output);
    }
}

#[test]
fn an_interruption_ends_it_long_before_its_time() {
    let _turn = turn();
    let mut command = command();
    command.args(["devices", "--measure", "cpu", "--seconds", "3600"]).stdout(Stdio::null());
    let child = command.stderr(Stdio::null()).spawn().expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("it runs");
    let status = child.wait_with_output().expect("it ends").status;
    // A signal that arrives before the program handles it ends the process.
    assert!(status.code() == Some(130) || status.signal() == Some(2), "{status:?}");
}
