//! `z = x + a y`, the triad of the STREAM benchmark: reads two arrays and writes one.

use autobench_sdk::prelude::*;

/// The factor. No binary float format holds it exactly.
const A: f64 = 0.7;

/// `z = x + a y` over `size` elements.
#[derive(Debug, Default)]
pub struct Triad;

impl BenchmarkConfig for Triad {
    fn describe(&self) -> Document {
        // Away from 0, so that one wrong element shows in the relative error.
        let input = Fill::Uniform { low: 0.5, high: 2.0 };
        Document::new("triad", "z[i] = x[i] + a y[i]: the bandwidth of two loads and a store")
            .source("stream.cu", include_str!("../../kernels/stream.cu"))
            .launch(Launch::new("triad", ["size"]).divided_by([
                "block_size_x",
                "items_per_thread",
                "vector_width",
            ]))
            .argument(Argument::buffer("z", Role::Out, "precision", ["size"]))
            .argument(Argument::buffer("x", Role::In, "precision", ["size"]).filled(input.clone()))
            .argument(Argument::buffer("y", Role::In, "precision", ["size"]).filled(input))
            .argument(Argument::scalar("a", "f64", A.to_string()))
            .argument(Argument::scalar("n", "i64", "size"))
            .parameter(
                Parameter::new("precision", ["f32", "f64", "f16", "bf16"])
                    .about("format of the elements"),
            )
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512, 1024])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("items_per_thread", [1, 2, 4, 8])
                    .about("accesses per thread, a block's width apart"),
            )
            .parameter(
                Parameter::new("vector_width", [1, 2, 4, 8])
                    .about("neighbouring elements moved by one access"),
            )
            .size(SizeRule::starting(1 << 12, "elements"))
            .flops("2 * size")
            .bytes("3 * size * precision_bytes")
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
        let (x, y) = (problem.generator("x"), problem.generator("y"));
        for (sum, &i) in out.iter_mut().zip(indices) {
            *sum = A.mul_add(y.at(i), x.at(i));
        }
        Ok(())
    }
}

export_benchmark!(Triad, "triad");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_grow_with_both_inputs_in_the_ratio_of_the_factor() {
        let mut document = Triad.describe();
        document.arguments[1].fill = Fill::Ramp { start: 5.0, step: 1.0 };
        document.arguments[2].fill = Fill::Ramp { start: 0.0, step: 10.0 };
        let problem = Problem::new(document, 1000, 3);
        let indices: Vec<u64> = (0..1000).rev().collect();
        let mut out = vec![0.0; 1000];
        Triad.reference(&problem, "z", &indices, &mut out).unwrap();
        for (&i, z) in indices.iter().zip(&out) {
            // 5 + i plus 7/10 of 10 i.
            assert!((z - (5 + 8 * i) as f64).abs() < 1e-11, "{i}: {z}");
        }
    }
}
