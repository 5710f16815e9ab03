//! Describes each event of a journal in one line.

use std::collections::BTreeSet;

use records::{
    Event, JournalEntry, Phase, Purpose, RoundsEvent, SizeClosed, SizeOpened, Started, Status,
    StudyRecord, TrialEvent, command_line,
};
use report::exporters::{
    quantities::{bytes, grouped, percent, seconds, significant},
    words,
};

/// Describes an event in a line. `open` holds the sizes that were opened before.
pub(super) fn sentence(
    record: &StudyRecord,
    entry: &JournalEntry,
    open: &mut BTreeSet<u64>,
) -> String {
    // A recorded space has no sizes to name.
    let of = |size: u64| match record.size(size) {
        Some(size) => format!("size {}", grouped(size)),
        None => "the space".to_owned(),
    };
    let unit = &record.benchmark.secondary.unit;
    let words = match &entry.event {
        Event::Started(started) => begun(started),
        Event::SizeOpened(opened) => {
            size_opened(opened, &of(opened.size), !open.insert(opened.size))
        }
        Event::Trial(trial) => tried(trial, &of(trial.trial.size)),
        Event::SizeClosed(closed) => size_closed(closed, &of(closed.size), unit),
        Event::Rounds(event) => rounds(event, of),
        Event::Knee(finding) => {
            format!("knee {}, after {} sizes", words::knee::finding(finding), finding.points)
        }
        Event::KneeAccepted { detector, size, why, confirmed: _ } => {
            format!("the knee {} by {detector} is accepted: {why}", grouped(*size))
        }
        Event::GrowthEnded { why, .. } => format!("no larger size follows: {why}"),
        Event::EarlierTuning => "some sizes were tuned again".to_owned(),
        Event::Precise(best) => words::gain::over_precise(best),
        Event::Thresholds(bests) => words::thresholds::lines(bests).join("; "),
        Event::Refined { around, sizes } => {
            let sizes: Vec<String> = sizes.iter().map(|s| grouped(*s)).collect();
            format!("refined around {}: {}", grouped(*around), sizes.join(", "))
        }
        Event::Ceilings(used) => format!("held against the ceilings of {}", used.profile),
        Event::EarlierSpeeds => "machine speeds of earlier studies, which are ignored".to_owned(),
        Event::Finished { seconds: took } => format!("finished; {} were charged", seconds(*took)),
        Event::Resumed { argv, accepted } => {
            let changes = match accepted.as_slice() {
                [] => String::new(),
                changes => format!("; accepted: {}", changes.join(", ")),
            };
            format!("resumed by `{}`{changes}", command_line(argv))
        }
        Event::Interrupted { why } => format!("interrupted: {why}"),
    };
    format!("{:>5}  {}  {words}", entry.seq, entry.utc.format("%H:%M:%S%.3f"))
}

fn rounds(event: &RoundsEvent, of: impl Fn(u64) -> String) -> String {
    let last = event.first + event.rounds.len() as u64 - u64::from(!event.rounds.is_empty());
    let samples: usize = event.rounds.iter().map(|round| round.samples.len()).sum();
    let disturbed = event.samples().filter(|(.., disturbed)| *disturbed).count();
    let mut text = format!(
        "rounds {} to {last}: {} entries, {} samples, {} of them disturbed",
        event.first,
        event.entries.len(),
        grouped(samples as u64),
        grouped(disturbed as u64)
    );
    if event.moved {
        text += "; sizes exchanged their memory before";
    }
    for entry in &event.entries {
        if let Some(why) = &entry.dropped {
            text += &format!("; {} dropped out: {why}", of(entry.size));
        }
    }
    text
}

fn begun(started: &Started) -> String {
    let mut text = match started.largest {
        Some(largest) => format!("the largest size is {}", grouped(largest)),
        None => "the largest size is not known".to_owned(),
    };
    if let Some(taken) = started.largest_bytes {
        text += &format!(" ({})", bytes(taken as f64));
    }
    if !started.why.is_empty() {
        text += &format!(", bounded by {}", started.why);
    }
    if let Some(noise) = &started.noise {
        text += &format!("; noise {}", percent(noise.spread));
    }
    text
}

fn size_opened(opened: &SizeOpened, of: &str, again: bool) -> String {
    let mut text = format!("{of} opened");
    if again {
        text += " again, to search on";
    } else if opened.purpose == Purpose::Refinement {
        text += " beside the knee";
    }
    text += &format!(": {} configurations", grouped(opened.configurations));
    if let Some(evaluations) = opened.evaluations {
        text += &format!(", {evaluations} evaluations");
    }
    if let Some(share) = opened.seconds {
        text += &format!(", {}", seconds(share));
    }
    text
}

fn tried(event: &TrialEvent, of: &str) -> String {
    let trial = &event.trial;
    let verb = match trial.phase {
        Phase::Search => "tried",
        Phase::Final => "measured again",
        Phase::Check => "checked on fresh inputs",
        Phase::Again => "tuned again",
        Phase::Round => "failed in a round",
        Phase::Precise => "tried for its precision",
        Phase::PreciseFinal => "measured beside full precision",
        Phase::Threshold => "measured for the thresholds",
    };
    let result = match (&trial.outcome.measurement, trial.outcome.status) {
        (Some(measurement), Status::Measured) => {
            let samples = measurement.seconds.count;
            format!("{} ({samples} samples)", seconds(measurement.seconds.median))
        }
        (_, status) => {
            let word = serde_json::to_value(status).unwrap_or_default();
            format!("{} ({})", word.as_str().unwrap_or("failed"), trial.outcome.reason)
        }
    };
    format!("{of}: {verb} {}: {result}", trial.configuration)
}

fn size_closed(closed: &SizeClosed, of: &str, unit: &str) -> String {
    let mut text = format!("{of} closed: {}", closed.why);
    if let Some(best) = &closed.best {
        text += &format!("; best {}: {}", best.configuration, words::time(best));
        if let Some(metric) = &best.metric {
            text += &format!(", {} {unit}", significant(metric.value, 4));
        }
    }
    if closed.gain.is_some() {
        text += &format!("; gain {}", words::gain::sentence(closed));
    }
    if closed.rounds > 0 {
        text += &format!("; from {} rounds", grouped(closed.rounds));
    }
    text
}
