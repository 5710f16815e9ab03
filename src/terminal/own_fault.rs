//! Reports panics as failures, with one sentence and the documented exit code.

use std::{
    any::Any,
    backtrace::{Backtrace, BacktraceStatus},
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicBool, Ordering},
};

use super::{Failure, output};

/// Runs `work`. Reports a panic and returns `None` if there was one.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    // Only the first panic is reported: panics that follow in other threads add nothing.
    static TOLD: AtomicBool = AtomicBool::new(false);
    panic::set_hook(Box::new(|panic| {
        if TOLD.swap(true, Ordering::Relaxed) {
            return;
        }
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        output::error(&failure(&place, panic.payload()));
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            output::note(&trace.to_string());
        }
    }));
    panic::catch_unwind(AssertUnwindSafe(work)).ok()
}

fn failure(place: &str, payload: &(dyn Any + Send)) -> Failure {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let what = text.unwrap_or("it does not say why").lines().collect::<Vec<_>>().join(" ");
    Failure::bug(format!("autobench has a fault at {place}: {what}")).hint(
        "what was reported is recorded, and `autobench resume` goes on with a study; please report this with your command and what RUST_BACKTRACE=1 adds",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::ExitStatus;

    #[test]
    fn a_panic_becomes_one_sentence_with_a_next_step() {
        let told = failure("src/x.rs:1:2", &"first\nsecond".to_owned());
        assert_eq!(told.exit, ExitStatus::Bug);
        let text = told.to_string();
        assert!(text.starts_with("error: autobench has a fault at src/x.rs:1:2: first second\n"));
        assert!(text.contains("RUST_BACKTRACE=1"), "{text}");
    }

    #[test]
    fn work_that_panics_has_no_result() {
        let usual = panic::take_hook();
        let results = (guarded(|| panic!("on purpose")).is_none(), guarded(|| 7));
        panic::set_hook(usual);
        assert_eq!(results, (true, Some(7)));
    }
}
