//! The potential of point charges on a plane grid, in a mix of number formats.

mod potential;

use autobench_sdk::prelude::*;

use potential::{Particle, Particles};

/// Number of particles: five for every point of the grid's edge, at most 10,000 (from size 2000
/// on).
const PARTICLES: &str = "min(5 * size, 10000)";

/// The potential on `size` × `size` points of the unit square.
#[derive(Debug, Default)]
pub struct Coulombic;

impl BenchmarkConfig for Coulombic {
    fn describe(&self) -> Document {
        let coordinate = |name, low| {
            Argument::buffer(name, Role::In, "position_type", [PARTICLES])
                .filled(Fill::Uniform { low, high: 1.0 })
        };
        Document::new(
            "coulombic",
            "potential of point charges on a plane grid, in a mix of number formats",
        )
        .source("coulombic.cu", include_str!("../../kernels/coulombic.cu"))
        .launch(
            Launch::new("coulombic", ["size", "size"])
                .divided_by(["block_size_x", "points_per_thread"])
                .divided_by(["block_size_y"]),
        )
        .argument(Argument::buffer("potentials", Role::Out, "potential_type", ["size", "size"]))
        .argument(coordinate("particle_x", 0.0))
        .argument(coordinate("particle_y", 0.0))
        // Above the plane, so that no distance is 0.
        .argument(coordinate("particle_z", 0.0625))
        // Positive, so that no potential is near 0: errors are divided by potentials.
        .argument(
            Argument::buffer("charges", Role::In, "charge_type", [PARTICLES])
                .filled(Fill::Uniform { low: 0.0, high: 1.0 }),
        )
        .argument(Argument::scalar("n", "i32", "size"))
        .argument(Argument::scalar("particles", "i32", PARTICLES))
        .parameter(
            Parameter::new("block_size_x", [16, 32, 64, 128]).default(32).about("threads in x"),
        )
        .parameter(Parameter::new("block_size_y", [1, 2, 4]).default(4).about("threads in y"))
        .parameter(
            Parameter::new("points_per_thread", [1, 2, 4, 8])
                .about("points of the grid per thread in x, a block's width apart"),
        )
        .parameter(
            Parameter::new("unroll_particles", [1, 2, 4])
                .about("particles per round of the innermost loop"),
        )
        .parameter(Parameter::format("position_type").about("format of coordinates and distances"))
        .parameter(
            Parameter::format("charge_type")
                .about("format of charges and of what one of them adds"),
        )
        .parameter(Parameter::format("potential_type").about("format of sums and results"))
        .parameter(Parameter::policy().about("how the reciprocal root is computed"))
        .restriction(
            "policy == 'accurate' or (policy == 'fast' and position_type != 'f64') or \
             (policy == 'approximate' and position_type in ['f16', 'bf16'])",
        )
        .size(SizeRule::starting(64, "points along an edge").binary_digits(3).largest(1 << 15))
        // A reciprocal root counts as one operation.
        .flops(format!("8 * size * size * {PARTICLES}"))
        .bytes(format!(
            "size * size * potential_type_bytes + \
             {PARTICLES} * (3 * position_type_bytes + charge_type_bytes)"
        ))
        .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
        .metric("pairs", "G/s", format!("size * size * {PARTICLES} / seconds / 1e9"))
        .secondary("performance")
        .error("mre_plain", 1e-4)
        .wrong_above(0.5)
        .level("high", 1e-7)
        .level("medium", 1e-4)
        .level("low", 1e-2)
        .reference(Reference::Plugin)
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let (x, y) = (problem.generator("particle_x"), problem.generator("particle_y"));
        let (z, charge) = (problem.generator("particle_z"), problem.generator("charges"));
        let particles: Particles = (0..(5 * problem.size).min(10_000))
            .map(|i| Particle { x: x.at(i), y: y.at(i), z: z.at(i), charge: charge.at(i) })
            .collect();
        let n = problem.size;
        particles
            .potentials(indices, out, |i| ((i % n) as f64 / n as f64, (i / n) as f64 / n as f64));
        Ok(())
    }
}

export_benchmark!(Coulombic, "coulombic");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_follow_their_indices_over_rows_and_columns() {
        let problem = Problem::new(Coulombic.describe(), 16, 2);
        let mut out = [0.0; 4];
        let indices = [255, 0, 18, 255];
        Coulombic.reference(&problem, "potentials", &indices, &mut out).unwrap();
        for (&i, found) in indices.iter().zip(&out) {
            let (x, y) = ((i % 16) as f64 / 16.0, (i / 16) as f64 / 16.0);
            let expected: f64 = (0..80)
                .map(|p| {
                    let at = |name| problem.input(name, p);
                    let distance =
                        (at("particle_x") - x).hypot(at("particle_y") - y).hypot(at("particle_z"));
                    at("charges") / distance
                })
                .sum();
            assert!((found / expected - 1.0).abs() < 1e-14, "{i}: {found} {expected}");
        }
    }
}
