//! What a machine's memory can do is known from study to study.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::support::{command, json, turn};

/// A small study, with what is known of the machine in `kept`.
fn study(kept: &Path, out: &Path) -> serde_json::Value {
    let mut command = command();
    command.env("AUTOBENCH_CEILINGS", kept);
    let plan = ["run", "vecadd", "--sizes", "1k..32k*2", "--budget", "2", "--time", "10", "--json"];
    command.args(plan).arg("--out").arg(out);
    json(&command.output().expect("the program starts"))
}

fn journal(result: &serde_json::Value) -> String {
    let folder = PathBuf::from(result["folder"].as_str().expect("a folder"));
    fs::read_to_string(folder.join("journal.jsonl")).expect("a journal")
}

/// Whether a study watched how fast the machine is while it took rounds for its answer.
fn has_rounds(journal: &str) -> bool {
    let answer = |line: &&str| line.contains("\"purpose\":\"answer\"");
    journal.lines().filter(answer).any(|line| line.contains("\"sentinel\":"))
}

/// Whether studies of before tell a study how fast the machine can be; of a virtual one it is noted that none do.
fn is_known(journal: &str) -> bool {
    let pace = journal.lines().find(|line| line.contains("\"event\":\"pace\""));
    pace.is_some_and(|pace| !pace.contains("\"studies\":0"))
}

fn pace_file(kept: &Path) -> PathBuf {
    let mut files = fs::read_dir(kept.join("paces")).expect("paces").flatten();
    files.next().expect("one").path()
}

#[test]
fn an_answer_is_weak_where_the_machine_was_faster_in_an_earlier_study() {
    let _turn = turn();
    let folder = tempfile::tempdir().expect("a folder");
    let (kept, out) = (folder.path().join("kept"), folder.path().join("out"));
    let first = study(&kept, &out);
    assert!(!is_known(&journal(&first)), "nothing was known");
    if !has_rounds(&journal(&first)) {
        assert!(!kept.join("paces").exists(), "nobody watched");
        return;
    }
    let path = pace_file(&kept);
    let mut pace: serde_json::Value =
        serde_json::from_slice(&fs::read(&path).expect("a pace")).expect("JSON");
    let seen = &mut pace["seen"][0];
    let seconds = seen["seconds"].as_f64().expect("seconds");
    assert!(seconds > 1e-6 && seen["study"].as_str().is_some_and(|study| study.contains("vecadd")));
    assert_eq!(seen["plan"].as_str().map(str::len), Some(16), "{seen}");
    // As if it had been a hundred times faster, and had settled on a knee.
    seen["seconds"] = (seconds / 100.0).into();
    seen["settled"] = 12_345.into();
    let faster = serde_json::to_vec(&pace).expect("JSON");
    fs::write(&path, &faster).expect("written");
    let slower = study(&kept, &folder.path().join("elsewhere"));
    let second = journal(&slower);
    let noted = second.lines().next().expect("a line");
    assert!(is_known(noted), "{noted}");
    let before = &slower["settled_before"];
    assert_eq!((&before["size"], &before["studies"]), (&12_345.into(), &1.into()), "{slower}");
    // The last finding is the answer; so few sizes may have no knee.
    let answer = second.lines().rfind(|line| line.contains("\"event\":\"knee\""));
    if let Some(finding) = answer.filter(|line| !line.contains("\"knee\":null")) {
        assert!(finding.contains("\"confidence\":\"weak\""), "{finding}");
        assert!(
            finding.contains("times slower than in the study of this benchmark before"),
            "{finding}"
        );
    }
    let paces: serde_json::Value =
        serde_json::from_slice(&fs::read(&path).expect("paces")).expect("JSON");
    // On a machine that is busy a study may have no time for rounds, and then sees no pace.
    let seen = 1 + usize::from(has_rounds(&second));
    assert_eq!(paces["seen"].as_array().map(Vec::len), Some(seen), "{paces}");
    // A finished study that is taken up again is no other study.
    let before = fs::read(&path).expect("paces");
    let mut resumed = command();
    resumed
        .env("AUTOBENCH_CEILINGS", &kept)
        .arg("resume")
        .arg(slower["folder"].as_str().expect("a folder"));
    assert!(resumed.output().expect("the program starts").status.success());
    assert_eq!(fs::read(&path).expect("paces"), before);
    // A damaged file is said, and ends no study.
    fs::write(&path, "{").expect("written");
    assert!(!is_known(&journal(&study(&kept, &out))));
}
