//! `z = a x`, the scale of the STREAM benchmark: reads one array and writes one.

use autobench_sdk::prelude::*;

/// The factor. No binary float format holds it exactly.
const A: f64 = 0.7;

/// `z = a x` over `size` elements.
#[derive(Debug, Default)]
pub struct Scale;

impl BenchmarkConfig for Scale {
    fn describe(&self) -> Document {
        // Away from 0, so that one wrong element shows in the relative error.
        let input = Fill::Uniform { low: 0.5, high: 2.0 };
        Document::new("scale", "z[i] = a x[i]: the bandwidth of a load, a product and a store")
            .source("stream.cu", include_str!("../../kernels/stream.cu"))
            .launch(Launch::new("scale", ["size"]).divided_by([
                "block_size_x",
                "items_per_thread",
                "vector_width",
            ]))
            .argument(Argument::buffer("z", Role::Out, "precision", ["size"]))
            .argument(Argument::buffer("x", Role::In, "precision", ["size"]).filled(input))
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
            .flops("size")
            .bytes("2 * size * precision_bytes")
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
        let x = problem.generator("x");
        for (product, &i) in out.iter_mut().zip(indices) {
            *product = A * x.at(i);
        }
        Ok(())
    }
}

export_benchmark!(Scale, "scale");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_times_an_element_is_seven_times_the_input() {
        let problem = Problem::new(Scale.describe(), 1000, 3);
        let indices: Vec<u64> = (0..1000).rev().collect();
        let mut out = vec![0.0; 1000];
        Scale.reference(&problem, "z", &indices, &mut out).unwrap();
        for (&i, z) in indices.iter().zip(&out) {
            let x = problem.input("x", i);
            assert!((10.0 * z - 7.0 * x).abs() < 1e-14, "{i}: {z} {x}");
        }
    }
}
