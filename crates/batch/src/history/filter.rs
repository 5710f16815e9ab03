//! Selects studies.

use chrono::{DateTime, Utc};

use super::entry::{Entry, State};

/// Conditions that studies must meet. An empty filter selects all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// The whole name of a benchmark, if a study has it; otherwise a part of the subject, in any
    /// case.
    pub benchmark: Option<String>,
    /// A part of the device's name, in any case.
    pub device: Option<String>,
    /// A part of the driver's version, in any case.
    pub driver: Option<String>,
    /// A part of the host's name, in any case.
    pub host: Option<String>,
    /// Started at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Started before this time.
    pub until: Option<DateTime<Utc>>,
    /// Has all of these tags.
    pub tags: Vec<String>,
    /// Is in this state.
    pub state: Option<State>,
}

impl Filter {
    /// Returns the selected studies, newest first. Studies without a known time come last.
    #[must_use]
    pub fn chosen<'a>(&self, entries: &'a [Entry]) -> Vec<&'a Entry> {
        let named = |entry: &Entry, name: &String| {
            entry.study.as_ref().is_some_and(|study| study.benchmark == *name)
        };
        let whole = self.benchmark.as_ref();
        let whole = whole.filter(|name| entries.iter().any(|entry| named(entry, name)));
        let passes = |entry: &&Entry| match whole {
            Some(name) => named(entry, name) && self.others_pass(entry),
            None => {
                let benchmark = self.benchmark.as_deref();
                holds(benchmark, entry.study.as_ref().map(|study| study.subject.as_str()))
                    && self.others_pass(entry)
            }
        };
        let mut chosen: Vec<&Entry> = entries.iter().filter(passes).collect();
        chosen.sort_by(|a, b| (b.started(), &b.folder).cmp(&(a.started(), &a.folder)));
        chosen
    }

    fn others_pass(&self, entry: &Entry) -> bool {
        let study = entry.study.as_ref();
        let started = entry.started();
        holds(self.device.as_deref(), study.map(|study| study.device.as_str()))
            && holds(self.driver.as_deref(), study.map(|study| study.driver.as_str()))
            && holds(self.host.as_deref(), study.map(|study| study.host.as_str()))
            && self.since.is_none_or(|since| started.is_some_and(|started| started >= since))
            && self.until.is_none_or(|until| started.is_some_and(|started| started < until))
            && self.tags.iter().all(|tag| entry.tags.contains(tag))
            && self.state.is_none_or(|state| entry.state == state)
    }
}

/// Whether the text contains the wanted part, ignoring case. True if nothing is wanted.
fn holds(wanted: Option<&str>, text: Option<&str>) -> bool {
    let Some(wanted) = wanted else { return true };
    text.is_some_and(|text| text.to_lowercase().contains(&wanted.to_lowercase()))
}
