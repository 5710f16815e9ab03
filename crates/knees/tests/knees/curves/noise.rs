//! A noisy machine that measures a curve in rounds. Every sample has noise. Further disturbances
//! are drift over minutes, bursts, heavy tails, preemption in proportion to run time, clocks with
//! two states, and shared memory, which affects only large sizes.

use knees::{CurveValue, Faster, RepeatedCurve};
use math::{Rng, normal};
use rand::RngExt;

use super::{Truth, between};

/// Disturbances in addition to the noise of every sample.
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
    /// Two states, of which one slows only sizes beyond a cache.
    StatesBeyondCache,
    /// The same, with the slow one in most rounds.
    MostlySlow,
    /// One size lies badly in memory.
    OnePlacedBadly,
    /// Every size lies a little better or worse.
    AllPlaced,
    /// The same with more scatter, and sizes exchange their memory every few rounds.
    MemoryExchanged,
    /// All kinds of machine that slow rounds or samples.
    Everything,
    /// Also two states and a size that lies badly.
    Wild,
}

impl Weather {
    pub(crate) const ALL: [Self; 15] = [
        Self::Still,
        Self::Drift,
        Self::Bursts,
        Self::HeavyTails,
        Self::Preemption,
        Self::TwoClocks,
        Self::SharedMemory,
        Self::MissingSizes,
        Self::StatesBeyondCache,
        Self::MostlySlow,
        Self::OnePlacedBadly,
        Self::AllPlaced,
        Self::MemoryExchanged,
        Self::Everything,
        Self::Wild,
    ];

    fn is(self, other: Self) -> bool {
        let is_wild = matches!(other, Self::StatesBeyondCache | Self::OnePlacedBadly);
        self == other || self == Self::Wild || (self == Self::Everything && !is_wild)
    }
}

/// Sample times at the smallest and the largest size, in seconds.
const SHORTEST: f64 = 200e-6;
const LONGEST: f64 = 20e-3;
/// Preemptions per second of run time, and the largest cost of one in seconds.
const PREEMPTIONS: f64 = 20.0;
const SLICE: f64 = 20e-3;

/// The machine while it measures.
struct Machine {
    walk: f64,
    phase: f64,
    burst: usize,
    strength: f64,
    slow: bool,
    /// Whether the memory is slow, and the first size that notices.
    memory: (bool, usize),
    /// What each size has of its own.
    placed: Vec<f64>,
}

/// Slow-down of slow memory, of the size that lies badly, and scatter of all sizes.
const SLOW_MEMORY: f64 = 0.163;
const BADLY: f64 = 0.083;
const SCATTER: f64 = 0.02;
/// Rounds between two exchanges of memory.
const EXCHANGED: u64 = 12;

/// A curve measured in rounds; `noise` is the relative standard deviation of a sample.
pub(crate) fn measured(
    truth: &Truth,
    rounds: u64,
    noise: f64,
    weather: Weather,
    rng: &mut Rng,
) -> RepeatedCurve {
    let phase = between(rng, 0.0, std::f64::consts::TAU);
    let last = truth.x.len() - 1;
    let beyond = truth.share.iter().position(|share| *share > 0.5).unwrap_or(last);
    let beyond = (beyond + rng.random_range(0..6)).saturating_sub(1);
    let mut placed = vec![0.0; last + 1];
    if weather.is(Weather::OnePlacedBadly) {
        placed[rng.random_range(0..=last)] = BADLY;
    }
    if weather == Weather::AllPlaced {
        placed.iter_mut().for_each(|own| *own = SCATTER * normal(rng));
    }
    let mut machine = Machine {
        walk: 0.0,
        phase,
        burst: 0,
        strength: 0.0,
        slow: false,
        memory: (rng.random::<f64>() < 0.5, beyond),
        placed,
    };
    let work = |at: usize| truth.x[at] / truth.y[at].max(1e-9);
    let mut readings = Vec::new();
    for round in 0..rounds {
        if weather == Weather::MemoryExchanged && round % EXCHANGED == 0 {
            machine.placed.iter_mut().for_each(|own| *own = 2.0 * SCATTER * normal(rng));
        }
        let placement = if weather == Weather::MemoryExchanged { round / EXCHANGED } else { 0 };
        let common = machine.next_round(weather, round, rng);
        for at in 0..truth.x.len() {
            if weather.is(Weather::MissingSizes) && rng.random::<f64>() < 0.3 {
                continue;
            }
            let run = (work(at) / work(last) * LONGEST).clamp(SHORTEST, LONGEST);
            let share = truth.share[at];
            let taken = machine.preempted(weather, run, rng);
            let slower = common
                + noise * normal(rng)
                + machine.next_sample(weather, round, share, rng)
                + machine.of_size(at)
                + taken.ln_1p();
            let y = truth.y[at] * (-slower).exp();
            let lost = taken / (1.0 + taken);
            readings.push(CurveValue { x: truth.x[at], y, round, lost, placement });
        }
    }
    RepeatedCurve::new(&readings, Faster::Higher).expect("finite readings")
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
        let leave = if weather == Weather::MostlySlow && self.memory.0 { 0.06 } else { 0.15 };
        if weather == Weather::MostlySlow || weather.is(Weather::StatesBeyondCache) {
            self.memory.0 ^= rng.random::<f64>() < leave;
        } else {
            self.memory.0 = false;
        }
        slower
    }

    /// Slow-down of a size: by its place, and by slow memory.
    fn of_size(&self, at: usize) -> f64 {
        let slow = self.memory.0 && at >= self.memory.1;
        self.placed[at] + if slow { SLOW_MEMORY } else { 0.0 }
    }

    /// Time that others take from a sample, as a multiple of its run time.
    fn preempted(&self, weather: Weather, run: f64, rng: &mut Rng) -> f64 {
        let mut lost = 0.0;
        if weather.is(Weather::Preemption) {
            let mut left = PREEMPTIONS * run;
            while rng.random::<f64>() < left {
                lost += between(rng, 1e-3, SLICE);
                left -= 1.0;
            }
        }
        lost / run
    }

    /// Slow-down of a sample at a size with this share of the plateau.
    fn next_sample(&mut self, weather: Weather, round: u64, share: f64, rng: &mut Rng) -> f64 {
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
        if weather.is(Weather::SharedMemory) {
            slower += share * 0.06 * (self.phase + round as f64 / 12.0).sin();
        }
        slower
    }
}
