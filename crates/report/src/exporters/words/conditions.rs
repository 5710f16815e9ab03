//! Phrases about the conditions of a study.

use records::{CachesRecord, LearntFrom, StudyRecord, StudyView, settings::CacheState};

use super::quantities::{bytes, grouped, percent, significant};

/// Returns the kind of the study's samples: `cold`, `hot`, or `unknown` for a recorded space.
#[must_use]
pub fn kind<'a>(record: &StudyRecord, view: &'a StudyView) -> &'a str {
    match (&view.started.caches, record.settings.caches) {
        (Some(caches), _) => caches.kind.as_str(),
        (None, _) if record.is_replayed() => "unknown",
        (None, CacheState::Cold) => "cold",
        (None, CacheState::Hot) => "hot",
    }
}

/// Formats the kind of the study's samples for a footnote: `cold caches`.
#[must_use]
pub fn footnote(record: &StudyRecord, view: &StudyView) -> String {
    match kind(record, view) {
        "unknown" => "recorded, caches unknown".to_owned(),
        kind => format!("{kind} caches"),
    }
}

/// Formats the state of the caches before each sample, and how they were made cold.
#[must_use]
pub fn caches(record: &StudyRecord, view: &StudyView) -> String {
    let Some(caches) = &view.started.caches else {
        return match kind(record, view) {
            "unknown" => "nobody knows: the recorded space does not say".to_owned(),
            "hot" => "hot: as the run before left them".to_owned(),
            kind => format!("{kind}; how is not recorded"),
        };
    };
    match (caches.kind.as_str(), caches.by.as_str()) {
        ("hot", _) => "hot: as the run before left them".to_owned(),
        (_, "rotation") => format!("cold by rotation{}", touched(caches)),
        (_, "flush") => format!("cold by flush before every sample{}", touched(caches)),
        (kind, _) => kind.to_owned(),
    }
}

fn touched(caches: &CachesRecord) -> String {
    let mut text = String::new();
    if caches.bytes > 0 {
        text += &format!(": {} between two uses of the same bytes", bytes(caches.bytes as f64));
    }
    if caches.last_cache > 0 {
        text += &format!(" (last cache {})", bytes(caches.last_cache as f64));
    }
    text
}

/// Formats the proofs that cold reads are cold, one phrase for each buffer.
#[must_use]
pub fn proofs(caches: &CachesRecord) -> Vec<String> {
    let rate = |rate: f64| format!("{} GB/s", significant(rate / 1e9, 3));
    let phrase = |proof: &records::CacheProof| {
        format!(
            "{} of the last cache are read at {} cold, {} hot, {} after a flush; memory at {}",
            percent(proof.share),
            rate(proof.cold),
            rate(proof.hot),
            rate(proof.flushed),
            rate(proof.memory)
        )
    };
    caches.proof.iter().map(phrase).collect()
}

/// Formats what is simulated and what is unknown, if a recorded space stands in for a device.
#[must_use]
pub fn replayed(record: &StudyRecord) -> Option<String> {
    let file = || {
        record.settings.device.recorded().map(|file| file.display().to_string()).unwrap_or_default()
    };
    record.is_replayed().then(|| {
        format!(
            "nothing ran: run times are those recorded in {}, and compiling, checking and measuring \
             take the time that they took then, simulated; nobody knows the state of caches, memory, \
             clocks and other programs",
            file()
        )
    })
}

/// Formats the memory of the device; `not recorded` for a recorded space.
#[must_use]
pub fn memory(record: &StudyRecord) -> String {
    let device = &record.device;
    if device.memory == 0 {
        return if record.is_replayed() { "not recorded".to_owned() } else { String::new() };
    }
    format!("{} ({} free)", bytes(device.memory as f64), bytes(device.memory_free as f64))
}

/// Formats what a search learnt from: `space.json (220 evaluations)`.
#[must_use]
pub fn learnt(source: &LearntFrom) -> String {
    let LearntFrom { name, evaluations, against } = source;
    let against = against.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
    format!("{name} ({evaluations} evaluations{against})")
}

/// Returns how the script that is the strategy failed, a sentence for each size.
pub fn faults(view: &StudyView) -> impl Iterator<Item = String> {
    let closed = view.sizes.iter().filter_map(|point| point.closed.as_ref());
    closed.filter_map(|closed| {
        let fault = closed.fault.as_deref()?;
        Some(format!("the strategy failed at size {}: {fault}", grouped(closed.size)))
    })
}
