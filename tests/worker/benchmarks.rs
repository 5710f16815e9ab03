//! The benchmarks that come with autobench, measured through a worker.

use std::path::PathBuf;

use super::support::{PATIENT, setup, worker};
use autobench::{
    plugins::Benchmark,
    records::Status,
    worker::{Locator, MeasurePlan},
};

/// A plugin beside this test's executable.
fn library(name: &str) -> PathBuf {
    let here = std::env::current_exe().expect("this test");
    let file = format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    here.parent().expect("a folder").join(file)
}

fn measures(name: &str, sizes: &[u64]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = library(name);
    let mut client = worker(folder.path());
    let described = client.describe(&Locator::Library(library.clone()), PATIENT);
    let benchmark = Benchmark::new(described.expect("a document")).expect("a sound document");
    client.set_up(setup(folder.path(), &library), PATIENT).expect("set up");
    let defaults = benchmark.defaults();
    for &size in sizes {
        let outcome = client.measure(size, &defaults, &MeasurePlan::default(), PATIENT);
        assert_eq!(outcome.status, Status::Measured, "{name} at {size}: {}", outcome.reason);
        let measurement = outcome.measurement.expect("measured");
        let error = measurement.error.expect("compared");
        assert!(error <= benchmark.document().error.bound, "{error}");
        let secondary = measurement.metrics[&benchmark.document().secondary];
        assert!(secondary > 0.0 && measurement.cold == Some(true));
        eprintln!(
            "{name} {size}: {:.3} ms, {secondary:.2} {}, {:?}, {} samples, {:?}",
            measurement.seconds.median * 1e3,
            benchmark.document().secondary,
            measurement.exit,
            measurement.seconds.count,
            outcome.costs
        );
    }
}

#[test]
fn vecadd_is_right_and_measured_at_small_and_odd_sizes() {
    measures("vecadd", &[1000, 100_003, 3_000_001]);
}

#[test]
fn gemm_is_right_and_measured_at_small_and_odd_sizes() {
    measures("gemm", &[64, 150, 512]);
}
