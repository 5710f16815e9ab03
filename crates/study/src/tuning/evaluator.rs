//! The interface through which tuning measures. Live workers and recorded spaces implement it.

use records::{Named, Outcome};
use worker::{Participant, RoundsTaken};

/// Hints that save time. Results must be right without them.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// The incumbent, to be measured alternately with the configuration. A change of machine speed
    /// then affects both, and a clearly slower configuration stops early.
    pub beside: Option<Named>,
    /// Maximum wall seconds of one measurement.
    pub patience: f64,
}

/// Measures configurations at a size.
pub trait Evaluator {
    /// Compiles, checks and measures one configuration. A fault is returned as an outcome.
    fn evaluate(&mut self, size: u64, configuration: &Named, hints: &Hints) -> Outcome;
    /// Number of configurations that are evaluated at the same time, one per device.
    fn width(&self) -> usize {
        1
    }
    /// Whether the device is a CPU, where a block of threads runs as a loop.
    fn is_on_processor(&self) -> bool {
        false
    }
    /// Evaluates several configurations, each on any device. Returns their outcomes in order.
    fn evaluate_several(
        &mut self,
        size: u64,
        configurations: &[Named],
        hints: &Hints,
    ) -> Vec<Outcome> {
        configurations.iter().map(|named| self.evaluate(size, named, hints)).collect()
    }
    /// Compiles configurations that may be evaluated next, together. Returns the seconds it took.
    fn prepare(&mut self, size: u64, configurations: &[Named]) -> f64;
    /// Takes fresh, interleaved samples of configurations whose results are known to be right.
    fn measure_again(&mut self, size: u64, configurations: &[Named], hints: &Hints)
    -> Vec<Outcome>;
    /// Measures the error on fresh inputs, over as much of the output as the reference can compute.
    fn check_again(&mut self, size: u64, configuration: &Named) -> Outcome;
    /// Returns what the machine lacked since the last call, such as memory. Outcomes since then say
    /// nothing about their configurations and must not be kept.
    fn lacking(&mut self) -> Option<String> {
        None
    }
    /// Measures configurations of many sizes in rounds, for about `seconds`. Each order is one round
    /// and lists positions of participants. With `moved`, sizes exchange the memory of their buffers
    /// first. `None` if the evaluator has no rounds.
    fn rounds(
        &mut self,
        participants: &[Participant],
        orders: &[Vec<usize>],
        (seconds, moved): (f64, bool),
    ) -> Option<RoundsTaken> {
        let _ = (participants, orders, seconds, moved);
        None
    }
}
