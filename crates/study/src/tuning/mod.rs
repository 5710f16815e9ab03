//! The search inside one size: trials, objective, budget, finalists. A strategy sees a
//! [`strategies::Problem`](search_api::Problem); [`Tuner`] is that problem over an
//! [`Evaluator`], which is live (a worker measures) or recorded (a space file answers). All
//! ranking, counting and stopping is here, once.

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
pub use finalists::{Finals, Remeasurement, Winner, finalists};
pub use live::{DeviceWorker, Live, LiveSettings};
pub use objective::Ranking;
pub use ordered::Searcher;
pub use recorded_evaluator::{RATE, Recorded};
pub use remeasuring::{
    holds_on_fresh_inputs, is_faster, measured_together, paced_costs, speed_up, speed_up_of_medians,
};
pub use tuner::{Searched, SizeSearch, TrialListener, TrialStore, Tuner};
