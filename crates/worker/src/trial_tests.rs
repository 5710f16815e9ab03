//! Trials on a device that does exactly what a test wants.

use autobench_sdk::document::{ErrorBound, Fill, Role};
use device::workload::Workload;
use records::{Costs, Exit, Named, Outcome, Status, settings::Verification};
use space::accuracy::ErrorMetric;

use super::{
    Checking, MeasurePlan,
    arena::{Arena, Placement, User},
    caches::CachePolicy,
    checked::ResultCheck,
    fake::{CACHE, FakeCode, FakeDevice, MEMORY, workload},
    kernels::Kernels,
    references::References,
    trial::Bench,
};

/// Limits of the error of which each is this one.
fn limits(bound: f64) -> ErrorBound {
    ErrorBound { bound, wrong_above: Some(bound), ..ErrorBound::default() }
}

struct TestBench {
    device: FakeDevice,
    arena: Arena,
    kernels: Kernels,
    references: References,
    code: FakeCode,
}

impl TestBench {
    /// A bench on which small workloads get four copies.
    fn new() -> Self {
        Self::with(CachePolicy::Rotated { budget: 4 * CACHE, most: MEMORY })
    }

    fn with(copies: CachePolicy) -> Self {
        Self {
            device: FakeDevice::new(1e-3),
            arena: Arena::new(copies),
            kernels: Kernels::default(),
            references: References::default(),
            code: FakeCode::default(),
        }
    }

    fn trial(&mut self, workload: &Workload, checking: &Checking) -> Outcome {
        self.judged(workload, checking, 1e-4)
    }

    fn judged(&mut self, workload: &Workload, checking: &Checking, wrong_line: f64) -> Outcome {
        let plan = MeasurePlan { min_seconds: 0.0, ..MeasurePlan::default() };
        let result_check = ResultCheck::new(checking, ErrorMetric::Nrmse, &limits(wrong_line));
        self.code.seed = checking.seed.unwrap_or(0);
        let seed = self.code.seed;
        let (mut bench, code) = self.bench();
        bench.trial((&Named::default(), workload), code, (result_check, seed), &plan, None).0
    }

    fn does(&mut self, does: &str) -> Outcome {
        self.trial(&small(does), &Checking::default())
    }

    fn calls(&self, what: &str) -> usize {
        self.device.calls.iter().filter(|call| call.starts_with(what)).count()
    }
}

impl TestBench {
    fn bench(&mut self) -> (Bench<'_>, &mut FakeCode) {
        let bench = Bench {
            device: &mut self.device,
            arena: &mut self.arena,
            kernels: &mut self.kernels,
            references: &mut self.references,
        };
        (bench, &mut self.code)
    }
}

fn small(does: &str) -> Workload {
    workload(does, 100, Role::Out, Fill::Ramp { start: 0.0, step: 1.0 })
}

#[test]
fn a_right_kernel_is_measured_with_its_error_metrics_and_observers() {
    let mut table = TestBench::new();
    let outcome = table.does("right");
    assert_eq!(outcome.status, Status::Measured, "{outcome:?}");
    let measurement = outcome.measurement.expect("measured");
    assert_eq!(measurement.seconds.interval, (1e-3, 1e-3));
    assert_eq!((measurement.exit, measurement.batch), (Exit::Precise, 1));
    assert!(measurement.cold == Some(true) && measurement.samples.len() == 10);
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
    let mut table = TestBench::new();
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
fn what_is_wrong_in_another_copy_alone_is_seen() {
    let expected = [
        ("lazy in copies", Status::WrongResult, "were never written"),
        ("nan in copies", Status::WrongResult, "are NaN"),
        ("wrong in copies", Status::WrongResult, "`c[99]` is 1000000000"),
        ("behind a copy", Status::RunFailed, "behind argument `c`"),
    ];
    for (does, status, reason) in expected {
        let mut table = TestBench::new();
        let outcome = table.does(does);
        assert_eq!(outcome.status, status, "{does}: {outcome:?}");
        assert!(outcome.reason.contains(reason), "{does}: {}", outcome.reason);
        let copy = outcome.reason.contains("in copy 4 of its arguments");
        assert_eq!(copy, status == Status::WrongResult, "{}", outcome.reason);
        assert_eq!(table.does("right").status, Status::Measured, "after `{does}`");
        // With one copy, the fault cannot occur.
        assert_eq!(TestBench::with(CachePolicy::Hot).does(does).status, Status::Measured, "{does}");
    }
}

#[test]
fn buffers_inputs_kernels_and_references_are_made_once() {
    let mut table = TestBench::new();
    for _ in 0..3 {
        assert_eq!(table.does("right").status, Status::Measured);
    }
    assert_eq!((table.calls("allocate"), table.calls("fill"), table.calls("compile")), (2, 1, 1));
    assert_eq!(table.code.asked, 1);
    let fresh = Checking { seed: Some(7), ..Checking::default() };
    assert_eq!(table.trial(&small("right"), &fresh).status, Status::Measured);
    let made = (table.calls("allocate"), table.calls("fill"));
    assert_eq!(made, (3, 2), "another seed has inputs of its own, in the place of none");
    assert_eq!(table.code.asked, 2, "another seed has other answers");
}

#[test]
fn rings_are_kept_while_there_is_room_and_too_much_is_refused_before_it_is_taken() {
    let mut table = TestBench::new();
    table.does("right");
    let large = workload("right", 1000, Role::Out, Fill::Ramp { start: 0.0, step: 1.0 });
    assert_eq!(table.trial(&large, &Checking::default()).status, Status::Measured);
    assert_eq!((table.calls("allocate"), table.calls("free")), (4, 0), "both are kept");
    let huge = workload("right", 1_000_000, Role::Out, Fill::Ramp { start: 0.0, step: 1.0 });
    let outcome = table.trial(&huge, &Checking::default());
    assert_eq!(outcome.status, Status::RunFailed);
    assert!(outcome.reason.contains("the device has 1048576 free"), "{}", outcome.reason);
    assert_eq!(table.calls("free"), 4, "what was there made room in vain");
    assert_eq!(table.does("right").status, Status::Measured);
}

#[test]
fn where_rounds_are_short_of_a_ring_the_others_stay_filled() {
    let mut table = TestBench::new();
    let ramp = Fill::Ramp { start: 0.0, step: 1.0 };
    // Together with their outputs, these take a little more memory than the device has.
    let of = |at: u32| workload("right", 11_900 + u64::from(at), Role::Out, ramp.clone());
    let workloads: Vec<Workload> = (0..11).map(of).collect();
    let mut placements: Vec<_> = workloads
        .iter()
        .map(|of| {
            table.arena.place(&mut table.device, of, (0, false), &mut table.code).expect("room")
        })
        .collect();
    let short = placements.iter().filter(|placement| !table.arena.is_current(placement)).count();
    assert!(short > 0, "all have room");
    let before = table.calls("fill");
    let calls = 12;
    for _ in 0..calls {
        table.arena.turn_to(&mut table.device, User::Rounds { sizes: 1 });
        // In a fixed order, as when rounds prepare them. In random orders nearly as few are filled,
        // whichever ring is freed.
        for _ in 0..2 {
            for (of, placement) in workloads.iter().zip(&mut placements) {
                if table.arena.is_current(placement) {
                    table.arena.note_use(placement);
                } else {
                    let (device, code) = (&mut table.device, &mut table.code);
                    *placement = table.arena.place(device, of, (0, false), code).expect("room");
                }
            }
        }
    }
    let fills = table.calls("fill") - before;
    let most = 2 * (short + 1) * calls;
    assert!(fills <= most, "{fills} fills for {short} in two turns of {calls} calls");
}

#[test]
fn copies_make_room_for_the_next_user_and_rounds_need_fewer() {
    let budget = 8 << 10;
    let mut table = TestBench::with(CachePolicy::Rotated { budget, most: MEMORY / 4 });
    let place = |table: &mut TestBench, user, size: u64| {
        let fill = Fill::Ramp { start: 0.0, step: 1.0 };
        let of = Workload { size, ..workload("right", 100 + size, Role::Out, fill) };
        table.arena.turn_to(&mut table.device, user);
        let (device, code) = (&mut table.device, &mut table.code);
        table.arena.place(device, &of, (0, false), code).expect("room")
    };
    let first = place(&mut table, User::Search { size: 1 }, 1);
    assert!(first.apart >= budget && table.arena.is_current(&first));
    place(&mut table, User::Search { size: 2 }, 2);
    assert!(!table.arena.is_current(&first), "the search went on");
    // The samples of fifteen other sizes lie between two samples of a size.
    let in_rounds = User::Rounds { sizes: 16 };
    let all: Vec<Placement> = (1..=16).map(|size| place(&mut table, in_rounds, size)).collect();
    for of in &all {
        assert!(table.arena.is_current(of) && !table.arena.is_flushed(of));
        assert!((budget / 4..=budget / 2).contains(&of.apart), "{}", of.apart);
    }
    table.arena.free_copies(&mut table.device);
    assert!(all.iter().all(|of| !table.arena.is_current(of)));
}

#[test]
fn a_written_argument_without_copies_is_restored_for_every_user() {
    let mut table = TestBench::with(CachePolicy::Hot);
    let adds = workload("adds", 100, Role::Inout, Fill::Ramp { start: 0.0, step: 1.0 });
    let (device, code) = (&mut table.device, &mut table.code);
    let placement = table.arena.place(device, &adds, (0, false), code).expect("room");
    table.arena.turn_to(&mut table.device, User::Rounds { sizes: 3 });
    assert!(table.arena.is_current(&placement), "there are no copies to free");
    table.arena.note_use(&placement);
    let before = table.calls("restore");
    table.arena.sample_runs(&mut table.device, &placement, 1).expect("restored");
    assert_eq!(table.calls("restore"), before + 1);
}

/// Samples and restorations after the checked run, in order. A sample is given as its runs and
/// first slot.
fn turns(table: &TestBench) -> Vec<String> {
    let calls = table.device.calls.iter();
    let last = calls.clone().rposition(|call| call == "run").unwrap_or(0);
    calls
        .skip(last + 1)
        .filter(|call| call.starts_with("time") || call.starts_with("restore"))
        .map(|call| call.replace(" Kept", "").replace("time ", ""))
        .collect()
}

#[test]
fn successive_runs_use_successive_copies_all_the_way_round() {
    let mut table = TestBench::new();
    table.device.seconds = 50e-6;
    // Two buffers of 400 bytes take four lines of 128 bytes each: 4096 bytes are four copies.
    assert_eq!(table.does("right").status, Status::Measured);
    let found = turns(&table);
    assert_eq!(found[0], "1 from 3", "the copy that is looked at, too");
    assert_eq!(found[1..3], ["1 from 0", "1 from 1"]);
    let firsts: Vec<u32> = found[3..]
        .iter()
        .map(|call| call.strip_prefix("4 from ").expect("a sample").parse().expect("a slot"))
        .collect();
    assert!(firsts.windows(2).all(|pair| pair[1] == pair[0]), "{firsts:?}");
    assert!(table.device.calls.iter().all(|call| !call.contains("Flushed")));
}

#[test]
fn written_arguments_serve_once_and_are_restored_together() {
    let mut table = TestBench::new();
    // An element to which the kernel adds twice is wrong.
    let adds = workload("adds", 100, Role::Inout, Fill::Ramp { start: 0.0, step: 1.0 });
    table.device.seconds = 80e-6;
    let outcome = table.trial(&adds, &Checking::default());
    assert_eq!(outcome.status, Status::Measured, "{outcome:?}");
    let found = turns(&table);
    assert_eq!(found[..2], ["restore 7..8", "1 from 7"], "twice as many copies: {found:?}");
    let mut used = std::collections::BTreeSet::new();
    for call in &found[2..] {
        if call.starts_with("restore") {
            used.clear();
            continue;
        }
        let (runs, first) = call.split_once(" from ").expect("a sample");
        let (runs, first): (u32, u32) =
            (runs.parse().expect("runs"), first.parse().expect("a slot"));
        assert!(runs <= 4, "half of the copies at most");
        assert!((first..first + runs).all(|slot| slot < 8 && used.insert(slot)), "{found:?}");
    }
}

#[test]
fn an_inout_argument_of_a_single_copy_is_restored_before_every_sample() {
    let mut table = TestBench::with(CachePolicy::Hot);
    let outcome = table.trial(
        &workload("right", 100, Role::Inout, Fill::Ramp { start: 0.0, step: 1.0 }),
        &Checking::default(),
    );
    assert_eq!(outcome.status, Status::Measured, "{outcome:?}");
    let calls = &table.device.calls;
    for (at, _) in calls.iter().enumerate().filter(|(_, call)| call.starts_with("time")) {
        assert_eq!(calls[at - 1], "restore 0..1");
    }
}

/// Enough bytes for a single copy.
const FEW: u64 = 1000;

#[test]
fn every_sample_of_a_study_is_of_its_kind_however_coarse_the_timer() {
    for resolution in [20e-9, 1e-6, 1e-4] {
        for seconds in [100e-9, 3e-6, 60e-6, 20e-3] {
            for (copies, cold) in [
                (CachePolicy::Hot, false),
                (CachePolicy::Rotated { budget: 4 * CACHE, most: MEMORY }, true),
                (CachePolicy::Flushed { most: FEW }, true),
            ] {
                let mut table = TestBench::with(copies);
                (table.device.resolution, table.device.seconds) = (resolution, seconds);
                for count in [10, 100, 1000] {
                    let fill = Fill::Ramp { start: 0.0, step: 1.0 };
                    let sized = workload("right", count, Role::Out, fill);
                    let outcome = table.trial(&sized, &Checking::default());
                    match &outcome.measurement {
                        Some(measurement) => assert_eq!(measurement.cold, Some(cold)),
                        None => assert!(
                            matches!(copies, CachePolicy::Flushed { .. })
                                && outcome.reason.contains("too short"),
                            "{outcome:?}"
                        ),
                    }
                }
                let flushed = table.device.calls.iter().filter(|call| call.contains("Flushed"));
                let single = |call: &String| call.starts_with("time 1 from");
                match copies {
                    CachePolicy::Flushed { .. } => assert!(flushed.clone().all(single)),
                    _ => assert_eq!(flushed.count(), 0),
                }
            }
        }
    }
}

#[test]
fn where_copies_are_too_few_they_are_flushed_and_each_is_used_once() {
    let most = 100_000;
    for policy in [CachePolicy::Rotated { budget: 1 << 20, most }, CachePolicy::Flushed { most }] {
        let mut table = TestBench::with(policy);
        table.device.seconds = 10e-6;
        let outcome = table.does("right");
        assert_eq!(outcome.status, Status::Measured, "{outcome:?}");
        let calls = table.device.calls.iter().filter(|call| call.ends_with("Flushed"));
        let runs = calls.map(|call| call.split(' ').nth(1)?.parse::<u32>().ok());
        let runs: Vec<u32> = runs.collect::<Option<_>>().expect("runs");
        assert!(runs.len() > 10);
        let most = runs.iter().max().copied();
        assert_eq!(most, Some(5), "all copies, and none twice behind one flush");
    }
}

#[test]
fn what_is_measured_beside_another_tells_their_ratio() {
    let mut table = TestBench::new();
    let result_check = ResultCheck::new(&Checking::default(), ErrorMetric::Nrmse, &limits(1e-4));
    let plan =
        MeasurePlan { min_seconds: 0.0, beside: Some(Named::default()), ..MeasurePlan::default() };
    let (mut bench, code) = table.bench();
    let first = small("right");
    let costs = &mut Costs::default();
    let mut other = bench.ready(&first, code, (result_check, 0), false, costs).expect("right");
    let second = small("also right");
    let beside = Some((&first, &mut other));
    let trial = bench.trial((&Named::default(), &second), code, (result_check, 0), &plan, beside);
    let measurement = trial.0.measurement.expect("measured");
    let beside = measurement.beside.expect("beside");
    assert_eq!((beside.ratio, measurement.exit), (1.0, Exit::Precise));
    assert!(trial.0.costs.kernel > 0.0);
}

#[test]
fn a_challenger_with_more_copies_of_shared_arguments_leaves_the_other_ready() {
    let mut table = TestBench::new();
    let result_check = ResultCheck::new(&Checking::default(), ErrorMetric::Nrmse, &limits(1e-4));
    let plan =
        MeasurePlan { min_seconds: 0.0, beside: Some(Named::default()), ..MeasurePlan::default() };
    let (mut bench, code) = table.bench();
    // One more argument makes its copies larger, so there are fewer of them.
    let mut first = small("right");
    let mut scratch = first.arguments[1].clone();
    (scratch.name, scratch.role) = ("s".to_owned(), Role::Scratch);
    first.arguments.push(scratch);
    let costs = &mut Costs::default();
    let mut other = bench.ready(&first, code, (result_check, 0), false, costs).expect("right");
    let (second, few) = (small("also right"), other.placement.slots);
    let beside = Some((&first, &mut other));
    let trial = bench.trial((&Named::default(), &second), code, (result_check, 0), &plan, beside);
    assert_eq!(trial.0.status, Status::Measured, "{}", trial.0.reason);
    assert!(trial.1.expect("ready").placement.slots > few);
    assert!(trial.0.measurement.expect("measured").beside.is_some());
}

#[test]
fn a_plugin_fills_in_chunks() {
    let mut table = TestBench::new();
    let filled = workload("right", 100, Role::Out, Fill::Plugin);
    assert_eq!(table.trial(&filled, &Checking::default()).status, Status::Measured);
    assert_eq!(table.calls("fill"), 0);
}

#[test]
fn an_error_below_the_wrong_line_is_measured_for_the_penalty_to_weigh() {
    let mut table = TestBench::new();
    let usual = Checking::default();
    let outcome = table.judged(&small("wrong"), &usual, f64::MAX);
    assert_eq!(outcome.status, Status::Measured);
    assert!(outcome.measurement.expect("measured").error.expect("compared") > 1e4);
    let outcome = table.judged(&small("infinite"), &usual, f64::MAX);
    assert_eq!(outcome.status, Status::WrongResult, "an infinite error never passes");
}

#[test]
fn without_verification_only_completeness_is_looked_at() {
    let mut table = TestBench::new();
    let off = Checking { verification: Verification::Off, ..Checking::default() };
    let outcome = table.trial(&small("wrong"), &off);
    assert_eq!(outcome.status, Status::Measured);
    assert_eq!(outcome.measurement.expect("measured").error, None);
    assert_eq!(table.trial(&small("unwritten"), &off).status, Status::WrongResult);
}

#[test]
fn finalists_take_turns_and_a_broken_one_does_not_stop_the_others() {
    let mut table = TestBench::new();
    let result_check = ResultCheck::new(&Checking::default(), ErrorMetric::Nrmse, &limits(1e-4));
    let plan = MeasurePlan { min_seconds: 0.0, warmup: 2, ..MeasurePlan::default() };
    let (mut bench, code) = table.bench();
    let named = Named::default();
    let finalists = ["right", "wrong", "tires", "also right"].map(|does| (&named, small(does)));
    let outcomes = bench.in_turn(&finalists, code, (result_check, 0), &plan).expect("intact");
    let statuses: Vec<Status> = outcomes.iter().map(|outcome| outcome.status).collect();
    let expected = [Status::Measured, Status::WrongResult, Status::RunFailed, Status::Measured];
    assert_eq!(statuses, expected);
    let of = |at: usize| outcomes[at].measurement.as_ref().expect("measured");
    assert_eq!((of(0).seconds.count, of(3).seconds.count), (10, 10));
    assert!(of(0).metrics.contains_key("kernel_registers"));
}

#[test]
fn nobody_is_blamed_for_memory_that_one_of_several_damaged() {
    let result_check = ResultCheck::new(&Checking::default(), ErrorMetric::Nrmse, &limits(1e-4));
    let plan = MeasurePlan { min_seconds: 0.0, warmup: 2, ..MeasurePlan::default() };
    let named = Named::default();
    let in_turn = |all: &[&'static str]| {
        let mut table = TestBench::new();
        let (mut bench, code) = table.bench();
        let finalists: Vec<(&Named, Workload)> =
            all.iter().map(|does| (&named, small(does))).collect();
        bench.in_turn(&finalists, code, (result_check, 0), &plan)
    };
    let failure = in_turn(&["right", "behind a copy", "also right"]).expect_err("damaged");
    assert!(failure.reason.contains("behind argument `c`"), "{failure:?}");
    let alone = in_turn(&["behind a copy"]).expect("its own fault");
    assert_eq!(alone[0].status, Status::RunFailed);
}

#[test]
fn an_a_a_run_of_a_steady_device_shows_no_noise() {
    let mut table = TestBench::new();
    let result_check = ResultCheck::new(&Checking::default(), ErrorMetric::Nrmse, &limits(1e-4));
    let (mut bench, code) = table.bench();
    let noise = bench.noise(&small("right"), code, (result_check, 0)).expect("it runs");
    assert_eq!((noise.difference, noise.spread), (0.0, 0.0));
    let failed = bench.noise(&small("nan"), code, (result_check, 0));
    assert_eq!(failed.expect_err("it is wrong").status, Status::WrongResult);
}
