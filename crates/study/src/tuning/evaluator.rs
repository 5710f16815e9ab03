//! The interface between tuning and its two evaluators: live workers and recorded spaces.

use records::{Named, Outcome};
use worker::{Participant, RoundsTaken};

/// Hints that save time; results must be right without them.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// The incumbent: measured in turn with the configuration, so that a machine that gets slower
    /// affects both and a clearly worse one stops early.
    pub beside: Option<Named>,
    /// Wall seconds that a measurement may take.
    pub patience: f64,
}

/// Answers what configurations do at a size.
pub trait Evaluator {
    /// Compiles, checks and measures one configuration. Every fault is an outcome.
    fn evaluate(&mut self, size: u64, configuration: &Named, hints: &Hints) -> Outcome;
    /// Number of configurations evaluated at the same time: one for each device.
    fn width(&self) -> usize {
        1
    }
    /// Whether the device is a processor, on which a block of threads is a loop.
    fn is_on_processor(&self) -> bool {
        false
    }
    /// Evaluates several, each on any of the devices; outcomes in order.
    fn evaluate_several(
        &mut self,
        size: u64,
        configurations: &[Named],
        hints: &Hints,
    ) -> Vec<Outcome> {
        configurations.iter().map(|named| self.evaluate(size, named, hints)).collect()
    }
    /// Compiles configurations together that may be asked for next; returns the seconds it took.
    fn prepare(&mut self, size: u64, configurations: &[Named]) -> f64;
    /// Fresh samples of configurations known to be right, interleaved.
    fn measure_again(&mut self, size: u64, configurations: &[Named], hints: &Hints)
    -> Vec<Outcome>;
    /// The error on fresh inputs, over as much of the output as the reference can give.
    fn check_again(&mut self, size: u64, configuration: &Named) -> Outcome;
    /// What the machine lacked since the last call, if it lacked anything: outcomes then say
    /// nothing of their configurations and must not be kept.
    fn lacking(&mut self) -> Option<String> {
        None
    }
    /// Measures configurations of many sizes in rounds, for about this many seconds; each order
    /// lists positions of participants. `None` where there are no rounds.
    fn rounds(
        &mut self,
        participants: &[Participant],
        orders: &[Vec<usize>],
        seconds: f64,
    ) -> Option<RoundsTaken> {
        let _ = (participants, orders, seconds);
        None
    }
}
