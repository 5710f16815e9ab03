//! `evolve --generator llm` with the real binary, and a local server of recorded answers: failures
//! become rows or messages, and the key is shown nowhere.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use crate::{
    chat_server::{ChatServer, Reaction},
    evolve::{CLIMBING, Family, RANDOM, answer, interrupted},
    support::{json, sentence},
};

const KEY: &str = "sk-very-secret-0123456789";
const LOOP: &str = "return { search = function() while true do end end }";

/// The family's command with the generator `llm`. The key is in our variable unless a file has it.
fn command(family: &Family, endpoint: &str, more: &[&str]) -> std::process::Command {
    let usual = ["--generator", "llm", "--endpoint", endpoint, "--generator-knob", "wait=0.01"];
    let model = if more.contains(&"--model") { &[][..] } else { &["--model", "recorded"] };
    let mut command = family.command(&[&usual[..], model, more].concat());
    command.env_remove("OPENAI_API_KEY").env_remove("AUTOBENCH_LLM_KEY");
    if !more.contains(&"--key-file") {
        command.env("AUTOBENCH_LLM_KEY", KEY);
    }
    command
}

fn evolve(family: &Family, endpoint: &str, more: &[&str]) -> Output {
    command(family, endpoint, more).output().expect("the program starts")
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let inside = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path());
    inside.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn is_key_in(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.contains("very-secret") || text.contains("0123456789")
}

#[test]
fn every_answer_of_a_model_is_a_row_and_the_key_is_nowhere() {
    for from_file in [false, true] {
        let family = Family::of(&[]);
        let key_file = family.path("key").to_string_lossy().into_owned();
        fs::write(&key_file, format!("{KEY}\n")).expect("written");
        let server = ChatServer::start([
            Reaction::says(&answer("drawing", RANDOM)),
            Reaction::too_many("0.01"),
            Reaction::says(&answer("climbing", CLIMBING)),
            Reaction::refuses(500, "out of memory"),
            Reaction::says(&answer("drawing_again", RANDOM)),
            Reaction::ends(&answer("cut", RANDOM), "length"),
            Reaction::says("I would rather not."),
            Reaction::says(&answer("looping", LOOP)),
            Reaction::Echoes(400),
        ]);
        let usual = ["--candidates", "7", "--candidate-seconds", "8", "--json"];
        let key: &[&str] = if from_file { &["--key-file", &key_file] } else { &[] };
        let told = evolve(&family, &server.endpoint(), &[&usual[..], key].concat());
        let answer = json(&told);
        assert_eq!((&answer["calls"], &answer["tokens"]), (&9.into(), &9000.into()), "{answer:#}");
        assert_eq!(answer["best"]["candidate"]["name"], "climbing", "{answer:#}");
        let calls = server.received();
        assert_eq!(calls.len(), 9);
        for call in &calls {
            assert!(call.head.contains(&format!("Bearer {KEY}")), "the key was not sent");
        }
        let rows = family.rows("family");
        let faults: Vec<&str> = rows.iter().map(|row| row[9].as_str()).collect();
        assert_eq!(faults[..3], ["", "", ""]);
        assert!(faults[3].contains("cut after 300 tokens"), "{faults:?}");
        assert_eq!(faults[4], "the answer holds no script between fences");
        // Either limit of the script may end it, depending on the machine.
        assert!(faults[5].contains("took "), "{faults:?}");
        assert!(faults[6].contains("[key]"), "{faults:?}");
        let all = files(&family.path("family"));
        assert!(all.len() > 8, "{all:?}");
        for path in all {
            assert!(!is_key_in(&fs::read(&path).expect("a file")), "{}", path.display());
        }
        assert!(!is_key_in(&told.stdout) && !is_key_in(&told.stderr), "{told:?}");
    }
}

#[test]
fn a_server_that_is_not_there_or_takes_no_setting_ends_a_new_family_at_once() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let nobody = format!("http://{}/v1", free.local_addr().expect("an address"));
    drop(free);
    let server = ChatServer::start([Reaction::refuses(400, "no seed, please")]);
    for (endpoint, words) in
        [(nobody, "could not reach http://127.0.0.1:"), (server.endpoint(), "check the settings")]
    {
        let family = Family::of(&[]);
        let ended = evolve(&family, &endpoint, &["--generator-knob", "retries=1"]);
        assert_eq!(ended.status.code(), Some(5), "{ended:?}");
        let sentence = sentence(&ended);
        assert!(sentence.contains("there is no candidate: ") && sentence.contains(words));
        assert_eq!(family.text("family/journal.jsonl"), "");
    }
    assert_eq!(server.received().len(), 1);
}

#[test]
fn tokens_of_failed_answers_count_also_when_a_family_goes_on() {
    let server = ChatServer::start([
        Reaction::ends("a", "length"),
        Reaction::says(&answer("drawing", RANDOM)),
    ]);
    let family = Family::of(&[]);
    for _ in 0..2 {
        let told = json(&evolve(&family, &server.endpoint(), &["--tokens", "3000", "--json"]));
        assert_eq!(told["ended"], "the budget of 3000 tokens is spent", "{told:#}");
        assert_eq!((&told["candidates"], &told["tokens"]), (&2.into(), &3000.into()));
    }
    assert_eq!(server.received().len(), 2);
}

#[test]
fn a_family_goes_on_elsewhere_but_not_with_another_model() {
    let server = || ChatServer::start([Reaction::says(&answer("drawing", RANDOM))]);
    let (first, second) = (server(), server());
    let family = Family::of(&[]);
    let told = evolve(&family, &first.endpoint(), &["--candidates", "1"]);
    assert!(told.status.success(), "{told:?}");
    let other = ["--candidates", "2", "--generator-knob", "timeout=60"];
    let told = evolve(&family, &second.endpoint(), &other);
    assert!(told.status.success(), "{told:?}");
    assert_eq!((first.received().len(), second.received().len()), (1, 1));
    let record = family.text("family/family.json");
    for more in [["--model", "another"], ["--generator-knob", "temperature=0.5"]] {
        let refused = evolve(&family, &second.endpoint(), &more);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(sentence(&refused).contains("another family"), "{refused:?}");
        assert_eq!(family.text("family/family.json"), record);
    }
}

#[test]
fn who_waits_for_a_model_hears_ctrl_c() {
    for reaction in [Reaction::Hangs, Reaction::too_many("500")] {
        let server = ChatServer::start([reaction]);
        let family = Family::of(&[]);
        let mut command = command(&family, &server.endpoint(), &[]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        while server.received().is_empty() {
            std::thread::sleep(Duration::from_millis(20));
        }
        let ended = interrupted(child);
        assert_eq!(ended.status.code(), Some(130), "{ended:?}");
        let sentence = sentence(&ended);
        assert!(sentence.contains("interrupted at candidate 1 of 6"), "{sentence}");
        assert!(sentence.contains("go on with the same command"), "{sentence}");
    }
}
