//! Hidden states of the machine: in each round one of a few shapes holds, and the next round keeps
//! it with some probability (Rabiner, A tutorial on hidden Markov models, 1989). A state slows some
//! sizes only: while others use the memory, sizes inside a cache do not care.

use math::quantile;

use super::{
    additive::{Additive, FREEDOM, Sums, Weight, update_errors},
    own_scatter::own_scatter,
    table::{Cell, Table},
};

/// Passes of expectation and maximisation.
const SWEEPS: usize = 30;
/// Probability to begin with that a round keeps the state of the one before.
const STAY: f64 = 0.9;
/// States persist if each keeps to the next round with this probability; others are noise.
const LEAST_STAY: f64 = 0.7;
/// Scatter of single columns, as a share of the difference of two shapes, above which these are no
/// states. It is 1 where columns differ independently of each other.
const ROUGH: f64 = 0.6;
/// Bounds of that probability.
const STAYS: (f64, f64) = (0.02, 0.999);
/// Rounds that are averaged to see the direction in which shapes differ.
const TOGETHER: usize = 5;
/// Steps of the power method for that direction.
const POWER_STEPS: usize = 50;
/// Errors are cut at so many scales before the direction is sought.
const CUT: f64 = 4.0;

/// Shapes of a table, and how probable each is in each round.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct States {
    /// Effects of columns by state; the mean of each is zero.
    pub(super) shapes: Vec<Vec<f64>>,
    /// Effect of each row, if a state holds in it.
    pub(super) rows: Vec<Vec<f64>>,
    /// Probability of each state in each row.
    pub(super) probabilities: Vec<Vec<f64>>,
    /// Scale of the errors of each column.
    pub(super) errors: Vec<f64>,
    shares: Vec<f64>,
    stay: Vec<f64>,
    log_likelihood: f64,
}

impl States {
    /// Fits `count` states, from the fit with one.
    pub(super) fn of(table: &Table, additive: &Additive, count: usize) -> Self {
        let direction = direction(table, additive);
        let mut scores: Vec<f64> = (table.rows.iter().enumerate())
            .map(|(round, row)| {
                row.iter()
                    .map(|cell| residual(cell, additive, round) * direction[cell.column])
                    .sum()
            })
            .collect();
        scores.sort_by(f64::total_cmp);
        let shape = |state: usize| -> Vec<f64> {
            let score = if count == 1 {
                0.0
            } else {
                quantile(&scores, (state as f64 + 0.5) / count as f64)
            };
            let shape: Vec<f64> = additive
                .columns
                .iter()
                .zip(&direction)
                .map(|(own, along)| own + score * along)
                .collect();
            let mean = math::mean(&shape);
            shape.into_iter().map(|value| value - mean).collect()
        };
        let rounds = table.rows.len();
        let mut states = Self {
            shapes: (0..count).map(shape).collect(),
            rows: additive.rows.iter().map(|row| vec![*row; count]).collect(),
            probabilities: vec![vec![1.0 / count as f64; count]; rounds],
            errors: additive.errors.clone(),
            shares: vec![1.0 / count as f64; count],
            stay: vec![STAY; count],
            log_likelihood: f64::NEG_INFINITY,
        };
        // One state is fitted already.
        for _ in 0..if count == 1 { 1 } else { SWEEPS } {
            states.expect(table);
            states.maximise(table);
        }
        states
    }

    /// Number of states.
    pub(super) fn count(&self) -> usize {
        self.shapes.len()
    }

    /// Whether every state lasts for some rounds.
    pub(super) fn persist(&self) -> bool {
        self.count() == 1 || self.stay.iter().all(|stay| *stay >= LEAST_STAY)
    }

    /// Whether shapes differ smoothly over the columns. If they do not, pieces of memory that sizes
    /// exchange look like states: each piece slows a size of its own.
    pub(super) fn moves_neighbours_alike(&self) -> bool {
        let position: Vec<f64> = (0..self.errors.len()).map(|column| column as f64).collect();
        let none = vec![0.0; position.len()];
        let (first, others) = self.shapes.split_at(1);
        others.iter().all(|shape| {
            let apart: Vec<f64> = shape.iter().zip(&first[0]).map(|(a, b)| a - b).collect();
            own_scatter(&position, &apart, &none) <= ROUGH * math::standard_deviation(&apart)
        })
    }

    /// Bayes' information criterion (Schwarz, 1978): lower is better.
    pub(super) fn criterion(&self, table: &Table) -> f64 {
        let (states, columns) = (self.count() as f64, table.columns as f64);
        let transitions = if self.count() > 1 { 2.0 * states - 1.0 } else { 0.0 };
        let parameters = states * (columns - 1.0) + columns + transitions;
        parameters * (table.cells() as f64).ln() - 2.0 * self.log_likelihood
    }

    /// Mean effect of the rounds in which a state holds, and its share of all rounds.
    pub(super) fn level(&self, state: usize) -> (f64, f64) {
        let share: f64 = self.probabilities.iter().map(|own| own[state]).sum();
        let both = self.probabilities.iter().zip(&self.rows);
        let sum: f64 = both.map(|(probability, rows)| probability[state] * rows[state]).sum();
        (sum / share.max(1e-9), share / self.probabilities.len() as f64)
    }

    /// How probable each state is in each round, given all rounds.
    fn expect(&mut self, table: &Table) {
        let (count, rounds) = (self.count(), table.rows.len());
        let mut seen: Vec<Vec<f64>> = (table.rows.iter().enumerate())
            .map(|(round, row)| (0..count).map(|state| self.emission(row, round, state)).collect())
            .collect();
        let most: Vec<f64> =
            seen.iter().map(|row| row.iter().copied().fold(f64::NEG_INFINITY, f64::max)).collect();
        for (row, most) in seen.iter_mut().zip(&most) {
            row.iter_mut().for_each(|value| *value = (*value - most).exp());
        }
        let mut forward = vec![vec![0.0; count]; rounds];
        let mut likelihood = 0.0;
        for round in 0..rounds {
            for state in 0..count {
                let before = match round {
                    0 => self.shares[state],
                    _ => (0..count)
                        .map(|from| forward[round - 1][from] * self.step(from, state))
                        .sum(),
                };
                forward[round][state] = before * seen[round][state];
            }
            likelihood += normalised(&mut forward[round]).ln() + most[round];
        }
        self.log_likelihood = likelihood;
        let (mut kept, mut left) = (vec![1.0; count], vec![2.0; count]);
        let mut backward = vec![1.0; count];
        for round in (0..rounds).rev() {
            let mut own: Vec<f64> =
                forward[round].iter().zip(&backward).map(|(a, b)| a * b).collect();
            normalised(&mut own);
            self.probabilities[round] = own;
            if round == 0 {
                break;
            }
            let pair = |from: usize, to: usize| {
                forward[round - 1][from] * self.step(from, to) * seen[round][to] * backward[to]
            };
            let all: f64 =
                (0..count).map(|from| (0..count).map(|to| pair(from, to)).sum::<f64>()).sum();
            for state in 0..count {
                kept[state] += pair(state, state) / all;
                left[state] += (0..count).map(|to| pair(state, to)).sum::<f64>() / all;
            }
            let mut next: Vec<f64> = (0..count)
                .map(|from| {
                    (0..count).map(|to| self.step(from, to) * seen[round][to] * backward[to]).sum()
                })
                .collect();
            normalised(&mut next);
            backward = next;
        }
        for ((stay, kept), left) in self.stay.iter_mut().zip(kept).zip(left) {
            *stay = (kept / left).clamp(STAYS.0, STAYS.1);
        }
        for (state, share) in self.shares.iter_mut().enumerate() {
            let sum: f64 = self.probabilities.iter().map(|own| own[state]).sum();
            *share = (sum + 1.0) / (rounds + count) as f64;
        }
    }

    /// Fits the effect of a row if a state holds in it; returns the log likelihood of its cells.
    fn emission(&mut self, row: &[Cell], round: usize, state: usize) -> f64 {
        let shape = &self.shapes[state];
        let mut effect = self.rows[round][state];
        for _ in 0..2 {
            let own = |cell: &Cell| {
                let value = cell.z - shape[cell.column];
                let weight = Weight::of(cell, self.errors[cell.column], value - effect).mean;
                (weight, weight * value)
            };
            let (weights, values) =
                row.iter().map(own).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            if weights > 0.0 {
                effect = values / weights;
            }
        }
        self.rows[round][state] = effect;
        row.iter()
            .map(|cell| {
                let error = cell.z - shape[cell.column] - effect;
                let variance = self.errors[cell.column].powi(2) + cell.lost;
                -0.5 * variance.ln()
                    - 0.5 * (FREEDOM + 1.0) * (error * error / (FREEDOM * variance)).ln_1p()
            })
            .sum()
    }

    /// Probability that a round in one state is followed by another.
    fn step(&self, from: usize, to: usize) -> f64 {
        match (self.count(), from == to) {
            (1, _) => 1.0,
            (_, true) => self.stay[from],
            (count, false) => (1.0 - self.stay[from]) / (count - 1) as f64,
        }
    }

    /// Shapes and errors, given the probabilities.
    fn maximise(&mut self, table: &Table) {
        let mut errors = vec![Sums::default(); table.columns];
        for state in 0..self.count() {
            let mut sums = vec![Sums::default(); table.columns];
            for (round, row) in table.rows.iter().enumerate() {
                let (share, effect) = (self.probabilities[round][state], self.rows[round][state]);
                if share < 1e-9 {
                    continue;
                }
                for cell in row {
                    let error = cell.z - self.shapes[state][cell.column] - effect;
                    sums[cell.column].add(
                        cell,
                        self.errors[cell.column],
                        error,
                        cell.z - effect,
                        share,
                    );
                }
            }
            let shape = &mut self.shapes[state];
            for ((own, sums), joint) in shape.iter_mut().zip(&sums).zip(&mut errors) {
                sums.update(own);
                joint.join(sums);
            }
            let mean = math::mean(shape);
            shape.iter_mut().for_each(|value| *value -= mean);
            self.rows.iter_mut().for_each(|row| row[state] += mean);
        }
        update_errors(&mut self.errors, &errors);
    }
}

/// Divides by the sum, and returns it.
fn normalised(values: &mut [f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let sum = if sum > 0.0 { sum } else { f64::MIN_POSITIVE };
    values.iter_mut().for_each(|value| *value /= sum);
    sum
}

/// What one state leaves of a cell, cut so that no outlier decides.
fn residual(cell: &Cell, additive: &Additive, round: usize) -> f64 {
    let most = CUT * additive.errors[cell.column];
    (cell.z - additive.columns[cell.column] - additive.rows[round]).clamp(-most, most)
}

/// The direction in which columns vary most together: the first principal component of the
/// residuals, averaged over a few rounds. Its mean is zero and its length one.
fn direction(table: &Table, additive: &Additive) -> Vec<f64> {
    let together = if table.rows.len() > 4 * TOGETHER { TOGETHER } else { 1 };
    let averaged: Vec<Vec<f64>> = (table.rows.chunks(together).enumerate())
        .map(|(chunk, rows)| {
            let mut sums = vec![0.0; table.columns];
            for (at, row) in rows.iter().enumerate() {
                let round = chunk * together + at;
                row.iter().for_each(|cell| sums[cell.column] += residual(cell, additive, round));
            }
            sums
        })
        .collect();
    let mut along: Vec<f64> =
        (0..table.columns).map(|at| at as f64 - (table.columns as f64 - 1.0) / 2.0).collect();
    for _ in 0..POWER_STEPS {
        let mut next = vec![0.0; table.columns];
        for row in &averaged {
            let score: f64 = row.iter().zip(&along).map(|(a, b)| a * b).sum();
            next.iter_mut().zip(row).for_each(|(sum, value)| *sum += score * value);
        }
        let mean = math::mean(&next);
        let length = next.iter().map(|value| (value - mean).powi(2)).sum::<f64>().sqrt();
        if length <= 0.0 {
            break;
        }
        along = next.into_iter().map(|value| (value - mean) / length).collect();
    }
    let length = along.iter().map(|value| value * value).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    along.into_iter().map(|value| value / length).collect()
}

#[cfg(test)]
mod tests {
    use math::{normal, seeded};

    use super::*;

    #[test]
    fn a_state_that_slows_large_sizes_is_told_apart_from_noise() {
        let mut rng = seeded(3, 0);
        let mut table = |slower: f64| {
            let row = |round: usize, rng: &mut _| -> Vec<Cell> {
                let slow = (round / 20) % 3 == 1;
                let z = |column: usize| {
                    let own = if slow && column >= 5 { slower } else { 0.0 };
                    0.1 * column as f64 + own + 0.02 * normal(rng)
                };
                let mut z = z;
                (0..10).map(|column| Cell { column, z: z(column), lost: 0.0 }).collect()
            };
            let rows = (0..360).map(|round| row(round, &mut rng)).collect();
            Table { rows, columns: 10, placements: Vec::new() }
        };
        for (slower, expected) in [(0.0, 1), (0.16, 2)] {
            let table = table(slower);
            let additive = Additive::of(&table);
            let fits: Vec<States> =
                (1..=2).map(|count| States::of(&table, &additive, count)).collect();
            let is_better =
                fits[1].persist() && fits[1].criterion(&table) < fits[0].criterion(&table);
            let better = if is_better { 2 } else { 1 };
            assert_eq!(better, expected);
            if expected == 2 {
                let fast = if fits[1].level(0).0 < fits[1].level(1).0 { 0 } else { 1 };
                let (_, share) = fits[1].level(fast);
                assert!((share - 2.0 / 3.0).abs() < 0.03, "{share}");
                let shape = &fits[1].shapes[fast];
                assert!((shape[9] - shape[0] - 0.9).abs() < 0.02, "{shape:?}");
            }
        }
    }
}
