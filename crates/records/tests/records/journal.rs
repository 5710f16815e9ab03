//! A journal survives a writer that is killed at any moment, and its view shows the same study.

use chrono::Utc;
use records::{
    Costs, Event, Exit, Figure, Journal, JournalEntry, KneeFinding, Measurement, MetricFigure,
    Named, Outcome, Phase, Progress, Purpose, SizeClosed, SizeOpened, Started, Status, StudyFolder,
    StudyView, Summary, Trial, read_journal,
};
use space::Value;

fn configuration(block: i64) -> Named {
    Named(vec![
        ("block_size_x".into(), Value::Int(block)),
        ("format".into(), Value::Text("f32".into())),
        ("share".into(), Value::Float(1.0)),
        ("padded".into(), Value::Bool(true)),
    ])
}

fn summary(seconds: f64) -> Summary {
    Summary::of(&[seconds * 0.99, seconds, seconds * 1.02]).expect("samples")
}

fn trial(size: u64, block: i64, phase: Phase) -> Trial {
    let seconds = summary(1e-9 * size as f64 / block as f64 + 1e-6);
    let measurement = Measurement {
        samples: vec![seconds.median as f32],
        seconds,
        exit: Exit::Precise,
        batch: 4,
        cold: Some(true),
        disturbed: Vec::new(),
        beside: None,
        flushed: false,
        error: Some(1e-7),
        metrics: [("throughput".to_owned(), 12.5)].into(),
    };
    Trial {
        size,
        phase,
        configuration: configuration(block),
        outcome: Outcome {
            device: String::new(),
            status: Status::Measured,
            reason: String::new(),
            measurement: Some(measurement),
            costs: Costs { compile: 0.1, ..Costs::default() },
        },
        score: Some(0.1 + 0.2),
    }
}

fn figure(block: i64, metric: f64) -> Figure {
    Figure {
        configuration: configuration(block),
        seconds: summary(1e-3),
        metric: Some(MetricFigure {
            value: metric,
            interval: (metric * 0.99, metric * 1.01),
            samples: vec![metric],
        }),
        error: None,
        unsettled: false,
        metrics: [].into(),
    }
}

fn events() -> Vec<Event> {
    let mut events = vec![Event::Started(Started {
        largest: Some(4096),
        why: "device memory".to_owned(),
        ..Started::default()
    })];
    for size in [2048_u64, 1024, 4096] {
        events.push(Event::SizeOpened(SizeOpened {
            size,
            purpose: if size == 4096 { Purpose::Refinement } else { Purpose::Growth },
            starts: vec![configuration(32)],
            ..SizeOpened::default()
        }));
        events.push(Event::SizeClosed(SizeClosed {
            size,
            why: "24 evaluations".to_owned(),
            best: Some(figure(64, size as f64)),
            default: Some(figure(32, 1.0)),
            gain: Some(1.25),
            ..SizeClosed::default()
        }));
    }
    let knee = |points| {
        Event::Knee(KneeFinding {
            detector: "kneedle".to_owned(),
            knee: Some(2048.0),
            interval: Some((1024.0, 4096.0)),
            points,
            ..KneeFinding::default()
        })
    };
    events.extend([knee(2), knee(3)]);
    events.push(Event::KneeAccepted {
        detector: "kneedle".to_owned(),
        size: 2048,
        why: "three larger sizes moved it by no step".to_owned(),
        confirmed: true,
    });
    events.push(Event::Finished { seconds: 12.5 });
    events
}

fn study() -> (tempfile::TempDir, StudyFolder) {
    let out = tempfile::tempdir().expect("a folder");
    let folder = StudyFolder::create(out.path(), Utc::now(), "a", "b", "c").expect("a study");
    (out, folder)
}

#[test]
fn every_event_is_read_as_it_was_written() {
    let (_out, folder) = study();
    let mut journal = Journal::create(&folder).expect("made");
    let mut written: Vec<JournalEntry> =
        events().into_iter().map(|event| journal.append(event).expect("written")).collect();
    for (block, phase) in [(32, Phase::Search), (64, Phase::Search), (64, Phase::Final)] {
        written.extend(journal.append_trials([trial(1024, block, phase)]).expect("written"));
    }
    let read = read_journal(&folder.file("journal.jsonl")).expect("read");
    assert_eq!(read.entries, written);
}

#[test]
fn a_view_orders_sizes_and_names_the_winner_at_the_knee() {
    let entries: Vec<JournalEntry> = events()
        .into_iter()
        .enumerate()
        .map(|(at, event)| JournalEntry { seq: at as u64 + 1, utc: Utc::now(), event })
        .collect();
    let view = StudyView::from_events(&entries);
    assert_eq!(view.sizes.iter().map(|s| s.size).collect::<Vec<_>>(), [1024, 2048, 4096]);
    assert_eq!(view.winner().map(|(point, _)| point.size), Some(2048));
    assert_eq!(view.deciding().map(|k| k.points), Some(3), "the last word counts");
    assert_eq!(view.progress, Progress::Finished(12.5));
    assert_eq!(view.sizes[2].purpose(), Purpose::Refinement);
    let unfinished = StudyView::from_events(&entries[..5]);
    assert_eq!(unfinished.progress, Progress::Open);
    assert_eq!(unfinished.winner().map(|(point, _)| point.size), Some(2048));
}
