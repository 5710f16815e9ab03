//! Programs of the user's as benchmarks: a guest behind a socket in this process, and started ones
//! that answer badly.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{autobench, command, exhaustive, sentence};

/// A simulated kernel: so many seconds for every run, and so many for every element.
const LAUNCH: f64 = 1e-5;
const ELEMENT: f64 = 1e-9;

/// A guest that listens in this process.
struct Simulated {
    socket: PathBuf,
    connections: Arc<AtomicUsize>,
}

impl Simulated {
    fn listen(folder: &Path) -> Self {
        let socket = folder.join("adder");
        let listener = UnixListener::bind(&socket).expect("a socket");
        let connections = Arc::<AtomicUsize>::default();
        let made = Self { socket, connections: Arc::clone(&connections) };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                connections.fetch_add(1, Ordering::Relaxed);
                std::thread::spawn(move || serve(&stream));
            }
        });
        made
    }

    fn path(&self) -> &str {
        self.socket.to_str().expect("UTF-8")
    }
}

fn serve(stream: &UnixStream) {
    let mut kernels: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let asked: Value = serde_json::from_str(&line).expect("a request");
        let number = |name: &str| asked[name].as_u64().expect("a number");
        let reply = match asked["request"].as_str().expect("a request") {
            "describe" => description(),
            "footprint" | "open" => json!({"bytes": 12 * number("size")}),
            "compile" => {
                let block = asked["configuration"]["BLOCK"].as_u64().expect("a parameter");
                kernels.insert(number("kernel"), (number("size"), block));
                match block {
                    512 => json!({"fault": "compile", "reason": "too many registers"}),
                    1024 => json!({"fault": "invalid", "reason": "no such block"}),
                    _ => json!({"facts": {"registers": 32}}),
                }
            }
            "check" => {
                let wrong = kernels[&number("kernel")].1 == 256;
                let found = if wrong { json!([1, 9]) } else { json!([1, 2]) };
                json!({"outputs": [{"name": "out", "found": found, "expected": [1, 2]}]})
            }
            "sample" => {
                let (size, block) = kernels[&number("kernel")];
                let runs = number("runs") as f64;
                let once = LAUNCH + ELEMENT * size as f64 * (1.0 + 8.0 / block as f64);
                json!({"seconds": runs * once})
            }
            "close" => json!({}),
            other => panic!("{other}"),
        };
        if writeln!(&mut &*stream, "{reply}").is_err() {
            return;
        }
    }
}

fn description() -> Value {
    let benchmark = json!({
        "name": "adder",
        "about": "adds",
        "size": {"start": 64, "meaning": "elements", "largest": 16 << 20},
        "parameters": [{"name": "BLOCK", "values": [32, 64, 128, 256, 512, 1024]}],
        "restrictions": ["BLOCK <= size"],
        "bytes": "12 * size",
    });
    let device = json!({
        "name": "simulated", "backend": "cpu", "compiler": "none", "memory": [1u64 << 34, 1u64 << 33],
        "timer": [1e-9, 1e-9],
    });
    json!({"protocol": 1, "benchmark": benchmark, "device": device})
}

fn only_study(out: &Path) -> PathBuf {
    let mut folders = fs::read_dir(out).expect("results").map(|entry| entry.expect("one").path());
    folders.next().expect("a study")
}

fn column(folder: &Path, file: &str, name: &str) -> Vec<String> {
    let mut rows = csv::Reader::from_path(folder.join(file)).expect("a table");
    let at = rows.headers().expect("a header").iter().position(|known| known == name);
    let at = at.unwrap_or_else(|| panic!("no {name} in {file}"));
    rows.records().map(|row| row.expect("a row")[at].to_owned()).collect()
}

#[test]
fn a_guest_is_tuned_at_every_size_and_its_knee_is_found() {
    let folder = TempDir::new().expect("a folder");
    let guest = Simulated::listen(folder.path());
    let out = folder.path().join("out");
    let ran =
        autobench(&["run", guest.path(), "--budget", "6", "--out", out.to_str().expect("UTF-8")]);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    let study = only_study(&out);
    assert!(said.contains("settled"), "{said}");
    assert!(said.contains("BLOCK=128"), "{said}");
    let statuses = column(&study, "trials.csv", "status");
    for expected in ["measured", "compile-failed", "invalid", "wrong-result"] {
        assert!(statuses.iter().any(|status| status == expected), "no {expected}: {statuses:?}");
    }
    // A worker keeps its guest, and after each wrong result a new worker begins.
    let wrong = statuses.iter().filter(|status| *status == "wrong-result").count();
    assert!(guest.connections.load(Ordering::Relaxed) <= 3 + 2 * wrong);
}

#[test]
fn a_study_of_a_guest_survives_a_kill_at_any_moment() {
    let folder = TempDir::new().expect("a folder");
    let guest = Simulated::listen(folder.path());
    let times = if exhaustive() { 30 } else { 2 };
    for after in (0..times).map(|at| 900 + 130 * at) {
        let out = folder.path().join(format!("out-{after}"));
        let mut run = command();
        run.args(["run", guest.path(), "--budget", "6", "--quiet", "--out"]).arg(&out);
        let mut child = run.stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(after));
        child.kill().expect("killed");
        child.wait().expect("it ended");
        // Before the study's folder is made, nothing was reported.
        let Ok(mut folders) = fs::read_dir(&out) else { continue };
        let study = folders.next().expect("a study").expect("one").path();
        let told = |lines: &str| -> Vec<String> {
            let trial = |line: &&str| line.contains("\"event\":\"trial\"") && line.ends_with('}');
            lines.lines().filter(trial).map(str::to_owned).collect()
        };
        let before = told(&fs::read_to_string(study.join("journal.jsonl")).expect("a journal"));
        let resumed = autobench(&["resume", study.to_str().expect("UTF-8")]);
        assert!(resumed.status.success(), "{after}: {resumed:?}");
        let after = told(&fs::read_to_string(study.join("journal.jsonl")).expect("a journal"));
        assert_eq!(after[..before.len()], before[..]);
    }
}

#[test]
fn the_space_of_a_guest_is_shown() {
    let folder = TempDir::new().expect("a folder");
    let shown = autobench(&["space", &started(folder.path(), "shown", "")]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("BLOCK"), "{shown:?}");
}

#[test]
fn a_guest_brings_its_own_device() {
    let folder = TempDir::new().expect("a folder");
    let guest = Simulated::listen(folder.path());
    let refused = autobench(&["run", guest.path(), "--device", "cuda"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(sentence(&refused).contains("`--device cuda` cannot be; leave it out"));
}

/// A shell script that answers `describe` and then does as told.
fn started(folder: &Path, name: &str, then: &str) -> String {
    let path = folder.join(name);
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do case $line in\n*describe*) echo '{}';;\n\
         *footprint*) echo '{{\"bytes\": 4096}}';;\n*open*) echo '{{\"bytes\": 4096}}';;\n{then}\n\
         *compile*) echo '{{}}';;\n*check*) echo '{{}}';;\n\
         *sample*) echo '{{\"seconds\": 0.01}}';;\n*) echo '{{}}';;\nesac; done\n",
        description()
    );
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path.to_str().expect("UTF-8").to_owned()
}

/// Tunes a guest at one size with two configurations. Returns the status and reason of a trial that
/// failed.
fn outcome(folder: &Path, name: &str, then: &str) -> (String, String) {
    let guest = started(folder, name, then);
    let out = folder.join(format!("out-{name}"));
    let arguments = [
        "tune",
        &guest,
        "--size",
        "4096",
        "--param",
        "BLOCK=32,64",
        "--trial-timeout",
        "2",
        "--out",
    ];
    let mut tune = command();
    let ran = tune.args(arguments).arg(&out).output().expect("it runs");
    assert!(!String::from_utf8_lossy(&ran.stderr).contains("panicked"), "{ran:?}");
    let study = only_study(&out);
    let (statuses, mut reasons) =
        (column(&study, "trials.csv", "status"), column(&study, "trials.csv", "reason"));
    let at = statuses.iter().position(|status| status != "measured").unwrap_or(0);
    (statuses[at].clone(), reasons.swap_remove(at))
}

#[test]
fn bad_answers_are_outcomes_that_say_what_was_wrong() {
    let folder = TempDir::new().expect("a folder");
    for (name, then, status, reason) in [
        ("negative", "*sample*) echo '{\"seconds\": -1}';;", "run-failed", "took -1 of seconds"),
        ("null", "*sample*) echo '{\"seconds\": null}';;", "run-failed", "no number"),
        ("garbage", "*sample*) echo hello;;", "crashed", "the guest `garbage` answered `hello`"),
        ("nan", "*sample*) echo '{\"seconds\": NaN}';;", "crashed", "answered"),
        ("number", "*compile*) echo 7;;", "crashed", "answered `7`"),
        ("silence", "*check*:2,*) sleep 1000;;", "timed-out", "did not end within"),
        (
            "unknown",
            "*check*) echo '{\"fault\": \"wrong\"}';;",
            "crashed",
            "answered with an unknown fault",
        ),
        ("death", "*compile*) exit 3;;", "crashed", "the guest `death` ended with exit code 3"),
        ("killed", "*sample*) kill -SEGV $$;;", "crashed", "SEGV"),
        // Twice, so the configuration is to blame.
        (
            "ended",
            "*sample*) kill -KILL $$;;",
            "crashed",
            "its guest, which was ended from outside",
        ),
        (
            "lost",
            "*sample*) echo '{\"fault\": \"lost\", \"reason\": \"it fell off\"}';;",
            "crashed",
            "lost its device: it fell off",
        ),
        (
            "judge",
            "*check*) echo '{\"fault\": \"wrong\", \"reason\": \"not sorted\"}';;",
            "wrong-result",
            "not sorted",
        ),
    ] {
        let (found, why) = outcome(folder.path(), name, then);
        assert_eq!(found, status, "{name}: {why}");
        assert!(why.contains(reason), "{name}: {why}");
    }
}

#[test]
fn a_guest_that_is_none_is_refused_in_one_sentence() {
    let folder = TempDir::new().expect("a folder");
    let plain = folder.path().join("worker.py");
    fs::write(&plain, "print()\n").expect("written");
    let said = sentence(&autobench(&["run", plain.to_str().expect("UTF-8")]));
    assert!(said.contains("`chmod +x` it"), "{said}");
    let newer = started(folder.path(), "newer", "");
    let text =
        fs::read_to_string(&newer).expect("there").replace("\"protocol\":1", "\"protocol\":2");
    fs::write(&newer, text).expect("written");
    let said = sentence(&autobench(&["run", &newer]));
    assert!(said.contains("speaks version 2 of the protocol"), "{said}");
    let socket = folder.path().join("nobody");
    drop(UnixListener::bind(&socket).expect("a socket"));
    let said = sentence(&autobench(&["run", socket.to_str().expect("UTF-8")]));
    assert!(said.contains("where no guest listens"), "{said}");
    let silent = started(folder.path(), "silent", "");
    fs::write(&silent, "#!/bin/sh\nexit 0\n").expect("written");
    let said = sentence(&autobench(&["run", &silent]));
    assert!(said.contains("ended with exit code 0"), "{said}");
}
