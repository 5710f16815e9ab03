//! Phrases about the best configurations under thresholds of the error.

use records::{ThresholdBest, ThresholdBests};

use super::{
    gain::{interval, times},
    quantities::{seconds, significant},
};

/// Formats a line for each threshold.
#[must_use]
pub fn lines(bests: &ThresholdBests) -> Vec<String> {
    bests.bests.iter().map(line).collect()
}

/// Formats the name of a threshold with its number: `high, 1e-7`.
#[must_use]
pub fn name(best: &ThresholdBest) -> String {
    match best.name.parse::<f64>() {
        Ok(_) => best.name.clone(),
        Err(_) => format!("{}, {:e}", best.name, best.bound),
    }
}

/// Returns the cells of a table row: the threshold, the time, the error on fresh inputs, the gain
/// over full precision, and the configuration.
#[must_use]
pub fn cells(best: &ThresholdBest) -> [String; 5] {
    let none = || "–".to_owned();
    let figure = best.best.as_ref();
    let error = best.fresh_error.or_else(|| figure?.error);
    [
        name(best),
        figure.map_or_else(none, super::time),
        error.map_or_else(none, |error| significant(error, 2)),
        gain_cell(best),
        figure.map_or_else(
            || "nothing held on fresh inputs".to_owned(),
            |figure| figure.configuration.to_string(),
        ),
    ]
}

/// Formats a threshold and its gain over full precision: `high, 1e-7: 1.9×`.
#[must_use]
pub fn gain(best: &ThresholdBest) -> String {
    format!("{}: {}", name(best), gain_cell(best))
}

fn gain_cell(best: &ThresholdBest) -> String {
    let Some(gain) = best.gain else { return "–".to_owned() };
    let about = match best.gain_interval {
        Some((low, high)) if low <= 1.0 && high >= 1.0 => "≈ ",
        _ => "",
    };
    format!("{about}{}", times(gain))
}

fn line(best: &ThresholdBest) -> String {
    let name = name(best);
    let Some(figure) = &best.best else { return format!("{name}: nothing held on fresh inputs") };
    let gain = best.gain.map_or_else(String::new, |gain| {
        let bounds = best
            .gain_interval
            .map_or_else(String::new, |bounds| format!(" ({})", interval(bounds)));
        format!(", {} the speed of full precision{bounds}", times(gain))
    });
    let error = best.fresh_error.or(figure.error);
    let error =
        error.map_or_else(String::new, |error| format!(", error {}", significant(error, 2)));
    let time = seconds(figure.seconds.median);
    format!("{name}: {}, {time}{error}{gain}", figure.configuration)
}
