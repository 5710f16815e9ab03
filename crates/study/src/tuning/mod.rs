//! The search inside one size: trials, objective, budget, finalists. A strategy works on a
//! [`search_api::Problem`]. [`Tuner`] implements it over an [`Evaluator`], which is live (workers
//! measure) or recorded (a space file answers). Ranking, counting and stopping are done only here.

mod evaluator;
mod finalists;
mod live;
mod objective;
mod ordered;
mod recorded_evaluator;
mod remeasuring;
mod trials_ahead;
mod tuner;

pub use evaluator::{Evaluator, Hints};
pub use finalists::{Finals, Remeasurement, Winner, best_of_search, finalists};
pub use live::{DeviceWorker, Live, LiveSettings};
pub use objective::Ranking;
pub use ordered::Searcher;
pub use recorded_evaluator::{RATE, Recorded};
pub use remeasuring::{holds_on_fresh_inputs, measured_together, paced_costs, speed_up};
pub use tuner::{Searched, SizeSearch, TrialListener, TrialStore, Tuner};
