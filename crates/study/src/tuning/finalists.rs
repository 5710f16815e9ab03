//! Finals avoid the winner's curse: once no larger size follows, the best few of a size and its
//! default are measured again, interleaved, and these samples pick the winner. With several
//! objectives, the front is measured again, and the front of these samples is reported.

use std::collections::HashSet;

use math::{crowding, front, fronts};
use records::{Named, Outcome, Phase, Trial, settings::MeasuringPolicy};
use space::{ConfigurationId, Space};

use super::{
    Evaluator, Ranking, TrialStore,
    remeasuring::{holds_on_fresh_inputs, is_faster, measured_together, paced_costs, told_apart},
};

/// A configuration with its fresh outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Winner {
    /// Number of the configuration in the space.
    pub id: ConfigurationId,
    /// The configuration's values by name.
    pub configuration: Named,
    /// The fresh outcome.
    pub outcome: Outcome,
    /// Cost by the first objective, at the same machine speed as the costs of the others.
    pub cost: f64,
}

/// The result of a size's finals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finals {
    /// The reported configuration, if any satisfies the bounds. Of a front, the best by the first
    /// objective.
    pub winner: Option<Winner>,
    /// The default configuration, if it ran.
    pub default: Option<Winner>,
    /// Cost of the finals in seconds.
    pub seconds: f64,
}

impl Finals {
    /// The best and the default by what the search measured: they stand until the finals.
    #[must_use]
    pub fn of_search(
        space: &Space,
        ranking: &Ranking,
        trials: &[(ConfigurationId, Trial)],
    ) -> Self {
        let of = |(id, trial): &(ConfigurationId, Trial)| {
            let cost = ranking.admissible(&trial.outcome)?[0];
            let (configuration, outcome) = (trial.configuration.clone(), trial.outcome.clone());
            // Scores are corrected for the speed of the machine, costs are not.
            let cost = trial.score.unwrap_or(cost);
            Some(Winner { id: *id, configuration, outcome, cost })
        };
        let all: Vec<Winner> = trials.iter().filter_map(of).collect();
        let default = all.iter().find(|entry| Some(entry.id) == space.default_id()).cloned();
        let winner = all.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
        Self { winner, default, seconds: 0.0 }
    }
}

/// What the finals need to measure again.
pub struct Remeasurement<'a> {
    /// Measures the configurations.
    pub evaluator: &'a mut dyn Evaluator,
    /// Stores the trials.
    pub store: &'a mut dyn TrialStore,
    /// Maximum seconds of sampling per finalist, unless a front has more finalists than usual.
    pub patience: f64,
}

/// Measures the best configurations of a search again and picks the winner: of those that tie with
/// the best, the nearest to the default. The winner and every member of a front are checked on
/// fresh inputs. A configuration that fails the check is skipped. If none holds, or only a default
/// that others of the search beat, the search decides among the others.
pub fn finalists(
    size: u64,
    space: &Space,
    rules: (&Ranking, &MeasuringPolicy),
    trials: &[(ConfigurationId, Trial)],
    remeasurement: &mut Remeasurement<'_>,
) -> Result<Finals, String> {
    let entered = entered(space, rules, trials);
    if entered.is_empty() {
        return Ok(Finals::default());
    }
    let finals = contest(size, space, rules, &entered, remeasurement)?;
    let winner = finals.winner.as_ref().map(|winner| winner.id);
    let mut rest = trials.to_vec();
    rest.retain(|(id, _)| Some(*id) == winner || entered.iter().all(|(other, _)| other != id));
    let cost = |(_, trial): &(ConfigurationId, Trial)| rules.0.cost(&trial.outcome);
    let of_winner = rest.iter().find(|(id, _)| Some(*id) == winner).map(&cost);
    let is_best = |of_winner: f64| rest.iter().all(|other| of_winner <= cost(other));
    if of_winner.is_some_and(|of| rules.0.seeks_front() || is_best(of)) {
        return Ok(finals);
    }
    let others = best_of_search(size, space, rules, &rest, remeasurement)?;
    Ok(Finals { seconds: finals.seconds + others.seconds, ..others })
}

/// One final: measures configurations alternately, and picks the winner of those that hold.
fn contest(
    size: u64,
    space: &Space,
    (ranking, policy): (&Ranking, &MeasuringPolicy),
    entered: &[(ConfigurationId, Named)],
    remeasurement: &mut Remeasurement<'_>,
) -> Result<Finals, String> {
    let names: Vec<Named> = entered.iter().map(|(_, named)| named.clone()).collect();
    let Remeasurement { evaluator, store, patience } = remeasurement;
    // A large front gets no more time in total than the usual finalists.
    let patience = *patience * ((policy.finalists + 1.0) / names.len() as f64).min(1.0);
    let phase = Phase::Final;
    let outcomes = measured_together(size, phase, &names, ranking, *evaluator, *store, patience)?;
    let costs = paced_costs(ranking, &names, &outcomes);
    let mut seconds: f64 = outcomes.iter().map(|o| o.costs.total()).sum();
    let mut field: Vec<Winner> = entered
        .iter()
        .cloned()
        .zip(outcomes.into_iter().zip(costs))
        .filter(|(_, (outcome, _))| ranking.admissible(outcome).is_some())
        .map(|((id, configuration), (outcome, cost))| Winner { id, configuration, outcome, cost })
        .collect();
    let default = field.iter().find(|entry| Some(entry.id) == space.default_id()).cloned();
    let mut holds =
        |name: &Named| holds_on_fresh_inputs(size, name, ranking, *evaluator, *store, &mut seconds);
    if ranking.seeks_front() {
        keep_front(ranking, &mut field, &mut holds)?;
        let winner = pick(space, (ranking, policy), &field).map(|at| field.swap_remove(at));
        return Ok(Finals { winner, default, seconds });
    }
    let mut winner = None;
    while let Some(at) = pick(space, (ranking, policy), &field) {
        let candidate = field.remove(at);
        if holds(&candidate.configuration)? {
            winner = Some(candidate);
            break;
        }
    }
    Ok(Finals { winner, default, seconds })
}

/// Picks the winner by what the search measured, where there is no time to measure again. The winner
/// is checked on fresh inputs. A configuration that fails the check is skipped.
pub fn best_of_search(
    size: u64,
    space: &Space,
    (ranking, _): (&Ranking, &MeasuringPolicy),
    trials: &[(ConfigurationId, Trial)],
    remeasurement: &mut Remeasurement<'_>,
) -> Result<Finals, String> {
    let mut trials = trials.to_vec();
    let mut seconds = 0.0;
    loop {
        let finals = Finals::of_search(space, ranking, &trials);
        let Some(winner) = &finals.winner else { return Ok(Finals { seconds, ..finals }) };
        let Remeasurement { evaluator, store, .. } = remeasurement;
        let name = &winner.configuration;
        if holds_on_fresh_inputs(size, name, ranking, *evaluator, *store, &mut seconds)? {
            return Ok(Finals { seconds, ..finals });
        }
        trials.retain(|(id, _)| *id != winner.id);
    }
}

/// Returns the configurations to measure again: the default, and the best or the front.
fn entered(
    space: &Space,
    (ranking, policy): (&Ranking, &MeasuringPolicy),
    trials: &[(ConfigurationId, Trial)],
) -> Vec<(ConfigurationId, Named)> {
    let mut ranked: Vec<(Vec<f64>, ConfigurationId, &Named)> = trials
        .iter()
        .filter_map(|(id, t)| Some((ranking.admissible(&t.outcome)?, *id, &t.configuration)))
        .collect();
    ranked.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]).then(a.1.cmp(&b.1)));
    let default = ranked.iter().find(|(_, id, _)| Some(*id) == space.default_id()).cloned();
    match ranking.seeks_front() {
        true => ranked = most_isolated(ranked, policy),
        false => ranked.truncate((policy.finalists as usize).max(1)),
    }
    if let Some(default) = default
        && !ranked.iter().any(|(_, id, _)| *id == default.1)
    {
        ranked.push(default);
    }
    ranked.into_iter().map(|(_, id, named)| (id, named.clone())).collect()
}

/// Returns the front. A large front loses its most crowded members; a small one is filled up from
/// the next fronts.
fn most_isolated<T>(
    ranked: Vec<(Vec<f64>, ConfigurationId, T)>,
    policy: &MeasuringPolicy,
) -> Vec<(Vec<f64>, ConfigurationId, T)> {
    let costs: Vec<&Vec<f64>> = ranked.iter().map(|(costs, ..)| costs).collect();
    let mut ranks = fronts(&costs).into_iter();
    let mut entered = ranks.next().unwrap_or_default();
    while entered.len() > (policy.finalists_of_front as usize).max(1) {
        let members: Vec<&Vec<f64>> = entered.iter().map(|at| costs[*at]).collect();
        let lonely = crowding(&members);
        let most_crowded = (0..lonely.len()).min_by(|a, b| lonely[*a].total_cmp(&lonely[*b]));
        entered.remove(most_crowded.unwrap_or(0));
    }
    let places = (policy.finalists as usize).saturating_sub(entered.len());
    entered.extend(ranks.flatten().take(places));
    at_positions(ranked, &entered)
}

fn at_positions<T>(all: Vec<T>, positions: &[usize]) -> Vec<T> {
    let keep = |(at, entry)| positions.contains(&at).then_some(entry);
    all.into_iter().enumerate().filter_map(keep).collect()
}

/// Keeps the front of the configurations that pass the check on fresh inputs. A member that fails
/// is removed, and the configurations that it dominated may join the front.
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

/// Returns the position of the winner: of those that tie with the best, the nearest to the default.
/// If run time is the objective, the best is one that no other beat pair by pair, even if another
/// has a lower cost.
fn pick(
    space: &Space,
    (ranking, policy): (&Ranking, &MeasuringPolicy),
    field: &[Winner],
) -> Option<usize> {
    let by_time = ranking.objective.metric == "seconds";
    let is_beaten = |entry: &Winner| by_time && field.iter().any(|other| beats(other, entry));
    let unbeaten: Vec<&Winner> = field.iter().filter(|entry| !is_beaten(entry)).collect();
    // If every entry is beaten by another, costs alone decide.
    let contenders = if unbeaten.is_empty() { field.iter().collect() } else { unbeaten };
    let best = contenders.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost))?;
    (0..field.len())
        .filter(|at| {
            let entry = &field[*at];
            entry.id == best.id || (by_time && tied(entry, best, policy.tie))
        })
        .min_by(|a, b| {
            let distance = |at: usize| space.distance_to_default(field[at].id);
            distance(*a).total_cmp(&distance(*b)).then(field[*a].cost.total_cmp(&field[*b].cost))
        })
}

/// Whether `entry` was faster than `other` in alternating samples, by more than chance.
fn beats(entry: &Winner, other: &Winner) -> bool {
    let both = entry.outcome.measurement.as_ref().zip(other.outcome.measurement.as_ref());
    both.is_some_and(|(entry, other)| is_faster(entry, other))
}

/// Whether two configurations tie: costs are close, and a test cannot tell the run times apart.
fn tied(slower: &Winner, faster: &Winner, tie: f64) -> bool {
    let both = slower.outcome.measurement.as_ref().zip(faster.outcome.measurement.as_ref());
    slower.cost <= faster.cost * (1.0 + tie) && both.is_some_and(|(s, f)| !told_apart(s, f))
}
