//! Signals that end the program.

use std::sync::{Arc, OnceLock, atomic::AtomicBool};

use super::Failure;

/// Flag that Ctrl-C, SIGTERM and the end of a terminal set; a second one ends the program at once.
/// All studies share it, so that a signal between two of them is not lost.
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
