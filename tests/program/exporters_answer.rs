//! Consistency of the answer: terminal, report and plot never contradict each other, for every end
//! of a study.

use assert_cmd::Command;
use knees::Confidence;
use records::{
    Costs, Event, Journal, RoundsEvent, Stages, Started, StudyFolder, StudyRecord, StudyView,
};
use report::exporters::{EXPORTERS, Options, knee_answer::KneeAnswer, words};

use crate::exporters_study::{events, growing, record, view};

const KNEE: &str = "2\u{a0}097\u{a0}152";

/// A study that differs from the usual one.
struct Case {
    name: &'static str,
    record: StudyRecord,
    events: Vec<Event>,
    /// Whether the study has a knee.
    knee: bool,
    confidence: Confidence,
}

fn usual() -> Vec<Event> {
    events(&growing(4096, 8.0, 5))
}

/// Events of the usual study, changed or left out.
fn changed(change: impl Fn(Event) -> Option<Event>) -> Vec<Event> {
    usual().into_iter().filter_map(change).collect()
}

fn cases() -> Vec<Case> {
    let settled = Case {
        name: "settled",
        record: record(),
        events: usual(),
        knee: true,
        confidence: Confidence::Settled,
    };
    let weak = changed(|event| {
        Some(match event {
            Event::Knee(mut finding) if finding.detector == "kneedle" => {
                finding.confidence = "weak".to_owned();
                finding.against = vec!["its interval spans 5 steps of the sizes".to_owned()];
                Event::Knee(finding)
            }
            other => other,
        })
    });
    let unconfirmed = changed(|event| {
        Some(match event {
            Event::KneeAccepted { detector, size, .. } => {
                let why = "larger sizes still moved it: 0.4 above the diagonal".to_owned();
                Event::KneeAccepted { detector, size, why, confirmed: false }
            }
            other => other,
        })
    });
    let seen = changed(|event| match event {
        Event::KneeAccepted { .. } => None,
        other => Some(other),
    });
    let flat = changed(|event| match event {
        Event::KneeAccepted { .. } => None,
        Event::Knee(mut finding) if finding.detector == "kneedle" => {
            (finding.knee, finding.interval, finding.share) = (None, None, None);
            finding.why = "the curve is flat".to_owned();
            finding.confidence = "none".to_owned();
            Some(Event::Knee(finding))
        }
        other => Some(other),
    });
    let killed = changed(|event| match event {
        Event::Finished { .. } => None,
        other => Some(other),
    });
    let case =
        |name, events, knee, confidence| Case { name, record: record(), events, knee, confidence };
    vec![
        settled,
        case("weak", weak, true, Confidence::Weak),
        case("unconfirmed", unconfirmed, true, Confidence::Weak),
        case("seen", seen, false, Confidence::None),
        case("flat", flat, false, Confidence::None),
        case("killed", killed, true, Confidence::Weak),
    ]
}

fn file(format: &str, name: &str, record: &StudyRecord, view: &StudyView) -> String {
    let exporter = EXPORTERS.find(format).expect("a known format");
    let files = (exporter.export)(record, view, &Options::default()).expect("exported");
    let (_, bytes) = files.into_iter().find(|(n, _)| n == name).expect("the file");
    String::from_utf8(bytes).expect("text")
}

/// Output of `autobench show --all` for a study on disk.
fn shown(record: &StudyRecord, events: &[Event]) -> String {
    printed(record, events, &["--all"])
}

/// Output of `autobench show` with further arguments for a study on disk.
fn printed(record: &StudyRecord, events: &[Event], more: &[&str]) -> String {
    let out = tempfile::tempdir().expect("a folder");
    let folder = StudyFolder::create(out.path(), record.started, "a", "b", "c").expect("made");
    folder.write_study(record).expect("written");
    let mut journal = Journal::create(&folder).expect("made");
    for event in events.iter().cloned() {
        match event {
            Event::Trial(t) => journal.append_trials([t.trial]).map(|_| ()),
            other => journal.append(other).map(|_| ()),
        }
        .expect("written");
    }
    let mut command = Command::cargo_bin("autobench").expect("built");
    let output = command.arg("show").arg(folder.path()).args(more).output().expect("ran");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Text of the card with this title in a report.
fn card<'a>(page: &'a str, title: &str) -> Option<&'a str> {
    let start = page.find(&format!("<span class=\"what\">{title}"))?;
    Some(&page[start..start + page[start..].find("</div>")?])
}

#[test]
fn terminal_card_and_plot_say_the_same_of_the_knee() {
    for Case { name, record, events, knee, confidence } in cases() {
        let view = view(events.clone());
        let answer = KneeAnswer::of(&record, &view).expect("a knee was sought");
        assert_eq!((answer.knee.is_some(), answer.confidence), (knee, Some(confidence)), "{name}");
        let terminal = words::knee::lines(&record, &view);
        let shown = shown(&record, &events);
        for line in &terminal {
            assert!(shown.contains(line.as_str()), "{name}: `show` lacks `{line}`:\n{shown}");
        }
        let short = printed(&record, &events, &["--no-source"]);
        assert!(short.lines().count() <= 8, "{name}: {short}");
        let own = short.lines().find_map(|line| line.strip_prefix("knee      "));
        let own = own.unwrap_or_else(|| panic!("{name}: {short}"));
        let page = file("report", "report.html", &record, &view);
        let card = &card(&page, "knee").expect("a card").replace("\u{a0}%", " %");
        let plot = file("plot", "saturation.svg", &record, &view);
        let markdown = file("markdown", "study.md", &record, &view);
        let json: serde_json::Value =
            serde_json::from_str(&file("json", "export.json", &record, &view)).expect("JSON");
        let marked = format!("knee by kneedle: {KNEE}");
        let places = [
            terminal[0].starts_with(KNEE),
            own.starts_with(KNEE),
            card.contains(&format!("<b>{KNEE}</b>")),
            plot.contains(&marked) && plot.contains(&format!("knee {KNEE}")),
            markdown.contains(&format!("the knee is at {KNEE}")),
            json["accepted"]["size"] == 2_097_152,
        ];
        assert_eq!(places, [knee; 6], "{name}: {terminal:?}\n{card}");
        if knee {
            let word = confidence.word();
            for text in [&terminal[0], own, card, &markdown] {
                assert!(text.contains(word), "{name}: {text}");
                assert!(text.contains("94.1 % of the level"), "{name}: {text}");
            }
            assert!(plot.contains(&format!("94.1 % of the level, {word}")), "{name}");
            assert_eq!(json["accepted"]["confidence"], word, "{name}");
        } else {
            assert!(!plot.contains("knee by"), "{name}: the plot draws a knee");
            for text in [&terminal[0], own, card, &markdown, &plot] {
                assert!(text.contains(&answer.why), "{name}: no `{}` in {text}", answer.why);
            }
        }
        for doubt in &answer.against {
            assert_eq!(confidence, Confidence::Weak, "{name}");
            for text in [&terminal.join("\n"), &page, &plot, &markdown] {
                assert!(text.contains(doubt.as_str()), "{name}: no `{doubt}`");
            }
        }
        if let Some(doubt) = answer.against.first() {
            let warned = short.lines().find(|line| line.starts_with("warning   "));
            let is_open = warned.is_some_and(|warned| warned.contains("is not finished"));
            assert!(is_open || warned.is_some_and(|warned| warned.contains(doubt)), "{short}");
        }
        let says_weak = |text: &str| text.contains("weak");
        let weak = confidence == Confidence::Weak;
        assert_eq!(
            [says_weak(&terminal[0]), says_weak(own), says_weak(card), says_weak(&plot)],
            [weak; 4]
        );
    }
}

#[test]
fn an_answer_that_moved_after_refinement_says_from_where() {
    let mut events = usual();
    let refined = |around| Event::Refined { around, sizes: vec![around + 1] };
    events.insert(1, refined(2_097_152));
    let same = words::knee::lines(&record(), &view(events.clone()));
    assert!(!same.iter().any(|line| line.contains("first rounds")), "{same:?}");
    events[1] = refined(262_144);
    let moved = words::knee::lines(&record(), &view(events.clone()));
    assert!(moved.iter().any(|line| line.contains("first rounds had it at 262")), "{moved:?}");
    let page = file("report", "report.html", &record(), &view(events));
    assert!(page.contains("first rounds had it at 262"));
}

#[test]
fn a_gain_whose_interval_holds_1_is_no_headline_anywhere() {
    let events = changed(|event| {
        Some(match event {
            Event::SizeClosed(mut closed) => {
                (closed.gain, closed.gain_interval) = (Some(4.27), Some((0.195, 13.5)));
                Event::SizeClosed(closed)
            }
            other => other,
        })
    });
    let (record, view) = (record(), view(events.clone()));
    let page = file("report", "report.html", &record, &view);
    let card = card(&page, "gain").expect("a card");
    assert!(card.contains("<b>no significant difference</b>"), "{card}");
    assert!(card.contains("4.27× the speed") && card.contains("0.195 to 13.5"), "{card}");
    let shown = shown(&record, &events);
    assert!(shown.contains("gain      no significant difference"), "{shown}");
    for text in [&page, &shown, &file("markdown", "study.md", &record, &view)] {
        assert!(text.contains("≈ 1×"), "{text}");
        assert_eq!(text.matches("4.27×").count(), usize::from(text.contains("speed")), "{text}");
    }
}

#[test]
fn a_replayed_space_says_what_is_simulated_and_what_nobody_knows() {
    let mut record = record();
    record.device.backend = records::REPLAY.to_owned();
    (record.device.memory, record.device.memory_free) = (0, 0);
    record.settings.device = "replay:/spaces/gemm.json".parse().expect("a device");
    record.settings.detectors.clear();
    let events = changed(|event| match event {
        Event::Knee(_) | Event::KneeAccepted { .. } | Event::GrowthEnded { .. } => None,
        Event::Started(_) => Some(Event::Started(Started::default())),
        Event::Trial(mut trial) => {
            if let Some(measurement) = &mut trial.trial.outcome.measurement {
                measurement.cold = None;
            }
            Some(Event::Trial(trial))
        }
        other => Some(other),
    });
    let view = view(events.clone());
    let page = file("report", "report.html", &record, &view);
    let short = printed(&record, &events, &[]);
    assert!(short.contains(", replayed: 5 sizes"), "{short}");
    let shown = shown(&record, &events);
    for text in [&page, &shown] {
        for words in ["recorded in /spaces/gemm.json", "simulated", "nobody knows"] {
            assert!(text.contains(words), "no `{words}` in {text}");
        }
        for claim in ["cold", "flush", "0 B", "rotation"] {
            assert!(!text.contains(claim), "`{claim}` is claimed of a recorded space: {text}");
        }
    }
    for name in ["sizes.csv", "trials.csv"] {
        let table = file("csv", name, &record, &view);
        let (header, rows) = table.split_once('\n').expect("a header");
        assert!(header.contains(",caches,cold_by,"), "{header}");
        assert!(!rows.contains("cold") && !rows.contains("rotation"), "{rows}");
    }
    let plot = file("plot", "saturation.svg", &record, &view);
    assert!(plot.contains("caches unknown") && !plot.contains("cold"), "{plot}");
}

#[test]
fn the_stages_add_up_to_the_wall_time_of_all_sessions() {
    let (record, mut events) = (record(), usual());
    events.insert(5, Event::Interrupted { why: "by a signal".to_owned() });
    events.insert(6, Event::Resumed { argv: Vec::new(), accepted: Vec::new() });
    let costs = Costs { measure: 4.0, kernel: 3.0, overhead: 0.5, ..Costs::default() };
    events.insert(7, Event::Rounds(RoundsEvent { costs, ..RoundsEvent::default() }));
    let view = view(events);
    let sessions = &view.hours.sessions;
    assert_eq!(sessions.len(), 2);
    let stages = Stages::of(&record, &view);
    let [first, second] = [sessions[0], sessions[1]].map(|(from, to)| (to - from).as_seconds_f64());
    let before = (sessions[0].0 - record.started).as_seconds_f64();
    assert!((stages.wall - (before + first + second)).abs() < 1e-9, "{stages:?}");
    let between = (sessions[1].0 - sessions[0].1).as_seconds_f64();
    assert!(between > 0.0, "what lies between sessions counts for nobody");
    let parts = stages.parts();
    let sum: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    assert!((sum - stages.wall).abs() < 1e-9 && !stages.is_side_by_side(), "{parts:?}");
    assert!(parts.iter().all(|(_, seconds)| *seconds >= 0.0), "{parts:?}");
    let part = |word: &str| parts.iter().find(|(known, _)| *known == word).expect("a stage").1;
    assert!((part("kernels") - (60.0 * 0.091 + 3.0)).abs() < 1e-9, "{parts:?}");
    assert!(part("strategy").abs() < 1e-3, "trials follow each other at once: {parts:?}");
    let (page, said) =
        (file("report", "report.html", &record, &view), words::stages::time(&stages));
    for (word, seconds) in parts.into_iter().filter(|(_, seconds)| *seconds > 1e-3 * stages.wall) {
        let phrase = format!("{word} {}", words::stages::share(seconds / stages.wall));
        assert!(said.contains(&phrase) && page.contains(&phrase), "no `{phrase}` in {said}");
    }
    assert!(page.contains("class=\"bar\""));
}

#[test]
fn what_is_exported_as_best_held_in_the_rounds() {
    let largest = *growing(4096, 8.0, 5).last().expect("sizes");
    let events = changed(|event| match event {
        Event::KneeAccepted { .. } => None,
        Event::SizeClosed(mut closed) => {
            // The results of the largest size come only from its finals.
            closed.rounds = if closed.size == largest { 0 } else { 120 };
            Some(Event::SizeClosed(closed))
        }
        other => Some(other),
    });
    let (record, seen) = (record(), view(events));
    assert_eq!(seen.winner().map(|(point, _)| point.size), Some(2_097_152));
    assert!(!file("header", "best.h", &record, &seen).contains(&format!("size {largest}:")));
    let page = file("report", "report.html", &record, &seen);
    assert!(page.contains(&format!("Best configuration at size {KNEE}")), "{page}");
    let without = view(usual());
    assert_eq!(without.held().count(), 5, "without rounds all sizes count");
}
