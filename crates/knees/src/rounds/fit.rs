//! The whole model of a table: as many states as its rounds show, the shape that counts, and
//! resamples of it.

use math::Rng;
use rand::RngExt as _;
use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

use super::{
    additive::{Additive, Weight},
    placements::{self, Placed},
    states::States,
    table::{Cell, Table},
};

/// Rounds from which on states are sought: in fewer they cost accuracy on an unsteady machine.
pub const STATES_FROM: usize = 100;
/// The most states.
const MOST_STATES: usize = 3;
/// The fastest state gives the shape if it has this share of the rounds.
const LEAST_SHARE: f64 = 0.1;
/// Blocks of consecutive rounds that are resampled: changes that last several rounds stay together.
const BLOCKS: usize = 8;
/// The confidence at which resamples of few blocks are as wide as they must be.
const CONFIDENCE: f64 = 0.95;

/// A resample with less than this share of the rounds that count is drawn again: it would show the
/// curve of another state.
const LEAST_DRAWN: f64 = 0.2;
/// The most that weights that change with the errors widen a deviation.
const MOST_STRETCH: f64 = 4.0;

/// The fit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    /// Logarithms by column, in the state that counts.
    pub(super) columns: Vec<f64>,
    /// Number of states.
    pub(super) states: usize,
    /// Share of the rounds in the state that counts.
    pub(super) share: f64,
    rounds: Vec<FittedRound>,
    level: f64,
    /// Factor of a resampled column's deviation. Weights stay as they were fitted, and those of a
    /// new fit would follow the drawn values: to first order, by this much (Huber, 1964).
    stretch: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct FittedRound {
    /// Cells as (column, weight, value without the round's effect).
    cells: Vec<(usize, f64, f64)>,
    /// Probability of the state that counts.
    share: f64,
    effect: f64,
    /// Weight of the effect.
    weight: f64,
}

/// Sums over the cells of a column: of weights, of how much cells move the mean, and of weighted
/// values.
#[derive(Debug, Clone, Copy, Default)]
struct ColumnSums {
    mean: f64,
    pull: f64,
    value: f64,
}

impl Fit {
    pub(super) fn of(table: &Table) -> Self {
        let additive = Additive::of(table);
        let Some(states) = states(table, &additive) else {
            let rounds: Vec<(f64, f64)> = additive.rows.iter().map(|row| (1.0, *row)).collect();
            return Self::with(table, &additive.columns, &additive.errors, &rounds, 1);
        };
        let levels: Vec<(f64, f64)> =
            (0..states.count()).map(|state| states.level(state)).collect();
        let fastest = (0..levels.len()).filter(|state| levels[*state].1 >= LEAST_SHARE);
        let counts = fastest.min_by(|a, b| levels[*a].0.total_cmp(&levels[*b].0)).unwrap_or(0);
        let own = states.probabilities.iter().zip(&states.rows);
        let rounds: Vec<(f64, f64)> =
            own.map(|(share, rows)| (share[counts], rows[counts])).collect();
        Self::with(table, &states.shapes[counts], &states.errors, &rounds, states.count())
    }

    /// `rounds` are the probability of the state that counts, and the effect, of each round.
    fn with(
        table: &Table,
        shape: &[f64],
        errors: &[f64],
        rounds: &[(f64, f64)],
        states: usize,
    ) -> Self {
        let mut placed = Vec::with_capacity(table.cells());
        for (at, row) in table.rows.iter().enumerate() {
            let (share, effect) = rounds[at];
            let placement = table.placements.get(at).copied().unwrap_or(0);
            let of = |cell: &Cell| Placed { cell: *cell, placement, share, value: cell.z - effect };
            placed.extend(row.iter().map(of));
        }
        let weights = match placed.first() {
            Some(first) if placed.iter().any(|other| other.placement != first.placement) => {
                placements::weights(table.columns, &placed, errors)
            }
            _ => placed.iter().map(|of| of.weight(errors, shape)).collect(),
        };
        let mut sums = vec![ColumnSums::default(); table.columns];
        let mut fitted = Vec::with_capacity(rounds.len());
        let mut cells = placed.iter().zip(&weights);
        for (row, (share, effect)) in table.rows.iter().zip(rounds.iter().copied()) {
            let mut cell = |(of, weight): (&Placed, &Weight)| {
                let sums = &mut sums[of.cell.column];
                sums.mean += weight.mean;
                sums.pull += weight.pull;
                sums.value += weight.mean * of.value;
                (of.cell.column, weight.mean, of.value)
            };
            let cells: Vec<(usize, f64, f64)> =
                cells.by_ref().take(row.len()).map(&mut cell).collect();
            let weight = cells.iter().map(|(_, weight, _)| weight).sum();
            fitted.push(FittedRound { cells, share, effect, weight });
        }
        let stretch = |sums: &ColumnSums| match sums.pull > 0.0 {
            true => (sums.mean / sums.pull).clamp(1.0, MOST_STRETCH),
            false => MOST_STRETCH,
        };
        let column = |(sums, own): (&ColumnSums, &f64)| match sums.mean > 0.0 {
            true => sums.value / sums.mean,
            false => *own,
        };
        let level = level(fitted.iter());
        Self {
            columns: sums.iter().zip(shape).map(column).map(|own| own + level).collect(),
            states,
            share: rounds.iter().map(|(share, _)| share).sum::<f64>() / rounds.len() as f64,
            stretch: sums.iter().map(stretch).collect(),
            rounds: fitted,
            level,
        }
    }

    /// Draws blocks of rounds with replacement (Künsch, 1989).
    fn draw(&self, rng: &mut Rng) -> Vec<&FittedRound> {
        let count = self.rounds.len();
        let block = count.div_ceil(BLOCKS);
        let least = LEAST_DRAWN * self.share * count as f64;
        let mut drawn: Vec<&FittedRound> = Vec::with_capacity(count + block);
        for _ in 0..BLOCKS {
            drawn.clear();
            for _ in 0..count.div_ceil(block) {
                let start = rng.random_range(0..count);
                drawn.extend((start..start + block).map(|round| &self.rounds[round % count]));
            }
            if drawn.iter().map(|round| round.share).sum::<f64>() >= least {
                break;
            }
        }
        drawn
    }

    /// How far the columns of a resample are from the fit.
    pub(super) fn resample(&self, rng: &mut Rng) -> Vec<f64> {
        self.apart(&self.draw(rng))
    }

    /// The same, with how far all columns together are from it.
    pub(super) fn resample_with_level(&self, rng: &mut Rng) -> Vec<f64> {
        let drawn = self.draw(rng);
        let together = level(drawn.iter().copied()) - self.level;
        self.apart(&drawn).into_iter().map(|own| own + together).collect()
    }

    fn apart(&self, drawn: &[&FittedRound]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.columns.len()];
        for (column, weight, value) in drawn.iter().flat_map(|round| &round.cells) {
            let sums = &mut sums[*column];
            *sums = (sums.0 + weight, sums.1 + weight * value);
        }
        let apart =
            |(((weights, values), own), stretch): (((f64, f64), &f64), &f64)| match weights > 0.0 {
                true => stretch * (values / weights + self.level - own),
                false => 0.0,
            };
        sums.into_iter().zip(&self.columns).zip(&self.stretch).map(apart).collect()
    }

    /// Factor by which deviations of resamples are widened: few blocks are too alike, and their spread
    /// is not well known (Hesterberg, 2015).
    pub(super) fn widening(&self) -> f64 {
        let count = self.rounds.len();
        let blocks = count.div_ceil(count.div_ceil(BLOCKS)) as f64;
        let Ok(student) = StudentsT::new(0.0, 1.0, blocks - 1.0) else { return 1.0 };
        let at = f64::midpoint(1.0, CONFIDENCE);
        student.inverse_cdf(at) / Normal::standard().inverse_cdf(at)
            * (blocks / (blocks - 1.0)).sqrt()
    }
}

/// The weighted median of the effects of rounds: what they have in common does not follow those
/// that are slow for all sizes.
fn level<'a>(rounds: impl Iterator<Item = &'a FittedRound>) -> f64 {
    let mut effects: Vec<(f64, f64)> = rounds.map(|round| (round.effect, round.weight)).collect();
    effects.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = effects.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut below = 0.0;
    let middle = effects.iter().find(|(_, weight)| {
        below += weight;
        below >= half
    });
    middle.map_or(0.0, |(effect, _)| *effect)
}

/// The states of a table, if it shows more than one.
fn states(table: &Table, additive: &Additive) -> Option<States> {
    if table.rows.len() < STATES_FROM || table.columns < 3 {
        return None;
    }
    let mut best = States::of(table, additive, 1);
    let mut least = best.criterion(table);
    for count in 2..=MOST_STATES {
        let next = States::of(table, additive, count);
        let criterion = next.criterion(table);
        if criterion >= least || !next.persist() || !next.moves_neighbours_alike() {
            break;
        }
        (best, least) = (next, criterion);
    }
    (best.count() > 1).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounds::table::Cell;

    #[test]
    fn few_blocks_are_widened_and_one_is_not() {
        let fit = |rounds: i32| {
            let row = |round: i32| {
                let cell = |column: usize| Cell {
                    column,
                    z: f64::from(round % 2) + column as f64,
                    lost: 0.0,
                };
                (0..4).map(cell).collect()
            };
            let rows = (0..rounds).map(row).collect();
            Fit::of(&Table { rows, columns: 4, placements: Vec::new() })
        };
        // t = 2.365 for seven degrees of freedom, over 1.96, times √(8/7).
        assert!((fit(80).widening() - 1.290).abs() < 2e-3, "{}", fit(80).widening());
        assert!((fit(1).widening() - 1.0).abs() < 1e-12);
        let fit = fit(80);
        assert!((fit.columns[3] - fit.columns[0] - 3.0).abs() < 1e-9);
        let drawn = fit.resample(&mut math::seeded(1, 0));
        assert!(drawn.iter().all(|apart| apart.abs() < 1e-9), "{drawn:?}");
    }
}
