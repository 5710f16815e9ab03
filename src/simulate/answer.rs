//! The printed output of `simulate`.

use math::{quantile, sorted};
use records::Named;
use report::exporters::{
    quantities::{seconds, significant},
    words,
};
use scoring::counted;
use serde_json::{Map, Value, json};
use study::prior::learnt_from;

use super::simulated_runs::SimulatedRuns;

/// Numbers of evaluations at which the progress towards the optimum is shown.
const MILESTONES: [usize; 8] = [10, 20, 50, 100, 220, 500, 1000, 2000];

pub(super) fn lines(outcome: &SimulatedRuns) -> Vec<String> {
    let landscape = &outcome.landscape;
    let optimum = landscape.optimum();
    let runs = outcome.runs.len();
    let mut lines = vec![format!(
        "{} on {}: {} configurations, optimum {} {}",
        outcome.scored_strategy.label,
        landscape.name,
        landscape.space.len(),
        significant(landscape.shown(optimum), 5),
        landscape.unit()
    )];
    let mut add = |word: &str, text: String| lines.push(format!("{word:<10}{text}"));
    add(
        "runs",
        format!(
            "{runs}, seeds {} to {}, in {} of real time",
            outcome.first_seed,
            outcome.first_seed + runs as u64 - 1,
            seconds(outcome.wall)
        ),
    );
    for source in learnt_from(&landscape.memory, &landscape.space) {
        add("learnt", format!("from {}", words::conditions::learnt(&source)));
    }
    let evaluations = spread(outcome.runs.iter().map(|run| run.order.len() as f64), 4);
    add("tried", format!("{evaluations} different configurations"));
    let simulated = outcome.runs.iter().filter_map(|run| run.run.times.last().copied());
    add("took", format!("{} simulated seconds", spread(simulated, 4)));
    let found = finals(outcome).into_iter().map(|cost| landscape.shown(cost));
    add("found", format!("{} {}", spread(found, 5), landscape.unit()));
    for (n, shares) in milestones(outcome) {
        let shares = spread(shares.into_iter(), 4);
        let of = if landscape.unit() == "ms" { "the optimum's speed" } else { "the optimum" };
        add(&format!("@{n}"), format!("{shares} of {of}"));
    }
    for (fault, times) in faults(outcome) {
        add("failed", format!("{times} of {runs} runs: {fault}"));
    }
    if let Some((value, configuration)) = best(outcome) {
        let shown = significant(landscape.shown(value), 5);
        add("best", format!("{configuration}: {shown} {}", landscape.unit()));
    }
    lines
}

pub(super) fn json(outcome: &SimulatedRuns) -> String {
    let landscape = &outcome.landscape;
    let by_time = landscape.unit() == "ms";
    let [best_key, value_key, optimum_key] = match by_time {
        true => ["best_ms", "ms", "optimum_ms"],
        false => ["best", "value", "optimum"],
    };
    let shown = |cost: Option<f64>| cost.map(|cost| landscape.shown(cost));
    let runs: Vec<Value> = outcome
        .runs
        .iter()
        .enumerate()
        .map(|(at, run)| {
            let bests = outcome.best_so_far(run);
            json!({
                "seed": outcome.first_seed + at as u64,
                "evaluations": run.order.len(),
                "answers": run.run.times.len(),
                "simulated_seconds": run.run.times.last(),
                best_key: shown(bests.last().copied().flatten()),
                "fault": run.fault.as_deref(),
            })
        })
        .collect();
    let fractions: Map<String, Value> = milestones(outcome)
        .into_iter()
        .map(|(n, shares)| (n.to_string(), json!(quantile(&sorted(&shares), 0.5))))
        .collect();
    let best = best(outcome)
        .map(|(value, configuration)| json!({ value_key: landscape.shown(value), "configuration": configuration }));
    let mut answer = json!({
        "space": landscape.name,
        "strategy": outcome.scored_strategy.label,
        "configurations": landscape.space.len(),
        "objective": landscape.objective.metric,
        optimum_key: landscape.shown(landscape.optimum()),
        "wall_seconds": outcome.wall,
        "median_fraction_of_optimum": fractions,
        "best": best,
        "runs": runs,
    });
    if !landscape.memory.is_empty() {
        answer["learnt_from"] = json!(learnt_from(&landscape.memory, &landscape.space));
    }
    format!("{answer:#}")
}

/// The median with the quartiles, or a single value.
fn spread(values: impl Iterator<Item = f64>, digits: usize) -> String {
    let values = sorted(&values.collect::<Vec<_>>());
    match values.as_slice() {
        [] => "nothing".to_owned(),
        [one] => significant(*one, digits),
        [first, .., last] if first >= last => significant(*first, digits),
        many => {
            let at = |q| significant(quantile(many, q), digits);
            format!("{} (quartiles {} to {})", at(0.5), at(0.25), at(0.75))
        }
    }
}

/// Reasons why runs of a script failed, with the number of runs for each.
fn faults(outcome: &SimulatedRuns) -> Vec<(&str, usize)> {
    counted(outcome.runs.iter().filter_map(|run| run.fault.as_deref()))
}

/// The best value of each run that found one.
fn finals(outcome: &SimulatedRuns) -> Vec<f64> {
    let last = |run| outcome.best_so_far(run).last().copied().flatten();
    outcome.runs.iter().filter_map(last).collect()
}

/// For each milestone that a run reached: each run's best value as a share of the optimum.
fn milestones(outcome: &SimulatedRuns) -> Vec<(usize, Vec<f64>)> {
    let bests: Vec<Vec<Option<f64>>> =
        outcome.runs.iter().map(|run| outcome.best_so_far(run)).collect();
    let longest = bests.iter().map(Vec::len).max().unwrap_or(0);
    let share = |best: &Vec<Option<f64>>, n: usize| {
        let at = n.min(best.len()).checked_sub(1)?;
        Some(best[at].map_or(0.0, |value| outcome.landscape.share(value)))
    };
    let reached = MILESTONES.into_iter().filter(|n| *n <= longest);
    reached.map(|n| (n, bests.iter().filter_map(|best| share(best, n)).collect())).collect()
}

fn best(outcome: &SimulatedRuns) -> Option<(f64, String)> {
    let landscape = &outcome.landscape;
    let tried = outcome.runs.iter().flat_map(|run| &run.order);
    let found = tried.filter_map(|id| Some((landscape.cell(*id).value?, *id)));
    let (value, id) = found.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((value, Named::of(&landscape.space, id).to_string()))
}
