//! Tests of ceilings, on made-up studies.

use records::{
    BenchmarkRecord, CachesRecord, DeviceRecord, Host, MetricFigure, Named, SizeClosed, SizeOpened,
    StudyRecord, Summary, TrialCounts,
};

use super::*;

/// A study with these sizes and the value of the secondary metric at each.
fn study(
    benchmark: &str,
    unit: &str,
    kind: &str,
    (name, value): (&str, &str),
    sizes: &[(u64, f64)],
) -> Profiled {
    let mut written = BenchmarkRecord { name: benchmark.to_owned(), ..BenchmarkRecord::default() };
    unit.clone_into(&mut written.secondary.unit);
    let device = DeviceRecord { peak_flops: Some(9e12), ..DeviceRecord::default() };
    let record = StudyRecord::new(vec![], Host::default(), device, written, Default::default());
    let point = |&(size, metric): &(u64, f64)| {
        let best = Figure {
            configuration: Named(vec![(name.to_owned(), value.into())]),
            seconds: Summary::of(&[1e-3; 9]).expect("samples"),
            metric: Some(MetricFigure {
                value: metric,
                interval: (0.99 * metric, 1.01 * metric),
                samples: vec![],
            }),
            error: None,
            unsettled: false,
            // The latency, in nanoseconds, is the value of the metric.
            metrics: [("latency".to_owned(), metric)].into(),
        };
        let closed = SizeClosed { size, best: Some(best), ..SizeClosed::default() };
        let opened = SizeOpened { size, bytes: Some(8 * size), ..SizeOpened::default() };
        let counts = TrialCounts::default();
        SizePoint { size, opened: Some(opened), counts, closed: Some(closed) }
    };
    let mut view = StudyView { sizes: sizes.iter().map(point).collect(), ..StudyView::default() };
    view.started.caches = Some(CachesRecord { kind: kind.to_owned(), ..CachesRecord::default() });
    Profiled { folder: format!("{benchmark}-{kind}"), record, view }
}

fn found(studies: &[Profiled]) -> Vec<(CeilingKind, String, f64, Option<u64>)> {
    measured(studies).into_iter().map(|c| (c.kind, c.of, c.value, c.reach)).collect()
}

#[test]
fn memory_is_the_best_of_the_cold_streams_and_caches_are_levels_of_the_hot_curve() {
    let none = ("x", "1");
    // Launches bound the first two sizes. One unit of size is 8 bytes.
    let curve: Vec<(u64, f64)> = [
        (1, 10.0),
        (2, 30.0),
        (4, 80.0),
        (8, 79.0),
        (16, 78.0),
        (32, 40.0),
        (64, 41.0),
        (128, 39.0),
        (256, 19.0),
        (512, 19.5),
    ]
    .map(|(size, rate)| (size << 10, rate))
    .into();
    let studies = [
        study("copy", "GB/s", "cold", none, &[(1 << 26, 18.0)]),
        study("triad", "GB/s", "cold", none, &[(1 << 26, 20.0)]),
        study("copy", "GB/s", "hot", none, &curve),
    ];
    assert_eq!(
        found(&studies),
        [
            (CeilingKind::Bandwidth, "up to 128 KiB".to_owned(), 80e9, Some(128 << 10)),
            (CeilingKind::Bandwidth, "up to 1024 KiB".to_owned(), 41e9, Some(1 << 20)),
            (CeilingKind::Bandwidth, "memory".to_owned(), 20e9, None),
        ]
    );
    // Without cold samples the last level is memory.
    let alone = found(&studies[2..]);
    assert_eq!(alone.last().map(|c| (c.1.as_str(), c.2)), Some(("memory", 19.5e9)));
}

#[test]
fn formats_latencies_launches_and_atomics_are_ceilings_of_their_kind() {
    let studies = [
        study("fma", "GFLOP/s", "cold", ("precision", "f32"), &[(1 << 18, 150.0)]),
        study("fma", "GFLOP/s", "cold", ("precision", "f64"), &[(1 << 18, 70.0)]),
        study(
            "chase",
            "M/s",
            "cold",
            ("x", "1"),
            &[(8192, 1.4), (16384, 1.4), (32768, 1.45), (65536, 4.2), (131_072, 4.2)],
        ),
        study("launch", "M/s", "cold", ("x", "1"), &[(1, 2.0)]),
        study("histogram", "G/s", "cold", ("bins", "64"), &[(4096, 0.5)]),
        study("gemm", "GFLOP/s", "cold", ("x", "1"), &[(64, 900.0)]),
    ];
    let found = measured(&studies);
    let told: Vec<(CeilingKind, &str)> =
        found.iter().map(|ceiling| (ceiling.kind, ceiling.of.as_str())).collect();
    assert_eq!(
        told,
        [
            (CeilingKind::Arithmetic, "f32"),
            (CeilingKind::Arithmetic, "f64"),
            (CeilingKind::Latency, "up to 32 KiB"),
            (CeilingKind::Latency, "memory"),
            (CeilingKind::Launch, "one kernel"),
            (CeilingKind::Atomics, "64 places"),
        ]
    );
    assert!((found[0].value - 150e9).abs() < 1.0);
    assert_eq!((found[0].in_theory, found[1].in_theory), (Some(9e12), None));
    assert!((found[2].value - 1.4e-9).abs() < 1e-15);
    assert!((found[4].value - 1e-3).abs() < 1e-12);
}

#[test]
fn a_curve_that_ends_within_the_last_cache_names_no_memory() {
    let sizes = [(8192, 1.4), (16384, 1.4), (32768, 4.2), (65536, 4.2)];
    let mut chase = study("chase", "M/s", "cold", ("x", "1"), &sizes);
    let caches = CachesRecord { last_cache: 1 << 20, ..CachesRecord::default() };
    chase.view.started.caches = Some(caches);
    let found: Vec<String> = measured(&[chase]).into_iter().map(|c| c.of).collect();
    assert_eq!(found, ["up to 16 KiB", "up to 64 KiB"]);
}
