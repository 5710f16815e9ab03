//! A matrix transposed through tiles in shared memory.

use autobench_sdk::prelude::*;

/// `transposed[x][y] = matrix[y][x]`, `size` × `size`.
#[derive(Debug, Default)]
pub struct Transpose;

impl BenchmarkConfig for Transpose {
    fn describe(&self) -> Document {
        // Away from 0, so that one wrong element shows in the relative error.
        let input = Fill::Uniform { low: 0.5, high: 2.0 };
        Document::new("transpose", "a square matrix transposed through tiles in shared memory")
            .source("transpose.cu", include_str!("../../kernels/transpose.cu"))
            .launch(
                Launch::new("transpose", ["size", "size"])
                    .block(["tile_size", "tile_size // rows_per_thread"])
                    .divided_by(["tile_size"])
                    .divided_by(["tile_size"]),
            )
            .argument(Argument::buffer("transposed", Role::Out, "precision", ["size", "size"]))
            .argument(
                Argument::buffer("matrix", Role::In, "precision", ["size", "size"]).filled(input),
            )
            .argument(Argument::scalar("n", "i32", "size"))
            .parameter(
                Parameter::new("precision", ["f32", "f64", "f16", "bf16"])
                    .about("format of the elements"),
            )
            .parameter(
                Parameter::new("tile_size", [8, 16, 32, 64])
                    .default(32)
                    .about("rows and columns of a tile, and threads of a block in x"),
            )
            .parameter(
                Parameter::new("rows_per_thread", [1, 2, 4, 8, 16])
                    .default(4)
                    .about("elements per thread, rows apart"),
            )
            .parameter(
                Parameter::new("padding", [0, 1, 2])
                    .default(1)
                    .about("elements between the rows of a tile"),
            )
            .restriction("32 <= tile_size * tile_size // rows_per_thread <= 1024")
            .size(SizeRule::starting(64, "rows and columns").tile(64).largest(1 << 20))
            .bytes("2 * size * size * precision_bytes")
            .metric("bandwidth", "GB/s", "bytes / seconds / 1e9")
            .secondary("bandwidth")
            .error("max_relative", 1e-6)
            .wrong_above(0.05)
            .reference(Reference::Plugin)
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let (matrix, n) = (problem.generator("matrix"), problem.size);
        for (element, &at) in out.iter_mut().zip(indices) {
            *element = matrix.at(at % n * n + at / n);
        }
        Ok(())
    }
}

export_benchmark!(Transpose, "transpose");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let (n, problem) = (37, Problem::new(Transpose.describe(), 37, 5));
        let rows: Vec<Vec<f64>> =
            (0..n).map(|y| (0..n).map(|x| problem.input("matrix", y * n + x)).collect()).collect();
        let indices: Vec<u64> = (0..n * n).rev().collect();
        let mut out = vec![0.0; indices.len()];
        Transpose.reference(&problem, "transposed", &indices, &mut out).unwrap();
        out.reverse();
        for (x, column) in out.chunks_exact(37).enumerate() {
            assert!(column.iter().zip(&rows).all(|(element, row)| element.eq(&row[x])), "{x}");
        }
    }
}
