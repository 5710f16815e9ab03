//! The accelerations of bodies by each other, over all pairs.

mod bodies;

use std::cell::OnceCell;

use autobench_sdk::prelude::*;

use bodies::Field;

/// The accelerations of `size` bodies in the unit cube, with softening.
#[derive(Debug, Default)]
pub struct NBody {
    field: OnceCell<Field>,
}

impl BenchmarkConfig for NBody {
    fn describe(&self) -> Document {
        Document::new("nbody", "accelerations of bodies in three dimensions by all others")
            .source("nbody.cu", include_str!("../../kernels/nbody.cu"))
            .launch(
                Launch::new("nbody", ["size"]).divided_by(["block_size_x", "bodies_per_thread"]),
            )
            .argument(Argument::buffer("accelerations", Role::Out, "sum_type", ["3", "size"]))
            .argument(
                Argument::buffer("positions", Role::In, "position_type", ["3", "size"])
                    .filled(Fill::Plugin),
            )
            .argument(
                Argument::buffer("masses", Role::In, "position_type", ["size"])
                    .filled(Fill::Uniform { low: 0.5, high: 1.5 }),
            )
            .argument(Argument::scalar("share", "f64", "1 / size"))
            .argument(Argument::scalar("n", "i32", "size"))
            .parameter(
                Parameter::new("block_size_x", [32, 64, 128, 256, 512])
                    .default(128)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("tile_bodies", [32, 64, 128, 256, 512])
                    .default(128)
                    .about("bodies that a block holds at a time"),
            )
            .parameter(
                Parameter::new("bodies_per_thread", [1, 2, 4, 8])
                    .about("bodies that a thread accelerates, a block's width apart"),
            )
            .parameter(
                Parameter::new("unroll_bodies", [1, 2, 4, 8])
                    .default(4)
                    .about("bodies per round of the innermost loop"),
            )
            .parameter(
                Parameter::format("position_type")
                    .about("format of positions, masses and what is computed of a pair"),
            )
            .parameter(
                // f16 and bf16 sums would lose what one body of thousands adds.
                Parameter::new("sum_type", ["f32", "f64"]).about("format of sums and results"),
            )
            .parameter(Parameter::policy().about("how the reciprocal root is computed"))
            // No block is larger than the problem.
            .restriction("block_size_x * bodies_per_thread <= size")
            .restriction(
                "policy == 'accurate' or (policy == 'fast' and position_type != 'f64') or \
                 (policy == 'approximate' and position_type in ['f16', 'bf16'])",
            )
            .size(SizeRule::starting(256, "bodies").largest(1 << 22))
            // Counts 20 operations for each pair, as is usual.
            .flops("20 * size * size")
            .bytes("size * (4 * position_type_bytes + 3 * sum_type_bytes)")
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .metric("interactions", "G/s", "size * size / seconds / 1e9")
            .secondary("performance")
            .error("nrmse", 1e-4)
            .wrong_above(0.02)
            .level("high", 1e-8)
            .level("medium", 1e-4)
            .level("low", 1e-2)
            .reference(Reference::Plugin)
    }

    fn fill(
        &self,
        problem: &Problem,
        _argument: &str,
        first: u64,
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let (seed, size) = (problem.seed, problem.size);
        for (element, at) in out.iter_mut().zip(first..) {
            let axis = usize::try_from(at / size)?;
            *element = bodies::coordinate(seed, bodies::place(seed, at % size), axis);
        }
        Ok(())
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let (seed, size) = (problem.seed, problem.size);
        let masses = problem.generator("masses");
        let field = self.field.get_or_init(|| Field::of(seed, size, |body| masses.at(body)));
        for (element, &at) in out.iter_mut().zip(indices) {
            *element = field.at(bodies::place(seed, at % size), usize::try_from(at / size)?);
        }
        Ok(())
    }
}

export_benchmark!(NBody, "nbody");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accelerations_are_sums_over_all_bodies_and_forces_cancel() {
        let (n, nbody) = (300, NBody::default());
        let problem = Problem::new(nbody.describe(), n, 5);
        let indices: Vec<u64> = (0..3 * n).collect();
        let (mut found, mut positions) = (vec![0.0; 3 * n as usize], vec![0.0; 3 * n as usize]);
        nbody.reference(&problem, "accelerations", &indices, &mut found).unwrap();
        nbody.fill(&problem, "positions", 0, &mut positions).unwrap();
        let n = n as usize;
        let position = |i: usize| [positions[i], positions[n + i], positions[2 * n + i]];
        let mass = |i: usize| problem.input("masses", i as u64);
        let mut forces = [0.0; 3];
        for i in 0..n {
            for axis in 0..3 {
                let pull = |j: usize| {
                    let (to, from) = (position(j), position(i));
                    let apart = (to[0] - from[0]).hypot(to[1] - from[1]).hypot(to[2] - from[2]);
                    mass(j) * (to[axis] - from[axis]) / apart.hypot(0.125).powi(3)
                };
                let expected = (0..n).map(pull).sum::<f64>() / n as f64;
                let found = found[axis * n + i];
                assert!((found - expected).abs() < 1e-12, "{i} {axis}: {found} {expected}");
                forces[axis] += mass(i) * found;
            }
        }
        assert!(forces.iter().all(|force| force.abs() < 1e-12), "{forces:?}");
    }
}
