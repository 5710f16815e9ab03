//! Chains of fused multiply-adds, bound by arithmetic only: the peak rate of a device in a format.

use autobench_sdk::prelude::*;

/// The factor. Every format holds it exactly.
const A: f64 = -0.75;

/// Results of 1024 steps of `x = a x + b[i]`, for `size` elements.
#[derive(Debug, Default)]
pub struct Fma;

impl BenchmarkConfig for Fma {
    fn describe(&self) -> Document {
        Document::new("fma", "chains of 1024 fused multiply-adds per element: bound by arithmetic")
            .source("fma.cu", include_str!("../../kernels/fma.cu"))
            .launch(Launch::new("multiply_add", ["size"]).divided_by(["block_size_x", "chains"]))
            .argument(Argument::buffer("x", Role::Out, "precision", ["size"]))
            .argument(
                Argument::buffer("b", Role::In, "precision", ["size"])
                    .filled(Fill::Uniform { low: 1.0, high: 2.0 }),
            )
            .argument(Argument::scalar("a", "precision", A.to_string()))
            .argument(Argument::scalar("n", "i64", "size"))
            .parameter(Parameter::format("precision").about("format of the elements and steps"))
            .parameter(
                Parameter::new("block_size_x", [32, 64, 128, 256, 512, 1024])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("chains", [1, 2, 4, 8, 16])
                    .default(4)
                    .about("chains per thread, a block's width apart"),
            )
            .parameter(
                Parameter::new("unroll_steps", [1, 2, 4, 8, 16])
                    .default(4)
                    .about("steps of a chain that are written out"),
            )
            // No block is larger than the problem.
            .restriction("block_size_x * chains <= size")
            .size(SizeRule::starting(1 << 12, "elements"))
            .flops("2 * 1024 * size")
            .bytes("2 * size * precision_bytes")
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .secondary("performance")
            .error("max_relative", 1e-5)
            .wrong_above(0.05)
            .level("high", 1e-8)
            .level("medium", 1e-5)
            .level("low", 2e-2)
            .reference(Reference::Plugin)
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let b = problem.generator("b");
        // After all steps, less than 1e-127 of the distance from b[i] to the fixed point is left.
        for (x, &i) in out.iter_mut().zip(indices) {
            *x = b.at(i) / (1.0 - A);
        }
        Ok(())
    }
}

export_benchmark!(Fma, "fma");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_the_steps_end_where_the_reference_says() {
        let problem = Problem::new(Fma.describe(), 100, 3);
        let indices: Vec<u64> = (0..100).rev().collect();
        let mut out = vec![0.0; 100];
        Fma.reference(&problem, "x", &indices, &mut out).unwrap();
        for (&i, &found) in indices.iter().zip(&out) {
            let b = problem.input("b", i);
            let stepped = (0..1024).fold(b, |x, _| A.mul_add(x, b));
            assert!((found - stepped).abs() < 1e-15, "{i}: {found} {stepped}");
        }
    }
}
