//! Wrong input of every kind gives one clear message and the documented exit code, before any long
//! work.

use math::seeded;

use crate::{
    made::Made,
    support::{autobench, sentence},
};

#[test]
fn unknown_names_are_answered_with_what_exists() {
    for (arguments, known) in [
        (vec!["run", "vecadd", "--detector", "neele"], "kneedle"),
        (vec!["run", "vecadd", "--strategy", "anealing"], "local_search"),
        (vec!["run", "vecadd", "--device", "abacus"], "cpu"),
        (vec!["run", "vecad"], "did you mean `vecadd`"),
        (vec!["run", "vecadd", "--strategy", "anealing"], "did you mean `simulated_annealing`"),
        (vec!["run", "vecadd", "--objective", "beauty"], "bandwidth"),
        (vec!["tune", "vecadd", "--size", "1k", "--param", "blok=1"], "block_size_x"),
        (vec!["tune", "vecadd", "--size", "1k", "--knob", "colour=red"], "colour"),
        (vec!["tune", "vecadd", "--size", "1k", "--strategy", "pso:particels=9"], "`particles`"),
        (vec!["tune", "vecadd", "--size", "1k", "--strategy", "pso:preset=tpds"], "tpds2026"),
    ] {
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let message = sentence(&output);
        assert!(message.contains(known), "{arguments:?}: {message}");
    }
}

#[test]
fn sizes_of_nothing_and_nonsense_are_refused() {
    for arguments in [
        vec!["tune", "vecadd", "--size", "0"],
        vec!["tune", "vecadd"],
        vec!["run", "vecadd", "--sizes", "5,x"],
        vec!["run", "vecadd", "--factor", "1"],
        vec!["run", "vecadd", "--factor", "often"],
        vec!["run", "vecadd", "--min-run-ms", "-1"],
        vec!["run", "vecadd", "--confirm-by", "kneedle"],
        vec!["run", "vecadd", "--confirm-by", "triangle,triangle"],
        vec!["run", "vecadd", "--budget", "0"],
        vec!["run", "vecadd", "--time", "-1"],
        vec!["run", "vecadd", "--memory-share", "2"],
        vec!["run", "vecadd", "--max-error", "nan"],
        vec!["run"],
        vec!["tune", "--device", "replay:/nowhere/space.json"],
        vec!["resume", "/nowhere"],
        vec!["show", "/nowhere"],
        vec!["export", "/nowhere", "--format", "csv"],
        vec!["knee", "/nowhere.csv"],
    ] {
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        sentence(&output);
    }
}

#[test]
fn sizes_and_numbers_with_typos_are_told_how_to_be_written() {
    for (arguments, words) in [
        (["run", "vecadd", "--sizes", "1k..8k"], "`1k..8k*2` for a factor"),
        (["run", "vecadd", "--sizes", "8k..1k*2"], "ends below where it begins"),
        (["tune", "vecadd", "--size", "1kk"], "write `4096`, `1.5k`"),
        (["run", "vecadd", "--time", "lots"], "write a number of seconds, such as"),
        (["run", "vecadd", "--budget", "2x"], "write a whole number, such as"),
    ] {
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(words) && !told.contains("literal"), "{arguments:?}: {told}");
    }
}

#[test]
fn folders_that_hold_no_study_or_half_of_one_are_told_with_the_next_step() {
    let place = tempfile::tempdir().expect("a folder");
    let path = |name: &str| place.path().join(name).to_string_lossy().into_owned();
    let mut rng = seeded(5, 0);
    for benchmark in ["gemm", "fma"] {
        let made = Made { benchmark, device: "device", slowness: 1.0, wander: 0.01 };
        made.write(&place.path().join(benchmark), &mut rng);
    }
    let copy = |name: &str, without: &str| {
        let (from, to) = (place.path().join("gemm"), place.path().join(name));
        std::fs::create_dir(&to).expect("a folder");
        for file in ["study.json", "journal.jsonl"].iter().filter(|file| **file != without) {
            std::fs::copy(from.join(file), to.join(file)).expect("a copy");
        }
    };
    copy("no-journal", "journal.jsonl");
    copy("no-record", "study.json");
    copy("damaged", "");
    std::fs::write(place.path().join("damaged/study.json"), "{\"a").expect("written");
    std::fs::create_dir(place.path().join("empty")).expect("a folder");
    let (gemm, fma) = (path("gemm"), path("fma"));
    for (arguments, words) in [
        (vec!["compare", &gemm, &fma], "name studies of the same benchmark"),
        (vec!["compare", &gemm, &path("empty")], "name one that `autobench run` made"),
        (vec!["compare", &gemm, &path("no-record")], "name one that `autobench run` made"),
        (vec!["compare", &gemm, &path("no-journal")], "`autobench resume` performs it"),
        (vec!["compare", &gemm, &path("damaged")], "restore it from a copy"),
        (vec!["show", &path("no-journal")], "`autobench resume` performs it"),
        (vec!["show", &path("no-record")], "it has no `study.json`"),
        (vec!["show", &path("damaged")], "restore it from a copy"),
        (vec!["results", &path("nowhere")], "`autobench run` makes `out`"),
        (vec!["run", &path("empty")], "is a folder"),
    ] {
        let output = autobench(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
    // A journal that is cut within its last line ends before that line.
    let cut = place.path().join("cut");
    copy("cut", "");
    let journal = std::fs::read(cut.join("journal.jsonl")).expect("read");
    std::fs::write(cut.join("journal.jsonl"), &journal[..journal.len() - 20]).expect("written");
    let output = autobench(&["compare", &gemm, &path("cut")]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(2) || told.contains("is not finished"), "{output:?}");
}

#[test]
fn restrictions_that_leave_nothing_end_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_string_lossy().into_owned();
    let output = autobench(&[
        "tune",
        "vecadd",
        "--size",
        "1k",
        "--restrict",
        "block_size_x > 100000",
        "--out",
        &out,
    ]);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(sentence(&output).contains("restriction"), "{output:?}");
}

#[test]
fn an_unwritable_folder_is_told_before_anything_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").expect("a file");
    let out = file.join("out").to_string_lossy().into_owned();
    let output = autobench(&["tune", "vecadd", "--size", "1k", "--out", &out]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(sentence(&output).contains(&out), "{output:?}");
}

#[test]
fn a_missing_compiler_is_told_with_the_cure() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_string_lossy().into_owned();
    let output = crate::support::command()
        .args(["tune", "vecadd", "--size", "1k", "--out", &out])
        .env("PATH", folder.path())
        .env_remove("CXX")
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(sentence(&output).contains("g++"), "{output:?}");
}
