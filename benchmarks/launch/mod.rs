//! The cost of launching a kernel that does nothing, over its number of blocks.

use autobench_sdk::prelude::*;

/// `size` blocks that do nothing, except for one thread.
#[derive(Debug, Default)]
pub struct Empty;

impl BenchmarkConfig for Empty {
    fn describe(&self) -> Document {
        Document::new("launch", "a kernel that does nothing, over its blocks")
            .source("launch.cu", include_str!("../../kernels/launch.cu"))
            .launch(Launch::new("launch", ["size"]).divided_by(["1"]))
            .argument(Argument::buffer("blocks", Role::Out, "u32", ["1"]))
            .parameter(
                Parameter::new("block_size_x", [32, 64, 128, 256, 512, 1024])
                    .default(256)
                    .about("threads per block"),
            )
            .size(SizeRule::starting(1, "blocks").binary_digits(2).largest((1 << 31) - 1))
            .metric("blocks", "M/s", "size / seconds / 1e6")
            .metric_lower("cost", "us", "seconds * 1e6")
            .secondary("blocks")
            .error("max", 0.5)
            .wrong_above(0.5)
            .reference(Reference::expressions([("blocks", "size")]))
    }
}

export_benchmark!(Empty, "launch");
