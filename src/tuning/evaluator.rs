//! The seam between tuning and whatever answers what a configuration does.

use crate::{
    records::{Named, Outcome},
    worker::{Entrant, RoundsTaken},
};

/// What an evaluator may use to save time; never needed to be right.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// The best configuration known at this size: measured in turn with another one, so that a
    /// machine that gets slower meets both, and what is clearly worse stops early.
    pub beside: Option<Named>,
    /// Wall seconds a measurement may take.
    pub patience: f64,
}

/// Answers what configurations do at a size.
pub trait Evaluator {
    /// Compiles, checks and measures one configuration. Every way to fail is an outcome.
    fn evaluate(&mut self, size: u64, configuration: &Named, hints: &Hints) -> Outcome;
    /// How many configurations it evaluates at the same time: one for each device.
    fn width(&self) -> usize {
        1
    }
    /// Evaluates several, each on any of the devices; an outcome for each, in order.
    fn evaluate_several(
        &mut self,
        size: u64,
        configurations: &[Named],
        hints: &Hints,
    ) -> Vec<Outcome> {
        configurations.iter().map(|named| self.evaluate(size, named, hints)).collect()
    }
    /// These may be asked for next: whatever can be prepared together is. The seconds it took.
    fn prepare(&mut self, size: u64, configurations: &[Named]) -> f64;
    /// Fresh samples of configurations known to be right, interleaved.
    fn measure_again(&mut self, size: u64, configurations: &[Named], hints: &Hints)
    -> Vec<Outcome>;
    /// The error on fresh inputs, over as much of the output as the reference can give.
    fn check_again(&mut self, size: u64, configuration: &Named) -> Outcome;
    /// What the machine lacked, if it could not do what was asked since this was asked last: then
    /// outcomes say nothing of their configurations, and nobody may keep them.
    fn lacking(&mut self) -> Option<String> {
        None
    }
    /// Measures configurations of many sizes in rounds, for about so many seconds: in each, entrants
    /// in the order of their positions. None where there are no rounds.
    fn rounds(
        &mut self,
        entrants: &[Entrant],
        orders: &[Vec<usize>],
        seconds: f64,
    ) -> Option<RoundsTaken> {
        let _ = (entrants, orders, seconds);
        None
    }
}
