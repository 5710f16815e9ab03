//! The sum of many numbers, in two launches. Bound by memory, and only as exact as the format of
//! its sums.

use std::thread;

use autobench_sdk::{author::Generator, prelude::*};

/// Generated numbers are multiples of `1 / PARTS`.
const PARTS: f64 = (1 << 24) as f64;

/// The sum of `size` numbers.
#[derive(Debug, Default)]
pub struct Reduction;

impl BenchmarkConfig for Reduction {
    fn describe(&self) -> Document {
        let tile = "block_size_x * items_per_thread * vector_width";
        let tiles = format!("(size + {tile} - 1) // ({tile})");
        let blocks = format!("{tiles} if blocks == 0 else min(blocks, {tiles})");
        Document::new("reduction", "the sum of all numbers: partial sums of blocks, then their sum")
            .source("reduction.cu", include_str!("../../kernels/reduction.cu"))
            .launch(
                Launch::new("partial_sums", [blocks.as_str()])
                    .divided_by(["1"])
                    .arguments(["partial", "x", "n"]),
            )
            .launch(
                Launch::new("total", ["1"])
                    .divided_by(["1"])
                    .arguments(["sum", "partial", "count"]),
            )
            .argument(Argument::buffer("sum", Role::Out, "sum_type", ["1"]))
            .argument(Argument::buffer("partial", Role::Scratch, "sum_type", [blocks.as_str()]))
            .argument(
                // Away from 0, so that a missing number shows in the error.
                Argument::buffer("x", Role::In, "input_type", ["size"])
                    .filled(Fill::Uniform { low: 0.5, high: 1.5 }),
            )
            .argument(Argument::scalar("n", "i64", "size"))
            .argument(Argument::scalar("count", "i64", blocks.as_str()))
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512, 1024])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("items_per_thread", [1, 2, 4, 8])
                    .default(4)
                    .about("accesses per thread and tile, a block's width apart"),
            )
            .parameter(
                Parameter::new("vector_width", [1, 2, 4])
                    .about("neighbouring numbers read by one access"),
            )
            .parameter(
                Parameter::new("blocks", [0, 64, 256, 1024, 4096])
                    .default(1024)
                    .about("blocks that walk over all tiles together; 0: one for every tile"),
            )
            .parameter(Parameter::format("input_type").about("format of the numbers"))
            .parameter(
                Parameter::new("sum_type", ["f64", "f32"]).default("f32").about("format of sums"),
            )
            .size(SizeRule::starting(1 << 12, "numbers"))
            .flops("size")
            .bytes("size * input_type_bytes")
            .metric("bandwidth", "GB/s", "bytes / seconds / 1e9")
            .metric("numbers", "G/s", "size / seconds / 1e9")
            .secondary("numbers")
            .error("max_relative", 1e-5)
            .wrong_above(1e-3)
            .level("high", 1e-8)
            .level("medium", 1e-5)
            .level("low", 1e-4)
            .reference(Reference::Plugin)
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        if indices.is_empty() {
            return Ok(());
        }
        let (x, n) = (problem.generator("x"), problem.size);
        let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
        let share = n.div_ceil(threads);
        let parts: u128 = thread::scope(|scope| {
            let part =
                |t: u64| scope.spawn(move || parts_of(x, t * share, ((t + 1) * share).min(n)));
            let all: Vec<_> = (0..threads).map(part).collect();
            all.into_iter().map(|sum| sum.join().unwrap_or(0)).sum()
        });
        out.fill(parts as f64 / PARTS);
        Ok(())
    }
}

/// The exact sum of elements `first .. last`, in units of `1 / PARTS`.
fn parts_of(x: Generator<'_>, first: u64, last: u64) -> u128 {
    (first..last).map(|i| u128::from((x.at(i) * PARTS) as u64)).sum()
}

export_benchmark!(Reduction, "reduction");

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(document: Document, size: u64) -> f64 {
        let mut out = [0.0];
        let problem = Problem::new(document, size, 11);
        Reduction.reference(&problem, "sum", &[0], &mut out).unwrap();
        out[0]
    }

    #[test]
    fn a_ramp_has_the_sum_of_its_ends_by_half_its_length() {
        let mut document = Reduction.describe();
        document.arguments[2].fill = Fill::Ramp { start: 3.0, step: 0.25 };
        for n in [1, 2, 3, 1000, 99_999] {
            let expected = (6.0 + 0.25 * (n - 1) as f64) * n as f64 / 2.0;
            assert_eq!(sum(document.clone(), n).to_bits(), expected.to_bits(), "{n}");
        }
    }

    #[test]
    fn generated_numbers_are_whole_parts_and_average_to_one() {
        let problem = Problem::new(Reduction.describe(), 10, 11);
        let whole = |i| (problem.input("x", i) * PARTS).fract().abs() < f64::MIN_POSITIVE;
        assert!((0..10_000).all(whole));
        // The mean of a million numbers has a standard deviation of 0.3 / 1000.
        assert!((sum(Reduction.describe(), 1_000_000) / 1e6 - 1.0).abs() < 2e-3);
    }
}
