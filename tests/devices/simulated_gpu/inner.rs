//! Tests that run in a process with the simulated libraries.
#![expect(unsafe_code, reason = "asks the simulated driver what it has seen")]

use std::{
    ffi::{c_int, c_long},
    time::Duration,
};

use autobench_sdk::document::Fill;
use device::{ArgumentValue, BACKENDS, Buffer, Caches, Device, FillPlan, RunFault, SampleRuns};
use libloading::Library;
use plugins::{SearchPath, find};
use records::Named;
use space::{Value, accuracy::Element};
use worker::{Client, ClientSettings, DeviceChoice, MeasurePlan, Setup, WorkerFault};

use super::{libraries, vendor::BACKEND};
use crate::contract::{devices, int, job, step};

const SCALE: &str = r#"
__constant__ float factor[1];
__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor[0] * x[i];
}"#;

const FILLED: &str = r#"
__global__ void filled(float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}"#;

/// The simulated driver that the backend has loaded.
struct Simulated(Library);

impl Simulated {
    fn new() -> Self {
        // SAFETY: the library is built from the sources of these tests.
        Self(unsafe { Library::new(libraries::driver()) }.expect("it loads"))
    }

    fn number(&self, name: &str) -> c_long {
        // SAFETY: `driver.h` declares these functions with this type.
        unsafe {
            let get = self.0.get::<unsafe extern "C" fn() -> c_long>(name.as_bytes());
            get.expect("it has the function")()
        }
    }

    fn calls(&self) -> c_long {
        self.number("simulated_gpu_calls")
    }

    fn live(&self) -> c_long {
        self.number("simulated_gpu_live")
    }

    /// Makes call number `at`, counted from now on, return this code.
    fn fail(&self, at: c_long, code: c_int) {
        // SAFETY: as above.
        unsafe {
            let set = self
                .0
                .get::<unsafe extern "C" fn(c_long, c_int)>(b"simulated_gpu_fail")
                .expect("it has the function");
            set(at, code);
        }
    }
}

/// Runs everything that a trial does, and more.
fn life(folder: &std::path::Path) -> Result<(), String> {
    let backend = BACKENDS.find(BACKEND).expect("it is a backend");
    (backend.probe)().map_err(|missing| missing.to_string())?;
    let mut device = (backend.open)(0).map_err(|fault| fault.to_string())?;
    device.set_cache(Some(folder.to_owned())).map_err(|fault| fault.to_string())?;
    let kernel = match device.compile(&[job(SCALE, "scale", [64, 1, 1])]).remove(0) {
        Ok(kernel) => kernel,
        Err(fault) => return Err(fault.reason()),
    };
    let result = use_of(device.as_mut(), kernel).map_err(|fault| fault.to_string());
    device.unload(kernel);
    drop(device.info());
    result
}

fn use_of(
    device: &mut dyn Device,
    kernel: device::Kernel,
) -> Result<(), Box<dyn std::error::Error>> {
    let count = 1000;
    let mut buffer = |bytes| device.allocate(bytes);
    let (x, y, factor): (Buffer, Buffer, Buffer) =
        (buffer(4 * count)?, buffer(4 * count)?, buffer(4)?);
    let fill = Fill::Uniform { low: 0.0, high: 1.0 };
    let plan = FillPlan { fill, seed: 1, argument: 0, element: Element::F32, count };
    device.fill(x, &plan)?;
    device.write(factor, 0, &2.0_f32.to_le_bytes())?;
    device.poison(y, Element::F32, count)?;
    let arguments = vec![
        ArgumentValue::Constant("factor".to_owned(), factor),
        ArgumentValue::Buffer(x),
        ArgumentValue::Buffer(y),
        int(1000),
    ];
    let steps = [step([16, 1, 1], [64, 1, 1], arguments)];
    device.run(kernel, &steps)?;
    let scan = device.scan(y, Element::F32, count)?;
    let (from, to) = (device.gather(x, Element::F32, &[3])?, device.gather(y, Element::F32, &[3])?);
    assert!(scan.poisoned == 0 && to[0] == 2.0 * from[0], "{scan:?} {from:?} {to:?}");
    device.guards()?;
    device.time(kernel, &steps, SampleRuns::of(1), Caches::Flushed)?;
    device.time(kernel, &steps, SampleRuns::of(7), Caches::Kept)?;
    let ring = device.allocate_ring(4 * count, 3)?;
    device.spread(x, ring, 0..3, 4 * count)?;
    device.time_read(ring, SampleRuns::of(4), Caches::Kept)?;
    device.guards()?;
    device.free(ring);
    device.kernel_facts(kernel);
    device.copy(x, y, 4 * count)?;
    device.free(x);
    Ok(())
}

#[test]
#[ignore = "run by `outer`, in a process of its own"]
fn every_call_may_fail_once_and_nothing_leaks() {
    libraries::must_be_in_use();
    let simulated = Simulated::new();
    let folder = tempfile::tempdir().expect("a folder");
    life(folder.path()).expect("nothing fails yet");
    simulated.fail(0, 0);
    life(folder.path()).expect("nothing fails yet");
    let total = simulated.calls();
    assert_eq!(simulated.live(), 0, "something is not given back where nothing fails");
    // Skip most of the many calls in the middle, which calibrate the timer.
    let tried = (1..=total).filter(|n| *n <= 200 || total - *n < 250 || n % 29 == 0);
    let (mut tries, mut noticed) = (0, 0);
    for at in tried {
        // The context survives running out of memory (2), but not an illegal address (700).
        for code in [2, 700] {
            simulated.fail(at, code);
            let result = life(folder.path());
            tries += 1;
            noticed += i32::from(result.is_err());
            if let Err(why) = result {
                assert!(!why.is_empty() && !why.contains("panicked"), "{at}: {why}");
            }
            let live = simulated.live();
            assert_eq!(live, 0, "{live} things are not given back when call {at} answers {code}");
        }
    }
    simulated.fail(0, 0);
    eprintln!("{total} calls, {tries} failures, {noticed} of them noticed");
    assert!(noticed > tries / 2);
}

#[test]
#[ignore = "run by `outer`, in a process of its own"]
fn samples_of_two_sizes_by_turns_are_captured_once_each() {
    libraries::must_be_in_use();
    let simulated = Simulated::new();
    for bench in &mut devices() {
        let kernel = bench.compile(job(FILLED, "filled", [64, 1, 1]));
        let [small, large] = [64, 4096].map(|count: i32| {
            let bytes = 4 * count.unsigned_abs();
            let buffer = bench.device.allocate(u64::from(bytes)).expect("memory");
            let arguments = vec![ArgumentValue::Buffer(buffer), int(count)];
            (buffer, [step([count.unsigned_abs() / 64, 1, 1], [64, 1, 1], arguments)])
        });
        let mut turn = || {
            let before = simulated.calls();
            for (_, steps) in [&small, &large] {
                let timed = bench.device.time(kernel, steps, SampleRuns::of(50), Caches::Kept);
                timed.expect("it runs");
            }
            (simulated.calls() - before, simulated.live())
        };
        let ((first, kept), (second, still), third) = (turn(), turn(), turn());
        // Capturing queues every run.
        assert!(first - second >= 2 * 50, "{first} calls and then {second}");
        assert_eq!((second, still), third);
        assert_eq!(still, kept);
        bench.device.free(large.0);
        assert!(simulated.live() < kept - 1, "its graph is given back with a buffer");
        bench.device.time(kernel, &small.1, SampleRuns::of(50), Caches::Kept).expect("it runs");
    }
}

#[test]
#[ignore = "run by `outer`, in a process of its own"]
fn what_a_lost_device_was_lost_by_is_remembered() {
    libraries::must_be_in_use();
    let simulated = Simulated::new();
    let backend = BACKENDS.find(BACKEND).expect("it is a backend");
    let mut device = (backend.open)(0).expect("opens");
    assert_eq!(device.lost(), None);
    simulated.fail(1, 719);
    assert!(device.allocate(64).is_err());
    // A real driver would not recover, but the next tests need this one.
    simulated.fail(0, 0);
    let lost = device.lost().expect("a failed launch is the end").to_string();
    assert!(lost.contains("a kernel failed while it ran ("), "{lost}");
    let fault = device.allocate(u64::MAX / 2).expect_err("nobody has so much");
    assert!(fault.to_string().contains("does not fit"), "{fault}");
}

#[test]
#[ignore = "run by `outer`, in a process of its own"]
fn a_launch_with_other_parameters_than_the_kernel_takes_is_invalid() {
    libraries::must_be_in_use();
    for bench in &mut devices() {
        let kernel = bench.compile(job(SCALE, "scale", [64, 1, 1]));
        let buffer = bench.device.allocate(4096).expect("memory");
        let arguments = vec![ArgumentValue::Buffer(buffer), int(4), int(4)];
        let fault = bench.device.run(kernel, &[step([1; 3], [64, 1, 1], arguments)]);
        let Err(RunFault::Invalid(why)) = fault else { panic!("{fault:?}") };
        assert!(why.contains("[8, 8, 4]") && why.contains("[8, 4, 4]"), "{why}");
    }
}

#[test]
#[ignore = "run by `outer`, in a process of its own"]
fn a_device_lost_among_several_is_given_to_a_new_worker() {
    libraries::must_be_in_use();
    if std::env::var_os("SIMULATED_GPU_FAULT").is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let settings = ClientSettings {
        executable: Some(env!("CARGO_BIN_EXE_autobench").into()),
        ..ClientSettings::new(&folder.path().join("log"))
    };
    let mut client = Client::start(settings).expect("a worker");
    let patient = Duration::from_secs(120);
    let setup = Setup {
        stage: None,
        benchmark: find("vecadd", &SearchPath::new(&[])).expect("built for this test"),
        device: DeviceChoice { backend: BACKEND.to_owned(), ordinal: 0 },
        seed: 1,
        cache: None,
        workers: 1,
        cold: true,
        errors: Vec::new(),
    };
    client.set_up(setup, patient).expect("a device");
    let configuration = |items: i64| {
        let values = [("items_per_thread", items), ("block_size_x", 64), ("vector_width", 1)];
        let mut all = vec![("precision".to_owned(), Value::Text("f32".into()))];
        all.extend(values.map(|(name, value)| (name.to_owned(), Value::Int(value))));
        Named(all)
    };
    let configurations = vec![configuration(1), configuration(2)];
    assert_eq!(client.compile(4096, &configurations, patient), Ok(2), "they are compiled ahead");
    let before = client.process_id();
    let plan = MeasurePlan::default();
    let measured = client.interleave(4096, &configurations, &plan, patient);
    let Err(WorkerFault::Refused(why)) = measured else {
        panic!("nobody knows which of them it was")
    };
    assert!(why.contains("memory that nobody allocated"), "{why}");
    client.device_info(patient).expect("a new worker");
    assert_ne!(client.process_id(), before);
}
