//! The cost of barriers, over the work that threads do between them.
//!
//! All values of `steps_per_barrier` compute the same result with the same work, so the curve over
//! this parameter is the cost of barriers. Run `--param steps_per_barrier=1`, then 2, and so on.

use autobench_sdk::prelude::*;

/// The factor of a step. f32 holds it exactly. All steps together reduce a difference to about a
/// third.
const A: f64 = -1023.0 / 1024.0;

/// The addend of a step.
const B: f64 = 1.0;

/// Number of steps for each value.
const STEPS: i32 = 1024;

/// `size` values after 1024 steps `x = a x + b`, passed between threads on the way.
#[derive(Debug, Default)]
pub struct Barriers;

impl BenchmarkConfig for Barriers {
    fn describe(&self) -> Document {
        Document::new(
            "barriers",
            "values that threads of a block pass on, with work between barriers",
        )
        .source("barriers.cu", include_str!("../../kernels/barriers.cu"))
        .launch(Launch::new("barriers", ["size"]).divided_by(["block_size_x", "values_per_thread"]))
        .argument(Argument::buffer("y", Role::Out, "precision", ["size"]))
        .argument(
            Argument::buffer("x", Role::In, "precision", ["size"])
                .filled(Fill::Uniform { low: 0.0, high: 1.0 }),
        )
        .argument(Argument::scalar("a", "precision", A.to_string()))
        .argument(Argument::scalar("b", "precision", B.to_string()))
        .argument(Argument::scalar("n", "i64", "size"))
        .parameter(Parameter::new("precision", ["f32", "f64"]).about("format of the values"))
        .parameter(
            Parameter::computed("steps_per_barrier", "[2**i for i in range(11)]")
                .default(16)
                .about("steps from one barrier to the next"),
        )
        .parameter(
            Parameter::new("block_size_x", [32, 64, 128, 256, 512, 1024])
                .default(256)
                .about("threads per block"),
        )
        .parameter(
            Parameter::new("values_per_thread", [1, 2, 4, 8])
                .default(2)
                .about("values per thread, a block's width apart"),
        )
        // No block is larger than the problem.
        .restriction("block_size_x * values_per_thread <= size")
        // Fits the shared memory of every device.
        .restriction(
            "4 * block_size_x * values_per_thread * (8 if precision == 'f64' else 4) <= 49152",
        )
        .size(SizeRule::starting(1 << 12, "values"))
        .flops("2 * 1024 * size")
        .bytes("2 * size * precision_bytes")
        .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
        .metric(
            "barriers",
            "M/s",
            "ceil(size / (block_size_x * values_per_thread)) * (1024 / steps_per_barrier) \
                 / seconds / 1e6",
        )
        .secondary("performance")
        .error("nrmse", 1e-5)
        .reference(Reference::Plugin)
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let x = problem.generator("x");
        let fixed = B / (1.0 - A);
        for (y, &i) in out.iter_mut().zip(indices) {
            *y = fixed + A.powi(STEPS) * (x.at(i) - fixed);
        }
        Ok(())
    }
}

export_benchmark!(Barriers, "barriers");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_form_is_what_all_steps_give() {
        let problem = Problem::new(Barriers.describe(), 100, 3);
        let indices: Vec<u64> = (0..100).rev().collect();
        let mut out = vec![0.0; 100];
        Barriers.reference(&problem, "y", &indices, &mut out).unwrap();
        for (&i, &found) in indices.iter().zip(&out) {
            let stepped = (0..STEPS).fold(problem.input("x", i), |x, _| A.mul_add(x, B));
            assert!((found - stepped).abs() < 1e-12, "{i}: {found} {stepped}");
        }
    }
}
