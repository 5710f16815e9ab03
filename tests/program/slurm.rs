//! Suites on a real SLURM cluster with one node, created for each test. Skipped with a message if
//! SLURM is not installed. Tests without a cluster run everywhere.
#![expect(clippy::print_stderr, reason = "skips are said aloud")]

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{autobench, command, exhaustive, json, sentence};

/// A cluster that ends when dropped.
struct Cluster {
    folder: tempfile::TempDir,
}

impl Cluster {
    /// Starts a cluster of one node; `None`, with a message, if SLURM is not installed.
    fn begin() -> Option<Self> {
        let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
        let there = |program: &&str| {
            std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
        };
        let wanted = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol"];
        if let Some(program) = wanted.iter().find(|program| !there(program)) {
            eprintln!("skipped: there is no `{program}`, so no cluster of SLURM can be made");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        // Another program may still take the second port; the node then reports that.
        let port = (0..100).find_map(|_| {
            let first = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
            TcpListener::bind(("127.0.0.1", first.checked_add(1)?)).ok().map(|_| first)
        });
        let port = port.expect("two free ports").to_string();
        let cluster = Self { folder };
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/slurm-cluster");
        let made = Command::new(script).arg(cluster.path("c")).arg(port).output().expect("bash");
        if !made.status.success() {
            let log = fs::read_to_string(cluster.path("c/log/slurmctld.log")).unwrap_or_default();
            panic!("{made:?}\n{log}");
        }
        Some(cluster)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program as a user of this cluster.
    fn autobench(&self, arguments: &[&str]) -> Output {
        let mut command = command();
        command.env("SLURM_CONF", self.path("c/slurm.conf"));
        command.args(arguments).output().expect("the program starts")
    }

    /// One of SLURM's own programs.
    fn slurm(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", self.path("c/slurm.conf")).args(arguments);
        command
    }

    /// Output of one of SLURM's programs.
    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.slurm(program, arguments).output().expect("it starts");
        assert!(output.status.success(), "{program}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Writes the file of a suite. Shells and SLURM would split its name unless it is quoted.
    fn suite(&self, yaml: &str) -> String {
        let path = self.path("it's mine, 100%.yaml");
        fs::write(&path, yaml).expect("written");
        text(&path)
    }

    /// Submits a suite, and returns its folder.
    fn submit(&self, yaml: &str, more: &[&str]) -> PathBuf {
        let (file, out) = (self.suite(yaml), text(&self.path("it's out, 100%")));
        let all = [&["suite", &file, "--slurm", "--out", &out, "--json"], more].concat();
        let told = json(&self.autobench(&all));
        PathBuf::from(told["folder"].as_str().expect("a folder"))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.slurm("scancel", &["--partition=test"]).status();
        // Jobs that outlive their daemons would disturb later measurements.
        for _ in 0..100 {
            let left = self.slurm("squeue", &["--noheader"]).output();
            if left.is_ok_and(|left| left.stdout.is_empty()) {
                break;
            }
            thread::sleep(Duration::from_millis(200));
        }
        for name in ["slurmd", "slurmctld", "munged"] {
            let pid = fs::read_to_string(self.path(&format!("c/run/{name}.pid")));
            if let Ok(pid) = pid {
                let _ = Command::new("kill").arg(pid.trim()).status();
            }
        }
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn space(name: &str) -> String {
    format!("replay:{}/tests/data/spaces/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A suite of three quick studies of recorded spaces.
fn replays() -> String {
    format!(
        "suite: quick\ndefaults: {{budget: 9, seed: 3}}\nstudies:\n  \
         - {{tune: , label: vectors, device: {}, repeats: 2}}\n  \
         - {{tune: , label: products, device: {}}}\n",
        space("vecadd_cpu.json.gz"),
        space("gemm_cpu.json.gz")
    )
}

/// A suite with a study on the processor that takes minutes.
const LONG: &str =
    "suite: long\nstudies:\n  - {tune: gemm, size: 512, budget: 100000, time: 600}\n";

fn states(result: &Value) -> Vec<&str> {
    let studies = result["studies"].as_array().expect("studies");
    studies.iter().map(|study| study["state"].as_str().expect("a state")).collect()
}

/// Waits up to a minute and a half for a condition.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(90), "{what} never came");
        thread::sleep(Duration::from_millis(200));
    }
}

/// Content of the journal of a suite's only study.
fn journal(suite: &Path) -> String {
    let folders = fs::read_dir(suite).expect("a folder").map(|entry| entry.expect("one").path());
    let journal = folders.map(|path| path.join("journal.jsonl")).find(|path| path.is_file());
    journal.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default()
}

fn trials(suite: &Path) -> usize {
    journal(suite).matches("\"event\":\"trial").count()
}

/// Process number of the job that performs an element of a suite.
fn element(suite: &Path) -> Option<String> {
    let own = text(suite);
    let processes = fs::read_dir("/proc").ok()?.filter_map(Result::ok);
    let is_element = |path: &Path| {
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        let words: Vec<_> = line.split(|byte| *byte == 0).collect();
        words.contains(&own.as_bytes()) && words.contains(&&b"--element"[..])
    };
    let found = processes.map(|entry| entry.path()).find(|path| is_element(path))?;
    Some(text(Path::new(found.file_name()?)))
}

#[test]
fn an_array_leaves_what_a_local_run_leaves() {
    let Some(cluster) = Cluster::begin() else { return };
    let (file, out) = (cluster.suite(&replays()), text(&cluster.path("it's out, 100%")));
    let waited = cluster.autobench(&["suite", &file, "--slurm", "--wait", "--json", "--out", &out]);
    let by_slurm = json(&waited);
    assert_eq!(states(&by_slurm), ["finished"; 3]);
    let here = text(&cluster.path("here"));
    let locally = json(&autobench(&["suite", &file, "--json", "--out", &here]));
    let answers = |result: &Value| {
        let studies = result["studies"].as_array().expect("studies").iter();
        studies
            .map(|s| (s["label"].clone(), s["seed"].clone(), s["answer"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(answers(&by_slurm), answers(&locally));
    let folder = PathBuf::from(by_slurm["folder"].as_str().expect("a folder"));
    let files = |folder: &Path| {
        let names = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = names
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.contains('.'))
            .collect();
        names.sort();
        names
    };
    let local = PathBuf::from(locally["folder"].as_str().expect("a folder"));
    assert_eq!(files(&folder), files(&local));
    let log = fs::read_to_string(folder.join("slurm/study-0002.log")).expect("a log");
    assert!(log.contains("study 2 on "), "{log}");

    // Gathering the results a second time changes nothing.
    let before = fs::read_to_string(folder.join("journal.jsonl")).expect("a journal");
    assert_eq!(
        states(&json(&cluster.autobench(&["resume", &text(&folder), "--json"]))),
        ["finished"; 3]
    );
    assert_eq!(fs::read_to_string(folder.join("journal.jsonl")).expect("a journal"), before);
}

#[test]
fn an_element_that_is_killed_goes_on_when_submitted_again_and_cancelling_keeps_what_it_has() {
    let Some(cluster) = Cluster::begin() else { return };
    let folder = cluster.submit(LONG, &[]);
    let path = text(&folder);
    until("a trial", || trials(&folder) > 1);
    let shown = cluster.autobench(&["show", &path]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("runs on node1"), "{shown:?}");
    let victim = element(&folder).expect("an element");
    assert!(Command::new("kill").args(["-9", &victim]).status().expect("kill").success());
    until("the end", || {
        let shown = cluster.autobench(&["show", &path]);
        String::from_utf8_lossy(&shown.stdout).contains("left without a word")
    });
    let before = trials(&folder);
    json(&cluster.autobench(&["resume", &path, "--json"]));
    until("a further trial", || trials(&folder) > before);
    assert!(journal(&folder).contains("\"event\":\"resumed\""), "it goes on");

    // A cancelled suite ends in good order.
    let cancelled = cluster.autobench(&["suite", "--cancel", &path]);
    assert!(cancelled.status.success(), "{cancelled:?}");
    assert_eq!(cluster.ask("squeue", &["--noheader"]), "");
    assert!(journal(&folder).contains("\"event\":\"interrupted\""), "in order");
    assert!(!journal(&folder).contains("\"crashed\""), "no configuration is blamed");
    let shown = cluster.autobench(&["show", &path]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("interrupted: "), "{shown:?}");
}

#[test]
fn a_study_ends_in_order_before_its_time_limit_and_goes_on_in_another_job() {
    if !exhaustive() {
        return;
    }
    let Some(cluster) = Cluster::begin() else { return };
    let folder = cluster.submit(LONG, &["--time-limit", "1"]);
    until("a trial", || trials(&folder) > 0);
    until("the signal", || journal(&folder).contains("\"event\":\"interrupted\""));
    until("the end", || cluster.ask("squeue", &["--noheader"]).is_empty());
    let before = trials(&folder);
    json(&cluster.autobench(&["resume", &text(&folder), "--json"]));
    until("a further trial", || trials(&folder) > before);
    assert!(journal(&folder).contains("\"event\":\"resumed\""), "it goes on");
}

#[test]
fn studies_wait_for_a_drained_node_and_for_winners() {
    let Some(cluster) = Cluster::begin() else { return };
    cluster.ask("scontrol", &["update", "NodeName=node1", "State=DRAIN", "Reason=test"]);
    let yaml = format!(
        "suite: chain\ndefaults: {{budget: 9}}\nstudies:\n  - {{tune: , label: first, device: {0}}}\n  \
         - {{tune: , label: second, device: {0}, winners_of: [first]}}\n",
        space("vecadd_cpu.json.gz")
    );
    let folder = cluster.submit(&yaml, &[]);
    let path = text(&folder);
    let shown = cluster.autobench(&["show", &path]);
    let shown = String::from_utf8_lossy(&shown.stdout);
    assert_eq!(shown.matches("waits in the queue (").count(), 2, "{shown}");
    // Studies in the queue are not submitted again.
    json(&cluster.autobench(&["resume", &path, "--json"]));
    assert_eq!(cluster.ask("squeue", &["--noheader", "--array"]).lines().count(), 2);
    cluster.ask("scontrol", &["update", "NodeName=node1", "State=RESUME"]);
    let result = json(&cluster.autobench(&["resume", &path, "--wait", "--json"]));
    assert_eq!(states(&result), ["finished"; 2]);
}

#[test]
fn scripts_are_printed_without_any_cluster() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.yaml");
    fs::write(&file, replays()).expect("written");
    let file = text(&file);
    let more = ["--gres", "gpu:1", "--time-limit", "15", "--array-limit", "2", "--sbatch=-C A4000"];
    let all = [&["suite", &file, "--slurm", "--dry-run"], &more[..]].concat();
    let printed = command().env("PATH", "").args(&all).output().expect("it starts");
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    for line in [
        "#SBATCH --array=1-3%2",
        "#SBATCH --gres=gpu:1",
        "#SBATCH --time=15",
        "#SBATCH '-C A4000'",
        "#SBATCH --signal=B:TERM@60",
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line}: {printed}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("it").count(), 1, "nothing is written");
    let absent = command().env("PATH", "").args(["suite", &file, "--slurm"]).output().expect("it");
    assert!(sentence(&absent).contains("there is no `sbatch` in PATH"), "{absent:?}");
    for (arguments, words) in [
        (&["suite", &file, "--slurm", "--time-limit", "soon"][..], "`soon` is no time limit"),
        (&["suite", &file, "--partition", "defq"], "--slurm"),
        (&["suite", &file, "--slurm", "--sbatch=exclusive"], "--sbatch=--exclusive"),
        (&["suite", "--cancel", &text(folder.path())], "was not submitted to SLURM"),
    ] {
        let output = autobench(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(sentence(&output).contains(words), "{output:?}");
    }
}

#[test]
fn elements_find_their_devices_in_the_variables_of_slurm() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.yaml");
    for (device, given, wanted) in [
        ("cuda", "CUDA_VISIBLE_DEVICES=1 SLURM_JOB_GPUS=3", "CUDA_VISIBLE_DEVICES=1 "),
        ("cuda", "SLURM_JOB_GPUS=3", "CUDA_VISIBLE_DEVICES=3 "),
        (
            "hip",
            "ROCR_VISIBLE_DEVICES=1 CUDA_VISIBLE_DEVICES=1",
            "CUDA_VISIBLE_DEVICES= ROCR_VISIBLE_DEVICES=1",
        ),
        ("hip", "SLURM_JOB_GPUS=2", "ROCR_VISIBLE_DEVICES=2"),
    ] {
        let yaml =
            format!("suite: s\nstudies:\n  - {{tune: vecadd, size: 64, device: {device}}}\n");
        fs::write(&file, yaml).expect("written");
        let told = json(&autobench(&["suite", &text(&file), "--slurm", "--dry-run", "--json"]));
        let script = told[0]["script"].as_str().expect("a script");
        let until_study: String = script
            .lines()
            .filter(|line| !line.starts_with("exec "))
            .flat_map(|line| [line, "\n"])
            .collect();
        let mut bash = Command::new("bash");
        bash.args(["-c", &until_study]).env("SLURM_ARRAY_TASK_ID", "1");
        for name in ["CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"] {
            bash.env_remove(name);
        }
        bash.envs(given.split(' ').filter_map(|pair| pair.split_once('=')));
        let said = String::from_utf8_lossy(&bash.output().expect("bash").stdout).into_owned();
        assert!(said.contains(wanted), "{device}, {given}: {said}");
    }
}
