//! The rounds of a study that are compared.

use records::{Named, RoundEntry, RoundsEvent, RoundsPurpose};

use super::side::Studied;

/// Fewest samples of a configuration that are compared. If a study has fewer, all compared studies
/// use medians.
pub(super) const ENOUGH: usize = 20;

/// Returns the rounds of a study's answer, or of its growth if it has no others.
pub(super) fn rounds(study: &Studied) -> impl Iterator<Item = &RoundsEvent> {
    let of = |purpose| move |event: &&RoundsEvent| event.purpose == purpose;
    // Rounds of each purpose have their own numbers.
    let purpose = match study.view.rounds.iter().any(|event| of(RoundsPurpose::Answer)(&event)) {
        true => RoundsPurpose::Answer,
        false => RoundsPurpose::Growth,
    };
    study.view.rounds.iter().filter(of(purpose))
}

/// Returns the seconds of a configuration's samples in rounds.
pub(super) fn in_rounds(study: &Studied, size: u64, configuration: &Named) -> Vec<f64> {
    rounds(study).flat_map(|event| samples(event, size, configuration)).collect()
}

fn samples<'a>(
    event: &'a RoundsEvent,
    size: u64,
    configuration: &Named,
) -> impl Iterator<Item = f64> + use<'a> {
    let own = |entry: &RoundEntry| {
        entry.size == size && entry.configuration == *configuration && entry.dropped.is_none()
    };
    let position = event.entries.iter().position(own);
    let samples = event.rounds.iter().flat_map(|round| &round.samples);
    samples.filter(move |s| Some(s.0) == position && s.1 > 0.0).map(|sample| sample.1)
}
