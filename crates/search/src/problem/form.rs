//! Whether an algorithm runs as published or with its faults mended.

use registry::{Allowed, Knob, Knobs};
use search_api::Problem;

/// Knob of every strategy that has two forms.
pub(crate) const FORM: Knob = Knob {
    name: "form",
    about: "mended: its known faults repaired; published: as in Kernel Tuner 1.5, for comparison, \
            with its settings where none are given",
    default: "mended",
    allowed: Allowed::Choice(&["mended", "published"]),
};

/// Where the settings of the presets `tpds2026` are published.
pub(crate) const TPDS2026: &str =
    "accuracy-aware tuning with Kernel Tuner, IEEE TPDS 2026, Table III";

/// Published settings in the unit of the cost are in milliseconds for run times, which are seconds
/// here. They are compared with costs times this factor.
pub(crate) fn published_unit(problem: &dyn Problem) -> f64 {
    if problem.scores_are_seconds() { 1e3 } else { 1.0 }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Schedules follow the real budget and the scale of the scores, failures are not numbers, the
    /// best is kept, and a converged search starts again.
    Mended,
    /// Kernel Tuner 1.5's behaviour, faults included, so that results can be compared with its own.
    Published,
}

impl Form {
    pub(crate) fn of(knobs: &Knobs) -> Self {
        if knobs.choice(FORM.name) == "published" { Self::Published } else { Self::Mended }
    }

    /// Value of a knob; in the published form it is `published` unless the user gives one.
    pub(crate) fn number(self, knobs: &Knobs, name: &str, published: f64) -> f64 {
        match self {
            Self::Published if !knobs.given(name) => published,
            _ => knobs.number(name),
        }
    }

    pub(crate) fn integer(self, knobs: &Knobs, name: &str, published: u64) -> u64 {
        match self {
            Self::Published if !knobs.given(name) => published,
            _ => knobs.integer(name),
        }
    }
}
