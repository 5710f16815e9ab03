//! Whole trials on the cpu device: restoring, refilling, comparing, interleaving, messages, and
//! autobench's own costs.

use records::{Named, Status, settings::Verification};
use serde_json::{Value as Json, json};
use worker::{Checking, Client, ClientSettings, MeasurePlan};

use super::support::{
    KERNEL, PATIENT, Parts, configuration, document, plugin, setup, trial, worker,
};

/// A document like that of `hostile`, with some fields changed.
fn altered(change: impl FnOnce(&mut Json)) -> String {
    let mut document: Json = serde_json::from_str(&document(KERNEL)).expect("a document");
    change(&mut document);
    let text = serde_json::to_string(&document.to_string()).expect("a string");
    format!("say(document, {text}); return 0;")
}

fn client_of(folder: &std::path::Path, describe: &str, reference: &str) -> Option<Client> {
    let parts = Parts { describe, reference, ..Parts::default() };
    let library = plugin(folder, "altered", &parts)?;
    let mut client = worker(folder);
    client.set_up(setup(folder, &library), PATIENT).expect("set up");
    Some(client)
}

#[test]
fn an_inout_argument_is_the_same_before_every_sample() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kernel = "extern \"C\" __global__ void hostile(float* c, int n) {\n\
                  int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
                  if (i < n) { if (c[i] > 2.0f) c[n + 100] = 1.0f; c[i] += 2.0f; } }\n";
    let describe = altered(|document| {
        document["sources"][0]["text"] = json!(kernel);
        document["arguments"] = json!([
            { "name": "c", "role": "inout", "format": "f32", "shape": ["size"],
              "fill": { "constant": 1.0 } },
            { "name": "n", "role": "in", "format": "i32", "value": "size" }
        ]);
    });
    let reference = "for (uint64_t k = 0; k < count; k++) elements[k] = 3.0; return 0;";
    let Some(mut client) = client_of(folder.path(), &describe, reference) else { return };
    let outcome = trial(&mut client, 1000, 0, PATIENT);
    // Without restoring, a second run on the same data would write outside the buffer.
    let hot = MeasurePlan { warmup: 0, ..MeasurePlan::default() };
    assert_ne!(outcome.status, Status::Crashed, "{outcome:?}");
    let outcome = client.measure(1000, &configuration(0), &hot, PATIENT);
    assert_eq!(outcome.status, Status::Measured, "{outcome:?}");
    assert_eq!(outcome.measurement.expect("measured").error, Some(0.0));
}

#[test]
fn formats_are_parameters_and_their_errors_are_judged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kernel = "extern \"C\" __global__ void hostile(const real* a, real* c, int n) {\n\
                  int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
                  if (i < n) c[i] = ab::convert<real>(ab::convert<double>(a[i]) + 1.0); }\n";
    let describe = |error: serde_json::Value| {
        altered(|document| {
            document["sources"][0]["text"] =
                json!(format!("#include \"autobench/autobench.h\"\n{kernel}"));
            document["arguments"][0]["format"] = json!("real");
            document["arguments"][1]["format"] = json!("real");
            document["parameters"] = json!([
                { "name": "block_size_x", "values": [64] },
                { "name": "real", "values": ["f64", "f32", "f16"] }
            ]);
            document["reference"] = json!("itself");
            document["error"] = error;
        })
    };
    let real = |name: &str| {
        Named(vec![
            ("block_size_x".to_owned(), space::Value::Int(64)),
            ("real".to_owned(), space::Value::Text(name.into())),
        ])
    };
    // By default, a result counts as wrong above a thousand times the benchmark's bound ...
    let strict = describe(json!({ "metric": "nrmse", "bound": 1e-8 }));
    let Some(mut client) = client_of(folder.path(), &strict, "return 2;") else { return };
    let plan = MeasurePlan::default();
    let half = client.measure(5000, &real("f16"), &plan, PATIENT);
    assert_eq!(half.status, Status::WrongResult, "{half:?}");
    assert!(half.reason.contains("nrmse of `c`"), "{}", half.reason);
    // ... or above the benchmark's own limit; below it, a configuration has a time and an error.
    let error = json!({ "metric": "nrmse", "bound": 1e-8, "wrong_above": 0.5 });
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lenient = describe(error);
    let Some(mut client) = client_of(folder.path(), &lenient, "return 2;") else { return };
    let precise = client.measure(5000, &real("f64"), &plan, PATIENT);
    assert_eq!(precise.status, Status::Measured, "{precise:?}");
    let single = client.measure(5000, &real("f32"), &plan, PATIENT);
    assert_eq!(single.status, Status::Measured, "{single:?}");
    let half = client.measure(5000, &real("f16"), &plan, PATIENT);
    let error = half.measurement.expect("measured").error.expect("compared");
    assert!(error > 1e-6 && error < 1e-2, "{error}");
    // Finalists with different formats are measured alternately.
    let formats = [real("f64"), real("f16"), real("f32"), real("f64")];
    let outcomes = client.interleave(5000, &formats, &plan, PATIENT).expect("measured");
    assert_eq!(outcomes.len(), 4);
    assert!(outcomes.iter().all(|outcome| outcome.status == Status::Measured), "{outcomes:?}");
}

#[test]
fn other_seeds_thorough_checks_and_interleaving_find_the_same_kernel_right() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(library) = plugin(folder.path(), "hostile", &Parts::default()) else { return };
    let mut client = worker(folder.path());
    client.set_up(setup(folder.path(), &library), PATIENT).expect("set up");
    let checking = Checking { verification: Verification::Thorough, seed: Some(4711) };
    let plan = MeasurePlan { checking, ..MeasurePlan::default() };
    let several = [configuration(0), configuration(6), configuration(0)];
    let outcomes = client.interleave(100_000, &several, &plan, PATIENT).expect("measured");
    let statuses: Vec<Status> = outcomes.iter().map(|outcome| outcome.status).collect();
    assert_eq!(statuses, [Status::Measured, Status::WrongResult, Status::Measured]);
    let noise = client.noise(100_000, &configuration(0), PATIENT).expect("noise");
    assert!(noise.difference.is_finite() && noise.spread >= 0.0);
    let text = client.explain(1000, &configuration(0), PATIENT).expect("a text");
    assert!(text.contains("hostile<<<(16, 1, 1), (64, 1, 1), 0>>>"), "{text}");
    assert!(text.contains("#define does 0"), "{text}");
    let compiled = text.lines().find_map(|line| line.strip_prefix("// compiled by: "));
    assert!(compiled.is_some_and(|line| line.contains(" -O3 ")), "{text}");
    let fresh = client.compile(1000, &[configuration(0), configuration(4)], PATIENT);
    assert_eq!(fresh, Ok(1), "one of the two was measured before");
}

#[test]
fn what_does_not_fit_is_an_outcome_and_a_memory_limit_holds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let greedy = "if (size == 2000) { char* much = malloc(3ull << 30); \
                  if (!much) { say(message, \"no memory\"); return 1; } memset(much, 1, 3ull << 30); } \
                  *instance = (void*)seed; return 0;";
    let parts = Parts { build: greedy, ..Parts::default() };
    let Some(library) = plugin(folder.path(), "greedy", &parts) else { return };
    let settings = ClientSettings {
        executable: Some(env!("CARGO_BIN_EXE_autobench").into()),
        memory_limit: Some(1 << 30),
        ..ClientSettings::new(&folder.path().join("worker.log"))
    };
    let mut client = Client::start(settings).expect("a worker");
    client.set_up(setup(folder.path(), &library), PATIENT).expect("set up");
    let outcome = trial(&mut client, 1 << 37, 0, PATIENT);
    assert_eq!(outcome.status, Status::RunFailed, "{outcome:?}");
    assert!(outcome.reason.contains("memory"), "{}", outcome.reason);
    let outcome = trial(&mut client, 2000, 0, PATIENT);
    assert_eq!(outcome.status, Status::RunFailed, "{outcome:?}");
    assert!(outcome.reason.contains("no memory"), "{}", outcome.reason);
    let outcome = trial(&mut client, 200_000_000, 0, PATIENT);
    assert_eq!(outcome.status, Status::RunFailed, "{outcome:?}");
    let outcome = trial(&mut client, 1000, 0, PATIENT);
    assert_eq!(outcome.status, Status::Measured, "{outcome:?}");
}

#[test]
fn a_block_that_is_too_large_is_invalid_before_it_is_compiled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let describe = altered(|document| {
        document["parameters"][0]["values"] = json!([64, 1_000_000]);
    });
    let Some(mut client) = client_of(folder.path(), &describe, "return 2;") else { return };
    let mut huge = configuration(0);
    huge.0[0].1 = space::Value::Int(1_000_000);
    let outcome = client.measure(1000, &huge, &MeasurePlan::default(), PATIENT);
    assert_eq!(outcome.status, Status::Invalid, "{outcome:?}");
    assert!(outcome.reason.contains("blocks of 1000000 threads"), "{}", outcome.reason);
}

/// Prints the overhead of a trial: its time without compiling, verifying and the kernel's own runs
/// (`cargo test -- --nocapture`). The bound is loose, for busy machines.
#[test]
fn the_overhead_of_a_trial_of_an_empty_kernel_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(library) = plugin(folder.path(), "hostile", &Parts::default()) else { return };
    let mut client = worker(folder.path());
    client.set_up(setup(folder.path(), &library), PATIENT).expect("set up");
    trial(&mut client, 1, 0, PATIENT);
    let plan = MeasurePlan { min_seconds: 0.0, ..MeasurePlan::default() };
    let (mut beside, mut strictly) = (Vec::new(), Vec::new());
    for _ in 0..50 {
        let start = std::time::Instant::now();
        let outcome = client.measure(1, &configuration(0), &plan, PATIENT);
        let whole = start.elapsed().as_secs_f64();
        let costs = outcome.costs;
        assert_eq!(outcome.status, Status::Measured, "{outcome:?}");
        let measurement = outcome.measurement.expect("measured");
        let runs = measurement.seconds.count as f64 * f64::from(measurement.batch);
        let known = costs.compile + costs.fill + costs.verify;
        beside.push(whole - known - costs.measure);
        strictly.push(whole - known - measurement.seconds.mean * runs);
    }
    let (median, strict) = (math::median(&beside), math::median(&strictly));
    eprintln!(
        "overhead per trial, median: {:.0} µs beside measuring, {:.0} µs beside the counted runs",
        median * 1e6,
        strict * 1e6
    );
    assert!(median.is_finite() && strict.is_finite());
}

/// The kernel is wrong only in the last partial block of 10⁹ outputs.
#[test]
#[ignore = "needs 5 GB of memory"]
fn an_error_in_the_last_partial_block_of_a_billion_outputs_is_seen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let describe = altered(|document| {
        document["sources"][0]["text"] = json!(
            "extern \"C\" __global__ void hostile(short* c, int n) {\n\
             int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
             if (i < n) c[i] = i >= n / 64 * 64 && does == 6 ? 2 : 1; }\n"
        );
        document["arguments"] = json!([
            { "name": "c", "role": "out", "format": "f16", "shape": ["size"] },
            { "name": "n", "role": "in", "format": "i32", "value": "size" }
        ]);
        document["error"] = json!({ "metric": "max_relative", "bound": 1e-3 });
    });
    // The bit patterns 1 and 2 as halves are 2⁻²⁴ and 2⁻²³.
    let reference = "for (uint64_t k = 0; k < count; k++) elements[k] = 1.0 / 16777216; return 0;";
    let Some(mut client) = client_of(folder.path(), &describe, reference) else { return };
    let size = 1_000_000_007;
    let plan = MeasurePlan { max_seconds: 0.1, warmup: 0, ..MeasurePlan::default() };
    let right = client.measure(size, &configuration(0), &plan, PATIENT);
    assert_eq!(right.status, Status::Measured, "{right:?}");
    let wrong = client.measure(size, &configuration(6), &plan, PATIENT);
    assert_eq!(wrong.status, Status::WrongResult, "{wrong:?}");
    eprintln!("{} ({:?})", wrong.reason, right.costs);
}
