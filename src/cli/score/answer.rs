//! Output of `score`: a table, or JSON.

use serde_json::{Map, Value, json};

use super::scored::Scored;
use crate::scoring::{beats, deviation_factors, total};

/// A table: the mean score and every space's, with standard errors, then other figures of papers.
pub(super) fn text(scored: &Scored) -> String {
    let mut rows = vec![header(scored)];
    let factors = deviation_factors(&scored.standings);
    for &at in &scored.ranking {
        let standings = &scored.standings[at];
        let (score, error) = total(standings);
        let mut row = vec![scored.strategies[at].label.clone(), with_error(score, error)];
        row.push(format!("{:.2}", factors[at]));
        for n in 0..scored.evaluations.len() {
            let known: Vec<f64> = standings.iter().filter_map(|s| s.fractions[n]).collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            row.push(if known.is_empty() { "-".to_owned() } else { format!("{mean:.3}") });
        }
        let best = scored.ranking[0];
        let won = beats(standings, &scored.standings[best]);
        row.push(if at == best { "-".to_owned() } else { format!("{won:.2}") });
        row.extend(standings.iter().map(|s| with_error(s.score, s.standard_error)));
        rows.push(row);
    }
    let mut lines = aligned(&rows);
    lines.push(String::new());
    lines.push(format!(
        "{} runs each from seed {}; 0 is random search, 1 the optimum; ± is one standard error",
        scored.repeats, scored.seed
    ));
    lines.push(
        "deviation: distance from the optimum in units of all these strategies' mean; @N: optimum \
         over best found after N evaluations, median of the runs; wins: probability that a run \
         ends better than one of the first"
            .to_owned(),
    );
    lines.extend(legend(scored));
    lines.join("\n")
}

fn header(scored: &Scored) -> Vec<String> {
    let mut header = vec!["strategy".to_owned(), "score".to_owned(), "deviation".to_owned()];
    header.extend(scored.evaluations.iter().map(|n| format!("@{n}")));
    header.push("wins".to_owned());
    header.extend((1..=scored.landscapes.len()).map(|n| format!("space {n}")));
    header
}

/// Legend: which column is which space.
fn legend(scored: &Scored) -> Vec<String> {
    let line = |(at, landscape): (usize, &crate::scoring::Landscape)| {
        let (from, to) = landscape.baseline().span;
        let (first, last) = landscape.baseline().evaluations;
        format!(
            "space {}: {}, {} configurations, scored from {from:.1} to {to:.1} s ({first} to {last} evaluations of random search)",
            at + 1,
            landscape.name,
            landscape.space.len()
        )
    };
    scored.landscapes.iter().enumerate().map(line).collect()
}

fn with_error(value: f64, error: Option<f64>) -> String {
    error.map_or_else(|| format!("{value:.3}"), |error| format!("{value:.3} ±{error:.3}"))
}

/// Aligned columns, the first to the left, the others to the right.
pub(super) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|c| rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0))
        .collect();
    let cell = |(at, text): (usize, &String)| match at {
        0 => format!("{text:<width$}", width = widths[at]),
        _ => format!("{text:>width$}", width = widths[at]),
    };
    rows.iter().map(|row| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ")).collect()
}

pub(super) fn json(scored: &Scored) -> String {
    let factors = deviation_factors(&scored.standings);
    let strategies: Vec<Value> =
        scored.ranking.iter().map(|&at| strategy(scored, at, factors[at])).collect();
    let answer = json!({
        "repeats": scored.repeats,
        "seed": scored.seed,
        "strategies": strategies,
    });
    format!("{answer:#}")
}

fn strategy(scored: &Scored, at: usize, factor: f64) -> Value {
    let standings = &scored.standings[at];
    let (score, error) = total(standings);
    let against = scored.ranking.iter().filter(|other| **other != at).map(|&other| {
        let label = scored.strategies[other].label.clone();
        (label, json!(beats(standings, &scored.standings[other])))
    });
    let spaces = scored.landscapes.iter().zip(standings).map(|(landscape, standing)| {
        let fractions = scored.evaluations.iter().zip(&standing.fractions);
        let fractions: Map<String, Value> =
            fractions.map(|(n, fraction)| (n.to_string(), json!(fraction))).collect();
        let one = json!({
            "score": standing.score,
            "standard_error": standing.standard_error,
            "fraction_of_optimum": fractions,
        });
        (landscape.name.clone(), one)
    });
    json!({
        "name": scored.strategies[at].label,
        "score": score,
        "standard_error": error,
        "mean_deviation_factor": factor,
        "spaces": spaces.collect::<Map<_, _>>(),
        "probability_of_beating": against.collect::<Map<_, _>>(),
    })
}
