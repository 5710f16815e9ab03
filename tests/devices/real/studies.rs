//! A whole study of misbehaving kernels runs to its end.

use std::process::Command;

use super::machine::{benchmark, device, program};

#[test]
fn a_study_over_every_fault_ends_with_a_row_for_each_and_the_sound_one_as_winner() {
    let Some((device, _alone)) = device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let output = Command::new(program())
        .arg("tune")
        .arg(benchmark(folder.path()))
        .args(["--device", &device, "--size", "4096", "--strategy", "exhaustive", "--quiet"])
        .args(["--samples", "5", "--trial-timeout", "5", "--time", "600", "--json", "--out"])
        .arg(&out)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let studies: Vec<_> = std::fs::read_dir(&out).expect("results").flatten().collect();
    let journal = std::fs::read_to_string(studies[0].path().join("journal.jsonl"));
    let journal = journal.expect("a journal");
    let rows: Vec<serde_json::Value> = journal
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .filter(|event| event["event"] == "trial" && event["phase"] == "search")
        .collect();
    assert_eq!(rows.len(), 10, "{journal}");
    let measured = rows.iter().filter(|row| row["outcome"]["status"] == "measured");
    // Two faults of GPUs are harmless on a CPU.
    assert!(measured.count() <= if device.starts_with("cpu") { 3 } else { 1 }, "{journal}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let best = &result["workload"]["best"]["configuration"];
    assert!(device.starts_with("cpu") || best["does"] == 0, "{result}");
}
