//! No winner's curse: when a size closes, the best five and the default are measured again,
//! interleaved, with fresh samples; the size's figure comes only from these.

use super::{
    Book, Evaluator, Ranking,
    afresh::{holds_on_fresh_inputs, measured_together, told_apart},
};
use crate::{
    records::{Named, Outcome, Phase, Trial},
    space::{ConfigurationId, Space},
};

/// How many are measured again, besides the default.
const FINALISTS: usize = 5;
/// Times are tied when a rank test cannot tell them apart and their medians differ by no more than
/// this share: few or noisy samples prove little, but not that nothing was gained.
const TIE: f64 = 0.02;

/// A configuration and what its fresh samples say.
#[derive(Debug, Clone, PartialEq)]
pub struct Winner {
    /// Which.
    pub id: ConfigurationId,
    /// By name.
    pub configuration: Named,
    /// Its fresh outcome.
    pub outcome: Outcome,
}

/// What the finals of a size decided.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finals {
    /// The reported configuration; none if nothing satisfies the bound.
    pub winner: Option<Winner>,
    /// The default configuration, if it ran.
    pub default: Option<Winner>,
    /// What the finals cost, in seconds.
    pub seconds: f64,
}

/// Measures the best of a search again and picks the winner: among those that tie with the best
/// one, the one nearest the default. The winner is then checked on fresh inputs; one
/// that fails there is passed over.
pub fn finalists(
    size: u64,
    space: &Space,
    ranking: &Ranking,
    trials: &[(ConfigurationId, Trial)],
    evaluator: &mut dyn Evaluator,
    book: &mut dyn Book,
    patience: f64,
) -> Result<Finals, String> {
    let mut ranked: Vec<(f64, ConfigurationId, &Named)> = trials
        .iter()
        .filter_map(|(id, t)| Some((ranking.admissible(&t.outcome)?, *id, &t.configuration)))
        .collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let default = space.default_id();
    let mut entered: Vec<(ConfigurationId, Named)> =
        ranked.iter().take(FINALISTS).map(|(_, id, named)| (*id, (*named).clone())).collect();
    if let Some((_, id, named)) = ranked.iter().find(|(_, id, _)| Some(*id) == default)
        && !entered.iter().any(|(entered, _)| entered == id)
    {
        entered.push((*id, (*named).clone()));
    }
    if entered.is_empty() {
        return Ok(Finals::default());
    }
    let names: Vec<Named> = entered.iter().map(|(_, named)| named.clone()).collect();
    let outcomes = measured_together(size, Phase::Final, &names, evaluator, book, patience)?;
    let mut seconds: f64 = outcomes.iter().map(|o| o.costs.total()).sum();
    let mut field: Vec<Winner> = entered
        .into_iter()
        .zip(outcomes)
        .filter(|(_, outcome)| ranking.admissible(outcome).is_some())
        .map(|((id, configuration), outcome)| Winner { id, configuration, outcome })
        .collect();
    let default = field.iter().find(|entry| Some(entry.id) == default).cloned();
    let mut winner = None;
    while let Some(at) = pick(space, ranking, &field) {
        let candidate = field.remove(at);
        let name = &candidate.configuration;
        if holds_on_fresh_inputs(size, name, ranking, evaluator, book, &mut seconds)? {
            winner = Some(candidate);
            break;
        }
    }
    Ok(Finals { winner, default, seconds })
}

/// The position of the winner: the best, or whichever statistical tie is nearest the default.
fn pick(space: &Space, ranking: &Ranking, field: &[Winner]) -> Option<usize> {
    let cost = |entry: &Winner| ranking.admissible(&entry.outcome).unwrap_or(f64::INFINITY);
    let best = field.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
    let by_time = ranking.objective.metric == "seconds";
    (0..field.len())
        .filter(|at| {
            let entry = &field[*at];
            entry.id == best.id || (by_time && tied(&entry.outcome, &best.outcome))
        })
        .min_by(|a, b| {
            let distance = |at: usize| space.distance_to_default(field[at].id);
            distance(*a)
                .total_cmp(&distance(*b))
                .then(cost(&field[*a]).total_cmp(&cost(&field[*b])))
        })
}

/// Whether two interleaved series of run times may be the same.
fn tied(slower: &Outcome, faster: &Outcome) -> bool {
    let (Some(slower), Some(faster)) = (&slower.measurement, &faster.measurement) else {
        return false;
    };
    slower.seconds.median <= faster.seconds.median * (1.0 + TIE) && !told_apart(slower, faster)
}
