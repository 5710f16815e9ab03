//! Predictions of all candidates at once, updated at the cost of one row for every new point.
//!
//! With L Lᵀ = K and V = L⁻¹ K(points, candidates), a candidate's mean is its column of V times L⁻¹
//! y, and Σ V² is the explained part of its variance (Rasmussen and Williams 2006, algorithm 2.1).
//! A new point adds a row to L and to V and changes no other row, so both sums only grow. Reading
//! the old rows is most of the cost. So V is in single precision, in blocks of candidates whose
//! rows stay in the cache while a block takes in all new points.

use std::borrow::Borrow;

use super::{
    GaussianProcess, Points,
    distance::Correlation,
    gaussian_process::Posterior,
    joint::{Joint, JointTable},
};

/// Number of candidates in a block.
const WIDTH: usize = 128;
type Lane = [f32; WIDTH];

/// All candidates, by their slots from 0.
#[derive(Debug)]
pub(crate) struct Predictions {
    joint: Joint,
    blocks: Vec<Block>,
    candidates: usize,
    points: usize,
}

#[derive(Debug)]
struct Block {
    /// Combination of values of each candidate, for every group of axes.
    codes: Vec<[u32; WIDTH]>,
    /// V, a row for every point.
    rows: Vec<Lane>,
    sums: Sums,
}

/// Sums over the rows of V.
#[derive(Debug)]
struct Sums {
    /// V².
    explained: Lane,
    /// V times L⁻¹ values.
    values: Lane,
    /// V times L⁻¹ 1.
    ones: Lane,
    /// Summed nearness of valid points; below, of failures.
    valid: Lane,
    failed: Lane,
}

impl Predictions {
    /// Candidates before any point is taken in.
    pub(crate) fn new(process: &GaussianProcess, candidates: &Points) -> Self {
        let correlation = process.correlation();
        let joint = Joint::new(correlation);
        let codes: Vec<Vec<u32>> = candidates.iter().map(|c| joint.codes(correlation, c)).collect();
        let block = |codes: &[Vec<u32>]| {
            let groups = codes[0].len();
            // The last block is filled up with copies of its first candidate.
            let of =
                |group: usize| std::array::from_fn(|at| codes.get(at).unwrap_or(&codes[0])[group]);
            let codes = (0..groups).map(of).collect();
            Block { codes, rows: Vec::new(), sums: Sums::NONE }
        };
        let blocks = codes.chunks(WIDTH).map(block).collect();
        Self { joint, blocks, candidates: codes.len(), points: 0 }
    }

    /// Takes in the new points of the process; `values` ends with their values. O(candidates ×
    /// points) per point.
    pub(crate) fn see(&mut self, process: &GaussianProcess, values: &[f64]) {
        self.take_in(process, &process.factor().solve_lower(values));
    }

    /// Takes in the places of the new points, for values that change with every point. Means then
    /// come from [`means_of`](Self::means_of).
    pub(crate) fn see_places(&mut self, process: &GaussianProcess) {
        self.take_in(process, &vec![0.0; process.points().len()]);
    }

    fn take_in(&mut self, process: &GaussianProcess, whitened: &[f64]) {
        let new = |at| NewPoint {
            table: self.joint.table(process.correlation(), process.points().get(at)),
            row: process.factor().row(at).iter().map(|l| *l as f32).collect(),
            value: whitened[at] as f32,
            one: process.ones()[at] as f32,
        };
        let new: Vec<NewPoint> = (self.points..whitened.len()).map(new).collect();
        for block in &mut self.blocks {
            new.iter().for_each(|point| block.see(point, process.correlation()));
        }
        self.points = whitened.len();
    }

    /// The mean of every candidate for the values of `posterior`. O(candidates × points).
    pub(crate) fn means_of(&self, posterior: &Posterior) -> Vec<f64> {
        self.sums_of(&posterior.whitened, posterior.mean)
    }

    /// Vᵀ times whitened values. O(candidates × points).
    pub(crate) fn products(&self, whitened: &[f64]) -> Vec<f64> {
        self.sums_of(whitened, 0.0)
    }

    fn sums_of(&self, whitened: &[f64], mean: f64) -> Vec<f64> {
        let weights: Vec<f32> = whitened.iter().map(|weight| *weight as f32).collect();
        let of = |block: &Block| weighed(block.rows.iter(), &weights);
        self.flat(of, mean)
    }

    /// As [`Self::means_of`], but for a process whose points were not taken in. Without V there are
    /// no deviations, and the cost of a point does not grow with their number.
    pub(crate) fn first_means(&self, process: &GaussianProcess, posterior: &Posterior) -> Vec<f64> {
        let weights = process.factor().solve_upper(&posterior.whitened);
        let weights: Vec<f32> = weights.into_iter().map(|weight| weight as f32).collect();
        let correlation = process.correlation();
        let tables: Vec<JointTable> =
            process.points().iter().map(|point| self.joint.table(correlation, point)).collect();
        let of = |block: &Block| {
            weighed(tables.iter().map(|table| table.common(correlation, &block.codes)), &weights)
        };
        self.flat(of, posterior.mean)
    }

    fn flat(&self, of: impl Fn(&Block) -> Lane, mean: f64) -> Vec<f64> {
        let all = self.blocks.iter().flat_map(of);
        all.map(|sum| mean + f64::from(sum)).take(self.candidates).collect()
    }

    /// Takes in a failure, which is not a point of the process.
    pub(crate) fn fail(&mut self, process: &GaussianProcess, place: &[u32]) {
        let table = self.joint.table(process.correlation(), place);
        for block in &mut self.blocks {
            near(&mut block.sums.failed, &table.common(process.correlation(), &block.codes));
        }
    }

    /// Probability of each candidate to be valid: a / (a + b), where a is 1 plus the weight of
    /// valid points near it, and b the weight of failures near it.
    pub(crate) fn valid(&self) -> impl Iterator<Item = f32> {
        self.each(|sums, at| {
            let valid = 1.0 + sums.valid[at];
            valid / (valid + sums.failed[at])
        })
    }

    /// The mean of every candidate for this mean of the process.
    pub(crate) fn means(&self, mean: f64) -> impl Iterator<Item = f64> {
        let of = move |sums: &Sums, at: usize| {
            mean + f64::from(sums.values[at]) - mean * f64::from(sums.ones[at])
        };
        self.each(of)
    }

    /// The unexplained share of every candidate's variance, without noise.
    pub(crate) fn uncertain(&self) -> impl Iterator<Item = f32> {
        self.each(|sums, at| (1.0 - sums.explained[at]).max(1e-12))
    }

    fn each<T>(&self, of: impl Fn(&Sums, usize) -> T + Copy) -> impl Iterator<Item = T> {
        let all =
            self.blocks.iter().flat_map(move |block| (0..WIDTH).map(move |at| of(&block.sums, at)));
        all.take(self.candidates)
    }
}

/// A new point of the process as V needs it, in single precision.
struct NewPoint {
    table: JointTable,
    /// Its row of L.
    row: Vec<f32>,
    /// Its elements of L⁻¹ values and L⁻¹ 1.
    value: f32,
    one: f32,
}

impl Block {
    /// Adds the row of a new point to V: its correlations less what the earlier rows explain.
    fn see(&mut self, point: &NewPoint, correlation: &Correlation) {
        let mut new = point.table.common(correlation, &self.codes);
        near(&mut self.sums.valid, &new);
        // Four rows at a time, so that the new row is written once for four rows that are read.
        let (fours, rest) = self.rows.as_chunks::<4>();
        let (factors, rest_factors) = point.row[..self.rows.len()].as_chunks::<4>();
        for ([a, b, c, d], l) in fours.iter().zip(factors) {
            for (at, value) in new.iter_mut().enumerate() {
                *value -= (l[0] * a[at] + l[1] * b[at]) + (l[2] * c[at] + l[3] * d[at]);
            }
        }
        for (row, l) in rest.iter().zip(rest_factors) {
            for (value, row) in new.iter_mut().zip(row) {
                *value -= l * row;
            }
        }
        let diagonal = 1.0 / point.row[self.rows.len()];
        new.iter_mut().for_each(|value| *value *= diagonal);
        self.sums.add(&new, point.value, point.one);
        self.rows.push(new);
    }
}

fn weighed(rows: impl Iterator<Item = impl Borrow<Lane>>, weights: &[f32]) -> Lane {
    let mut sum = [0.0; WIDTH];
    for (row, weight) in rows.zip(weights) {
        for (sum, value) in sum.iter_mut().zip(row.borrow()) {
            *sum += weight * value;
        }
    }
    sum
}

/// Adds correlations⁸, limited so that no product is subnormal, which would be 100 times slower.
fn near(sums: &mut Lane, correlations: &Lane) {
    for (sum, correlation) in sums.iter_mut().zip(correlations) {
        let square = correlation.max(1e-4) * correlation.max(1e-4);
        *sum += (square * square) * (square * square);
    }
}

impl Sums {
    const NONE: Self = Self {
        explained: [0.0; WIDTH],
        values: [0.0; WIDTH],
        ones: [0.0; WIDTH],
        valid: [0.0; WIDTH],
        failed: [0.0; WIDTH],
    };

    fn add(&mut self, row: &Lane, value: f32, one: f32) {
        for (at, v) in row.iter().enumerate() {
            self.explained[at] += v * v;
            self.values[at] += value * v;
            self.ones[at] += one * v;
        }
    }
}

#[cfg(test)]
#[path = "predictions_tests.rs"]
mod tests;
