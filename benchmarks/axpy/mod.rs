//! `z = a x + y`, bound by memory. Shows the cost and gain of storage and computation formats.

use autobench_sdk::prelude::*;

/// The factor. No binary float format holds it exactly.
const A: f64 = 0.7;

/// `z = a x + y` over `size` elements.
#[derive(Debug, Default)]
pub struct Axpy;

impl BenchmarkConfig for Axpy {
    fn describe(&self) -> Document {
        // Positive, so that the mean that errors are divided by is far from 0.
        let input = Fill::Uniform { low: 0.0, high: 2.0 };
        Document::new("axpy", "z[i] = a x[i] + y[i] in a mix of number formats: bound by memory")
            .source("axpy.cu", include_str!("../../kernels/axpy.cu"))
            .launch(Launch::new("axpy", ["size"]).divided_by([
                "block_size_x",
                "items_per_thread",
                "vector_width",
            ]))
            .argument(Argument::buffer("z", Role::Out, "y_type", ["size"]))
            .argument(Argument::buffer("x", Role::In, "x_type", ["size"]).filled(input.clone()))
            .argument(Argument::buffer("y", Role::In, "y_type", ["size"]).filled(input))
            .argument(Argument::scalar("a", "compute_type", A.to_string()))
            .argument(Argument::scalar("n", "i64", "size"))
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512, 1024])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("items_per_thread", [1, 2, 4])
                    .about("accesses per thread, a block's width apart"),
            )
            .parameter(
                Parameter::new("vector_width", [1, 2, 4, 8])
                    .about("neighbouring elements moved by one access"),
            )
            .parameter(Parameter::format("x_type").about("format of x"))
            .parameter(Parameter::format("y_type").about("format of y and z"))
            .parameter(
                Parameter::format("compute_type").about("format of a, the product and the sum"),
            )
            .size(SizeRule::starting(1 << 12, "elements"))
            .flops("2 * size")
            .bytes("size * (x_type_bytes + 2 * y_type_bytes)")
            .metric("bandwidth", "GB/s", "bytes / seconds / 1e9")
            .metric("elements", "G/s", "size / seconds / 1e9")
            .secondary("elements")
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
        let (x, y) = (problem.generator("x"), problem.generator("y"));
        for (sum, &i) in out.iter_mut().zip(indices) {
            *sum = A.mul_add(x.at(i), y.at(i));
        }
        Ok(())
    }
}

export_benchmark!(Axpy, "axpy");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_results_are_those_of_the_inputs() {
        let problem = Problem::new(Axpy.describe(), 1000, 3);
        let indices: Vec<u64> = (0..1000).rev().collect();
        let mut out = vec![0.0; 1000];
        Axpy.reference(&problem, "z", &indices, &mut out).unwrap();
        for (&i, z) in indices.iter().zip(&out) {
            let (x, y) = (problem.input("x", i), problem.input("y", i));
            assert!((0.0..2.0).contains(&x) && (0.0..2.0).contains(&y));
            // a = 7/10 in whole numbers: 10 (z - y) = 7 x.
            assert!((10.0 * (z - y) - 7.0 * x).abs() < 1e-14, "{i}: {z}");
        }
    }
}
