use super::*;
use crate::{
    BenchmarkRecord, DeviceRecord, Host, KneeFinding, RepeatWinner, StudyView,
    settings::StudySettings,
};

fn plan(detectors: &[&str]) -> StudyRecord {
    let mut benchmark = BenchmarkRecord::default();
    benchmark.secondary.name = "bandwidth".to_owned();
    benchmark.secondary.unit = "GB/s".to_owned();
    let settings = StudySettings {
        detectors: detectors.iter().map(|name| (*name).to_owned()).collect(),
        ..StudySettings::default()
    };
    StudyRecord::new(vec![], Host::default(), DeviceRecord::default(), benchmark, settings)
}

fn finding(detector: &str, knee: Option<f64>, confidence: &str) -> KneeFinding {
    let (detector, confidence) = (detector.to_owned(), confidence.to_owned());
    KneeFinding { detector, knee, confidence, ..KneeFinding::default() }
}

/// A finished study over sizes that double from 1000.
fn study(number: u32, knee: Option<f64>, block: i64, figure: f64) -> Repeat {
    let mut repeat = Repeat::of(number, 1, StudyState::Finished, &StudyView::default());
    repeat.confirmed = knee.is_some();
    repeat.ladder = (0..10).map(|power| 1000 << power).collect();
    repeat.knees = vec![finding("kneedle", knee, "settled")];
    repeat.winner = Some(RepeatWinner {
        size: 8000,
        configuration: Named(vec![("block".to_owned(), block.into())]),
        seconds: 1e-3 / figure,
        metric: Some(figure),
    });
    repeat
}

#[test]
fn knees_are_counted_by_steps_of_the_ladder() {
    let knees = [8000.0, 16_000.0, 8000.0, 4000.0, 64_000.0];
    let studies: Vec<Repeat> =
        (1..).zip(knees).map(|(number, knee)| study(number, Some(knee), 64, 10.0)).collect();
    let agreement = Agreement::of(&plan(&["kneedle"]), &studies);
    let found = &agreement.knees[0];
    assert_eq!((found.found, found.settled, found.within_one_step), (5, 5, 4));
    assert_eq!((found.median, found.range), (Some(8000.0), Some((4000.0, 64_000.0))));
    assert!((found.steps.expect("steps") - 4.0).abs() < 1e-9, "{found:?}");
    let mut studies = studies;
    studies[1].confirmed = false;
    assert_eq!(Agreement::of(&plan(&["kneedle"]), &studies).knees[0].settled, 4);
}

#[test]
fn a_step_is_that_of_the_study_s_own_sizes() {
    let mut studies = [study(1, Some(8000.0), 64, 1.0), study(2, Some(8000.0), 64, 1.0)].to_vec();
    studies.push(study(3, Some(16_000.0), 64, 1.0));
    let within =
        |studies: &[Repeat]| Agreement::of(&plan(&["kneedle"]), studies).knees[0].within_one_step;
    assert_eq!(within(&studies), 3);
    // With twice as many sizes, the same distance is two steps.
    studies[2].ladder = (0..20).map(|n| (1000.0 * 2_f64.powf(f64::from(n) / 2.0)) as u64).collect();
    assert_eq!(within(&studies), 2);
}

#[test]
fn the_median_of_two_knees_lies_between_them_by_their_ratio() {
    let studies = [study(1, Some(4000.0), 64, 1.0), study(2, Some(16_000.0), 64, 1.0)];
    let agreement = Agreement::of(&plan(&["kneedle"]), &studies);
    let found = &agreement.knees[0];
    assert!((found.median.expect("two knees") - 8000.0).abs() < 1e-6);
    assert_eq!(found.within_one_step, 2);
}

#[test]
fn studies_without_a_knee_or_an_end_agree_with_nobody() {
    let mut failed = study(4, Some(8000.0), 64, 1e9);
    failed.state = StudyState::Failed("the device was lost".to_owned());
    let studies = [
        study(1, Some(8000.0), 64, 10.0),
        study(2, None, 32, 12.0),
        study(3, None, 64, 8.0),
        failed,
    ];
    let agreement = Agreement::of(&plan(&["kneedle", "triangle"]), &studies);
    assert_eq!(agreement.finished, 3);
    assert_eq!((agreement.knees[0].found, agreement.knees[0].within_one_step), (1, 1));
    assert_eq!(agreement.knees[1].found, 0);
    assert_eq!(agreement.knees[1].median, None);
    let figure = agreement.figure.expect("figures");
    assert_eq!((figure.median, figure.range), (10.0, (8.0, 12.0)));
    assert!((figure.relative - 0.4).abs() < 1e-12);
}

#[test]
fn the_usual_winner_comes_first_and_every_study_is_named() {
    let blocks = [32, 64, 128, 64, 64];
    let studies: Vec<Repeat> =
        (1..).zip(blocks).map(|(number, block)| study(number, None, block, 1.0)).collect();
    let agreement = Agreement::of(&plan(&[]), &studies);
    let studies: Vec<&[u32]> = agreement.winners.iter().map(|w| w.studies.as_slice()).collect();
    assert_eq!(studies, [&[2, 4, 5][..], &[1], &[3]]);
    assert_eq!(agreement.usual_winner().map(|w| w.configuration.key()), Some("block=64".into()));
    assert_eq!(agreement.figure.map(|figure| figure.relative), Some(0.0));
}

#[test]
fn winners_without_the_metric_are_compared_by_their_time() {
    let mut studies = [study(1, None, 64, 1.0), study(2, None, 64, 2.0)];
    studies[1].winner.as_mut().expect("a winner").metric = None;
    let figure = Agreement::of(&plan(&[]), &studies).figure.expect("figures");
    assert_eq!((figure.metric.as_str(), figure.unit.as_str()), ("seconds", "s"));
    assert_eq!(figure.range, (0.5e-3, 1e-3));
}

#[test]
fn nothing_finished_is_nothing_compared() {
    let agreement = Agreement::of(&plan(&["kneedle"]), &[]);
    assert_eq!((agreement.finished, agreement.figure.clone()), (0, None));
    assert!(agreement.winners.is_empty() && agreement.knees[0].range.is_none());
}
