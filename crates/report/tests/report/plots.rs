//! Plots of realistic and of difficult studies. The pictures stay in the tests' temporary folder
//! for inspection.

use std::{fs, path::Path};

use knees::DETECTORS;
use records::{Event, KneeFinding, Named, PrecisionGains, PrecisionPoint, SizeClosed, StudyView};
use report::exporters::{
    AxisScale, CurvePlot, Scales, plot_curve, png, precision, saturation, tuning,
};
use space::accuracy::Element;

use crate::study::{events, growing, record, view};

fn keep(name: &str, svg: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::write(folder.join(format!("{name}.svg")), svg).expect("written");
    let pixels = png(svg).expect("pixels");
    assert!(pixels.starts_with(b"\x89PNG"));
    fs::write(folder.join(format!("{name}.png")), pixels).expect("written");
}

#[test]
fn a_study_of_many_octaves_is_drawn() {
    let view = view(events(&growing(1024, 2.6, 15)));
    let svg = saturation(&record(), &view, Scales::default()).expect("drawn");
    for words in [
        "throughput (GB/s)",
        "problem size (elements)",
        "run time",
        "knee by kneedle",
        "level: ",
        "peak bandwidth of the device: ",
        ", settled",
        "bars: 95 % interval  ·",
    ] {
        assert!(svg.contains(words), "no `{words}`");
    }
    keep("saturation", &svg);
    keep("tuning", &tuning(&record(), &view).expect("drawn"));
    let turned = Scales { size: AxisScale::Linear, ..Scales::LINEAR_TIME };
    keep("saturation-turned", &saturation(&record(), &view, turned).expect("drawn"));
}

#[test]
fn a_study_of_few_sizes_close_together_is_drawn() {
    let mut record = record();
    record.benchmark.name = "gemm".to_owned();
    record.benchmark.size_meaning = "rows and columns".to_owned();
    record.device.peak_bandwidth = None;
    record.device.name =
        "a device whose name is so long that no title could ever hold it, truly, not even here"
            .into();
    let view = view(events(&growing(512, 1.3, 5)));
    keep("saturation-narrow", &saturation(&record, &view, Scales::default()).expect("drawn"));
    keep("tuning-few", &tuning(&record, &view).expect("drawn"));
}

#[test]
fn an_interval_far_wider_than_the_curve_does_not_squeeze_it() {
    let mut events = events(&growing(1024, 2.6, 15));
    for event in &mut events {
        if let Event::SizeClosed(SizeClosed { best: Some(best), .. }) = event
            && let Some(metric) = &mut best.metric
        {
            metric.interval = (metric.value / 1e6, metric.value * 1e6);
            best.seconds.interval = (best.seconds.median / 1e6, best.seconds.median * 1e6);
        }
    }
    let svg = saturation(&record(), &view(events), Scales::default()).expect("drawn");
    keep("saturation-wide", &svg);
    // The best is 1345 GB/s, and the axis ends at 2.5 times that.
    assert!(svg.contains("\n3000\n") && !svg.contains("\n4000\n"));
    assert!(!svg.contains("\n1 min\n") && !svg.contains("\n1 ns\n"), "ticks of the run time");
}

#[test]
fn one_size_is_drawn() {
    let mut events = events(&[1 << 20]);
    events.retain(|e| !matches!(e, Event::Knee(_) | Event::KneeAccepted { .. }));
    let view = view(events);
    keep("saturation-one", &saturation(&record(), &view, Scales::default()).expect("drawn"));
    keep("tuning-one", &tuning(&record(), &view).expect("drawn"));
}

#[test]
fn an_empty_study_has_no_plot_and_says_so() {
    let empty = StudyView::default();
    let error = saturation(&record(), &empty, Scales::default()).expect_err("nothing");
    assert!(error.to_string().contains("nothing to draw"), "{error}");
    assert!(tuning(&record(), &empty).is_err());
}

#[test]
fn anybody_s_curve_is_drawn() {
    let points: Vec<(f64, f64)> = (0..30)
        .map(|n| 2_f64.powi(n))
        .map(|x| (x, 250.0 * x / (x + 2e4) * (1.0 + 0.02 * (x.log2() * 3.0).sin())))
        .collect();
    let spread = vec![0.04; points.len()];
    let knees = [("kneedle", Some(131_072.0)), ("triangle", Some(262_144.0)), ("hockney", None)]
        .map(|(detector, knee)| KneeFinding {
            detector: detector.to_owned(),
            knee,
            interval: knee.map(|k: f64| (k / 2.0, k * 2.0)),
            share: knee.map(|_| 0.92),
            ..KneeFinding::default()
        });
    let plot = CurvePlot {
        title: "curve.csv <of somebody & friends>",
        x_title: "size",
        y_title: "throughput (MB/s)",
        points: &points,
        spread: Some(&spread),
        knees: &knees,
        x_scale: AxisScale::Log,
        y_scale: AxisScale::Linear,
    };
    let svg = plot_curve(&plot).expect("drawn");
    assert!(svg.contains("&lt;of somebody &amp; friends&gt;"));
    keep("curve", &svg);
    keep(
        "curve-linear",
        &plot_curve(&CurvePlot { x_scale: AxisScale::Linear, ..plot }).expect("drawn"),
    );
}

#[test]
fn every_detector_of_a_curve_has_its_own_line_in_the_legend() {
    let points: Vec<(f64, f64)> = (1..20).map(|n| (f64::from(n), f64::from(n).sqrt())).collect();
    let finding = |detector: &str| KneeFinding {
        detector: detector.to_owned(),
        knee: Some(7.0),
        ..KneeFinding::default()
    };
    let knees: Vec<KneeFinding> = DETECTORS.names().map(finding).collect();
    let plot = CurvePlot {
        title: "Knees of curve.csv",
        x_title: "bytes",
        y_title: "GB/s",
        points: &points,
        spread: None,
        knees: &knees,
        x_scale: AxisScale::Log,
        y_scale: AxisScale::Linear,
    };
    let svg = plot_curve(&plot).expect("drawn");
    for detector in DETECTORS.names() {
        assert!(svg.contains(&format!("knee by {detector}: 7")), "{detector}");
    }
    assert!(svg.contains(">\nbytes\n<") && svg.contains(">\nGB/s\n<"), "titles of the axes");
    keep("curve-all", &svg);
}

fn precision_point(error: f64, gain: f64, uniform: Option<Element>) -> PrecisionPoint {
    PrecisionPoint {
        configuration: Named(Vec::new()),
        seconds: 1e-3 / gain,
        gain,
        error,
        footprint: Some(8e6 / gain),
        energy: None,
        energy_uncertainty: None,
        on_front: uniform.is_some(),
        uniform,
    }
}

#[test]
fn exact_configurations_have_their_own_place_and_all_their_names() {
    let formats = [Element::F64, Element::F32, Element::F16, Element::Bf16];
    let errors = |errors: [f64; 4]| PrecisionGains {
        size: 1 << 20,
        precise: Named(Vec::new()),
        points: (0..4)
            .map(|at| precision_point(errors[at], 1.0 + at as f64, Some(formats[at])))
            .chain([precision_point(errors[0], 0.7, None)])
            .collect(),
        levels: Vec::new(),
    };
    for (name, gains) in [
        ("exact-two", errors([0.0, 0.0, 2.1e-4, 1.9e-3])),
        ("exact-none", errors([1e-16, 3e-8, 2.1e-4, 1.9e-3])),
        ("exact-all", errors([0.0; 4])),
        ("exact-narrow", errors([0.0, 2e-7, 2.2e-7, 2.3e-7])),
    ] {
        let svg = precision(&record(), &gains).expect("drawn");
        keep(name, &svg);
        let exact = gains.points.iter().any(|point| point.error < 1e-300);
        assert_eq!(svg.contains("\nexact\n"), exact, "{name}");
        for format in formats {
            let labels = svg.matches(&format!("\n{}\n", format.name())).count();
            assert_eq!(labels, 2, "{name}: {} in both panels", format.name());
        }
    }
}
