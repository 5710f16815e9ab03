//! Dual annealing: generalized simulated annealing, whose steps and acceptance follow Tsallis
//! statistics, with a descent from every new best.
//!
//! Steps follow the visiting distribution: wide at first, later mostly tiny with a rare long one.
//! An iteration first moves all parameters together, as many times as there are parameters, and
//! then each parameter alone.

use math::{Rng, normal};
use rand::RngExt;
use registry::{Allowed, Knob, Knobs};
use search_api::{Problem, Stop, Strategy};
use space::{ConfigurationId, Neighbourhood, Space};
use statrs::function::gamma::ln_gamma;

use super::walks::{
    climb::{Climb, Position, Step},
    multi_start::{DRAWN, first},
    temperature::Yardstick,
};
use crate::problem::explorer::Explorer;

/// Number of iterations of the cooling schedule that the whole budget covers.
const ITERATIONS: f64 = 10.0;
/// Consecutive steps to known configurations after which the walk continues elsewhere.
const STUCK: u32 = 50;

inventory::submit!(Strategy {
    name: "dual_annealing",
    aliases: &["generalized_simulated_annealing"],
    about: "anneals with steps of all lengths, and climbs down from every new best",
    reference: "Xiang, Sun, Fan and Gong, Generalized Simulated Annealing, Physics Letters A 233, 1997",
    knobs: &[
        Knob {
            name: "temperature",
            about: "at first; above about 1 the steps lead anywhere",
            default: "3.0",
            allowed: Allowed::Number(1e-3, 1e6),
        },
        Knob {
            name: "visit",
            about: "how heavy the tail of the steps' lengths is (q_v)",
            default: "2.62",
            allowed: Allowed::Number(1.8, 2.99),
        },
        Knob {
            name: "accept",
            about: "how readily worse places are taken: the lower, the less (q_a)",
            default: "-5.0",
            allowed: Allowed::Number(-1e4, 0.99),
        },
    ],
    presets: &[],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut explorer = Explorer::new(problem);
    let climb = Climb { neighbourhood: Neighbourhood::Hamming, step: Step::First };
    let hot = knobs.number("temperature");
    let (visit, accept) = (knobs.number("visit"), knobs.number("accept"));
    let mut yardstick = Yardstick::default();
    let Some(start) = first(&mut explorer, DRAWN)? else { return Ok(()) };
    let mut at = climb.from(&mut explorer, &space, start)?;
    let mut best = at;
    yardstick.see(start.cost);
    yardstick.see(at.cost);
    let dimensions = space.parameters().len();
    for step in (0..2 * dimensions.max(1)).cycle() {
        let iteration = explorer.progress() * ITERATIONS;
        let temperature = hot * cooled(visit, iteration);
        let steps = Visiting::new(visit, temperature);
        let alone = step.checked_sub(dimensions);
        let mut next = visited(&space, at.id, &steps, alone, explorer.rng());
        if explorer.fruitless() >= STUCK {
            let Some(elsewhere) = explorer.unknown() else { return Ok(()) };
            next = elsewhere;
        }
        let next = Position { id: next, cost: explorer.recall(next)? };
        if explorer.fruitless() == 0 {
            yardstick.see(next.cost);
        }
        let rise = yardstick.rise(at.cost, next.cost);
        let tolerance = temperature / (iteration + 1.0);
        if tolerated(accept, rise, tolerance, explorer.rng()) {
            at = next;
        }
        if at.cost < best.cost {
            at = climb.from(&mut explorer, &space, at)?;
            yardstick.see(at.cost);
            best = at;
        }
    }
    Ok(())
}

/// Share of the temperature that is left after `iteration`.
fn cooled(visit: f64, iteration: f64) -> f64 {
    let power = visit - 1.0;
    (2.0_f64.powf(power) - 1.0) / ((iteration + 2.0).powf(power) - 1.0)
}

/// Generalized Metropolis criterion: a step worse by `rise` has probability (1 − (1 − q_a) · rise /
/// temperature)^(1 / (1 − q_a)), where that is positive.
fn tolerated(accept: f64, rise: f64, temperature: f64, rng: &mut Rng) -> bool {
    let share = 1.0 - (1.0 - accept) * rise / temperature;
    rise <= 0.0 || (share > 0.0 && rng.random::<f64>() < share.powf(1.0 / (1.0 - accept)))
}

/// Visiting distribution at a temperature: a normal draw divided by a power of another.
struct Visiting {
    spread: f64,
    power: f64,
}

impl Visiting {
    fn new(visit: f64, temperature: f64) -> Self {
        let (q, pi) = (visit - 1.0, std::f64::consts::PI);
        let half = 1.0 / q - 0.5;
        let numerator = pi.sqrt()
            * temperature.powf(1.0 / q)
            * q.powf(4.0 - visit)
            * 2.0_f64.powf(-(2.0 - visit) / q)
            / (3.0 - visit);
        let denominator =
            pi * (1.0 - half) / (pi * (1.0 - half)).sin() / ln_gamma(2.0 - half).exp();
        let power = q / (3.0 - visit);
        Self { spread: (denominator / numerator).powf(-power), power }
    }

    /// A step in units of a parameter's range.
    fn step(&self, rng: &mut Rng) -> f64 {
        self.spread * normal(rng) / normal(rng).abs().powf(self.power)
    }
}

/// The configuration after one step of all parameters, or of one alone. Lists of values wrap
/// around.
fn visited(
    space: &Space,
    from: ConfigurationId,
    steps: &Visiting,
    alone: Option<usize>,
    rng: &mut Rng,
) -> ConfigurationId {
    let mut place = space.configuration(from);
    for (d, index) in place.0.iter_mut().enumerate() {
        if alone.is_none_or(|one| one == d) {
            let count = space.parameters()[d].values.len() as f64;
            let moved = (f64::from(*index) + 0.5) / count + steps.step(rng).clamp(-1e8, 1e8);
            *index = (moved.rem_euclid(1.0) * count).min(count - 1.0) as u32;
        }
    }
    space.nearest_by_hamming(&place).unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use space::seeded;

    use super::*;

    #[test]
    fn the_temperature_falls_as_published() {
        assert!((cooled(2.62, 0.0) - 1.0).abs() < 1e-12);
        // (2^1.62 − 1) / (1002^1.62 − 1) = 2.074 / 72,640.
        assert!((cooled(2.62, 1_000.0) * 72_640.0 - 2.074).abs() < 0.01);
    }

    #[test]
    fn steps_get_shorter_and_keep_a_heavy_tail() {
        let mut rng = seeded(1, 0);
        let mut lengths = |temperature| {
            let steps = Visiting::new(2.62, temperature);
            let mut all: Vec<f64> = (0..4_001).map(|_| steps.step(&mut rng).abs()).collect();
            all.sort_by(f64::total_cmp);
            (all[2_000], all[3_960])
        };
        let (hot, cold) = (lengths(5_230.0), lengths(0.15));
        assert!(hot.0 > 1e3 && cold.0 < 0.5, "{hot:?} {cold:?}");
        assert!(cold.1 > 50.0 * cold.0, "{cold:?}");
    }

    #[test]
    fn the_generalized_criterion_ends_where_its_bracket_does() {
        let mut rng = seeded(1, 0);
        assert!(tolerated(-5.0, -1.0, 1e-9, &mut rng));
        // 1 − 6 · 0.2 < 0.
        assert!((0..100).all(|_| !tolerated(-5.0, 0.2, 1.0, &mut rng)));
        // (1 − 6 · 0.1)^(1/6) = 0.858.
        let taken = (0..10_000).filter(|_| tolerated(-5.0, 0.1, 1.0, &mut rng)).count();
        assert!((taken as f64 / 1e4 - 0.858).abs() < 0.02);
    }
}
