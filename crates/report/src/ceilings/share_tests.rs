//! Tests of shares, on made-up studies.

use records::{CachesRecord, Named, SizeClosed, SizeOpened, Summary, TrialCounts};

use super::*;

fn ceiling(kind: CeilingKind, of: &str, value: f64, reach: Option<u64>) -> Ceiling {
    let interval = (0.98 * value, 1.02 * value);
    Ceiling { kind, of: of.to_owned(), value, interval, reach, ..Ceiling::default() }
}

/// A study of one size, 1000, that takes one second. The device has memory, two caches and two
/// number formats.
fn view(work: SizeWork, kind: &str, bytes: u64) -> StudyView {
    let used = CeilingsUsed {
        ceilings: vec![
            ceiling(CeilingKind::Bandwidth, "memory", 100.0, None),
            ceiling(CeilingKind::Bandwidth, "up to 4 KiB", 400.0, Some(4096)),
            ceiling(CeilingKind::Bandwidth, "up to 1 KiB", 1000.0, Some(1024)),
            ceiling(CeilingKind::Arithmetic, "f32", 50.0, None),
            ceiling(CeilingKind::Arithmetic, "f16", 80.0, None),
        ],
        work: vec![SizeWork { size: 1000, ..work }],
        ..CeilingsUsed::default()
    };
    let best = Figure {
        configuration: Named::default(),
        seconds: Summary::of(&[0.99, 0.99, 1.0, 1.0, 1.0, 1.01, 1.01]).expect("samples"),
        metric: None,
        error: None,
        unsettled: false,
        metrics: [].into(),
    };
    let closed = SizeClosed { size: 1000, best: Some(best), ..SizeClosed::default() };
    let opened = SizeOpened { size: 1000, bytes: Some(bytes), ..SizeOpened::default() };
    let point = SizePoint {
        size: 1000,
        opened: Some(opened),
        counts: TrialCounts::default(),
        closed: Some(closed),
    };
    let mut view = StudyView { sizes: vec![point], ceilings: Some(used), ..StudyView::default() };
    view.started.caches = Some(CachesRecord { kind: kind.to_owned(), ..CachesRecord::default() });
    view
}

fn work(flops: Option<f64>, bytes: Option<f64>, formats: &[&str]) -> SizeWork {
    let formats = formats.iter().map(|format| (*format).to_owned()).collect();
    SizeWork { flops, bytes, formats, ..SizeWork::default() }
}

#[test]
fn the_roof_is_whatever_takes_longer_and_the_share_is_of_it() {
    // 80 % of the arithmetic peak, and 50 % of the bandwidth.
    let view = view(work(Some(40.0), Some(50.0), &["f32"]), "cold", 512);
    let share = winner_share(&view).expect("a share");
    assert_eq!((share.roof.kind, share.roof.of.as_str()), (CeilingKind::Arithmetic, "f32"));
    assert!((share.share - 0.8).abs() < 1e-12, "{share:?}");
    assert_eq!(share.intensity, Some(0.8));
    assert!((share.reached - 40.0).abs() < 1e-12);
    let (low, high) = share.interval;
    // 2 % from the ceiling and 1 % from the time, as independent errors.
    let half = 0.02_f64.hypot(0.01);
    assert!((high / share.share - 1.0 - half).abs() < 1e-3, "{low} {high}");
    assert!((1.0 - low / share.share - half).abs() < 1e-3, "{low} {high}");
}

#[test]
fn hot_bytes_are_held_against_the_smallest_level_that_holds_them_and_cold_ones_against_memory() {
    let of = |kind: &str, held: u64| {
        let share = winner_share(&view(work(None, Some(90.0), &[]), kind, held)).expect("a share");
        (share.roof.of, share.share)
    };
    assert_eq!(of("cold", 512), ("memory".to_owned(), 0.9));
    assert_eq!(of("hot", 512), ("up to 1 KiB".to_owned(), 0.09));
    assert_eq!(of("hot", 4096), ("up to 4 KiB".to_owned(), 0.225));
    assert_eq!(of("hot", 4097), ("memory".to_owned(), 0.9));
}

#[test]
fn of_several_formats_the_highest_peak_counts_and_a_beaten_ceiling_is_above_one() {
    let share = winner_share(&view(work(Some(88.0), None, &["f16", "f32"]), "cold", 1));
    let share = share.expect("a share");
    assert_eq!(share.roof.of, "f16");
    assert!((share.share - 1.1).abs() < 1e-12);
}

#[test]
fn without_work_formats_or_ceilings_there_is_no_share() {
    assert_eq!(winner_share(&view(work(None, None, &["f32"]), "cold", 1)), None);
    assert_eq!(winner_share(&view(work(Some(1.0), None, &["i32"]), "cold", 1)), None);
    let mut unknown = view(work(Some(1.0), Some(1.0), &["f32"]), "cold", 1);
    unknown.ceilings = None;
    assert!(shares(&unknown).is_empty());
}
