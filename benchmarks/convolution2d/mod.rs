//! Convolution of an image with a filter of 17 × 17.

use std::thread;

use autobench_sdk::{author::Generator, prelude::*};

/// Rows and columns of the filter; the kernel uses the same value.
const TAPS: u64 = 17;

/// Number of rows, and of columns, that the input has in addition to the output's.
const BORDER: u64 = TAPS - 1;

/// `output[y][x] = Σ filter[j][i] input[y + j][x + i]`, `size` × `size`. The input has a border, so
/// that every element has all its neighbours.
#[derive(Debug, Default)]
pub struct Convolution2d;

impl BenchmarkConfig for Convolution2d {
    fn describe(&self) -> Document {
        let input = Fill::Uniform { low: 0.1, high: 1.0 };
        Document::new("convolution2d", "an image weighted with a filter of 17 x 17")
            .source("convolution2d.cu", include_str!("../../kernels/convolution2d.cu"))
            .launch(
                Launch::new("convolution2d", ["size", "size"])
                    .divided_by(["block_size_x", "tile_x"])
                    .divided_by(["block_size_y", "tile_y"]),
            )
            .argument(Argument::buffer("output", Role::Out, "output_type", ["size", "size"]))
            .argument(
                Argument::buffer("input", Role::In, "input_type", ["size + 16", "size + 16"])
                    .filled(input.clone()),
            )
            .argument(
                Argument::buffer("filter", Role::Constant, "filter_type", ["17", "17"])
                    .filled(input),
            )
            .argument(Argument::scalar("n", "i32", "size"))
            .parameter(
                Parameter::new("block_size_x", [16, 32, 64, 128])
                    .default(32)
                    .about("threads per block in x"),
            )
            .parameter(
                Parameter::new("block_size_y", [1, 2, 4, 8, 16])
                    .default(8)
                    .about("threads per block in y"),
            )
            .parameter(Parameter::new("tile_x", [1, 2, 4]).about("elements per thread in x"))
            .parameter(Parameter::new("tile_y", [1, 2, 4]).about("elements per thread in y"))
            .parameter(
                Parameter::new("vector_width", [1, 2, 4])
                    .about("neighbours that are read and written at once"),
            )
            .parameter(
                Parameter::new("use_shared", [0, 1])
                    .about("1: a block holds its part of the input in shared memory"),
            )
            .parameter(
                Parameter::new("min_blocks", [1, 2, 3])
                    .about("blocks that a multiprocessor shall have room for"),
            )
            .parameter(Parameter::format("input_type").about("format of the input"))
            .parameter(Parameter::format("filter_type").about("format of the filter"))
            .parameter(
                Parameter::format("accumulator_type").about("what is computed and summed in"),
            )
            .parameter(Parameter::format("output_type").about("format of the output"))
            .restriction("128 <= block_size_x * block_size_y <= 256")
            .restriction("tile_x % vector_width == 0")
            // Rows start at multiples of the vector width, and a block lies inside the output.
            .restriction("size % vector_width == 0")
            .restriction("block_size_x * tile_x <= size")
            .restriction("block_size_y * tile_y <= size")
            // Fits the shared memory of every device.
            .restriction(
                "use_shared == 0 \
                 or (block_size_x * tile_x + 16) * (block_size_y * tile_y + 16) \
                 * (8 if input_type == 'f64' else 4 if input_type == 'f32' else 2) <= 49152",
            )
            // Sums have the input's format or the next wider format.
            .restriction(
                "accumulator_type == input_type \
                 or input_type == 'f32' and accumulator_type == 'f64' \
                 or input_type in ['f16', 'bf16'] and accumulator_type == 'f32'",
            )
            .size(
                SizeRule::starting(64, "rows and columns of the output")
                    .binary_digits(2)
                    .largest(1 << 20),
            )
            .flops("2 * 289 * size * size")
            .bytes(
                "size * size * output_type_bytes + (size + 16) * (size + 16) * input_type_bytes \
                 + 289 * filter_type_bytes",
            )
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .secondary("performance")
            .error("nrmse_by_mean", 1e-4)
            .wrong_above(0.5)
            .level("high", 1e-8)
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
        let (image, size) = (problem.generator("input"), problem.size);
        let filter = drawn(problem.generator("filter"));
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = indices.len().div_ceil(threads).max(1);
        thread::scope(|scope| {
            for (indices, out) in indices.chunks(share).zip(out.chunks_mut(share)) {
                let filter = &filter;
                scope.spawn(move || {
                    for (element, &at) in out.iter_mut().zip(indices) {
                        let pixel = |y, x| image.at(y * (size + BORDER) + x);
                        *element = weighted(filter, pixel, at / size, at % size);
                    }
                });
            }
        });
        Ok(())
    }
}

/// The filter, row after row.
fn drawn(filter: Generator<'_>) -> Vec<f64> {
    (0..TAPS * TAPS).map(|at| filter.at(at)).collect()
}

/// The output element at a row and a column.
fn weighted(filter: &[f64], pixel: impl Fn(u64, u64) -> f64, y: u64, x: u64) -> f64 {
    let at_tap = |at: u64| pixel(y + at / TAPS, x + at % TAPS);
    (0..).zip(filter).map(|(at, weight)| weight * at_tap(at)).sum()
}

export_benchmark!(Convolution2d, "convolution2d");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bright_pixel_gives_the_filter_turned_around() {
        let filter: Vec<f64> = (0..TAPS * TAPS).map(|at| at as f64).collect();
        let pixel = |y, x| if (y, x) == (20, 30) { 1.0 } else { 0.0 };
        for (y, x) in (0..40).flat_map(|y| (0..40).map(move |x| (y, x))) {
            let inside = (20 - BORDER..=20).contains(&y) && (30 - BORDER..=30).contains(&x);
            let expected = if inside { (20 - y) * TAPS + 30 - x } else { 0 };
            assert_eq!(weighted(&filter, pixel, y, x) as u64, expected, "{y} {x}");
        }
    }

    #[test]
    fn a_constant_filter_gives_sums_over_boxes() {
        let mut document = Convolution2d.describe();
        document.arguments[2].fill = Fill::Constant(1.0);
        let (size, problem) = (24, Problem::new(document, 24, 3));
        let indices: Vec<u64> = (0..size * size).rev().collect();
        let mut out = vec![0.0; indices.len()];
        Convolution2d.reference(&problem, "output", &indices, &mut out).unwrap();
        // Sums over everything above and to the left of a pixel.
        let edge = (size + BORDER) as usize;
        let mut above = vec![vec![0.0; edge + 1]; edge + 1];
        for (y, x) in (0..edge).flat_map(|y| (0..edge).map(move |x| (y, x))) {
            above[y + 1][x + 1] =
                problem.input("input", (y * edge + x) as u64) + above[y][x + 1] + above[y + 1][x]
                    - above[y][x];
        }
        for (&at, &found) in indices.iter().zip(&out) {
            let (y, x, box_) = ((at / size) as usize, (at % size) as usize, TAPS as usize);
            let expected =
                above[y + box_][x + box_] - above[y][x + box_] - above[y + box_][x] + above[y][x];
            assert!((found - expected).abs() < 1e-11, "{at}: {found} {expected}");
        }
    }
}
