//! How good a strategy is: the score that the auto-tuning community compares optimizers with.
//!
//! Willemsen, Schoonhoven, Filipovič, Tørring, van Nieuwpoort and van Werkhoven, A methodology for
//! comparing optimization algorithms for auto-tuning, 2024. A strategy runs on recorded spaces
//! under a simulated clock; its curve of best-so-far over time is compared with what random search
//! would reach, and 1 is the optimum.

mod baseline;
mod contest;
mod contestant;
mod curve;
mod landscape;
mod simulation;
mod standing;

pub use baseline::{Baseline, Row};
pub use contest::{Contest, Runs, in_parallel};
pub use contestant::{Contestant, ContestantError};
pub use curve::{Pool, Run, performance};
pub use landscape::{Cell, Landscape};
pub use simulation::{Simulated, Simulation, Thinking, simulate};
pub use standing::{
    CHECKPOINTS, Standing, beats, deviation_factors, overall, standing, standings, total,
};
