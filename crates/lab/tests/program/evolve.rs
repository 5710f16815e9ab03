//! `evolve` with the real binary: families from recorded answers, on generated spaces.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    support::{autobench, command, json, sentence},
    valley::space,
};

/// A script that draws at random.
pub(crate) const RANDOM: &str = "return { search = function(problem)
    while true do
        local next = problem.unknown()
        if next == nil then return end
        problem.evaluate(next)
    end
end }";

/// One of the examples, which is better than random.
pub(crate) const CLIMBING: &str = include_str!("../../src/scripts/examples/local_search.luau");

/// A script that fails in its third line.
const FAULTY: &str = "return { search = function(problem)
    problem.evaluate(problem.default)
    problem.cheat()
end }";

/// A script that computes for long before every evaluation.
const SLOW: &str = "return { search = function(problem)
    while true do
        for i = 1, 4000000 do end
        problem.evaluate(problem.random())
    end
end }";

/// An answer of a generator with this script.
pub(crate) fn answer(name: &str, code: &str) -> String {
    format!("{name}: says what it does\n\n```lua\n{code}\n```\n")
}

/// A family's folder with its spaces and answers.
pub(crate) struct Family {
    place: tempfile::TempDir,
}

impl Family {
    /// A folder with recorded answers, two training spaces and two other spaces.
    pub(crate) fn of(answers: &[Value]) -> Self {
        let place = tempfile::tempdir().expect("a folder");
        let spaces = place.path().join("training");
        let others = place.path().join("others");
        for (folder, names) in [(&spaces, ["one", "two"]), (&others, ["three", "four"])] {
            fs::create_dir(folder).expect("made");
            for (at, name) in names.into_iter().enumerate() {
                let scale = if folder == &spaces { 1.0 } else { 7.0 };
                space(folder, name, scale * (1.0 + at as f64));
            }
        }
        let lines: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
        fs::write(place.path().join("answers.jsonl"), lines).expect("written");
        Self { place }
    }

    /// The usual answers: two good scripts, a fault, a copy, an answer without code, and no answer.
    fn usual() -> Self {
        Self::of(&[
            json!({ "text": answer("drawing", RANDOM), "tokens": { "read": 100, "written": 10 } }),
            json!({ "text": answer("cheating", FAULTY) }),
            json!({ "text": answer("climbing", CLIMBING), "calls": 3 }),
            json!({ "text": answer("drawing_again", RANDOM) }),
            json!({ "text": "I would rather not." }),
            json!({ "unanswered": "the model did not answer", "calls": 5 }),
        ])
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
    }

    /// The command, with arguments that replace or extend the usual ones.
    pub(crate) fn command(&self, more: &[&str]) -> Command {
        let mut program = command();
        let path = |name: &str| self.path(name).to_string_lossy().into_owned();
        let usual = [
            ("--spaces", path("training")),
            ("--generator", "transcript".to_owned()),
            ("--transcript", path("answers.jsonl")),
            ("--candidates", "6".to_owned()),
            ("--parents", "2".to_owned()),
            ("--offspring", "2".to_owned()),
            ("--repeats", "3".to_owned()),
            ("--seed", "5".to_owned()),
            ("--out", path("family")),
        ];
        program.arg("evolve");
        let other = more.contains(&"--generator");
        let unless = |flag: &str| more.contains(&flag) || other && flag == "--transcript";
        for (flag, value) in usual.iter().filter(|(flag, _)| !unless(flag)) {
            program.args([*flag, value.as_str()]);
        }
        program.args(more);
        program
    }

    fn evolve(&self, more: &[&str]) -> Output {
        self.command(more).output().expect("the program starts")
    }

    /// The table of candidates, without the columns that vary between runs.
    pub(crate) fn rows(&self, folder: &str) -> Vec<Vec<String>> {
        let text = self.text(&format!("{folder}/candidates.csv"));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let heads = reader.headers().expect("a head").clone();
        let stays = |at: usize| !heads[at].contains("seconds");
        let row = |row: csv::StringRecord| {
            row.iter().enumerate().filter(|(at, _)| stays(*at)).map(|(_, c)| c.to_owned()).collect()
        };
        reader.records().map(|record| row(record.expect("a row"))).collect()
    }
}

#[test]
fn a_family_is_listed_and_shown_and_says_how_it_goes_on() {
    let family = Family::usual();
    let said = |arguments: &[&str]| {
        let mut program = command();
        let output = program.args(arguments).current_dir(family.path("")).output();
        let output = output.expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let ended = family.evolve(&["--candidates", "3"]);
    assert_eq!(ended.status.code(), Some(0));
    let (code, listed, _) = said(&["results", "."]);
    assert_eq!(code, Some(0));
    assert!(listed.contains("family by transcript") && listed.contains("finished"), "{listed}");
    assert!(listed.contains("3 of 3 candidates, best climbing"), "{listed}");
    let (code, shown, _) = said(&["show", "family"]);
    assert_eq!(code, Some(0));
    assert!(shown.starts_with("best      climbing (candidate 3)"), "{shown}");
    assert!(shown.contains("command   ") && !shown.contains("unfinished"), "{shown}");
    let (_, journal, _) = said(&["show", "family", "--journal"]);
    assert_eq!(journal.lines().count(), 3, "{journal}");
    let (code, _, why) = said(&["resume", "family"]);
    assert_eq!(code, Some(2));
    assert!(why.contains("holds a family") && why.contains(" evolve --spaces "), "{why}");
    // The plan of the final table may change until the table is made.
    let others = family.path("others").to_string_lossy().into_owned();
    let test = ["--test", &others, "--test-repeats", "4", "--against", "random"];
    let tested = family.evolve(&[&test[..], &["--candidates", "3"]].concat());
    assert_eq!(tested.status.code(), Some(0), "{}", String::from_utf8_lossy(&tested.stderr));
    let (_, shown, _) = said(&["show", "family"]);
    assert!(shown.contains("random") && shown.contains("--test-repeats 4"), "{shown}");
    let without = family.evolve(&["--candidates", "3"]);
    assert!(sentence(&without).contains("--test had `"), "{without:?}");
}

#[test]
fn the_best_of_a_family_is_a_script_that_has_the_same_score_elsewhere() {
    let family = Family::usual();
    let others = family.path("others").to_string_lossy().into_owned();
    let more = ["--test", &others, "--test-repeats", "4", "--against", "random,greedy_mls"];
    let answer = json(&family.evolve(&[&more[..], &["--json"]].concat()));
    assert_eq!(answer["candidates"], 6, "{answer:#}");
    assert_eq!(answer["failed"], 3, "{answer:#}");
    assert_eq!(answer["calls"], 12);
    assert_eq!(answer["tokens"], 110);
    let best = &answer["best"]["candidate"];
    assert_eq!(best["name"], "climbing", "{answer:#}");
    let score = best["score"].as_f64().expect("a score");

    // The result of `score` for the best script.
    let spaces = family.path("training").to_string_lossy().into_owned();
    let out = family.path("scores").to_string_lossy().into_owned();
    let script = family.path("family/best.luau").to_string_lossy().into_owned();
    let scored = |spaces: &str, repeats: &str| {
        let arguments = ["score", "--spaces", spaces, "--strategies", &script, "--json"];
        let more = ["--repeats", repeats, "--seed", "5", "--out", &out];
        json(&autobench(&[&arguments[..], &more].concat()))["strategies"][0]["score"].clone()
    };
    assert_eq!(scored(&spaces, "3").as_f64(), Some(score));
    let test = &answer["test"];
    assert_eq!(scored(&others, "4"), test["rows"][0]["score"], "{test:#}");

    let rows = test["rows"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["strategy"].as_str()).collect();
    assert_eq!(names, ["climbing", "random", "greedy_mls"]);
    let ahead =
        rows[0]["score"].as_f64().expect("a score") - rows[1]["score"].as_f64().expect("one");
    let told = rows[1]["difference"]["score"].as_f64().expect("a difference");
    assert!((ahead - told).abs() < 1e-12, "{test:#}");
    assert_eq!(test["spaces"], json!(["four", "three"]));

    let journal = family.text("family/journal.jsonl");
    assert_eq!(journal.matches("\"event\":\"tested\"").count(), 1);
    // The table is made once; the same command prints it again.
    let again = json(&family.evolve(&[&more[..], &["--json"]].concat()));
    assert_eq!(again, answer);
    assert_eq!(family.text("family/journal.jsonl"), journal);
    let record = family.text("family/family.json");
    let refused = family.evolve(&[&more[..], &["--candidates", "7"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    assert!(sentence(&refused).contains("no longer unseen"), "{refused:?}");
    assert_eq!(family.text("family/family.json"), record, "what was refused is not recorded");
}

#[test]
fn every_candidate_is_a_row_with_its_lineage_and_its_fault() {
    let family = Family::usual();
    let told = family.evolve(&[]);
    assert!(told.status.success(), "{told:?}");
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(text.contains("best      climbing (candidate 3)"), "{text}");
    assert!(text.contains("6 candidates in 3 generations, 3 failed"), "{text}");
    let rows = family.rows("family");
    let column = |at: usize| rows.iter().map(|row| row[at].as_str()).collect::<Vec<_>>();
    assert_eq!(column(0), ["1", "2", "3", "4", "5", "6"]);
    assert_eq!(column(2), ["1", "1", "2", "2", "3", "3"]);
    assert_eq!(column(3)[..2], ["begin", "begin"]);
    let (faults, parents) = (column(9), column(4));
    assert_eq!(faults[1], "002.luau:3: attempt to call a nil value");
    assert_eq!(faults[4], "the answer holds no script between fences");
    assert_eq!(faults[5], "the model did not answer");
    assert_eq!(rows[3][10], "1", "the code of the first: {:?}", rows[3]);
    assert_eq!((&rows[3][5], &rows[3][6]), (&rows[0][5], &rows[0][6]));
    for parent in &parents[2..4] {
        assert!(["1", "2"].contains(parent), "{parents:?}");
    }
    for parent in &parents[4..] {
        assert!(["1", "3"].contains(parent), "the two best of the first four: {parents:?}");
    }
    assert!(family.text("family/candidates/002.luau").starts_with(FAULTY));
    assert!(!family.path("family/candidates/005.luau").exists());
    let best = family.text("family/best.luau");
    assert!(best.starts_with("-- climbing (candidate 3 of a family"), "{best}");

    let page = family.text("family/report.html");
    for part in ["Family tree", "Over the calls", "climbing", "002.luau:3", "return {"] {
        assert!(page.contains(part), "the page has no {part}");
    }
    assert!(!page.contains("src=\"http") && page.contains("default-src 'none'"));
}

#[test]
fn the_same_seed_makes_the_same_family_and_a_journal_is_a_transcript() {
    let family = Family::usual();
    let path = |name: &str| family.path(name).to_string_lossy().into_owned();
    assert!(family.evolve(&[]).status.success());
    assert!(family.evolve(&["--out", &path("second")]).status.success());
    let journal = path("family/journal.jsonl");
    assert!(family.evolve(&["--out", &path("third"), "--transcript", &journal]).status.success());
    for other in ["second", "third"] {
        assert_eq!(family.rows("family"), family.rows(other), "{other}");
        for script in ["candidates/001.luau", "candidates/003.luau"] {
            let of = |folder: &str| family.text(&format!("{folder}/{script}"));
            assert_eq!(of("family"), of(other));
        }
    }
    assert_eq!(family.text("family/best.luau"), family.text("second/best.luau"));
    let seed = family.evolve(&["--out", &path("fourth"), "--seed", "6"]);
    assert!(seed.status.success());
    assert_ne!(family.rows("family"), family.rows("fourth"), "another seed draws otherwise");
}

#[test]
fn the_grammar_needs_nothing_and_makes_the_same_family_from_the_same_seed() {
    let family = Family::usual();
    let second = family.path("second").to_string_lossy().into_owned();
    let grammar = ["--generator", "grammar", "--candidates", "3", "--repeats", "1"];
    assert!(family.evolve(&grammar).status.success());
    assert!(family.evolve(&[&grammar[..], &["--out", &second]].concat()).status.success());
    assert_eq!(family.rows("family"), family.rows("second"));
    for script in ["best.luau", "candidates/001.luau", "candidates/003.luau"] {
        let of = |folder: &str| family.text(&format!("{folder}/{script}"));
        assert_eq!(of("family"), of("second"), "{script}");
    }
}

#[test]
fn a_family_that_was_killed_anywhere_goes_on_to_the_same_end() {
    let family = Family::usual();
    assert!(family.evolve(&[]).status.success());
    let whole = fs::read(family.path("family/journal.jsonl")).expect("a journal");
    let (rows, best) = (family.rows("family"), family.text("family/best.luau"));
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
    assert_eq!(ends.len(), 13, "two lines for every candidate, and the finals");
    // Cuts after a line, and cuts within a line.
    for cut in [ends[0], ends[2], ends[4] + 20, ends[5], ends[8] - 2, ends[11]] {
        fs::write(family.path("family/journal.jsonl"), &whole[..cut]).expect("cut");
        for made in ["best.luau", "candidates.csv", "report.html", "candidates/001.luau"] {
            let _ = fs::remove_file(family.path("family").join(made));
        }
        let again = family.evolve(&[]);
        assert!(again.status.success(), "{cut}: {again:?}");
        assert_eq!(family.rows("family"), rows, "{cut}");
        assert_eq!(family.text("family/best.luau"), best, "{cut}");
        assert!(family.path("family/candidates/001.luau").exists());
    }
}

#[test]
fn a_family_goes_on_only_with_what_it_began_with() {
    let family = Family::usual();
    assert!(family.evolve(&["--candidates", "2"]).status.success());
    assert!(
        family.evolve(&["--candidates", "3"]).status.success(),
        "more candidates may be wanted"
    );
    let refused = |more: &[&str], words: &str| {
        let refused = family.evolve(more);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        let sentence = sentence(&refused);
        assert!(sentence.contains(words), "{words}: {sentence}");
    };
    refused(&["--seed", "6"], "--seed was 5, and is 6 now");
    refused(&["--repeats", "4"], "--repeats was 3, and is 4 now");
    let one = family.path("training/one.json").to_string_lossy().into_owned();
    refused(&["--spaces", &one], "--spaces had `two`, and has it no more");
    space(&family.path("training"), "two", 99.0);
    refused(&[], "`two` of --spaces has another content now");
}

#[test]
fn wrong_input_is_told_before_anything_is_made() {
    let family = Family::usual();
    let path = |name: &str| family.path(name).to_string_lossy().into_owned();
    let refused = |more: &[&str], words: &str| {
        let refused = family.evolve(more);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        let sentence = sentence(&refused);
        assert!(sentence.contains(words), "{words}: {sentence}");
        assert!(!family.path("family").exists(), "{words}");
    };
    refused(&["--generator", "gramar"], "no generator named `gramar`");
    refused(&["--transcript", &path("missing.jsonl")], "there is no such file");
    refused(&["--generator-knob", "depth=3"], "no knob named `depth`");
    refused(&["--model", "any"], "--model is for the generator `llm`");
    refused(&["--generator", "grammar", "--endpoint", "x"], "--endpoint is for");
    let key_file = path("answers.jsonl");
    refused(&["--generator", "grammar", "--key-file", &key_file], "--key-file is for");
    refused(&["--against", "anealing"], "simulated_annealing");
    refused(&["--test", &path("training")], "`one` is among both --spaces and --test");
    // The same recording under another name.
    fs::copy(family.path("training/two.json"), family.path("others/five.json")).expect("copied");
    refused(&["--test", &path("others")], "`five` of --test is the same recording as `two`");
    refused(&["--target", "gemm"], "no training space is of the kernel `gemm`");
    let refused = family.evolve(&["--out", &path("others")]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(sentence(&refused).contains("something else than a family"), "{refused:?}");
    assert!(family.evolve(&["--target", "valley", "--with-description"]).status.success());
}

#[test]
fn a_family_without_further_answers_ends_early_and_can_be_closed() {
    let family = Family::usual();
    let others = family.path("others").to_string_lossy().into_owned();
    let test = ["--test", &others, "--test-repeats", "2", "--against", "random"];
    let ended = family.evolve(&[&test[..], &["--candidates", "9"]].concat());
    assert!(ended.status.success(), "{ended:?}");
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(text.contains("after 6 of 9 candidates: the transcript has no answer 7"), "{text}");
    assert!(!family.text("family/journal.jsonl").contains("\"tested\""));
    let spent =
        family.evolve(&[&test[..], &["--tokens", "100", "--json", "--candidates", "9"]].concat());
    let spent = json(&spent);
    assert_eq!(spent["ended"], "the budget of 100 tokens is spent", "{spent:#}");
    let closed = json(&family.evolve(&[&test[..], &["--json"]].concat()));
    assert_eq!(closed["ended"], Value::Null);
    assert_eq!(closed["test"]["rows"].as_array().map(Vec::len), Some(2), "{closed:#}");
}

#[test]
fn a_family_in_which_all_fails_found_nothing() {
    let family = Family::of(&[
        json!({ "text": answer("one", FAULTY) }),
        json!({ "text": answer("two", SLOW) }),
    ]);
    let ended = family.evolve(&["--candidates", "2", "--candidate-seconds", "0.5"]);
    assert_eq!(ended.status.code(), Some(5), "{ended:?}");
    assert!(sentence(&ended).contains("candidate 1 failed: 001.luau:3"), "{ended:?}");
    assert_eq!(family.rows("family")[1][9], "took longer than 0.5 s for 6 runs");
}

#[test]
fn an_interrupted_family_says_how_it_goes_on() {
    let family = Family::of(&[
        json!({ "text": answer("drawing", RANDOM) }),
        json!({ "text": answer("slow", SLOW) }),
    ]);
    let mut program = family.command(&["--candidates", "2", "--candidate-seconds", "3000"]);
    let child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    // Wait until the second candidate runs.
    while journal_lines(&family.path("family/journal.jsonl")) < 3 {
        std::thread::sleep(Duration::from_millis(20));
    }
    // A second process is refused, and changes nothing.
    let record = family.text("family/family.json");
    let second = family.evolve(&["--candidates", "5", "--candidate-seconds", "3000"]);
    assert!(!second.status.success(), "{second:?}");
    assert_eq!(family.text("family/family.json"), record);
    let ended = interrupted(child);
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    let sentence = sentence(&ended);
    assert!(sentence.contains("interrupted at candidate 2 of 2"), "{sentence}");
    assert!(sentence.contains("go on with the same command"), "{sentence}");
    assert_eq!(family.rows("family").len(), 1);
    assert!(family.path("family/best.luau").exists());
}

/// Sends Ctrl-C, and returns the program's output.
pub(crate) fn interrupted(child: Child) -> Output {
    let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).expect("a process"));
    rustix::process::kill_process(id.expect("one"), rustix::process::Signal::INT).expect("sent");
    child.wait_with_output().expect("ended")
}

#[test]
fn an_interrupted_final_table_is_called_so() {
    let family = Family::of(&[json!({ "text": answer("drawing", RANDOM) })]);
    let others = family.path("others").to_string_lossy().into_owned();
    let more = ["--candidates", "1", "--final-repeats", "0", "--against", "random"];
    let mut program =
        family.command(&[&more[..], &["--test", &others, "--test-repeats", "100000"]].concat());
    let child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    while journal_lines(&family.path("family/journal.jsonl")) < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let ended = interrupted(child);
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    assert!(sentence(&ended).contains("interrupted in the final table"), "{ended:?}");
}

#[test]
fn a_folder_of_a_family_that_was_killed_before_it_began_is_taken() {
    let family = Family::usual();
    fs::create_dir_all(family.path("family/candidates")).expect("made");
    fs::write(family.path("family/journal.jsonl"), "").expect("written");
    assert!(family.evolve(&["--candidates", "1"]).status.success());
}

#[test]
fn a_family_goes_on_with_a_transcript_that_has_grown_but_with_no_other() {
    let family = Family::of(&[json!({ "text": answer("drawing", RANDOM) })]);
    assert!(family.evolve(&["--candidates", "2"]).status.success());
    let one = family.text("answers.jsonl");
    let more = json!({ "text": answer("climbing", CLIMBING) });
    fs::write(family.path("answers.jsonl"), format!("{one}{more}\n")).expect("written");
    assert!(family.evolve(&["--candidates", "2"]).status.success());
    assert_eq!(family.rows("family").len(), 2);
    fs::write(family.path("answers.jsonl"), format!("{more}\n{more}\n")).expect("written");
    let refused = family.evolve(&["--candidates", "3"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(sentence(&refused).contains("another answer 1 now"), "{refused:?}");
}

#[test]
fn a_fault_is_told_also_where_another_run_lasts_until_the_limit() {
    // Costs on the other space are twice as high.
    let code = "return { search = function(problem)
    if problem.evaluate(problem.default) > 12 then
        while true do problem.evaluate(problem.default) end
    end
    problem.cheat()
end }";
    let family = Family::of(&[json!({ "text": answer("two_faced", code) })]);
    let more = ["--candidates", "1", "--candidate-seconds", "2"];
    assert_eq!(family.evolve(&more).status.code(), Some(5));
    assert_eq!(family.rows("family")[0][9], "001.luau:5: attempt to call a nil value");
}

fn journal_lines(path: &Path) -> usize {
    fs::read(path).map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
}
