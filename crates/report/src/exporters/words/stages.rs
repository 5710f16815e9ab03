//! Phrases about the stages of a study's time.

use records::Stages;

use super::quantities::{seconds, significant};

/// Smaller shares are left out.
const LEAST: f64 = 0.0005;

/// Formats a share as a percentage, with a decimal only if it is small.
#[must_use]
pub fn share(share: f64) -> String {
    let decimals = usize::from((LEAST..0.01).contains(&share));
    format!("{:.*} %", decimals, 100.0 * share)
}

/// Formats the total time and its stages:
/// `34.2 s: kernels 61 %, rest of measuring 9 %, compile 12 %, …`.
#[must_use]
pub fn time(stages: &Stages) -> String {
    let whole = stages.whole();
    if whole <= 0.0 {
        return "none was recorded".to_owned();
    }
    let parts: Vec<String> = stages
        .parts()
        .into_iter()
        .filter(|(_, seconds)| seconds / whole >= LEAST)
        .map(|(word, seconds)| format!("{word} {}", share(seconds / whole)))
        .collect();
    let mut text = format!("{}: {}", total(stages), parts.join(", "));
    if let Some(inside) = stages.share_in_kernels() {
        text += &format!("; {} of measuring was spent inside kernels", share(inside));
    }
    text
}

/// Formats the duration of the study: the wall time, and the sum of the stages if it is longer.
#[must_use]
pub fn total(stages: &Stages) -> String {
    let wall = seconds(stages.wall);
    match (stages.simulated, stages.is_side_by_side()) {
        (true, _) => format!("{wall}, simulated"),
        (false, true) => {
            let times = significant(stages.whole() / stages.wall.max(f64::MIN_POSITIVE), 2);
            format!("{wall} for {} of work side by side ({times}×)", seconds(stages.whole()))
        }
        (false, false) => wall,
    }
}
