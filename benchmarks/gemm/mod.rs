//! Matrix product with a fixed inner extent; bound by arithmetic.

use std::collections::HashMap;

use autobench_sdk::{author::Generator, prelude::*};

/// The inner extent: columns of A and rows of B. The kernel uses the same value.
const DEPTH: usize = 256;

/// Limit of the columns of B (2 KiB each) that the reference keeps before it starts over.
const KEPT_COLUMNS: usize = 16_384;

/// `C = A B` with A `size` × 256 and B 256 × `size`.
#[derive(Debug, Default)]
pub struct Gemm;

impl BenchmarkConfig for Gemm {
    fn describe(&self) -> Document {
        let input = Fill::Uniform { low: -1.0, high: 1.0 };
        Document::new("gemm", "matrix product C = A B with inner extent 256: bound by arithmetic")
            .source("gemm.cu", include_str!("../../kernels/gemm.cu"))
            .launch(
                Launch::new("gemm", ["size", "size"])
                    .divided_by(["block_size_x", "work_x"])
                    .divided_by(["block_size_y", "work_y"]),
            )
            .argument(Argument::buffer("c", Role::Out, "precision", ["size", "size"]))
            .argument(
                Argument::buffer("a", Role::In, "precision", ["size", "256"]).filled(input.clone()),
            )
            .argument(Argument::buffer("b", Role::In, "precision", ["256", "size"]).filled(input))
            .argument(Argument::scalar("n", "i32", "size"))
            .parameter(
                Parameter::new("precision", ["f32", "f64", "f16", "bf16"])
                    .about("format of the elements"),
            )
            .parameter(
                Parameter::new("block_size_x", [8, 16, 32, 64]).default(16).about("threads in x"),
            )
            .parameter(
                Parameter::new("block_size_y", [4, 8, 16, 32]).default(16).about("threads in y"),
            )
            .parameter(Parameter::new("work_x", [1, 2, 4]).about("elements per thread in x"))
            .parameter(Parameter::new("work_y", [1, 2, 4, 8]).about("elements per thread in y"))
            .parameter(
                Parameter::new("tile_k", [8, 16, 32])
                    .default(16)
                    .about("columns of A and rows of B held at a time"),
            )
            .restriction("64 <= block_size_x * block_size_y <= 512")
            .restriction("work_x * work_y <= 16")
            .restriction("block_size_x * work_x <= 128 and block_size_y * work_y <= 128")
            .restriction("tile_k * (block_size_x * work_x + block_size_y * work_y) <= 8192")
            .size(SizeRule::starting(16, "rows and columns of C").tile(64).largest(1 << 22))
            .flops("2 * size * size * 256")
            .bytes("(size * size + 2 * size * 256) * precision_bytes")
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .secondary("performance")
            .error("nrmse", 1e-5)
            .wrong_above(0.1)
            .reference(Reference::Plugin)
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let (a, b) = (problem.generator("a"), problem.generator("b"));
        let n = problem.size;
        // Row by row, so that only one row of A is kept, with the columns of B that recur.
        let mut order: Vec<usize> = (0..indices.len().min(out.len())).collect();
        order.sort_unstable_by_key(|&at| indices[at]);
        let mut columns: HashMap<u64, Box<[f64]>> = HashMap::new();
        let mut row: (u64, Vec<f64>) = (u64::MAX, vec![0.0; DEPTH]);
        for at in order {
            let (i, j) = (indices[at] / n, indices[at] % n);
            if row.0 != i {
                row.0 = i;
                draw(&mut row.1, a, |k| i * DEPTH as u64 + k);
            }
            if columns.len() >= KEPT_COLUMNS && !columns.contains_key(&j) {
                columns.clear();
            }
            let column = columns.entry(j).or_insert_with(|| {
                let mut column = vec![0.0; DEPTH].into_boxed_slice();
                draw(&mut column, b, |k| k * n + j);
                column
            });
            out[at] = product(&row.1, column);
        }
        Ok(())
    }
}

/// Fills a row or a column from its generator.
fn draw(elements: &mut [f64], generator: Generator<'_>, index: impl Fn(u64) -> u64) {
    for (k, element) in (0..).zip(elements) {
        *element = generator.at(index(k));
    }
}

/// The scalar product, in four partial sums so that additions need not wait for each other.
fn product(row: &[f64], column: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    for (x, y) in row.chunks_exact(4).zip(column.chunks_exact(4)) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum()
}

export_benchmark!(Gemm, "gemm");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_the_plain_triple_loop_in_any_order_of_indices() {
        let problem = Problem::new(Gemm.describe(), 48, 5);
        let indices = [0, 47, 48, 48 * 48 - 1, 100, 48];
        let mut out = [0.0; 6];
        Gemm.reference(&problem, "c", &indices, &mut out).unwrap();
        for (&index, &found) in indices.iter().zip(&out) {
            let (i, j) = (index / 48, index % 48);
            let expected: f64 = (0..256)
                .map(|k| problem.input("a", i * 256 + k) * problem.input("b", k * 48 + j))
                .sum();
            assert!((found - expected).abs() < 1e-12, "{index}: {found} {expected}");
        }
    }
}
