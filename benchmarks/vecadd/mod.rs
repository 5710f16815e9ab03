//! Vector addition, bound by memory: the smallest useful benchmark, and the one to copy.

use autobench_sdk::prelude::*;

/// `c = a + b` over `size` elements.
#[derive(Debug, Default)]
pub struct VecAdd;

impl BenchmarkConfig for VecAdd {
    fn describe(&self) -> Document {
        let input = Fill::Uniform { low: -1.0, high: 1.0 };
        Document::new("vecadd", "vector addition, c[i] = a[i] + b[i]: bound by memory")
            .source("vecadd.cu", include_str!("../../kernels/vecadd.cu"))
            .launch(Launch::new("vecadd", ["size"]).divided_by([
                "block_size_x",
                "items_per_thread",
                "vector_width",
            ]))
            .argument(Argument::buffer("c", Role::Out, "precision", ["size"]))
            .argument(Argument::buffer("a", Role::In, "precision", ["size"]).filled(input.clone()))
            .argument(Argument::buffer("b", Role::In, "precision", ["size"]).filled(input))
            .argument(Argument::scalar("n", "i64", "size"))
            .parameter(
                Parameter::new("precision", ["f32", "f64", "f16", "bf16"])
                    .about("format of the elements"),
            )
            .parameter(
                Parameter::new("block_size_x", [32, 64, 128, 256, 512, 1024])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("items_per_thread", [1, 2, 4, 8])
                    .about("accesses per thread, a block's width apart"),
            )
            .parameter(
                Parameter::new("vector_width", [1, 2, 4])
                    .about("neighbouring elements moved by one access"),
            )
            .restriction("block_size_x * items_per_thread * vector_width <= 8192")
            .size(SizeRule::starting(1 << 12, "elements"))
            .flops("size")
            .bytes("3 * size * precision_bytes")
            .metric("bandwidth", "GB/s", "bytes / seconds / 1e9")
            .secondary("bandwidth")
            .error("nrmse", 1e-6)
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
        for (sum, &i) in out.iter_mut().zip(indices) {
            *sum = a.at(i) + b.at(i);
        }
        Ok(())
    }
}

export_benchmark!(VecAdd, "vecadd");
