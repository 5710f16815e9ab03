//! The latency of loads that wait for each other, over the bytes that they are spread over. The
//! curve has a step for every cache.

mod cycle;

use std::cell::OnceCell;

use autobench_sdk::prelude::*;

use cycle::Lines;

/// Rounds through all lines; many if the buffer is small, so that the first round does not matter.
const ROUNDS: &str = "max(1, min(4096, 67108864 // size))";

/// Steps after the whole rounds, the same for every stride, since all have at least four stops.
const BEYOND: u64 = 3;

/// A walk through `size` bytes in random order.
#[derive(Debug, Default)]
pub struct Chase {
    lines: OnceCell<Lines>,
}

impl BenchmarkConfig for Chase {
    fn describe(&self) -> Document {
        // Whole rounds of the smallest stride. Larger strides make as many loads in more rounds.
        let loads = format!("({ROUNDS} * (size // 64) + {BEYOND})");
        Document::new("chase", "loads that wait for each other, in random order over some bytes")
            .source("chase.cu", include_str!("../../kernels/chase.cu"))
            .launch(Launch::new("chase", ["1"]).block(["256"]).divided_by(["1"]))
            .argument(Argument::buffer("last", Role::Out, "u32", ["1"]))
            .argument(Argument::buffer("seen", Role::Scratch, "u32", ["256"]))
            .argument(
                Argument::buffer("lines", Role::In, "u32", ["size // 4"]).filled(Fill::Plugin),
            )
            .argument(Argument::scalar("elements", "i64", "size // 4"))
            .argument(Argument::scalar("loads", "i64", loads.clone()))
            .parameter(
                Parameter::new("stride", [64, 128, 256, 512, 1024])
                    .about("bytes between neighbouring stops"),
            )
            .parameter(
                Parameter::new("unroll_loads", [1, 4, 16])
                    .default(4)
                    .about("loads that are written out"),
            )
            .restriction("size % stride == 0 and size >= 4 * stride")
            .size(SizeRule::starting(1 << 10, "bytes").multiple_of(1 << 10).largest(1 << 30))
            .metric("loads", "M/s", format!("{loads} / seconds / 1e6"))
            .metric_lower("latency", "ns", format!("seconds / {loads} * 1e9"))
            .secondary("loads")
            // The place in the cycle is a whole number.
            .error("max", 0.5)
            .wrong_above(0.5)
            .reference(Reference::Plugin)
            .answer_depends_on(["stride"])
    }

    fn fill(
        &self,
        problem: &Problem,
        _argument: &str,
        first: u64,
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let lines = self.lines.get_or_init(|| Lines::drawn(problem.seed, problem.size));
        for (element, at) in out.iter_mut().zip(first..) {
            *element = f64::from(lines.element(at));
        }
        Ok(())
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        _indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let stride = problem.answer.integer("stride").unwrap_or(64);
        out.fill(last((stride / 64).max(1).ilog2() as usize));
        Ok(())
    }
}

/// Where the walk along a cycle ends. Whole rounds lead back to the first stop, since the number of
/// stops of every stride divides their loads.
fn last(cycle: usize) -> f64 {
    f64::from(cycle::place_in(cycle, BEYOND as u32))
}

export_benchmark!(Chase, "chase");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_ends_where_the_reference_says_at_every_stride() {
        let (bytes, chase) = (5 * 1024, Chase::default());
        let problem = Problem::new(chase.describe(), bytes, 11);
        let mut expected = [0.0];
        chase.reference(&problem, "last", &[0], &mut expected).unwrap();
        assert!((expected[0] - last(0)).abs() < 0.5);
        let mut lines = vec![0.0; bytes as usize / 4];
        // In two parts, as the host may ask for them.
        let (head, tail) = lines.split_at_mut(100);
        chase.fill(&problem, "lines", 0, head).unwrap();
        chase.fill(&problem, "lines", 100, tail).unwrap();
        for j in 0..cycle::CYCLES {
            let loads = 2 * (bytes / 64) + BEYOND;
            let end = (0..loads).fold(j, |at, _| lines[at] as usize);
            let place = lines[end + cycle::PLACES];
            assert!((place - last(j)).abs() < 0.5, "stride {}: {place}", 64 << j);
        }
    }
}
