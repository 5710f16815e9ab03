//! Which studies are meant.

use chrono::{DateTime, Utc};

use super::entry::{Entry, State};

/// What studies must be; an empty filter lets all pass.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Part of what it is a study of, in any case; the whole name of a benchmark, where one has it.
    pub benchmark: Option<String>,
    /// Part of the device's name, in any case.
    pub device: Option<String>,
    /// Part of the driver's version.
    pub driver: Option<String>,
    /// Part of the host's name, in any case.
    pub host: Option<String>,
    /// Not before.
    pub since: Option<DateTime<Utc>>,
    /// Before.
    pub until: Option<DateTime<Utc>>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// In this state.
    pub state: Option<State>,
}

impl Filter {
    /// The studies that pass, the newest first; those whose time is unknown last.
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

/// Whether a text holds what is wanted of it, if anything is.
fn holds(wanted: Option<&str>, text: Option<&str>) -> bool {
    let Some(wanted) = wanted else { return true };
    text.is_some_and(|text| text.to_lowercase().contains(&wanted.to_lowercase()))
}
