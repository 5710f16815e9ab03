//! Pure mathematics for several crates: no files, devices or clocks. Randomness takes a seed.
//!
//! It never knows spaces, studies or devices. Begin with `statistics.rs`.

mod bootstrap;
mod change_points;
mod cholesky;
mod differences;
mod directions;
mod dominance;
mod evidence;
mod exponential;
mod interval;
mod isotonic;
mod least_squares;
mod nonnegative;
mod paired_ratio;
mod pchip;
mod polynomial;
mod random_numbers;
mod statistics;
mod svd;
mod two_way;

pub use bootstrap::{
    bootstrap_interval, bootstrap_median_interval, resample_into, resampled_counts,
};
pub use change_points::{ChangePoint, change_points};
pub use cholesky::Cholesky;
pub use differences::{first_derivatives, second_derivatives};
pub use directions::{das_dennis, riesz_energy};
pub use dominance::{crowding, dominates, front, fronts};
pub use evidence::{is_lower, is_lower_in_pairs};
pub use exponential::exponential;
pub use interval::{interval_of_few, median_interval};
pub use isotonic::isotonic_increasing;
pub use least_squares::{FittedLine, weighted_line};
pub use nonnegative::nonnegative_least_squares;
pub use paired_ratio::{Pair, PairedRatio};
pub use pchip::Pchip;
pub use polynomial::Polynomial;
pub use random_numbers::{Rng, normal, seeded, seeded_search};
pub use statistics::{
    mad, mean, median, median_of, quantile, relative_spread, sorted, standard_deviation, variance,
};
pub use svd::solve_least_squares;
pub use two_way::row_effects;
