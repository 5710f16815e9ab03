//! Clocks and power limits as parameters, with a simulated NVML whose settings outlive processes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::libraries::{self, simulated, words};
use crate::support;

/// Long enough for everything, even on a busy machine.
const PATIENT: Duration = Duration::from_secs(120);
/// State of the simulated card before any change.
const USUAL: &str = "700000 0";

/// A folder with a simulated card, a log of its changes, and results.
struct Card(tempfile::TempDir);

impl Card {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn program(&self) -> Command {
        let nvml = libraries::build("libnvidia-ml", include_str!("nvml.cpp"));
        let mut command = simulated(support::command());
        command
            .env("AUTOBENCH_NVML", nvml)
            .env("SIMULATED_NVML_STATE", self.path("card"))
            .env("XDG_STATE_HOME", self.path("state"));
        command
    }

    fn tune(&self, controls: &[&str]) -> Command {
        let mut command = self.program();
        command.args(["tune", "vecadd", "--size", "4k", "--seed", "1"]);
        command.args(["--param", "block_size_x=64", "--param", "vector_width=1"]);
        command.args(["--param", "precision=f32"]);
        command.args(["--device", "cuda", "--strategy", "exhaustive", "--quiet", "--out"]);
        command.arg(self.path("out"));
        for control in controls {
            command.args(["--control", control]);
        }
        command
    }

    /// All settings that the card had, in order.
    fn settings(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("card")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn is_usual(&self) -> bool {
        self.settings().last().is_none_or(|last| last == USUAL)
    }

    fn notes(&self) -> usize {
        let folder = self.path("state").join("autobench").join("controls");
        fs::read_dir(folder).map_or(0, |entries| entries.count())
    }

    fn restore(&self) -> String {
        words(&self.program().args(["devices", "--restore"]).output().expect("it runs"))
    }
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENT;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn number(process: u32) -> Pid {
    i32::try_from(process).ok().and_then(Pid::from_raw).expect("a process")
}

/// Child processes of a process.
fn children(parent: u32) -> Vec<u32> {
    let of_parent = |process: &u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let after = stat.rsplit_once(')').map(|(_, after)| after.to_owned()).unwrap_or_default();
        after.split_whitespace().nth(1) == Some(parent.to_string().as_str())
    };
    let names = fs::read_dir("/proc").expect("Linux").flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.to_str()?.parse().ok()).filter(of_parent).collect()
}

/// Starts a long study, and waits until it has changed the card.
fn long_study(card: &Card) -> Child {
    let mut command = card.tune(&["sm_clock=1200,1500", "power_limit=300,400"]);
    command.args(["--min-time", "2", "--samples", "100000000", "--precision", "1e-9"]);
    command.args(["--time", "1000"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    until("the study sets nothing", || !card.settings().is_empty() && !card.is_usual());
    child
}

fn trials(out: &Path) -> Vec<serde_json::Value> {
    let study = fs::read_dir(out).expect("results").flatten().next().expect("a study");
    let text = fs::read_to_string(study.path().join("journal.jsonl")).expect("a journal");
    let events = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    events.filter(|event: &serde_json::Value| event["event"] == "trial").collect()
}

#[test]
fn clocks_and_limits_are_parameters_and_come_back() {
    if libraries::are_in_use() {
        return;
    }
    let card = Card::new();
    let output: Output =
        card.tune(&["sm_clock=1980,1200", "power_limit=300,500"]).output().expect("it runs");
    assert!(output.status.success(), "{}", words(&output));
    let trials = trials(&card.path("out"));
    let searched: Vec<_> = trials.iter().filter(|trial| trial["phase"] == "search").collect();
    assert_eq!(searched.len(), 16, "four of the kernel's times two clocks times two limits");
    assert!(searched.iter().all(|trial| trial["outcome"]["status"] == "measured"));
    let settings = card.settings();
    for clock in ["1980", "1200"] {
        for limit in ["300000", "500000"] {
            assert!(settings.contains(&format!("{limit} {clock}")), "{settings:?}");
        }
    }
    assert!(card.is_usual(), "{settings:?}");
    assert_eq!(card.notes(), 0);
    assert!(card.restore().contains("nothing is left to undo"));
}

#[test]
fn without_the_flag_nothing_is_set() {
    if libraries::are_in_use() {
        return;
    }
    let card = Card::new();
    let output = card.tune(&[]).output().expect("it runs");
    assert!(output.status.success(), "{}", words(&output));
    assert_eq!(card.settings(), [""; 0]);
}

#[test]
fn who_may_not_is_told_before_there_is_a_study() {
    if libraries::are_in_use() {
        return;
    }
    let card = Card::new();
    let forbidden = card.tune(&["sm_clock=1200"]).env("SIMULATED_NVML_FORBIDDEN", "1").output();
    let said = words(&forbidden.expect("it runs"));
    assert!(said.contains("a clock of 1200 MHz cannot be set") && said.contains("root"), "{said}");
    let beyond = words(&card.tune(&["power_limit=900"]).output().expect("it runs"));
    assert!(beyond.contains("from 200 to 700 W"), "{beyond}");
    assert!(!card.path("out").exists() && card.is_usual());
}

#[test]
fn a_signal_gives_the_card_back() {
    if libraries::are_in_use() {
        return;
    }
    // One signal to end, two signals to end at once, and a kill.
    for signals in [&[Signal::TERM][..], &[Signal::INT, Signal::INT], &[Signal::KILL]] {
        let card = Card::new();
        let mut study = long_study(&card);
        for signal in signals {
            // The second signal may be too late.
            let _ = kill_process(number(study.id()), *signal);
        }
        until("the card is not given back", || card.is_usual());
        until("the note stays", || card.notes() == 0);
        study.wait().expect("it ends");
    }
}

#[test]
fn what_nobody_could_undo_is_undone_later() {
    if libraries::are_in_use() {
        return;
    }
    for by_hand in [true, false] {
        let card = Card::new();
        let mut study = long_study(&card);
        let other = card.tune(&["sm_clock=1300"]).output().expect("it runs");
        assert!(words(&other).contains("another study, process"), "{}", words(&other));
        // A cluster ends a job in this way: it kills the study's workers first.
        let send = |process, signal| kill_process(number(process), signal).expect("it lives");
        send(study.id(), Signal::STOP);
        children(study.id()).into_iter().for_each(|worker| send(worker, Signal::KILL));
        send(study.id(), Signal::KILL);
        study.wait().expect("it ends");
        assert!(!card.is_usual() && card.notes() == 1);
        if by_hand {
            let said = card.restore();
            assert!(said.contains("700 W again") && said.contains("free again"), "{said}");
        } else {
            let output = card.tune(&[]).args(["--budget", "1"]).output().expect("it runs");
            let said = words(&output);
            assert!(output.status.success() && said.contains("free again"), "{said}");
        }
        assert!(card.is_usual() && card.notes() == 0);
    }
}
