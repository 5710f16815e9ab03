//! A noisy machine: a curve measured in rounds. Run times grow by noise of every sample, drift over
//! minutes, bursts, heavy tails, preemption in proportion to run time, clocks with two states, and
//! shared memory, which affects only large sizes.

use knees::{CurveValue, RepeatedCurve};
use math::{Rng, normal};
use rand::RngExt;

use super::{Truth, between};

/// What the machine does besides the noise of every sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weather {
    Still,
    Drift,
    Bursts,
    HeavyTails,
    Preemption,
    TwoClocks,
    SharedMemory,
    MissingSizes,
    Everything,
}

impl Weather {
    pub(crate) const ALL: [Self; 9] = [
        Self::Still,
        Self::Drift,
        Self::Bursts,
        Self::HeavyTails,
        Self::Preemption,
        Self::TwoClocks,
        Self::SharedMemory,
        Self::MissingSizes,
        Self::Everything,
    ];

    fn is(self, other: Self) -> bool {
        self == other || self == Self::Everything
    }
}

/// Shortest sample, and the largest size's, in seconds.
const SHORTEST: f64 = 200e-6;
const LONGEST: f64 = 20e-3;
/// Preemptions per second of run time, and what each costs at most.
const PREEMPTIONS: f64 = 20.0;
const SLICE: f64 = 20e-3;

/// The machine while it measures.
struct Machine {
    walk: f64,
    phase: f64,
    burst: usize,
    strength: f64,
    slow: bool,
}

/// A curve measured in rounds, each sample off by `noise` (one relative standard deviation).
pub(crate) fn measured(
    truth: &Truth,
    rounds: u64,
    noise: f64,
    weather: Weather,
    rng: &mut Rng,
) -> RepeatedCurve {
    let phase = between(rng, 0.0, std::f64::consts::TAU);
    let mut machine = Machine { walk: 0.0, phase, burst: 0, strength: 0.0, slow: false };
    let last = truth.x.len() - 1;
    let work = |at: usize| truth.x[at] / truth.y[at].max(1e-9);
    let mut readings = Vec::new();
    for round in 0..rounds {
        let common = machine.next_round(weather, round, rng);
        for at in 0..truth.x.len() {
            if weather.is(Weather::MissingSizes) && rng.random::<f64>() < 0.3 {
                continue;
            }
            let run = (work(at) / work(last) * LONGEST).clamp(SHORTEST, LONGEST);
            let share = truth.share[at];
            let slower = common
                + noise * normal(rng)
                + machine.next_sample(weather, round, (run, share), rng);
            let y = truth.y[at] * (-slower).exp();
            readings.push(CurveValue { x: truth.x[at], y, round, disturbed: false });
        }
    }
    RepeatedCurve::new(&readings).expect("finite readings")
}

impl Machine {
    /// Slow-down of a round, as a logarithm.
    fn next_round(&mut self, weather: Weather, round: u64, rng: &mut Rng) -> f64 {
        let mut slower = 0.0;
        if weather.is(Weather::Drift) {
            self.walk = 0.97 * self.walk + 0.02 * normal(rng);
            slower += self.walk + 0.1 * (self.phase + round as f64 / 25.0).sin();
        }
        if weather.is(Weather::TwoClocks) {
            if rng.random::<f64>() < 0.08 {
                self.slow = !self.slow;
            }
            slower += if self.slow { 0.22 } else { 0.0 };
        }
        slower
    }

    /// Slow-down of a sample with this run time, at a size with this share of the plateau.
    fn next_sample(
        &mut self,
        weather: Weather,
        round: u64,
        (run, share): (f64, f64),
        rng: &mut Rng,
    ) -> f64 {
        let mut slower = 0.0;
        if weather.is(Weather::Bursts) {
            if self.burst > 0 {
                self.burst -= 1;
                slower += self.strength;
            } else if rng.random::<f64>() < 0.006 {
                self.burst = rng.random_range(3..40);
                self.strength = between(rng, 0.1, 0.9);
            }
        }
        if weather.is(Weather::HeavyTails) && rng.random::<f64>() < 0.1 {
            slower += (0.05 * rng.random::<f64>().powf(-0.7)).ln_1p();
        }
        if weather.is(Weather::Preemption) {
            let mut lost = 0.0;
            let mut left = PREEMPTIONS * run;
            while rng.random::<f64>() < left {
                lost += between(rng, 1e-3, SLICE);
                left -= 1.0;
            }
            slower += (lost / run).ln_1p();
        }
        if weather.is(Weather::SharedMemory) {
            slower += share * 0.06 * (self.phase + round as f64 / 12.0).sin();
        }
        slower
    }
}
