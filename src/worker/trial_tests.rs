//! Trials on a device that does exactly what a test wants.

use autobench_sdk::document::{Fill, Role};

use super::{
    Checking, MeasurePlan, Verification,
    arena::Arena,
    checked::Judge,
    fake::{FakeDevice, FakeInstance, workload},
    kernels::Kernels,
    references::References,
    trial::Bench,
    workload::Workload,
};
use crate::{
    accuracy::ErrorMetric,
    records::{Exit, Outcome, Status},
};

struct Table {
    device: FakeDevice,
    arena: Arena,
    kernels: Kernels,
    references: References,
    instance: FakeInstance,
}

impl Table {
    fn new() -> Self {
        Self {
            device: FakeDevice::new(1e-3),
            arena: Arena::default(),
            kernels: Kernels::default(),
            references: References::default(),
            instance: FakeInstance::default(),
        }
    }

    fn trial(&mut self, workload: &Workload, checking: &Checking) -> Outcome {
        let plan = MeasurePlan { min_seconds: 0.0, ..MeasurePlan::default() };
        let judge = Judge::new(checking, ErrorMetric::Nrmse, 1e-4);
        self.instance.seed = checking.seed.unwrap_or(0);
        let seed = self.instance.seed;
        let (mut bench, instance) = self.bench();
        bench.trial(workload, instance, (judge, seed), &plan)
    }

    fn does(&mut self, does: &str) -> Outcome {
        self.trial(&small(does), &Checking::default())
    }

    fn calls(&self, what: &str) -> usize {
        self.device.calls.iter().filter(|call| call.starts_with(what)).count()
    }
}

impl Table {
    fn bench(&mut self) -> (Bench<'_>, &mut FakeInstance) {
        let bench = Bench {
            device: &mut self.device,
            arena: &mut self.arena,
            kernels: &mut self.kernels,
            references: &mut self.references,
        };
        (bench, &mut self.instance)
    }
}

fn small(does: &str) -> Workload {
    workload(does, 100, Role::Out, Fill::Ramp { start: 0.0, step: 1.0 })
}

#[test]
fn a_right_kernel_is_measured_with_its_error_metrics_and_observers() {
    let mut table = Table::new();
    let outcome = table.does("right");
    assert_eq!(outcome.status, Status::Measured, "{outcome:?}");
    let measurement = outcome.measurement.expect("measured");
    assert_eq!(measurement.seconds.interval, (1e-3, 1e-3));
    assert_eq!((measurement.exit, measurement.batch), (Exit::Precise, 1));
    assert!(measurement.cold && measurement.samples.len() == 10);
    assert_eq!(measurement.error, Some(0.0));
    assert_eq!(measurement.metrics.get("rate"), Some(&1000.0));
    assert_eq!(measurement.metrics.get("kernel_registers"), Some(&12.0));
    assert!(!measurement.metrics.contains_key("none"), "no NaN in a record");
    assert!(outcome.costs.total() > 0.0);
}

#[test]
fn every_way_to_fail_has_its_status_and_a_reason_that_names_the_culprit() {
    let expected = [
        ("syntax", Status::CompileFailed, "expected `;`"),
        ("shuffle", Status::Invalid, "no warp shuffles"),
        ("threads", Status::Invalid, "2048 threads"),
        ("launch", Status::RunFailed, "launch failed"),
        ("tires", Status::RunFailed, "no longer launches"),
        ("behind", Status::RunFailed, "behind argument `c`"),
        ("input", Status::RunFailed, "changed argument `a`"),
        (
            "unwritten",
            Status::WrongResult,
            "1 of 100 elements of `c` were never written, the first at index 99",
        ),
        ("nan", Status::WrongResult, "1 of 100 elements of `c` are NaN, the first at index 99"),
        ("wrong", Status::WrongResult, "`c[99]` is 1000000000 and should be 100"),
        ("infinite", Status::WrongResult, "`c[99]` is inf"),
    ];
    let mut table = Table::new();
    for (does, status, reason) in expected {
        let outcome = table.does(does);
        assert_eq!(outcome.status, status, "{does}: {outcome:?}");
        assert!(outcome.reason.contains(reason), "{does}: {}", outcome.reason);
        assert!(outcome.measurement.is_none());
        let after = table.does("right");
        assert_eq!(after.status, Status::Measured, "after `{does}`: {}", after.reason);
    }
}

#[test]
fn a_write_into_the_slack_of_a_larger_buffer_is_seen() {
    let mut table = Table::new();
    let large = workload("right", 1000, Role::Out, Fill::Zero);
    assert_eq!(table.trial(&large, &Checking::default()).status, Status::Measured);
    let outcome = table.does("slack");
    assert_eq!(outcome.status, Status::RunFailed);
    assert!(outcome.reason.contains("behind the end of argument `c`"), "{}", outcome.reason);
}

#[test]
fn buffers_inputs_kernels_and_references_are_made_once() {
    let mut table = Table::new();
    for _ in 0..3 {
        assert_eq!(table.does("right").status, Status::Measured);
    }
    assert_eq!((table.calls("allocate"), table.calls("fill"), table.calls("compile")), (2, 1, 1));
    assert_eq!(table.instance.asked, 1);
    let fresh = Checking { seed: Some(7), ..Checking::default() };
    assert_eq!(table.trial(&small("right"), &fresh).status, Status::Measured);
    assert_eq!((table.calls("allocate"), table.calls("fill")), (2, 2));
    assert_eq!(table.instance.asked, 2, "another seed has other answers");
}

#[test]
fn growing_gives_small_buffers_back_and_too_much_is_refused_before_it_is_taken() {
    let mut table = Table::new();
    table.does("right");
    let large = workload("right", 1000, Role::Out, Fill::Zero);
    assert_eq!(table.trial(&large, &Checking::default()).status, Status::Measured);
    assert_eq!((table.calls("allocate"), table.calls("free")), (4, 2));
    let huge = workload("right", 1_000_000, Role::Out, Fill::Zero);
    let outcome = table.trial(&huge, &Checking::default());
    assert_eq!(outcome.status, Status::RunFailed);
    assert!(outcome.reason.contains("the device has 1048576 free"), "{}", outcome.reason);
    assert_eq!(table.does("right").status, Status::Measured);
}

#[test]
fn an_inout_argument_is_restored_before_every_sample() {
    let mut table = Table::new();
    let outcome =
        table.trial(&workload("right", 100, Role::Inout, Fill::Zero), &Checking::default());
    assert_eq!(outcome.status, Status::Measured, "{outcome:?}");
    // The checked run, the warm-up, two runs that decide on batches, ten samples: the first of
    // the two is decisive.
    assert_eq!(table.calls("copy"), 1 + 1 + 1 + 10);
    let calls = &table.device.calls;
    for (at, _) in calls.iter().enumerate().filter(|(_, call)| call.starts_with("time")) {
        assert_eq!(calls[at - 1], "copy");
    }
}

#[test]
fn a_plugin_fills_in_chunks() {
    let mut table = Table::new();
    let filled = workload("right", 100, Role::Out, Fill::Plugin);
    assert_eq!(table.trial(&filled, &Checking::default()).status, Status::Measured);
    assert_eq!(table.calls("fill"), 0);
}

#[test]
fn a_raised_reject_keeps_a_wrong_result_with_its_error_for_the_penalty() {
    let mut table = Table::new();
    let lenient = Checking { reject: Some(f64::MAX), ..Checking::default() };
    let outcome = table.trial(&small("wrong"), &lenient);
    assert_eq!(outcome.status, Status::Measured);
    assert!(outcome.measurement.expect("measured").error.expect("compared") > 1e4);
    let outcome = table.trial(&small("infinite"), &lenient);
    assert_eq!(outcome.status, Status::WrongResult, "an infinite error never passes");
}

#[test]
fn without_verification_only_completeness_is_looked_at() {
    let mut table = Table::new();
    let off = Checking { verification: Verification::Off, ..Checking::default() };
    let outcome = table.trial(&small("wrong"), &off);
    assert_eq!(outcome.status, Status::Measured);
    assert_eq!(outcome.measurement.expect("measured").error, None);
    assert_eq!(table.trial(&small("unwritten"), &off).status, Status::WrongResult);
}

#[test]
fn finalists_take_turns_and_a_broken_one_does_not_stop_the_others() {
    let mut table = Table::new();
    let judge = Judge::new(&Checking::default(), ErrorMetric::Nrmse, 1e-4);
    let plan = MeasurePlan { min_seconds: 0.0, warmup: 2, ..MeasurePlan::default() };
    let (mut bench, instance) = table.bench();
    let finalists = [small("right"), small("wrong"), small("tires"), small("also right")];
    let outcomes = bench.in_turn(&finalists, instance, (judge, 0), &plan);
    let statuses: Vec<Status> = outcomes.iter().map(|outcome| outcome.status).collect();
    let expected = [Status::Measured, Status::WrongResult, Status::RunFailed, Status::Measured];
    assert_eq!(statuses, expected);
    let of = |at: usize| outcomes[at].measurement.as_ref().expect("measured");
    assert_eq!((of(0).seconds.count, of(3).seconds.count), (10, 10));
    assert!(of(0).metrics.contains_key("kernel_registers"));
}

#[test]
fn an_a_a_run_of_a_steady_device_shows_no_noise() {
    let mut table = Table::new();
    let judge = Judge::new(&Checking::default(), ErrorMetric::Nrmse, 1e-4);
    let (mut bench, instance) = table.bench();
    let noise = bench.noise(&small("right"), instance, (judge, 0)).expect("it runs");
    assert_eq!((noise.difference, noise.spread), (0.0, 0.0));
    let failed = bench.noise(&small("nan"), instance, (judge, 0));
    assert_eq!(failed.expect_err("it is wrong").status, Status::WrongResult);
}
