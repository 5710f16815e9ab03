//! A study as `run` would have recorded it, made of formulas and a seeded generator. So what
//! exporters write can be compared word for word.

use records::{
    BenchmarkRecord, CacheProof, CachesRecord, Costs, DeviceRecord, Event, Exit, Figure, Host,
    JournalEntry, KneeFinding, Measurement, MetricFigure, MetricRecord, Named, Noise, Outcome,
    Phase, Purpose, SizeClosed, SizeOpened, Started, Status, StudyRecord, StudyView, Summary,
    Trial, TrialEvent,
    settings::{CacheState, StudySettings},
};
use space::Value;

/// A generator of noise that is the same on every machine.
struct Noisy(u64);

impl Noisy {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    fn samples(&mut self, seconds: f64, spread: f64) -> Vec<f64> {
        (0..25)
            .map(|_| {
                let bell: f64 = (0..4).map(|_| self.next()).sum();
                seconds * (1.0 + spread * bell.abs() * 2.0)
            })
            .collect()
    }
}

fn configuration(block: i64, width: i64, format: &str) -> Named {
    Named(vec![
        ("block_size_x".into(), Value::Int(block)),
        ("vector_width".into(), Value::Int(width)),
        ("unrolled".into(), Value::Bool(width > 1)),
        ("format".into(), Value::Text(format.into())),
    ])
}

/// Run time of a configuration: an overhead, and work that depends on how well the configuration
/// suits the device.
fn seconds(size: u64, block: i64, width: i64) -> f64 {
    let fit = 1.0 + 0.25 * ((block as f64 / 256.0).log2()).abs() / (width as f64).sqrt();
    6e-6 + 12.0 * size as f64 / 1.48e12 * fit * (1.0 + 0.3 / width as f64)
}

fn figure(noise: &mut Noisy, size: u64, block: i64, width: i64) -> Figure {
    let spread = 0.03 + 0.12 / (1.0 + size as f64 / 2e4);
    let samples = noise.samples(seconds(size, block, width), spread);
    let summary = Summary::of(&samples).expect("samples");
    let metric = |seconds: f64| 12.0 * size as f64 / seconds / 1e9;
    Figure {
        configuration: configuration(block, width, "f32"),
        metric: Some(MetricFigure {
            value: metric(summary.median),
            interval: (metric(summary.interval.1), metric(summary.interval.0)),
            samples: samples.iter().map(|s| metric(*s)).collect(),
        }),
        error: Some(3.1e-8),
        unsettled: size == 4096,
        metrics: [("throughput".to_owned(), metric(summary.median))].into(),
        seconds: summary,
    }
}

fn trial(noise: &mut Noisy, size: u64, at: u64, (block, width): (i64, i64)) -> Trial {
    let costs = Costs {
        compile: 0.031,
        verify: 0.012,
        measure: 0.118,
        overhead: 0.0004,
        fill: 0.002,
        kernel: 0.091,
        compare: 0.0,
    };
    let failed = |status, reason: &str| Outcome::failed(status, reason, costs);
    let outcome = match (at * 7 + size) % 17 {
        3 => failed(Status::CompileFailed, "kernel.cu:12: error: no such type, `vec<float, 3>`"),
        5 => failed(Status::Invalid, "1024 threads need \"more\" registers than there are"),
        6 if size > 1_000_000 => failed(Status::TimedOut, "it ran longer than 10 s"),
        9 => failed(Status::WrongResult, "c[4095] is 0, 1.5 was expected"),
        11 if size > 100_000 => failed(Status::Crashed, "signal 11 (segmentation fault)"),
        _ => {
            let samples = noise.samples(seconds(size, block, width), 0.05);
            let summary = Summary::of(&samples).expect("samples");
            let value = 12.0 * size as f64 / summary.median / 1e9;
            Outcome {
                device: String::new(),
                status: Status::Measured,
                reason: String::new(),
                measurement: Some(Measurement {
                    seconds: summary,
                    exit: if at % 6 == 4 { Exit::Hopeless } else { Exit::Precise },
                    batch: if size < 100_000 { 16 } else { 1 },
                    cold: Some(true),
                    disturbed: Vec::new(),
                    beside: None,
                    flushed: false,
                    samples: samples.iter().map(|s| *s as f32).collect(),
                    error: Some(3.1e-8),
                    metrics: [("throughput".to_owned(), value)].into(),
                }),
                costs,
            }
        }
    };
    let score = outcome.measurement.as_ref().map(|m| m.seconds.median);
    Trial {
        size,
        phase: Phase::Search,
        configuration: configuration(block, width, "f32"),
        outcome,
        score,
    }
}

/// The study's settings, host, device and benchmark.
pub(crate) fn record() -> StudyRecord {
    let settings = StudySettings {
        benchmark: "target/release/libautobench_vecadd.so".to_owned(),
        device: "cuda:0".parse().expect("a device"),
        detectors: vec!["kneedle".to_owned(), "hockney".to_owned()],
        strategy: "local".to_owned(),
        seed: 42,
        caches: CacheState::Cold,
        ..StudySettings::default()
    };
    let host = Host {
        name: "node-7".to_owned(),
        system: "Linux 6.1".to_owned(),
        architecture: "x86_64".to_owned(),
        processor: "AMD EPYC 9B45".to_owned(),
        threads: 16,
        memory: 128 << 30,
        isolated: false,
    };
    let device = DeviceRecord {
        backend: "cuda".to_owned(),
        name: "NVIDIA A100-PCIE-40GB".to_owned(),
        compiler: "NVRTC 12.8".to_owned(),
        memory: 40 << 30,
        memory_free: 39 << 30,
        peak_bandwidth: Some(1.555e12),
        peak_flops: Some(19.5e12),
        facts: [("driver".to_owned(), "570.86".to_owned())].into(),
        warnings: vec!["the clocks are not locked; timings may drift <5 %".to_owned()],
        ..DeviceRecord::default()
    };
    let benchmark = BenchmarkRecord {
        name: "vecadd".to_owned(),
        about: "adds two vectors, c = a + b".to_owned(),
        size_meaning: "elements".to_owned(),
        secondary: MetricRecord {
            name: "throughput".to_owned(),
            unit: "GB/s".to_owned(),
            ..MetricRecord::default()
        },
        error: ("nrmse".to_owned(), 1e-4),
        reference: "the plugin's reference".to_owned(),
        document: serde_json::json!({
            "name": "vecadd",
            "parameters": [{"name": "format", "values": ["f32", "f16"]}],
        }),
    };
    let argv = ["autobench", "run", "vecadd", "--detector", "kneedle"].map(str::to_owned);
    let mut record = StudyRecord::new(argv.to_vec(), host, device, benchmark, settings);
    record.started = "2026-03-04T12:00:00Z".parse().expect("a time");
    record.autobench = "0.1.0".to_owned();
    record.hashes.insert("document".to_owned(), "9f86d081884c7d65".to_owned());
    record
}

/// What happened in the study, at these sizes.
pub(crate) fn events(sizes: &[u64]) -> Vec<Event> {
    let mut noise = Noisy(1);
    let mut events = vec![Event::Started(Started {
        largest: Some(3 << 30),
        seconds: 0.0,
        why: "90 % of the free device memory".to_owned(),
        largest_bytes: Some(36 << 30),
        free_bytes: Some(39 << 30),
        caches: Some(CachesRecord {
            kind: "cold".to_owned(),
            by: "rotation".to_owned(),
            bytes: 160 << 20,
            last_cache: 40 << 20,
            proof: vec![CacheProof {
                share: 0.5,
                hot: 4.1e12,
                cold: 1.3e12,
                flushed: 1.31e12,
                memory: 1.28e12,
            }],
        }),
        noise: Some(Noise { difference: 0.004, spread: 0.012 }),
        warnings: Vec::new(),
    })];
    let tried = [
        (32, 1),
        (128, 1),
        (512, 4),
        (64, 2),
        (256, 1),
        (1024, 1),
        (256, 2),
        (128, 4),
        (256, 4),
        (512, 2),
        (128, 2),
        (64, 4),
    ];
    for &size in sizes {
        events.push(Event::SizeOpened(SizeOpened {
            size,
            purpose: Purpose::Growth,
            configurations: 24,
            bytes: Some(12 * size),
            evaluations: Some(12),
            seconds: Some(8.0),
            starts: Vec::new(),
        }));
        for (at, tried) in tried.into_iter().enumerate() {
            let trial = trial(&mut noise, size, at as u64, tried);
            let samples_count = if trial.outcome.measurement.is_some() { 25 } else { 0 };
            let charged = trial.outcome.costs.total();
            events.push(Event::Trial(TrialEvent {
                trial,
                samples_offset: 0,
                samples_count,
                charged,
            }));
        }
        let best = figure(&mut noise, size, 256, 4);
        let default = figure(&mut noise, size, 128, 1);
        let gain = default.seconds.median / best.seconds.median;
        events.push(Event::SizeClosed(SizeClosed {
            size,
            why: "12 evaluations were used".to_owned(),
            best: Some(best),
            default: Some(default),
            gain: Some(gain),
            gain_interval: Some((gain * 0.98, gain * 1.02)),
            seconds: 1.94,
            provisional: false,
            by_precision: false,
            rounds: 0,
            fault: None,
        }));
    }
    events.extend(knee(sizes));
    events
}

fn knee(sizes: &[u64]) -> Vec<Event> {
    let at = sizes[sizes.len() * 6 / 10];
    let finding = |detector: &str, knee: f64, width: f64, share: f64| {
        Event::Knee(KneeFinding {
            detector: detector.to_owned(),
            knee: Some(knee),
            interval: Some((knee / width, knee * width)),
            probability: None,
            share: Some(share),
            why: "the difference curve falls behind it".to_owned(),
            facts: [("sensitivity".to_owned(), 1.0)].into(),
            points: sizes.len() as u64,
            rounds: 120,
            confidence: "settled".to_owned(),
            against: Vec::new(),
            confirmed_by: Vec::new(),
        })
    };
    vec![
        finding("kneedle", at as f64, 1.5, 0.941),
        finding("hockney", at as f64 * 2.9, 1.2, 0.9),
        Event::KneeAccepted {
            detector: "kneedle".to_owned(),
            size: at,
            why: "three larger sizes moved it by no step".to_owned(),
            confirmed: true,
        },
        Event::GrowthEnded { why: "the knee is confirmed".to_owned(), confirmed: true, by: None },
        Event::Finished { seconds: 97.4 },
    ]
}

/// The view of these events, each as long as its trial or rounds took.
pub(crate) fn view(events: Vec<Event>) -> StudyView {
    let mut utc = record().started;
    let entries: Vec<JournalEntry> = events
        .into_iter()
        .enumerate()
        .map(|(at, event)| {
            let took = match &event {
                Event::Trial(trial) => trial.trial.outcome.costs.total(),
                Event::Rounds(rounds) => rounds.costs.total(),
                _ => 0.1,
            };
            utc += chrono::TimeDelta::microseconds((took * 1e6) as i64);
            JournalEntry { seq: at as u64 + 1, utc, event }
        })
        .collect();
    StudyView::from_events(&entries)
}

pub(crate) fn growing(start: u64, factor: f64, count: usize) -> Vec<u64> {
    (0..count).map(|n| (start as f64 * factor.powi(n as i32)).round() as u64).collect()
}
