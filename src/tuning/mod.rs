//! The loop over configurations inside one size: trials, objective, budget, finalists.
//!
//! A strategy sees a [`strategies::Problem`](crate::strategies::Problem); [`Tuner`] is that
//! problem over an [`Evaluator`], of which there are two: live (a worker measures) and recorded (a
//! space file answers). Whatever ranks, counts or stops exists once, here.

mod afresh;
mod ahead;
mod evaluator;
mod finalists;
mod live;
mod objective;
mod recorded;
mod tuner;

pub use afresh::{holds_on_fresh_inputs, measured_together, paced_costs, told_apart};
pub use evaluator::{Evaluator, Hints};
pub use finalists::{Finals, Remeasurement, Winner, finalists};
pub use live::{DeviceWorker, Live, LiveSettings};
pub use objective::Ranking;
pub use recorded::{COMPILE_SECONDS, NOISE, RATE, Recorded};
pub use tuner::{Search, Searched, TrialListener, TrialStore, Tuner};
