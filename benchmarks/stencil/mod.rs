//! A diffusion step in three dimensions: a stencil of seven points, bound by memory.

use autobench_sdk::prelude::*;

// Weights of a point and of each of its neighbours; the kernel uses the same values.
const CENTRE: f64 = 0.4;
const SIDE: f64 = 0.1;

/// `out = 0.4 in + 0.1 (sum of the six neighbours)` on a grid of `size`³ points, 0 outside.
#[derive(Debug, Default)]
pub struct Stencil;

impl BenchmarkConfig for Stencil {
    fn describe(&self) -> Document {
        // Away from 0, so that one wrong neighbour shows in the relative error.
        let input = Fill::Uniform { low: 0.5, high: 1.0 };
        let grid = ["size", "size", "size"];
        Document::new("stencil", "a step of diffusion with the six neighbours in a cube of points")
            .source("stencil.cu", include_str!("../../kernels/stencil.cu"))
            .launch(
                Launch::new("stencil", grid)
                    .divided_by(["block_size_x"])
                    .divided_by(["block_size_y"])
                    .divided_by(["block_size_z", "planes_per_thread"]),
            )
            .argument(Argument::buffer("out", Role::Out, "storage_type", grid))
            .argument(Argument::buffer("in", Role::In, "storage_type", grid).filled(input))
            .argument(Argument::scalar("n", "i32", "size"))
            .parameter(
                Parameter::new("block_size_x", [16, 32, 64, 128, 256])
                    .default(32)
                    .about("threads per block in x"),
            )
            .parameter(
                Parameter::new("block_size_y", [1, 2, 4, 8, 16])
                    .default(4)
                    .about("threads per block in y"),
            )
            .parameter(Parameter::new("block_size_z", [1, 2, 4]).about("threads per block in z"))
            .parameter(
                Parameter::new("planes_per_thread", [1, 2, 4, 8, 16])
                    .about("points per thread, one after the other in z"),
            )
            .parameter(
                Parameter::new("keep_planes", [0, 1])
                    .about("1: a thread keeps its points for the next plane"),
            )
            .parameter(Parameter::format("storage_type").about("format of the grid"))
            .parameter(Parameter::format("compute_type").about("what is computed in"))
            .restriction("64 <= block_size_x * block_size_y * block_size_z <= 512")
            // A thread with a single plane has no next plane.
            .restriction("keep_planes == 0 or planes_per_thread > 1")
            // A block lies inside the grid.
            .restriction("block_size_x <= size and block_size_y <= size")
            .restriction("block_size_z * planes_per_thread <= size")
            .size(
                SizeRule::starting(32, "points along each axis").binary_digits(2).largest(1 << 12),
            )
            .flops("8 * size ** 3")
            .bytes("2 * size ** 3 * storage_type_bytes")
            .metric("bandwidth", "GB/s", "bytes / seconds / 1e9")
            .metric("points", "G/s", "size ** 3 / seconds / 1e9")
            .secondary("points")
            .error("max_relative", 1e-5)
            .wrong_above(0.05)
            .level("high", 1e-8)
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
        let (grid, n) = (problem.generator("in"), problem.size);
        for (element, &at) in out.iter_mut().zip(indices) {
            let mut sides = 0.0;
            // Strides of the axes. A neighbour exists unless the coordinate is at an end.
            for stride in [1, n, n * n] {
                let along = at / stride % n;
                if along > 0 {
                    sides += grid.at(at - stride);
                }
                if along + 1 < n {
                    sides += grid.at(at + stride);
                }
            }
            *element = CENTRE * grid.at(at) + SIDE * sides;
        }
        Ok(())
    }
}

export_benchmark!(Stencil, "stencil");

#[cfg(test)]
mod tests {
    use super::*;

    fn all(document: Document, n: u64) -> (Problem, Vec<f64>) {
        let problem = Problem::new(document, n, 3);
        let indices: Vec<u64> = (0..n * n * n).collect();
        let mut out = vec![0.0; indices.len()];
        Stencil.reference(&problem, "out", &indices, &mut out).unwrap();
        (problem, out)
    }

    #[test]
    fn ones_lose_a_tenth_for_every_face_they_lie_on() {
        let mut document = Stencil.describe();
        document.arguments[1].fill = Fill::Constant(1.0);
        let (n, (_, out)) = (7_u64, all(document, 7));
        for (at, found) in (0..).zip(&out) {
            let coordinates = [at % n, at / n % n, at / n / n];
            let faces = coordinates.iter().filter(|&&c| c == 0 || c == n - 1).count();
            assert!((found - (1.0 - 0.1 * faces as f64)).abs() < 1e-12, "{at}: {found}");
        }
    }

    #[test]
    fn a_border_of_zeros_around_the_grid_changes_nothing() {
        let (n, (problem, out)) = (6_usize, all(Stencil.describe(), 6));
        let mut bordered = vec![vec![vec![0.0; n + 2]; n + 2]; n + 2];
        let points = || (0..n * n * n).map(|at| (at, at / n / n + 1, at / n % n + 1, at % n + 1));
        for (at, z, y, x) in points() {
            bordered[z][y][x] = problem.input("in", at as u64);
        }
        for (at, z, y, x) in points() {
            let g = &bordered;
            let in_plane = g[z][y][x - 1] + g[z][y][x + 1] + g[z][y - 1][x] + g[z][y + 1][x];
            let sides = in_plane + g[z - 1][y][x] + g[z + 1][y][x];
            let expected = 0.4 * g[z][y][x] + 0.1 * sides;
            assert!((out[at] - expected).abs() < 1e-14, "{at}: {} {expected}", out[at]);
        }
    }
}
