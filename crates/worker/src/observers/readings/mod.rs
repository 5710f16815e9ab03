//! A thread that reads a device's sensors repeatedly while samples are taken.

pub(super) mod power;

use std::{
    sync::{Arc, mpsc},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use device::{SensorReading, Sensors};

/// Pause between readings, and so the accuracy with which a sensor's renewal is known. Sensors are
/// renewed every 20 to 100 ms.
const PAUSE: Duration = Duration::from_millis(10);

/// A reading and its time.
pub(super) type TimedReading = (Instant, SensorReading);

pub(super) struct Readings {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<Vec<TimedReading>>,
}

impl Readings {
    pub(super) fn start(sensors: Arc<dyn Sensors>) -> Option<Self> {
        let (stop, stopped) = mpsc::channel();
        let read = move || {
            let read = || (Instant::now(), sensors.read());
            let mut readings = vec![read()];
            while stopped.recv_timeout(PAUSE) == Err(mpsc::RecvTimeoutError::Timeout) {
                readings.push(read());
            }
            readings.push(read());
            readings
        };
        let thread = std::thread::Builder::new().name("sensors".to_owned()).spawn(read).ok()?;
        Some(Self { stop, thread })
    }

    /// Stops after a last reading. Returns all readings.
    pub(super) fn stop(self) -> Vec<TimedReading> {
        drop(self.stop);
        // A thread that panicked has no readings.
        self.thread.join().unwrap_or_default()
    }
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// A device that warms up by one degree per reading.
    #[derive(Default)]
    pub(in crate::observers) struct Warming {
        pub(in crate::observers) reads: AtomicU32,
        pub(in crate::observers) counts_energy: bool,
    }

    impl Sensors for Warming {
        fn read(&self) -> SensorReading {
            let read = f64::from(self.reads.fetch_add(1, Ordering::Relaxed));
            SensorReading {
                joules: self.counts_energy.then_some(100.0 * read),
                watts: Some(300.0),
                clock: Some(1.5e9 - 1e6 * read),
                temperature: Some(40.0 + read),
                throttled: Some(read > 0.0),
            }
        }
    }

    #[test]
    fn there_is_a_reading_at_each_end() {
        let readings = Readings::start(Arc::new(Warming::default())).expect("a thread").stop();
        assert!(readings.len() >= 2);
        assert_eq!(readings[0].1.temperature, Some(40.0));
        assert_eq!(mean(&[1.0, 2.0]), Some(1.5));
        assert_eq!(mean(&[]), None);
    }
}
