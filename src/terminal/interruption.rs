//! Signals that end the program.

use std::sync::{Arc, OnceLock, atomic::AtomicBool};

use super::Failure;

/// Returns the flag that is set by Ctrl-C, SIGTERM or closing the terminal. A second signal ends
/// the program at once. All studies share the flag, so that a signal between two studies is not
/// lost.
pub fn interruption() -> Result<Arc<AtomicBool>, Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(flag) = FLAG.get() {
        return Ok(Arc::clone(flag));
    }
    let flag = Arc::clone(FLAG.get_or_init(Arc::default));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag))
            .map_err(Failure::bug)?;
        signal_hook::flag::register(signal, Arc::clone(&flag)).map_err(Failure::bug)?;
    }
    Ok(flag)
}
