//! Elements read in an order given by indices, over the locality of that order.
//!
//! There are always 2²⁴ elements, more than caches hold. The size is the number of windows that
//! they are divided into. Indices are a random permutation inside every window: one window is a
//! random order of everything, and 2²⁰ windows have 16 elements each. So a study over the sizes
//! shows how local accesses must be to run at full speed. Tuning does not choose the size, so it
//! cannot choose the easiest case.

pub(crate) mod order;

use autobench_sdk::prelude::*;

use order::Order;

/// `out[i] = in[index[i]]` over 2²⁴ elements in `size` windows.
#[derive(Debug, Default)]
pub struct Gather;

impl BenchmarkConfig for Gather {
    fn describe(&self) -> Document {
        let elements = order::ELEMENTS.to_string();
        let shape = [elements.as_str()];
        // Away from 0, so that one wrong element shows in the relative error.
        let input = Fill::Uniform { low: 0.5, high: 2.0 };
        Document::new("gather", "2^24 elements read in an order that is random inside of windows")
            .source("gather.cu", include_str!("../../kernels/gather.cu"))
            .launch(Launch::new("gather", shape).divided_by([
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
            *element = input.at(order.at(i));
        }
        Ok(())
    }
}

export_benchmark!(Gather, "gather");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_its_own_elements_in_another_order() {
        let problem = Problem::new(Gather.describe(), 1 << 14, 5);
        let window: Vec<u64> = (3 * 1024..4 * 1024).collect();
        let mut out = vec![0.0; 1024];
        Gather.reference(&problem, "out", &window, &mut out).unwrap();
        let own: Vec<f64> = window.iter().map(|&i| problem.input("in", i)).collect();
        assert_ne!(out, own);
        let sorted = |mut elements: Vec<f64>| {
            elements.sort_unstable_by(f64::total_cmp);
            elements
        };
        let mut index = vec![0.0; 1024];
        Gather.fill(&problem, "index", window[0], &mut index).unwrap();
        for (at, element) in index.iter().zip(&out) {
            assert_eq!(own[*at as usize - 3 * 1024].to_bits(), element.to_bits());
        }
        assert_eq!(sorted(out), sorted(own));
    }
}
