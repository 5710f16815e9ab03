//! The device under test, a worker for it, and a misbehaving benchmark.

use std::{
    path::{Path, PathBuf},
    sync::{PoisonError, RwLockWriteGuard},
    time::Duration,
};

use device::BACKENDS;
use plugins::Locator;
use records::{Named, Outcome};
use space::Value;
use worker::{Client, ClientSettings, DeviceChoice, MeasurePlan, Setup};

/// Long enough for every correct trial, even on a busy machine.
pub(crate) const PATIENT: Duration = Duration::from_secs(120);

/// The device as `--device` names it, locked for this test; `None`, with a message, if there is
/// none.
pub(crate) fn device() -> Option<(String, RwLockWriteGuard<'static, ()>)> {
    let named = std::env::var("AUTOBENCH_TEST_DEVICE").ok();
    let name = named.unwrap_or_else(|| "cuda:0".to_owned());
    let kind = name.split(':').next().unwrap_or_default();
    let backend = BACKENDS.find(kind).expect("a backend");
    match (backend.probe)() {
        Ok(_) => Some((name, crate::GPU.write().unwrap_or_else(PoisonError::into_inner))),
        Err(missing) => {
            eprintln!("skipped: {missing}");
            None
        }
    }
}

/// The program: from the variable in a packed test, otherwise the one that was built for this test.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("AUTOBENCH_WORKER_EXE")
        .map_or_else(|| env!("CARGO_BIN_EXE_autobench").into(), PathBuf::from)
}

/// Writes the benchmark `faults` to a folder.
pub(crate) fn benchmark(folder: &Path) -> PathBuf {
    let path = folder.join("faults.yaml");
    std::fs::write(&path, include_str!("faults.yaml")).expect("written");
    std::fs::write(folder.join("faults.cu"), include_str!("faults.cu")).expect("written");
    path
}

/// A worker that holds the device and the benchmark.
pub(crate) fn worker(folder: &Path, device: &str) -> Client {
    let log = folder.join("worker.log");
    let settings = ClientSettings { executable: Some(program()), ..ClientSettings::new(&log) };
    let mut client = Client::start(settings).expect("a worker");
    let (backend, ordinal) = device.split_once(':').unwrap_or((device, "0"));
    let ordinal = ordinal.parse().expect("a number");
    let setup = Setup {
        stage: None,
        benchmark: Locator::Declarative(benchmark(folder)),
        device: DeviceChoice { backend: backend.to_owned(), ordinal },
        seed: 42,
        cache: Some(folder.join("cache")),
        workers: 1,
        cold: true,
        errors: Vec::new(),
    };
    client.set_up(setup, PATIENT).expect("a device");
    client
}

/// One trial.
pub(crate) fn trial(client: &mut Client, does: i64, size: u64, within: Duration) -> Outcome {
    let values = [("block_size_x", 128), ("does", does)];
    let named = values.map(|(name, value)| (name.to_owned(), Value::Int(value)));
    let configuration = Named(named.into());
    let plan = MeasurePlan { max_samples: 3, ..MeasurePlan::default() };
    client.measure(size, &configuration, &plan, within)
}
