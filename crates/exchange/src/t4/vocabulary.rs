//! T4's words for outcomes of trials and for units of time.

use records::Status;

pub(crate) const INVALIDITIES: [(&str, Status); 5] = [
    ("compile", Status::CompileFailed),
    ("constraints", Status::Invalid),
    ("correctness", Status::WrongResult),
    ("runtime", Status::RunFailed),
    ("timeout", Status::TimedOut),
];

/// Prefix of `times` members that the schema does not define.
pub const TIMES_PREFIX: &str = "times.";

/// T4's word for an outcome.
#[must_use]
pub fn invalidity(status: Status) -> &'static str {
    match (status, INVALIDITIES.iter().find(|(_, known)| *known == status)) {
        (Status::Measured, _) => "correct",
        (_, Some((word, _))) => word,
        (_, None) => "runtime",
    }
}

pub(crate) fn milliseconds(unit: &str) -> Option<f64> {
    match unit.trim().to_ascii_lowercase().as_str() {
        "milliseconds" | "miliseconds" | "millisecond" | "ms" => Some(1.0),
        "seconds" | "second" | "sec" | "s" => Some(1e3),
        "microseconds" | "microsecond" | "us" | "µs" => Some(1e-3),
        "nanoseconds" | "nanosecond" | "ns" => Some(1e-6),
        _ => None,
    }
}
