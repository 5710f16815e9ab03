//! Misbehaving plugins and kernels cost a trial and give a message. The program survives, and the
//! next trial works.

use std::time::Duration;

use records::Status;
use worker::{Locator, WorkerFault};

use super::support::{PATIENT, Parts, plugin, setup, trial, worker};

const SIZE: u64 = 1000;

#[test]
fn kernels_that_do_their_worst_cost_a_trial_each() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(library) = plugin(folder.path(), "hostile", &Parts::default()) else { return };
    let mut client = worker(folder.path());
    client.set_up(setup(folder.path(), &library), PATIENT).expect("set up");
    let expected = [
        (1, Status::Crashed, "segmentation fault (SIGSEGV)"),
        (3, Status::RunFailed, "argument `c`"),
        (
            4,
            Status::WrongResult,
            "1 of 1000 elements of `c` were never written, the first at index 999",
        ),
        (5, Status::WrongResult, "1 of 1000 elements of `c` are NaN, the first at index 999"),
        (6, Status::WrongResult, "(40 of 1000 compared elements differ)"),
        (7, Status::CompileFailed, "error"),
        (8, Status::RunFailed, "changed argument `a`"),
    ];
    let first = trial(&mut client, SIZE, 0, PATIENT);
    assert_eq!(first.status, Status::Measured, "{first:?}");
    for (does, status, why) in expected {
        let outcome = trial(&mut client, SIZE, does, PATIENT);
        assert_eq!(outcome.status, status, "{does}: {outcome:?}");
        assert!(outcome.reason.contains(why), "{does}: {}", outcome.reason);
        assert!(!outcome.reason.contains('\n'), "one sentence: {}", outcome.reason);
        let after = trial(&mut client, SIZE, 0, PATIENT);
        assert_eq!(after.status, Status::Measured, "after {does}: {}", after.reason);
    }
}

#[test]
fn a_kernel_that_never_ends_is_killed_in_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(library) = plugin(folder.path(), "endless", &Parts::default()) else { return };
    let mut client = worker(folder.path());
    client.set_up(setup(folder.path(), &library), PATIENT).expect("set up");
    assert_eq!(trial(&mut client, SIZE, 0, PATIENT).status, Status::Measured);
    let outcome = trial(&mut client, SIZE, 2, Duration::from_secs(4));
    assert_eq!(outcome.status, Status::TimedOut);
    assert!(outcome.reason.contains("did not end within 4.0 s"), "{}", outcome.reason);
    assert_eq!(trial(&mut client, SIZE, 0, PATIENT).status, Status::Measured);
    // On a busy machine it was tried once more, and the reason says so.
    let expected = if outcome.reason.contains("waited") { 2 } else { 1 };
    assert!(
        (1..=expected).contains(&client.restarts()),
        "{}: {}",
        client.restarts(),
        outcome.reason
    );
}

#[test]
fn plugins_that_crash_hang_or_babble_are_answered_in_a_sentence() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let describe = |describe| Parts { describe, ..Parts::default() };
    let cases = [
        ("segfault", describe("*(volatile int*)8 = 1; return 0;"), "segmentation fault (SIGSEGV)"),
        (
            "last_words",
            describe("fputs(\"I cannot go on\\n\", stderr); abort();"),
            "an abort (SIGABRT); its last words: I cannot go on",
        ),
        ("garbage", describe("say(document, \"{]\"); return 0;"), ""),
        ("refuses", describe("say(message, \"not today\"); return 1;"), "not today"),
    ];
    let mut client = worker(folder.path());
    for (name, parts, why) in cases {
        let Some(library) = plugin(folder.path(), name, &parts) else { return };
        let reply = client.describe(&Locator::Library(library), PATIENT);
        let fault = reply.expect_err("a fault").to_string();
        assert!(fault.contains(why) && !fault.contains('\n'), "{name}: {fault}");
    }
    let Some(hangs) = plugin(folder.path(), "hangs", &describe("for (;;) sleep(1);")) else {
        return;
    };
    let hangs = Locator::Library(hangs);
    let fault = client.describe(&hangs, Duration::from_millis(800)).expect_err("it hangs");
    assert!(matches!(fault, WorkerFault::TimedOut { .. }), "{fault:?}");
    let chatty =
        "printf(\"hello from a plugin\\n\"); fflush(stdout); say(document, DOCUMENT); return 0;";
    let Some(chatty) = plugin(folder.path(), "chatty", &describe(chatty)) else { return };
    client.describe(&Locator::Library(chatty), PATIENT).expect("a document");
    let log = std::fs::read_to_string(folder.path().join("worker.log")).expect("a log");
    assert!(log.contains("hello from a plugin"), "{log}");
}

#[test]
fn a_plugin_that_fails_at_a_size_costs_that_trial() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let build = "if (size == 2000) for (;;) sleep(1); \
                 if (size == 3000) { say(message, \"three thousand is too many\"); return 1; } \
                 if (size == 4000) *(volatile int*)8 = 1; \
                 *instance = (void*)seed; return 0;";
    let reference = "if (count == 5000) { say(message, \"I forgot\"); return 1; } \
                     for (uint64_t k = 0; k < count; k++) \
                     elements[k] = indices[k] * 0.000030517578125 + 1.0; return 0;";
    let parts = Parts { build, reference, ..Parts::default() };
    let Some(library) = plugin(folder.path(), "picky", &parts) else { return };
    let mut client = worker(folder.path());
    client.set_up(setup(folder.path(), &library), PATIENT).expect("set up");
    let cases = [
        (2000, Status::TimedOut, "did not end within"),
        (3000, Status::RunFailed, "three thousand is too many"),
        (4000, Status::Crashed, "SIGSEGV"),
        (5000, Status::RunFailed, "I forgot"),
    ];
    for (size, status, why) in cases {
        let hangs = status == Status::TimedOut;
        let patience = if hangs { Duration::from_secs(5) } else { PATIENT };
        let outcome = trial(&mut client, size, 0, patience);
        assert_eq!(outcome.status, status, "{size}: {outcome:?}");
        assert!(outcome.reason.contains(why), "{size}: {}", outcome.reason);
        let after = trial(&mut client, SIZE, 0, PATIENT);
        assert_eq!(after.status, Status::Measured, "after {size}: {}", after.reason);
    }
}
