//! The benchmarks that are part of autobench, measured in a worker.

use plugins::Benchmark;
use records::{Named, Status};
use space::Value;
use worker::{Locator, MeasurePlan, Setup};

use super::support::{PATIENT, exhaustive, setup_of, several, worker};

fn one(name: &str) -> Locator {
    Locator::OneOf(several(), name.to_owned())
}

fn measures(name: &str, sizes: &[u64]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let locator = one(name);
    let mut client = worker(folder.path());
    let described = client.describe(&locator, PATIENT);
    let benchmark = Benchmark::new(described.expect("a document")).expect("a sound document");
    client.set_up(setup_of(folder.path(), locator, true), PATIENT).expect("set up");
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

#[test]
fn coclustering_finds_the_clusters_of_its_reference() {
    measures("coclustering", if exhaustive() { &[1000, 4096] } else { &[1000] });
}

/// A configuration with one format everywhere, and these other values.
fn of_format(benchmark: &Benchmark, format: &str, others: &[(&str, i64)]) -> Named {
    let mut configuration = benchmark.defaults();
    for (name, value) in &mut configuration.0 {
        if name.ends_with("_type") {
            *value = Value::from(format);
        }
        if let Some((_, other)) = others.iter().find(|(known, _)| known == name) {
            *value = Value::Int(*other);
        }
    }
    configuration
}

#[test]
fn every_stage_of_coclustering_is_right_by_itself_in_every_format() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let locator = one("coclustering");
    let mut client = worker(folder.path());
    let described = client.describe(&locator, PATIENT);
    let whole = Benchmark::new(described.expect("a document")).expect("a sound document");
    let others = [("statistics_block", 512), ("rows_columns", 4), ("columns_block", 64)];
    let stages = ["statistics", "rows", "columns"];
    for stage in stages {
        let benchmark = whole.of_stage(stage).expect("a stage");
        let stage = Some(stage.to_owned());
        let setup = setup_of(folder.path(), locator.clone(), true);
        let setup = Setup { stage: stage.clone(), ..setup };
        client.set_up(setup, PATIENT).expect("set up");
        let formats = [("bf16", 0.1), ("f64", 1e-13), ("f32", 1e-6)];
        for (format, most) in formats.into_iter().take(if exhaustive() { 3 } else { 1 }) {
            for others in [&[][..], &others] {
                let configuration = of_format(&benchmark, format, others);
                let plan = MeasurePlan { max_samples: 2, min_samples: 1, ..MeasurePlan::default() };
                let outcome = client.measure(3001, &configuration, &plan, PATIENT);
                assert_eq!(outcome.status, Status::Measured, "{stage:?} {}", outcome.reason);
                let error = outcome.measurement.expect("measured").error.expect("compared");
                assert!(error <= most, "{stage:?} in {format}: {error}");
            }
        }
    }
}

#[test]
fn sums_that_overflow_are_outcomes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let locator = one("coclustering");
    let mut client = worker(folder.path());
    let described = client.describe(&locator, PATIENT);
    let whole = Benchmark::new(described.expect("a document")).expect("a sound document");
    let stage = Some("rows".to_owned());
    let setup = setup_of(folder.path(), locator, true);
    client.set_up(Setup { stage, ..setup }, PATIENT).expect("set up");
    let configuration = of_format(&whole, "f16", &[("rows_block", 512), ("rows_columns", 16)]);
    let outcome = client.measure(1 << 14, &configuration, &MeasurePlan::default(), PATIENT);
    assert_eq!(outcome.status, Status::WrongResult, "{}", outcome.reason);
    let usual = client.measure(1 << 14, &whole.defaults(), &MeasurePlan::default(), PATIENT);
    assert_eq!(usual.status, Status::Measured, "{}", usual.reason);
}
