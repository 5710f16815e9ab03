//! What is expected before anything is measured: that blocks of 128 to 256 threads are fast.
//!
//! Fewer threads leave a multiprocessor's schedulers with little to hide latencies behind. More
//! threads leave parts of it empty where the next whole block has no room. In each of ten recorded
//! spaces of four kernels on five GPUs, some configuration with such blocks is within 3 % of the
//! best, while only a sixth to two fifths of all configurations have them. The expectation is weak:
//! measurements soon outweigh it. On a processor, where a block is a loop, nothing is expected.

use space::{Configuration, Parameter, Space, Value};

/// log2 of the fewest and the most threads per block that are expected to be fast.
const USUAL: (f64, f64) = (7.0, 8.0);
/// Cost of each doubling or halving beyond these, in deviations of the target.
const SLOPE: f64 = 0.2;

/// Threads per block of a space's configurations, where its parameters determine them.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Positions of the parameters whose product is the number of threads, each with log2 of its
    /// values.
    axes: Vec<(usize, Vec<f64>)>,
}

impl Blocks {
    /// Expects nothing if the number of threads is unknown.
    pub(crate) fn new(space: &Space) -> Self {
        let axis = |(at, parameter): (usize, &Parameter)| {
            let threads = |value: &Value| value.as_f64().filter(|n| *n >= 1.0 && n.is_finite());
            let logs = parameter.values.iter().map(|value| threads(value).map(f64::log2));
            logs.collect::<Option<Vec<f64>>>().map(|logs| (at, logs))
        };
        let named = space.parameters().iter().enumerate().filter(|(_, of)| of.is_block_size());
        Self { axes: named.map(axis).collect::<Option<_>>().unwrap_or_default() }
    }

    pub(super) fn says_nothing(&self) -> bool {
        self.axes.is_empty()
    }

    /// How much higher the target of a configuration is expected to be than with usual blocks.
    pub(super) fn prior_mean(&self, configuration: &Configuration) -> f64 {
        if self.says_nothing() {
            return 0.0;
        }
        let log = |(at, values): &(usize, Vec<f64>)| values[configuration.0[*at] as usize];
        let threads: f64 = self.axes.iter().map(log).sum();
        SLOPE * (USUAL.0 - threads).max(threads - USUAL.1).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use space::seeded;

    use super::*;

    #[test]
    fn blocks_of_usual_size_are_expected_to_be_fast_whatever_their_shape() {
        let parameters = vec![
            Parameter::new("tile", [1, 2, 4]),
            Parameter::new("block_size_x", [16, 32, 64, 1024]),
            Parameter::new("block_size_y", [1, 2, 4]),
        ];
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let blocks = Blocks::new(&space);
        // Octaves outside the usual sizes.
        let of = |at: [u32; 3]| blocks.prior_mean(&Configuration(at.to_vec())) / SLOPE;
        let are =
            |all: &[[u32; 3]], octaves: f64| all.iter().all(|at| (of(*at) - octaves).abs() < 1e-12);
        // 128 as 64 × 2 and 32 × 4, and 256; then 64 as 32 × 2 and 64 × 1.
        assert!(are(&[[0, 2, 1], [2, 1, 2], [1, 2, 2]], 0.0));
        assert!(are(&[[0, 1, 1], [2, 2, 0]], 1.0));
        assert!(are(&[[0, 3, 2]], 4.0) && are(&[[0, 0, 0]], 3.0));
    }

    #[test]
    fn nothing_is_expected_where_a_number_of_threads_cannot_be_told() {
        let unreadable = [
            Parameter::new("block_size_y", ["wide", "narrow"]),
            Parameter::new("block_size_z", [0, 1]),
        ];
        for other in unreadable {
            let parameters = vec![Parameter::new("block_size_x", [1, 1024]), other];
            let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
            assert!(Blocks::new(&space).says_nothing());
        }
        let parameters = vec![Parameter::new("unroll", [1, 1024])];
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let blocks = Blocks::new(&space);
        let id = space.random(&mut seeded(1, 0)).unwrap();
        assert!(blocks.prior_mean(&space.configuration(id)).abs() < 1e-12);
    }
}
