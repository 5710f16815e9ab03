//! What a piece of memory does to the column that lies in it. Columns exchange their memory every few
//! rounds, so a column is the mean over its pieces, and not of the samples: errors with heavy tails
//! would take the samples of an unusual piece for outliers.

use super::{additive::Weight, table::Cell};

/// Passes that fit the samples of one piece.
const SWEEPS: usize = 10;
/// Least variance of a piece's mean, in squared logarithms.
const LEAST_VARIANCE: f64 = 1e-10;
/// Pieces in which another state held throughout say nothing of the scatter of pieces.
const LEAST_HELD: f64 = 0.1;

/// A cell without its round's effect.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) cell: Cell,
    /// Number of the piece of memory.
    pub(super) placement: u64,
    /// Probability of the state that counts.
    pub(super) share: f64,
    /// Value without the round's effect.
    pub(super) value: f64,
}

impl Placed {
    /// The cell's weight, if its column never exchanges its memory.
    pub(super) fn weight(&self, errors: &[f64], shape: &[f64]) -> Weight {
        let column = self.cell.column;
        let weight = Weight::of(&self.cell, errors[column], self.value - shape[column]);
        Weight { mean: self.share * weight.mean, pull: self.share * weight.pull }
    }
}

/// The cells of a column in one piece of memory.
struct Piece {
    cells: Vec<usize>,
    weights: Vec<Weight>,
    middle: f64,
    variance: f64,
    /// Probability that the state that counts held while the column lay there.
    held: f64,
}

/// Weights of cells, so that a column's weighted mean is that over its pieces.
pub(super) fn weights(columns: usize, placed: &[Placed], errors: &[f64]) -> Vec<Weight> {
    let mut pieces: Vec<Vec<Piece>> = Vec::with_capacity(columns);
    for (column, scale) in errors.iter().enumerate() {
        let mut own: Vec<usize> =
            (0..placed.len()).filter(|at| placed[*at].cell.column == column).collect();
        own.sort_by_key(|at| placed[*at].placement);
        let same = |a: &usize, b: &usize| placed[*a].placement == placed[*b].placement;
        pieces.push(own.chunk_by(same).map(|cells| piece(placed, cells, *scale)).collect());
    }
    let scatter = scatter(&pieces);
    let mut weights = vec![Weight { mean: 0.0, pull: 0.0 }; placed.len()];
    for piece in pieces.iter().flatten() {
        let sum: f64 = piece.weights.iter().map(|weight| weight.mean).sum();
        let of_piece = piece.held / (scatter + piece.variance);
        for (at, weight) in piece.cells.iter().zip(&piece.weights) {
            let times = if sum > 0.0 { of_piece / sum } else { 0.0 };
            weights[*at] = Weight { mean: times * weight.mean, pull: times * weight.pull };
        }
    }
    weights
}

fn piece(placed: &[Placed], cells: &[usize], scale: f64) -> Piece {
    let of = |at: &usize| placed[*at];
    let mut middle = math::median(&cells.iter().map(|at| of(at).value).collect::<Vec<f64>>());
    let mut weights = Vec::new();
    for _ in 0..SWEEPS {
        weights.clear();
        let (mut sum, mut values) = (0.0, 0.0);
        for Placed { cell, share, value, .. } in cells.iter().map(of) {
            let weight = Weight::of(&cell, scale, value - middle);
            let weight = Weight { mean: share * weight.mean, pull: share * weight.pull };
            sum += weight.mean;
            values += weight.mean * value;
            weights.push(weight);
        }
        if sum > 0.0 {
            middle = values / sum;
        }
    }
    let sum: f64 = weights.iter().map(|weight| weight.mean).sum();
    let square = |(at, weight): (&usize, &Weight)| {
        let share = weight.mean / sum;
        (share * (of(at).value - middle)).powi(2) + (share * scale).powi(2)
    };
    // Half of it is the spread that was seen, and half the usual one: a piece may have few cells.
    let squares = || cells.iter().zip(&weights).map(square).sum::<f64>();
    let variance = if sum > 0.0 { (0.5 * squares()).max(LEAST_VARIANCE) } else { f64::MAX };
    let held = cells.iter().map(|at| of(at).share).sum::<f64>() / cells.len() as f64;
    Piece { cells: cells.to_vec(), weights, middle, variance, held }
}

/// Variance of what pieces do to columns, beyond the errors of their samples (DerSimonian and Laird
/// 1986).
fn scatter(pieces: &[Vec<Piece>]) -> f64 {
    let (mut squares, mut freedom) = (0.0, 0.0);
    for own in pieces {
        let known: Vec<&Piece> =
            own.iter().filter(|piece| piece.variance < 1.0 && piece.held >= LEAST_HELD).collect();
        let middles: Vec<f64> = known.iter().map(|piece| piece.middle).collect();
        if middles.len() < 2 {
            continue;
        }
        let free = (middles.len() - 1) as f64;
        let expected = math::mean(&known.iter().map(|piece| piece.variance).collect::<Vec<_>>());
        squares += free * (math::variance(&middles) - expected);
        freedom += free;
    }
    if freedom > 0.0 { (squares / freedom).max(0.0) } else { 0.0 }
}
