//! `z = x`, the copy of the STREAM benchmark: reads one array and writes one.

use autobench_sdk::prelude::*;

/// `z = x` over `size` elements.
#[derive(Debug, Default)]
pub struct Copy;

impl BenchmarkConfig for Copy {
    fn describe(&self) -> Document {
        // Away from 0, so that one wrong element shows in the relative error.
        let input = Fill::Uniform { low: 0.5, high: 2.0 };
        Document::new("copy", "z[i] = x[i]: the bandwidth of a load and a store")
            .source("stream.cu", include_str!("../../kernels/stream.cu"))
            .launch(Launch::new("copy", ["size"]).divided_by([
                "block_size_x",
                "items_per_thread",
                "vector_width",
            ]))
            .argument(Argument::buffer("z", Role::Out, "precision", ["size"]))
            .argument(Argument::buffer("x", Role::In, "precision", ["size"]).filled(input))
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
        for (copied, &i) in out.iter_mut().zip(indices) {
            *copied = x.at(i);
        }
        Ok(())
    }
}

export_benchmark!(Copy, "copy");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_comes_out_as_the_same_ramp_in_any_order_of_indices() {
        let mut document = Copy.describe();
        document.arguments[1].fill = Fill::Ramp { start: 3.0, step: 0.5 };
        let problem = Problem::new(document, 1000, 3);
        let indices = [999, 0, 500, 1];
        let mut out = [0.0; 4];
        Copy.reference(&problem, "z", &indices, &mut out).unwrap();
        assert_eq!(out.map(|z| (2.0 * z) as u64), indices.map(|i| 6 + i));
    }
}
