//! Every fault by itself, each followed by a correct kernel.

use std::time::Duration;

use records::Status;

use super::machine::{PATIENT, device, trial, worker};

const SIZE: u64 = 4096;
/// Elements of two buffers of a terabyte together, in a grid that GPUs allow.
const BEYOND: u64 = 1 << 37;
/// Timeout for a kernel that never ends.
const ENDLESS: Duration = Duration::from_secs(5);

/// A fault, the outcome of its trial on a GPU, and a part of the message.
const FAULTS: &[(i64, &str, Status, &str)] = &[
    (1, "an illegal address", Status::RunFailed, "memory that nobody allocated"),
    (2, "a misaligned address", Status::RunFailed, "no multiple of the access's size"),
    (3, "a trap", Status::RunFailed, ""),
    (4, "a failing assertion", Status::RunFailed, "an assertion in a kernel failed"),
    (5, "a kernel without end", Status::TimedOut, "did not end within"),
    (6, "a write past the end", Status::RunFailed, "argument `c`"),
    (7, "too much shared memory", Status::Invalid, "shared"),
    (8, "no program", Status::CompileFailed, "undeclared"),
    (9, "an element that is never written", Status::WrongResult, "never written"),
];

/// Faults that every device reports; the other faults exist only on GPUs.
const OF_ANY_DEVICE: &[i64] = &[5, 6, 8, 9];

#[test]
fn every_fault_costs_its_own_trial_and_the_next_one_works() {
    let Some((device, _alone)) = device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = worker(folder.path(), &device);
    let sound = trial(&mut client, 0, SIZE, PATIENT);
    assert_eq!(sound.status, Status::Measured, "{sound:?}");
    for (does, what, status, why) in FAULTS {
        if device.starts_with("cpu") && !OF_ANY_DEVICE.contains(does) {
            eprintln!("skipped on {device}: {what}");
            continue;
        }
        let within = if *status == Status::TimedOut { ENDLESS } else { PATIENT };
        let outcome = trial(&mut client, *does, SIZE, within);
        eprintln!("{what}: {:?}, {}", outcome.status, outcome.reason);
        assert_eq!(outcome.status, *status, "{what}: {outcome:?}");
        assert!(outcome.reason.contains(why), "{what}: {}", outcome.reason);
        let after = trial(&mut client, 0, SIZE, PATIENT);
        assert_eq!(after.status, Status::Measured, "after {what}: {}", after.reason);
    }
}

#[test]
fn a_problem_beyond_the_memory_costs_its_trial() {
    let Some((device, _alone)) = device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = worker(folder.path(), &device);
    let outcome = trial(&mut client, 0, BEYOND, PATIENT);
    assert_eq!(outcome.status, Status::RunFailed, "{outcome:?}");
    let after = trial(&mut client, 0, SIZE, PATIENT);
    assert_eq!(after.status, Status::Measured, "{}", after.reason);
}
