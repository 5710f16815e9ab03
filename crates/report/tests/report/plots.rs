//! Plots of realistic and of difficult studies. The pictures stay in the tests' temporary folder
//! for inspection.

use std::{fs, path::Path};

use records::{Event, KneeFinding, StudyView};
use report::exporters::{AxisScale, CurvePlot, Scales, plot_curve, png, saturation, tuning};

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
    for words in ["throughput (GB/s)", "problem size (elements)", "run time", "knee by kneedle"] {
        assert!(svg.contains(words), "no `{words}`");
    }
    keep("saturation", &svg);
    keep("tuning", &tuning(&record(), &view).expect("drawn"));
    let linear =
        Scales { size: AxisScale::Linear, time: AxisScale::Linear, metric: AxisScale::Log };
    keep("saturation-turned", &saturation(&record(), &view, linear).expect("drawn"));
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
