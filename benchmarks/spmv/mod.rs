//! A sparse matrix in compressed rows times a vector. Row lengths follow a power law from 2 to 2048
//! elements, so threads with one row each wait for the longest row.

mod matrix;

use autobench_sdk::prelude::*;

/// `y = A x` with a sparse matrix of `size` × `size`.
#[derive(Debug, Default)]
pub struct SpMv;

/// Expression: the number of elements of the matrix.
fn elements() -> String {
    use matrix::{LONGEST, OF_PERIOD, PERIOD, STRIDE};
    let length = format!("{LONGEST} // (row * {STRIDE} % {PERIOD} + 1)");
    format!("(size // {PERIOD} * {OF_PERIOD} + sum([{length} for row in range(size % {PERIOD})]))")
}

impl BenchmarkConfig for SpMv {
    fn describe(&self) -> Document {
        // Away from 0, so that a missing element shows in the relative error.
        let input = Fill::Uniform { low: 0.5, high: 1.0 };
        let elements = elements();
        let shape = [elements.as_str()];
        Document::new("spmv", "a sparse matrix with rows of power-law length times a vector")
            .source("spmv.cu", include_str!("../../kernels/spmv.cu"))
            .launch(Launch::new("spmv", ["size"]).divided_by(["block_size_x // threads_per_row"]))
            .argument(Argument::buffer("y", Role::Out, "sum_type", ["size"]))
            .argument(
                Argument::buffer("values", Role::In, "value_type", shape).filled(input.clone()),
            )
            .argument(Argument::buffer("columns", Role::In, "i32", shape).filled(Fill::Plugin))
            .argument(
                Argument::buffer("starts", Role::In, "i32", ["size + 1"]).filled(Fill::Plugin),
            )
            .argument(Argument::buffer("x", Role::In, "value_type", ["size"]).filled(input))
            .argument(Argument::scalar("n", "i32", "size"))
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("threads_per_row", [1, 2, 4, 8, 16, 32])
                    .default(4)
                    .about("neighbouring threads that share a row"),
            )
            .parameter(
                Parameter::new("sums_per_thread", [1, 2, 4, 8])
                    .about("sums that a thread keeps, so that additions need not wait"),
            )
            .parameter(Parameter::format("value_type").about("format of the matrix and of x"))
            .parameter(
                Parameter::new("sum_type", ["f64", "f32"])
                    .default("f32")
                    .about("format of products, sums and y"),
            )
            // Positions of elements fit 32 bits.
            .size(SizeRule::starting(1 << 10, "rows and columns").largest(1 << 26))
            .flops(format!("2 * {elements}"))
            .bytes(format!(
                "{elements} * (value_type_bytes + 4) + 4 * (size + 1) \
                 + size * (value_type_bytes + sum_type_bytes)"
            ))
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .metric("nonzeros", "G/s", "flops / 2 / seconds / 1e9")
            .metric("bandwidth", "GB/s", "bytes / seconds / 1e9")
            .secondary("performance")
            .error("max_relative", 1e-5)
            .wrong_above(0.05)
            .level("high", 1e-8)
            .level("medium", 1e-5)
            .level("low", 1e-2)
            .reference(Reference::Plugin)
    }

    fn fill(
        &self,
        problem: &Problem,
        argument: &str,
        first: u64,
        out: &mut [f64],
    ) -> Result<(), Fault> {
        if argument == "starts" {
            for (element, row) in out.iter_mut().zip(first..) {
                *element = matrix::start(row) as f64;
            }
            return Ok(());
        }
        let mut row = matrix::row_of(first);
        for (element, at) in out.iter_mut().zip(first..) {
            if at == matrix::start(row + 1) {
                row += 1;
            }
            let k = at - matrix::start(row);
            *element = matrix::column(problem.seed, problem.size, row, k) as f64;
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
        let (values, x) = (problem.generator("values"), problem.generator("x"));
        for (sum, &row) in out.iter_mut().zip(indices) {
            let first = matrix::start(row);
            let column = |k| matrix::column(problem.seed, problem.size, row, k);
            let products = (0..matrix::length(row)).map(|k| values.at(first + k) * x.at(column(k)));
            *sum = products.sum();
        }
        Ok(())
    }
}

export_benchmark!(SpMv, "spmv");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_the_product_with_the_matrix_written_out() {
        let (n, problem) = (1500_usize, Problem::new(SpMv.describe(), 1500, 9));
        let mut starts = vec![0.0; n + 1];
        // In two parts, as the host may ask for them.
        SpMv.fill(&problem, "starts", 0, &mut starts[..700]).unwrap();
        SpMv.fill(&problem, "starts", 700, &mut starts[700..]).unwrap();
        let count = starts[n] as usize;
        let mut columns = vec![0.0; count];
        let (early, late) = columns.split_at_mut(10_001);
        SpMv.fill(&problem, "columns", 0, early).unwrap();
        SpMv.fill(&problem, "columns", 10_001, late).unwrap();
        let mut full = vec![vec![0.0; n]; n];
        let mut row = 0;
        for (at, column) in columns.iter().enumerate() {
            while at >= starts[row + 1] as usize {
                row += 1;
            }
            full[row][*column as usize] += problem.input("values", at as u64);
        }
        let x: Vec<f64> = (0..n as u64).map(|i| problem.input("x", i)).collect();
        let indices: Vec<u64> = (0..n as u64).rev().collect();
        let mut out = vec![0.0; n];
        SpMv.reference(&problem, "y", &indices, &mut out).unwrap();
        for (&row, found) in indices.iter().zip(&out) {
            let expected: f64 = full[row as usize].iter().zip(&x).map(|(a, x)| a * x).sum();
            assert!((found / expected - 1.0).abs() < 1e-13, "{row}: {found} {expected}");
        }
    }

    #[test]
    fn the_expression_counts_as_many_elements_as_the_rows_have() {
        let expected = "(size // 1024 * 14913 + sum([2048 // (row * 389 % 1024 + 1) for row in \
                        range(size % 1024)]))";
        assert_eq!(elements(), expected);
    }
}
