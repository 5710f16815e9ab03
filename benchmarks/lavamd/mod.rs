//! Molecular dynamics: potential and force on particles, from the particles of their own cube and
//! of the cubes around it.

use std::thread;

use autobench_sdk::{author::Generator, prelude::*};

/// Number of particles of a cube; the kernel uses the same value.
const PARTICLES: u64 = 256;

/// Steepness a of the potential `q exp(-a d²)`; the kernel uses the same value.
const STEEPNESS: f64 = 2.0;

/// Potential and force on 256 particles in each of `size`³ cubes, `forces[cube][part][particle]`.
/// With charges q and d = rᵢ - rⱼ, the potential is `vᵢ = Σ qⱼ exp(-a d²)`, including the
/// particle's own term. The force is `fᵢ = Σ 2 a qⱼ exp(-a d²) d`, minus the gradient of `vᵢ`.
///
/// Positions are relative to the corner of their cube, whose edges have length 1.
#[derive(Debug, Default)]
pub struct LavaMd;

impl BenchmarkConfig for LavaMd {
    fn describe(&self) -> Document {
        Document::new("lavamd", "forces between particles of neighbouring cubes")
            .source("lavamd.cu", include_str!("../../kernels/lavamd.cu"))
            .launch(Launch::new("lavamd", ["size ** 3"]).divided_by([] as [&str; 0]))
            .argument(Argument::buffer(
                "forces",
                Role::Out,
                "forces_type",
                ["size ** 3", "4", "256"],
            ))
            .argument(
                Argument::buffer(
                    "positions",
                    Role::In,
                    "positions_type",
                    ["size ** 3", "3", "256"],
                )
                .filled(Fill::Uniform { low: 0.0, high: 1.0 }),
            )
            .argument(
                Argument::buffer("charges", Role::In, "charges_type", ["size ** 3", "256"])
                    .filled(Fill::Uniform { low: 0.1, high: 1.0 }),
            )
            .argument(Argument::scalar("edge", "i32", "size"))
            .parameter(
                Parameter::new("block_size_x", [32, 64, 128, 256])
                    .default(128)
                    .about("threads per block, which has a cube"),
            )
            .parameter(
                Parameter::new("staged", [0, 64, 128, 256])
                    .default(128)
                    .about("particles that a block holds in shared memory at a time; 0: none"),
            )
            .parameter(
                Parameter::new("pairs_per_step", [1, 2, 4])
                    .about("steps of the loop over particles that are written out"),
            )
            .parameter(Parameter::format("positions_type").about("format of the positions"))
            .parameter(Parameter::format("charges_type").about("format of the charges"))
            .parameter(
                Parameter::format("accumulators_type").about("what is computed and summed in"),
            )
            .parameter(Parameter::format("forces_type").about("format of potential and force"))
            .parameter(Parameter::policy().about("how the exponential function is computed"))
            // Positions and accumulators differ by at most one step of width.
            .restriction(
                "positions_type == accumulators_type \
                 or 'f32' in [positions_type, accumulators_type]",
            )
            // Leaves out policies that mean the same.
            .restriction(
                "policy == 'accurate' or policy == 'fast' and accumulators_type != 'f64' \
                 or policy == 'approximate' and accumulators_type in ['f16', 'bf16']",
            )
            .size(SizeRule::starting(2, "cubes per edge").largest(512))
            // Along an edge there are 3 size - 2 pairs of neighbours.
            .flops("(3 * size - 2) ** 3 * 256 * 256 * 20")
            .bytes(
                "size ** 3 * 256 \
                 * (3 * positions_type_bytes + charges_type_bytes + 4 * forces_type_bytes)",
            )
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .secondary("performance")
            .error("nmae", 1e-5)
            .wrong_above(0.5)
            .level("high", 1e-7)
            .level("medium", 1e-5)
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
        // Cube by cube, so that the neighbours of a cube are drawn once.
        let mut wanted: Vec<(u64, usize)> = indices.iter().copied().zip(0..out.len()).collect();
        wanted.sort_unstable();
        let cubes: Vec<&[(u64, usize)]> =
            wanted.chunk_by(|a, b| a.0 / (4 * PARTICLES) == b.0 / (4 * PARTICLES)).collect();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let found: Vec<Vec<(usize, f64)>> = thread::scope(|scope| {
            let share = cubes.len().div_ceil(threads).max(1);
            let workers: Vec<_> = cubes
                .chunks(share)
                .map(|share| {
                    scope.spawn(|| share.iter().flat_map(|cube| of_cube(problem, cube)).collect())
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap_or_default()).collect()
        });
        if found.iter().map(Vec::len).sum::<usize>() != wanted.len() {
            return Err("a thread of the reference of lavamd failed; try a smaller size".into());
        }
        for (at, value) in found.into_iter().flatten() {
            out[at] = value;
        }
        Ok(())
    }
}

/// A particle: its position and its charge.
#[derive(Debug, Clone, Copy)]
struct Particle {
    at: [f64; 3],
    charge: f64,
}

/// The `wanted` elements of one cube, each with its position in the output.
fn of_cube(problem: &Problem, wanted: &[(u64, usize)]) -> Vec<(usize, f64)> {
    let cube = wanted[0].0 / (4 * PARTICLES);
    let (positions, charges) = (problem.generator("positions"), problem.generator("charges"));
    let own = drawn(positions, charges, cube);
    let around = around(positions, charges, problem.size, cube);
    let mut known = [None; PARTICLES as usize];
    wanted
        .iter()
        .map(|&(index, at)| {
            let particle = (index % PARTICLES) as usize;
            let parts = known[particle].get_or_insert_with(|| gathered(own[particle].at, &around));
            (at, parts[(index / PARTICLES % 4) as usize])
        })
        .collect()
}

/// The particles of a cube.
fn drawn(positions: Generator<'_>, charges: Generator<'_>, cube: u64) -> Vec<Particle> {
    (0..PARTICLES)
        .map(|i| Particle {
            at: [0, 1, 2].map(|axis| positions.at((3 * cube + axis) * PARTICLES + i)),
            charge: charges.at(cube * PARTICLES + i),
        })
        .collect()
}

/// The particles of a cube and of the cubes around it, relative to its corner.
fn around(positions: Generator<'_>, charges: Generator<'_>, edge: u64, cube: u64) -> Vec<Particle> {
    let corner = [cube % edge, cube / edge % edge, cube / edge / edge];
    let mut all = Vec::new();
    for beside in 0..27_u64 {
        let shift = [beside % 3, beside / 3 % 3, beside / 9];
        // One more than the neighbour's coordinate, so that it is never negative.
        let [x, y, z] = [0, 1, 2].map(|axis| corner[axis] + shift[axis]);
        if [x, y, z].iter().any(|&place| place == 0 || place > edge) {
            continue;
        }
        let neighbour = ((z - 1) * edge + y - 1) * edge + x - 1;
        for mut particle in drawn(positions, charges, neighbour) {
            for (coordinate, step) in particle.at.iter_mut().zip(shift) {
                *coordinate += step as f64 - 1.0;
            }
            all.push(particle);
        }
    }
    all
}

/// Potential and force at a point.
fn gathered(at: [f64; 3], others: &[Particle]) -> [f64; 4] {
    let mut sums = [0.0; 4];
    for other in others {
        let apart = [0, 1, 2].map(|axis| at[axis] - other.at[axis]);
        let square: f64 = apart.iter().map(|d| d * d).sum();
        let term = other.charge * (-STEEPNESS * square).exp();
        sums[0] += term;
        for axis in 0..3 {
            sums[1 + axis] += 2.0 * STEEPNESS * term * apart[axis];
        }
    }
    sums
}

export_benchmark!(LavaMd, "lavamd");

#[cfg(test)]
mod tests {
    use super::*;

    /// All parts of all particles.
    fn whole(problem: &Problem) -> Vec<f64> {
        let indices: Vec<u64> = (0..problem.size.pow(3) * 4 * PARTICLES).collect();
        let mut out = vec![0.0; indices.len()];
        LavaMd.reference(problem, "forces", &indices, &mut out).unwrap();
        out
    }

    #[test]
    fn a_pair_pushes_as_the_formula_says() {
        let other = Particle { at: [0.5, 0.0, -0.5], charge: 3.0 };
        let found = gathered([1.0, 0.0, 0.0], &[other]);
        // d = (½, 0, ½) and d² = ½, so the potential is 3 / e, and the force is 4 d times that.
        let term = 3.0 / std::f64::consts::E;
        for (part, expected) in found.iter().zip([term, 2.0 * term, 0.0, 2.0 * term]) {
            assert!((part - expected).abs() < 1e-15, "{found:?}");
        }
    }

    #[test]
    fn the_force_is_minus_the_gradient_of_the_potential() {
        let problem = Problem::new(LavaMd.describe(), 2, 4);
        let others = around(problem.generator("positions"), problem.generator("charges"), 2, 3);
        let (at, step) = ([0.3, 0.8, 0.1], 1e-5);
        let force = gathered(at, &others);
        for axis in 0..3 {
            let [above, below] = [step, -step].map(|by| {
                let mut moved = at;
                moved[axis] += by;
                gathered(moved, &others)[0]
            });
            let expected = (below - above) / (2.0 * step);
            assert!((force[1 + axis] - expected).abs() < 1e-6, "{axis}: {force:?} {expected}");
        }
    }

    #[test]
    fn equal_charges_push_each_other_nowhere_in_all() {
        // All cubes of a problem of two per edge are neighbours of each other.
        let mut document = LavaMd.describe();
        document.arguments[2].fill = Fill::Constant(0.5);
        let out = whole(&Problem::new(document, 2, 1));
        for axis in 1..4 {
            let one_way: Vec<f64> = out
                .chunks(PARTICLES as usize)
                .enumerate()
                .filter(|(part, _)| part % 4 == axis)
                .flat_map(|(_, forces)| forces.iter().copied())
                .collect();
            let (total, size) =
                (one_way.iter().sum::<f64>(), one_way.iter().map(|f| f.abs()).sum::<f64>());
            assert!(total.abs() < 1e-13 * size, "{axis}: {total} of {size}");
        }
    }

    #[test]
    fn cubes_at_the_end_of_an_edge_have_the_neighbours_that_exist() {
        let problem = Problem::new(LavaMd.describe(), 3, 1);
        let (positions, charges) = (problem.generator("positions"), problem.generator("charges"));
        for (cube, cubes) in [(0, 8), (1, 12), (4, 18), (13, 27), (26, 8)] {
            let found = around(positions, charges, 3, cube).len() as u64;
            assert_eq!(found, cubes * PARTICLES, "{cube}");
        }
    }

    #[test]
    fn any_order_of_indices_gives_the_same() {
        let problem = Problem::new(LavaMd.describe(), 2, 1);
        let (all, indices) = (whole(&problem), [8191, 0, 1024, 1023, 256, 0]);
        let mut out = [0.0; 6];
        LavaMd.reference(&problem, "forces", &indices, &mut out).unwrap();
        assert_eq!(out.map(f64::to_bits), indices.map(|at| all[at as usize].to_bits()));
    }
}
