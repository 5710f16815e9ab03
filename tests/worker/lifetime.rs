//! A worker and its child processes never outlive its parent, whatever the worker is doing.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use worker::Client;

use super::support::{PATIENT, Parts, plugin, setup, trial, worker};

/// Variable that makes this test binary play the parent that is killed.
const PARENT: &str = "AUTOBENCH_TEST_PARENT";

/// Started by the test below: holds a worker that never answers.
#[test]
#[ignore = "run by the next test, in a process of its own"]
fn parent_to_be_killed() {
    let folder = std::env::var(PARENT).expect("not a test by itself");
    let folder = Path::new(&folder);
    let mut client: Client = worker(folder);
    let library = folder.join("libendless.so");
    client.set_up(setup(folder, &library), PATIENT).expect("set up");
    let number = client.process_id().expect("it runs").to_string();
    std::fs::write(folder.join("number"), number).expect("writable");
    trial(&mut client, 1000, 2, PATIENT);
}

#[test]
fn a_worker_in_an_endless_kernel_dies_with_a_killed_parent() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if plugin(folder.path(), "endless", &Parts::default()).is_none() {
        return;
    }
    let mut parent = Command::new(std::env::current_exe().expect("this test"))
        .args(["--ignored", "--exact", "lifetime::parent_to_be_killed"])
        .env(PARENT, folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a parent");
    let number = folder.path().join("number");
    let started = Instant::now();
    while !number.exists() && started.elapsed() < PATIENT {
        std::thread::sleep(Duration::from_millis(20));
    }
    // Long enough for the kernel to be compiled and to start its endless run.
    std::thread::sleep(Duration::from_millis(1500));
    let process = std::fs::read_to_string(&number).expect("the worker's number");
    assert!(alive(&process), "the worker should be busy");
    parent.kill().expect("ours");
    parent.wait().expect("ours");
    let killed = Instant::now();
    while alive(&process) {
        assert!(killed.elapsed() < PATIENT, "worker {process} lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process runs; a zombie does not.
fn alive(process: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", process.trim()));
    state.is_ok_and(|state| !state.contains(") Z ") && !state.contains(") X "))
}

#[test]
fn dropping_a_client_ends_its_worker() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let client = worker(folder.path());
    let process = client.process_id().expect("it runs").to_string();
    assert!(alive(&process));
    drop(client);
    assert!(!alive(&process));
}
