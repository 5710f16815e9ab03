//! Finals, against the winner's curse: when a size closes, the best five and the default are
//! measured again, interleaved, with fresh samples, and only these give the size's figure. Of
//! several objectives the front is measured again, and what fresh samples leave of it is reported.

use std::collections::HashSet;

use math::{crowding, front, fronts};
use records::{Named, Outcome, Phase, Trial};
use space::{ConfigurationId, Space};

use super::{
    Evaluator, Ranking, TrialStore,
    remeasuring::{holds_on_fresh_inputs, is_faster, measured_together, paced_costs, told_apart},
};

/// Configurations measured again, besides the default.
const FINALISTS: usize = 5;
/// Most members of a front: its ends, and the most_isolated between them.
const OF_FRONT: usize = 16;
/// Largest difference of medians, as a share, that counts as a tie if a test cannot tell the times
/// apart: few or noisy samples prove little, but not that nothing was gained.
const TIE: f64 = 0.02;

/// A configuration with its fresh outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Winner {
    /// Its number in the space.
    pub id: ConfigurationId,
    /// Its values by name.
    pub configuration: Named,
    /// Its fresh outcome.
    pub outcome: Outcome,
    /// Cost by the first objective, at the pace of the others.
    pub cost: f64,
}

/// The result of a size's finals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finals {
    /// The reported configuration, if any satisfies the bound; of a front, the first objective's
    /// best.
    pub winner: Option<Winner>,
    /// The default configuration, if it ran.
    pub default: Option<Winner>,
    /// Seconds that the finals cost.
    pub seconds: f64,
}

/// The means of measuring again.
pub struct Remeasurement<'a> {
    /// Measures.
    pub evaluator: &'a mut dyn Evaluator,
    /// Keeps the trials.
    pub store: &'a mut dyn TrialStore,
    /// Seconds that one of the usual finalists may be sampled for.
    pub patience: f64,
}

/// Measures the best of a search again and picks the winner: of those that tie with the best, the
/// nearest to the default. The winner, and every member of a front, is checked on fresh inputs; one
/// that fails is passed over.
pub fn finalists(
    size: u64,
    space: &Space,
    ranking: &Ranking,
    trials: &[(ConfigurationId, Trial)],
    remeasurement: &mut Remeasurement<'_>,
) -> Result<Finals, String> {
    let entered = entered(space, ranking, trials);
    if entered.is_empty() {
        return Ok(Finals::default());
    }
    let names: Vec<Named> = entered.iter().map(|(_, named)| named.clone()).collect();
    let Remeasurement { evaluator, store, patience } = remeasurement;
    // A large front shares the time of the usual finalists.
    let patience = *patience * ((FINALISTS + 1) as f64 / names.len() as f64).min(1.0);
    let phase = Phase::Final;
    let outcomes = measured_together(size, phase, &names, ranking, *evaluator, *store, patience)?;
    let costs = paced_costs(ranking, &names, &outcomes);
    let mut seconds: f64 = outcomes.iter().map(|o| o.costs.total()).sum();
    let mut field: Vec<Winner> = entered
        .into_iter()
        .zip(outcomes.into_iter().zip(costs))
        .filter(|(_, (outcome, _))| ranking.admissible(outcome).is_some())
        .map(|((id, configuration), (outcome, cost))| Winner { id, configuration, outcome, cost })
        .collect();
    let default = field.iter().find(|entry| Some(entry.id) == space.default_id()).cloned();
    let mut holds =
        |name: &Named| holds_on_fresh_inputs(size, name, ranking, *evaluator, *store, &mut seconds);
    if ranking.seeks_front() {
        keep_front(ranking, &mut field, &mut holds)?;
        let winner = pick(space, ranking, &field).map(|at| field.swap_remove(at));
        return Ok(Finals { winner, default, seconds });
    }
    let mut winner = None;
    while let Some(at) = pick(space, ranking, &field) {
        let candidate = field.remove(at);
        if holds(&candidate.configuration)? {
            winner = Some(candidate);
            break;
        }
    }
    Ok(Finals { winner, default, seconds })
}

/// Configurations to measure again: the best, or the front, and the default.
fn entered(
    space: &Space,
    ranking: &Ranking,
    trials: &[(ConfigurationId, Trial)],
) -> Vec<(ConfigurationId, Named)> {
    let mut ranked: Vec<(Vec<f64>, ConfigurationId, &Named)> = trials
        .iter()
        .filter_map(|(id, t)| Some((ranking.admissible(&t.outcome)?, *id, &t.configuration)))
        .collect();
    ranked.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]).then(a.1.cmp(&b.1)));
    let default = ranked.iter().find(|(_, id, _)| Some(*id) == space.default_id()).cloned();
    match ranking.seeks_front() {
        true => ranked = most_isolated(ranked),
        false => ranked.truncate(FINALISTS),
    }
    if let Some(default) = default
        && !ranked.iter().any(|(_, id, _)| *id == default.1)
    {
        ranked.push(default);
    }
    ranked.into_iter().map(|(_, id, named)| (id, named.clone())).collect()
}

/// The front, thinned out where it is crowded, or filled up with the best behind it.
fn most_isolated<T>(
    ranked: Vec<(Vec<f64>, ConfigurationId, T)>,
) -> Vec<(Vec<f64>, ConfigurationId, T)> {
    let costs: Vec<&Vec<f64>> = ranked.iter().map(|(costs, ..)| costs).collect();
    let mut ranks = fronts(&costs).into_iter();
    let mut entered = ranks.next().unwrap_or_default();
    while entered.len() > OF_FRONT {
        let members: Vec<&Vec<f64>> = entered.iter().map(|at| costs[*at]).collect();
        let lonely = crowding(&members);
        let most_crowded = (0..lonely.len()).min_by(|a, b| lonely[*a].total_cmp(&lonely[*b]));
        entered.remove(most_crowded.unwrap_or(0));
    }
    let places = FINALISTS.saturating_sub(entered.len());
    entered.extend(ranks.flatten().take(places));
    at_positions(ranked, &entered)
}

fn at_positions<T>(all: Vec<T>, positions: &[usize]) -> Vec<T> {
    let keep = |(at, entry)| positions.contains(&at).then_some(entry);
    all.into_iter().enumerate().filter_map(keep).collect()
}

/// Keeps the front of what holds on fresh inputs; members that fail may have hidden others.
fn keep_front(
    ranking: &Ranking,
    field: &mut Vec<Winner>,
    holds: &mut impl FnMut(&Named) -> Result<bool, String>,
) -> Result<(), String> {
    let mut held: HashSet<ConfigurationId> = HashSet::new();
    loop {
        let costs: Vec<Vec<f64>> =
            field.iter().filter_map(|entry| ranking.admissible(&entry.outcome)).collect();
        let on_front = front(&costs);
        let unchecked = on_front.iter().copied().find(|at| !held.contains(&field[*at].id));
        let Some(at) = unchecked else {
            *field = at_positions(std::mem::take(field), &on_front);
            return Ok(());
        };
        if holds(&field[at].configuration)? {
            held.insert(field[at].id);
        } else {
            field.remove(at);
        }
    }
}

/// Position of the winner: of those that tie with the best, the nearest to the default. The best is none that
/// another one beat pair by pair, whatever its pace makes of its cost.
fn pick(space: &Space, ranking: &Ranking, field: &[Winner]) -> Option<usize> {
    let by_time = ranking.objective.metric == "seconds";
    let is_beaten = |entry: &Winner| by_time && field.iter().any(|other| beats(other, entry));
    let unbeaten: Vec<&Winner> = field.iter().filter(|entry| !is_beaten(entry)).collect();
    // Where each is beaten by another, costs decide.
    let contenders = if unbeaten.is_empty() { field.iter().collect() } else { unbeaten };
    let best = contenders.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost))?;
    (0..field.len())
        .filter(|at| {
            let entry = &field[*at];
            entry.id == best.id || (by_time && tied(entry, best))
        })
        .min_by(|a, b| {
            let distance = |at: usize| space.distance_to_default(field[at].id);
            distance(*a).total_cmp(&distance(*b)).then(field[*a].cost.total_cmp(&field[*b].cost))
        })
}

/// Whether one was faster than another in turn with it, by more than chance.
fn beats(entry: &Winner, other: &Winner) -> bool {
    let both = entry.outcome.measurement.as_ref().zip(other.outcome.measurement.as_ref());
    both.is_some_and(|(entry, other)| is_faster(entry, other))
}

/// Whether two interleaved series of run times may be the same.
fn tied(slower: &Winner, faster: &Winner) -> bool {
    let both = slower.outcome.measurement.as_ref().zip(faster.outcome.measurement.as_ref());
    slower.cost <= faster.cost * (1.0 + TIE) && both.is_some_and(|(s, f)| !told_apart(s, f))
}
