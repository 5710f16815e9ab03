//! Sample documents for this crate's tests.

use autobench_sdk::prelude::{Argument, Document, Fill, Launch, Parameter, Role, SizeRule};
use records::Named;
use space::Value;

/// A benchmark with a format parameter, grid divisors and two metrics.
pub(super) fn document() -> Document {
    let input = Fill::Uniform { low: 0.0, high: 1.0 };
    Document::new("sample", "c = a")
        .source("sample.cu", "__global__ void sample() {}")
        .launch(
            Launch::new("sample", ["size", "3"])
                .divided_by(["block_size_x", "items"])
                .divided_by(Vec::<String>::new()),
        )
        .argument(Argument::buffer("c", Role::Out, "precision", ["size", "2"]))
        .argument(Argument::buffer("a", Role::In, "f32", ["size"]).filled(input))
        .argument(Argument::buffer("state", Role::Inout, "u8", ["items"]))
        .argument(Argument::scalar("n", "i64", "size"))
        .parameter(Parameter::new("block_size_x", [64, 128]).default(128))
        .parameter(Parameter::new("items", [1, 2, 8]))
        .parameter(Parameter::new("precision", ["f32", "f64", "f16"]))
        .restriction("block_size_x * items <= size")
        .size(SizeRule::starting(256, "elements"))
        .flops("2 * size")
        .bytes("size * (4 + 2 * precision_bytes)")
        .metric("bandwidth", "GB/s", "bytes / seconds / 1e9")
        .metric("efficiency", "GFLOP/J", "flops / energy / 1e9")
        .metric("double", "GB/s", "2 * bandwidth")
        .secondary("bandwidth")
}

pub(super) fn configuration(block: i64, items: i64, precision: &str) -> Named {
    Named(vec![
        ("block_size_x".to_owned(), Value::Int(block)),
        ("items".to_owned(), Value::Int(items)),
        ("precision".to_owned(), Value::from(precision)),
    ])
}
