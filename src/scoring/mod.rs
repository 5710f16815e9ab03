//! Score of strategies, as auto-tuners' authors compare optimizers, and their distance from fronts.
//!
//! Willemsen, Schoonhoven, Filipovič, Tørring, van Nieuwpoort and van Werkhoven, A methodology for
//! comparing optimization algorithms for auto-tuning, 2024. A strategy runs on recorded spaces
//! under a simulated clock; its best-so-far over time is compared with random search: 0 is as good
//! as random search, 1 the optimum.

mod baseline;
mod comparison;
mod curve;
mod front_comparison;
mod fronts;
mod hypervolume;
mod indicators;
mod landscape;
mod scored_strategy;
mod simulation;
mod standing;

pub use baseline::{Baseline, BaselineRow};
pub use comparison::{Runs, StrategyComparison, in_parallel};
pub use curve::{PooledRuns, Run, performance};
pub use front_comparison::{FrontComparison, FrontSpace};
pub use fronts::{Reached, TrueFront};
pub use hypervolume::hypervolume;
pub use indicators::{igd, igd_plus};
pub use landscape::{Cell, Landscape};
pub use scored_strategy::{ScoredStrategy, ScoredStrategyError};
pub use simulation::{Simulated, Thinking, simulate};
pub use standing::{
    CHECKPOINTS, Standing, beats, deviation_factors, overall, standing, standings, total,
};
