//! Scripts as strategies with the real binary: in every command that takes a strategy, and in
//! studies, whose records contain them.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use crate::support::{autobench, command, json, sentence};

const MINE: &str = "return { about = 'mine', knobs = { step = { default = 1, from = 1, to = 9, \
                    whole = true } }, search = function(problem, knobs)
    for c = 0, problem.size - 1, knobs.step do
        problem.evaluate(c)
    end
end }";

const FAULTY: &str = "return { search = function(problem)
    for c = 0, 4 do
        problem.evaluate(c)
    end
    problem.cheat()
end }";

fn recorded(name: &str) -> String {
    format!("{}/../../tests/data/spaces/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn run_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut program: Command = command();
    program.args(arguments).current_dir(folder).output().expect("the program starts")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("mine.luau"), MINE).expect("written");
    fs::write(folder.path().join("faulty.luau"), FAULTY).expect("written");
    folder
}

#[test]
fn a_script_goes_wherever_a_strategy_goes() {
    let folder = folder();
    let run = |arguments: &[&str]| run_in(folder.path(), arguments);
    let space = recorded("gemm_cpu.json.gz");
    let simulated = json(&run(&[
        "simulate",
        "--space",
        &space,
        "--strategy",
        "./mine.luau:step=2",
        "--budget",
        "6",
        "--json",
    ]));
    assert_eq!(simulated["strategy"], "./mine.luau:step=2");
    assert_eq!(simulated["runs"][0]["evaluations"], 6);
    assert_eq!(simulated["runs"][0]["fault"], serde_json::Value::Null);
    let scored = run(&[
        "score",
        "--spaces",
        &space,
        "--strategies",
        "random,./mine.luau:step=2,step=3,prts.luau",
        "--repeats",
        "2",
        "--budget",
        "20",
    ]);
    let text = String::from_utf8_lossy(&scored.stdout).into_owned();
    for name in ["random", "./mine.luau:step=2:step=3", "prts.luau"] {
        assert!(text.contains(name), "no {name} in {text} {scored:?}");
    }
    let listed = run(&["list", "./mine.luau"]);
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(text.contains("step=1") && text.contains("whole number from 1 to 9"), "{text}");
    fs::write(
        folder.path().join("suite.yaml"),
        format!(
            "suite: scripts\nstudies:\n  - tune:\n    device: replay:{space}\n    \
                 strategy: ./mine.luau\n    budget: 5\n"
        ),
    )
    .expect("written");
    let suite = run(&["suite", "suite.yaml", "--quiet"]);
    assert!(suite.status.success(), "{suite:?}");
}

#[test]
fn a_study_carries_its_script_and_refuses_another() {
    let folder = folder();
    let run = |arguments: &[&str]| run_in(folder.path(), arguments);
    let device = format!("replay:{}", recorded("gemm_cpu.json.gz"));
    let tuned = json(&run(&[
        "tune",
        "--device",
        &device,
        "--strategy",
        "./mine.luau",
        "--knob",
        "step=3",
        "--budget",
        "5",
        "--json",
    ]));
    let study = tuned["folder"].as_str().expect("a folder").to_owned();
    let record = fs::read(folder.path().join(&study).join("study.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
    assert_eq!(record["settings"]["script"], MINE);
    assert_eq!(record["settings"]["strategy"], "./mine.luau");
    assert_eq!(record["hashes"]["script"].as_str().map(str::len), Some(64));
    let file = folder.path().join("mine.luau");
    json(&run(&["resume", &study, "--json"]));
    fs::write(&file, MINE.replace("problem.size - 1", "problem.size - 2")).expect("written");
    let refused = run(&["resume", &study]);
    assert!(!refused.status.success());
    assert!(sentence(&refused).contains("hash of the script"), "{refused:?}");
    fs::remove_file(&file).expect("removed");
    json(&run(&["resume", &study, "--json"]));
}

#[test]
fn a_script_that_fails_is_a_sentence_and_the_study_keeps_what_it_has() {
    let folder = folder();
    let run = |arguments: &[&str]| run_in(folder.path(), arguments);
    let space = recorded("gemm_cpu.json.gz");
    let tuned = run(&[
        "tune",
        "--device",
        &format!("replay:{space}"),
        "--strategy",
        "faulty.luau",
        "--json",
    ]);
    let tuned = json(&tuned);
    let fault = tuned["faults"][0]["fault"].as_str().expect("a fault");
    assert!(fault.starts_with("faulty.luau:5: "), "{fault}");
    let study = folder.path().join(tuned["folder"].as_str().expect("a folder"));
    let journal = fs::read_to_string(study.join("journal.jsonl")).expect("a journal");
    assert!(journal.contains("failed after 5 evaluations: faulty.luau:5:"), "{journal}");
    let simulated =
        run(&["simulate", "--space", &space, "--strategy", "faulty.luau", "--seeds", "3"]);
    let text = String::from_utf8_lossy(&simulated.stdout).into_owned();
    assert!(text.contains("3 of 3 runs: faulty.luau:5:"), "{text}");
    for (name, words) in [("./none.luau", "there is no script"), ("./", "no strategy named")] {
        let refused = run(&["simulate", "--space", &space, "--strategy", name]);
        assert!(sentence(&refused).contains(words), "{refused:?}");
    }
}

#[test]
fn the_built_in_suite_of_generated_optimizers_has_its_scripts() {
    let plan = json(&autobench(&["suite", "generated-optimizers", "--dry-run", "--json"]));
    assert!(plan["studies"].to_string().contains(".luau"), "{plan}");
}
