//! Examines one device in a worker, step by step. Ctrl-C interrupts the examination.

use std::{
    path::Path,
    sync::{
        atomic::Ordering,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use math::median;
use records::{CachesRecord, Steadiness};
use study::health::{Counters, Examined, HostFacts};
use worker::{Client, DeviceChoice};

use crate::terminal::{Failure, interruption};

/// Time limit of one step, long enough for a busy machine.
const STEP_TIMEOUT: Duration = Duration::from_secs(300);
/// Interval between checks for Ctrl-C.
const LISTEN: Duration = Duration::from_millis(50);
/// Seconds of noise between two readings of the sensors.
const STRETCH: f64 = 0.5;
/// Sizes of the buffers that test cold reads, as shares of the last-level cache.
const PROVEN: [f64; 3] = [0.1, 0.5, 0.9];

pub(super) struct Findings {
    /// Bandwidth of a copy within the device's memory, in bytes read and written per second.
    pub(super) copied: f64,
    /// Findings about caches, noise and the host.
    pub(super) examined: Examined,
}

/// Examines a device and watches its noise for `seconds`. Ctrl-C ends the worker together with the
/// program.
pub(super) fn examine(
    client: Client,
    choice: DeviceChoice,
    seconds: f64,
) -> Result<Findings, Failure> {
    let interrupted = interruption()?;
    let bar = bar();
    let (send, receive) = mpsc::channel();
    let mut examiner = Examiner { client, choice, bar: bar.clone() };
    let work = move || {
        // After an interruption no one receives the result, so sending may fail.
        let _ = send.send(examiner.examine(seconds));
    };
    thread::Builder::new().name("examiner".to_owned()).spawn(work).map_err(Failure::bug)?;
    loop {
        let answer = receive.recv_timeout(LISTEN);
        if interrupted.load(Ordering::Relaxed) {
            bar.finish_and_clear();
            return Err(Failure::interrupted("interrupted; nothing was kept"));
        }
        match answer {
            Ok(findings) => {
                bar.finish_and_clear();
                return findings;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::bug("examining the device ended without an answer"));
            }
        }
    }
}

/// A bar on standard error, hidden if that is not a terminal.
fn bar() -> ProgressBar {
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:20} {elapsed} {wide_msg}") {
        bar.set_style(style.progress_chars("━╸ "));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

struct Examiner {
    client: Client,
    choice: DeviceChoice,
    bar: ProgressBar,
}

impl Examiner {
    fn examine(&mut self, seconds: f64) -> Result<Findings, Failure> {
        let root = Path::new("/");
        let host = HostFacts::read(root);
        self.bar.set_message("copying");
        let copied = self.copied()?;
        self.bar.set_message("reading caches");
        let caches = self.cold()?;
        // The first call allocates buffers and sets the length of samples.
        let mut steadiness = self.watched(0.0)?;
        let process = self.client.process_id();
        let before = Counters::read(root, &host.cores, process);
        let start = Instant::now();
        let elapsed = || start.elapsed().as_secs_f64();
        while elapsed() < seconds {
            self.bar.set_message(format!("noise: {:.0} of {seconds} s", elapsed()));
            self.bar.set_position((1000.0 * elapsed() / seconds) as u64);
            steadiness.extend(self.watched(STRETCH.min(seconds - elapsed()).max(0.0))?);
        }
        let seconds = elapsed();
        let after = Counters::read(root, &host.cores, process);
        let meanwhile = after.since(&before, seconds);
        // Kernels of other devices do not run on the host's cores.
        let is_counted = host.counts_waiting && self.choice.backend == "cpu";
        let examined =
            Examined::new(host, meanwhile, caches, &steadiness, seconds, is_counted).advised();
        Ok(Findings { copied, examined })
    }

    fn copied(&mut self) -> Result<f64, Failure> {
        let copied = self.client.examine_copy(&self.choice, STEP_TIMEOUT);
        let (bytes, seconds) = copied.map_err(Failure::device)?;
        // The copy reads as many bytes as it writes.
        Ok(2.0 * bytes as f64 / median(&seconds))
    }

    fn cold(&mut self) -> Result<CachesRecord, Failure> {
        let cold = self.client.examine_cold(&self.choice, &PROVEN, STEP_TIMEOUT);
        cold.map_err(Failure::device)
    }

    fn watched(&mut self, seconds: f64) -> Result<Steadiness, Failure> {
        let steadiness = self.client.examine_steadiness(&self.choice, seconds, STEP_TIMEOUT);
        steadiness.map_err(Failure::device)
    }
}
