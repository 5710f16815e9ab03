//! A row of another program's file before it becomes a recorded trial.

use std::borrow::Cow;

use records::{RecordedTrial, Status};

use crate::{
    OWN_MEMBER, OwnRow,
    spaces::json_reader::{JsonFault, JsonReader, Scalar},
};

/// Times of at least this many milliseconds mean failures in old versions of Kernel Tuner.
const OLD_FAILURE: f64 = 1e20;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowFailure {
    pub(crate) status: Status,
    pub(crate) reason: String,
    /// Whether the format defines the word.
    pub(crate) known: bool,
}

impl RowFailure {
    /// Meaning of a word, looked up in the words of a format.
    pub(crate) fn of(word: &str, words: &[(&str, Status)]) -> Self {
        match words.iter().find(|(known, _)| *known == word) {
            Some((_, status)) => Self { status: *status, reason: status.recorded(), known: true },
            None => {
                let reason = format!("recorded as {word}");
                Self { status: Status::RunFailed, reason, known: false }
            }
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) trial: RecordedTrial,
    pub(crate) failure: Option<RowFailure>,
    /// Mean of the runs, where only their sum is kept.
    pub(crate) mean_ms: Option<f64>,
    own: Option<OwnRow>,
}

impl Draft {
    /// Reads any other member: numbers become metrics, everything else is kept.
    pub(crate) fn other(
        &mut self,
        name: Cow<'_, str>,
        reader: &mut JsonReader<'_>,
    ) -> Result<(), JsonFault> {
        match reader.peek()? {
            b'{' if name == OWN_MEMBER => self.own(&reader.json()?),
            b'{' | b'[' | b't' | b'f' | b'"' => self.trial.keep(&name, reader.json()?),
            _ => {
                if let Some(figure) = reader.number()? {
                    self.trial.metrics.insert(name.into_owned(), figure);
                }
            }
        }
        Ok(())
    }

    fn own(&mut self, json: &str) {
        match serde_json::from_str::<OwnRow>(json) {
            Ok(own) => {
                for (name, value) in &own.fields {
                    self.trial.keep(name, value.to_string());
                }
                self.own = Some(own);
            }
            Err(_) => self.trial.keep(OWN_MEMBER, json.to_owned()),
        }
    }

    /// Reads the reported time in units of `unit` milliseconds. Returns the word if there is one
    /// instead.
    pub(crate) fn time<'a>(
        &mut self,
        reader: &mut JsonReader<'a>,
        unit: f64,
    ) -> Result<Option<Cow<'a, str>>, JsonFault> {
        match reader.scalar()? {
            Scalar::Number(time) if reader.is_time(time) && time < OLD_FAILURE => {
                self.trial.time_ms = Some(time * unit);
                Ok(None)
            }
            Scalar::Text(word) => Ok(Some(word)),
            _ => Ok(None),
        }
    }

    /// The trial, and whether the file said clearly how it ended.
    pub(crate) fn finish(self) -> (RecordedTrial, bool) {
        let mut trial = self.trial;
        trial.time_ms = trial.time_ms.or(self.mean_ms);
        let timed = trial.time_ms.is_some() || !trial.times_ms.is_empty();
        let (status, reason, mut clear) = match self.failure {
            Some(failure) => (failure.status, failure.reason, failure.known),
            None if timed => (Status::Measured, String::new(), true),
            None => (Status::RunFailed, "the file records no time".to_owned(), false),
        };
        (trial.status, trial.reason) = (status, reason);
        if let Some(OwnRow { status: Some(status), reason, .. }) = self.own {
            (trial.status, trial.reason, clear) = (status, reason, true);
        }
        (trial, clear)
    }
}
