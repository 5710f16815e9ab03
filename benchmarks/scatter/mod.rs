//! Elements written in an order given by indices, over the locality of that order.
//!
//! There are always 2²⁴ elements, more than caches hold. The size is the number of windows that
//! they are divided into. Indices are a random permutation inside every window: one window is a
//! random order of everything, and 2²⁰ windows have 16 elements each. So a study over the sizes
//! shows how local accesses must be to run at full speed. Tuning does not choose the size, so it
//! cannot choose the easiest case.

use autobench_sdk::prelude::*;

use super::gather::order::{self, Order};

/// `out[index[i]] = in[i]` over 2²⁴ elements in `size` windows.
#[derive(Debug, Default)]
pub struct Scatter;

impl BenchmarkConfig for Scatter {
    fn describe(&self) -> Document {
        let elements = order::ELEMENTS.to_string();
        let shape = [elements.as_str()];
        // Away from 0, so that one wrong element shows in the relative error.
        let input = Fill::Uniform { low: 0.5, high: 2.0 };
        Document::new(
            "scatter",
            "2^24 elements written in an order that is random inside of windows",
        )
        .source("gather.cu", include_str!("../../kernels/gather.cu"))
        .launch(Launch::new("scatter", shape).divided_by([
            "block_size_x",
            "items_per_thread",
            "vector_width",
        ]))
        .argument(Argument::buffer("out", Role::Out, "precision", shape))
        .argument(Argument::buffer("in", Role::In, "precision", shape).filled(input))
        .argument(Argument::buffer("index", Role::In, "i32", shape).filled(Fill::Plugin))
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
            Parameter::new("vector_width", [1, 2, 4])
                .about("neighbouring indices moved by one access"),
        )
        .size(
            SizeRule::starting(1, "windows that the elements are divided into")
                .powers_of(2)
                .largest(1 << 20),
        )
        .bytes(format!("{elements} * (2 * precision_bytes + 4)"))
        .metric("bandwidth", "GB/s", "bytes / seconds / 1e9")
        .metric("elements", "G/s", format!("{elements} / seconds / 1e9"))
        .secondary("elements")
        .error("max_relative", 1e-6)
        .wrong_above(0.05)
        .reference(Reference::Plugin)
    }

    fn fill(
        &self,
        problem: &Problem,
        _argument: &str,
        first: u64,
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let order = Order::new(problem.seed, problem.size);
        for (index, at) in out.iter_mut().zip(first..) {
            *index = order.at(at) as f64;
        }
        Ok(())
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let (order, input) = (Order::new(problem.seed, problem.size), problem.generator("in"));
        for (element, &i) in out.iter_mut().zip(indices) {
            // The order is its own inverse.
            *element = input.at(order.at(i));
        }
        Ok(())
    }
}

export_benchmark!(Scatter, "scatter");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_of_a_window_lands_where_its_index_says() {
        let problem = Problem::new(Scatter.describe(), 1 << 14, 5);
        let mut index = vec![0.0; 1024];
        Scatter.fill(&problem, "index", 3 * 1024, &mut index).unwrap();
        let mut expected = vec![0.0; 1024];
        for (i, to) in (3 * 1024..).zip(&index) {
            expected[*to as usize - 3 * 1024] = problem.input("in", i);
        }
        let window: Vec<u64> = (3 * 1024..4 * 1024).collect();
        let mut out = vec![0.0; 1024];
        Scatter.reference(&problem, "out", &window, &mut out).unwrap();
        assert_eq!(out, expected);
    }
}
