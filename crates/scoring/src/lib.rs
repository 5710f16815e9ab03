//! Scores of strategies, as authors of auto-tuners compare optimizers, and distances from fronts.
//!
//! Willemsen, Schoonhoven, Filipovič, Tørring, van Nieuwpoort and van Werkhoven, A methodology for
//! comparing optimization algorithms for auto-tuning, 2024. A strategy runs on recorded spaces
//! under a simulated clock. Its best so far over time is compared with random search: 0 is as good
//! as random search, 1 is the optimum.
//!
//! It never knows live devices or pages. Begin with `simulation.rs`.

// Links the strategies, which register themselves.
#[cfg(test)]
use search as _;

mod attained;
mod baseline;
mod choice;
mod comparison;
mod curve;
mod deviation;
mod front_comparison;
mod front_figures;
mod fronts;
mod hypervolume;
mod indicators;
mod knob_search;
mod landscape;
mod left_out;
mod matching;
mod scored_strategy;
mod simulation;
mod stages;
mod standard;
mod standing;
mod wins;

pub use attained::{Attained, AttainedOverSpaces};
pub use baseline::{Baseline, BaselineRow};
pub use choice::{Candidate, Choice, choose};
pub use comparison::{Runs, StrategyComparison, Watch, in_parallel};
pub use curve::{PooledRuns, Run, performance};
pub use deviation::{DeviationFactor, deviation_factors};
pub use front_comparison::{FrontComparison, FrontRun, FrontSpace};
pub use front_figures::{FrontFigures, OverSpaces};
pub use fronts::{Approach, Reached, TrueFront};
pub use hypervolume::hypervolume;
pub use indicators::{gd, gd_plus, igd, igd_plus};
pub use knob_search::{KnobSearch, LeftOut, Searched, TriedSetting};
pub use landscape::Landscape;
pub use left_out::{LeftOutBy, LeftOutSpaces};
pub use matching::Matching;
pub use scored_strategy::{ScoredStrategy, ScoredStrategyError};
pub use simulation::{Simulated, Thinking, counted, simulate};
pub use stages::TimeShares;
pub use standard::Standard;
pub use standing::{CHECKPOINTS, ProgressPoint, Standing, overall, standing, standings, total};
pub use wins::{Wins, beats};

pub use study::prior::{Cell, Origin, Recollected, begin_with, memory_of};
