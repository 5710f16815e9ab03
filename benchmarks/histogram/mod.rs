//! Counts keys in bins, by atomic additions.
//!
//! `bins` and `skew` change what is computed, not only how, so a study uses one value of each:
//! `--param bins=4096 --param skew=2`, or one study for every value.

use std::cell::OnceCell;

use autobench_sdk::{author::Generator, prelude::*};

/// Bits of a bin's number at the largest number of bins.
const FINEST: u32 = 12;

/// Number of kinds of keys, by their two lowest bits. Keys of `skew` of the kinds go to bin 0.
const KINDS: usize = 4;

/// Number of keys, out of `size`, that fall into each bin.
#[derive(Debug, Default)]
pub struct Histogram {
    finest: OnceCell<Vec<u64>>,
}

impl BenchmarkConfig for Histogram {
    fn describe(&self) -> Document {
        Document::new("histogram", "counts of random keys in bins, by atomic additions")
            .source("histogram.cu", include_str!("../../kernels/histogram.cu"))
            .launch(Launch::new("histogram", ["size"]).divided_by([
                "block_size_x",
                "items_per_thread",
                "vector_width",
            ]))
            .argument(Argument::buffer("counts", Role::Inout, "u32", ["bins"]))
            .argument(
                Argument::buffer("keys", Role::In, "u32", ["size"])
                    .filled(Fill::Integer { low: 0, high: (1 << 32) - 1 }),
            )
            .argument(Argument::scalar("n", "i64", "size"))
            .parameter(
                Parameter::new("bins", [64, 256, 1024, 4096])
                    .default(256)
                    .about("bins: what is computed, so a study has one value"),
            )
            .parameter(
                Parameter::new("skew", [0, 1, 2, 3, 4]).about(
                    "quarters of the keys that fall into bin 0: what is computed, as for bins",
                ),
            )
            .parameter(
                Parameter::new("private_bins", [0, 1, 2, 4, 8])
                    .default(1)
                    .about("copies of the bins that a block counts in; 0: where all blocks do"),
            )
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512, 1024])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("items_per_thread", [1, 4, 16, 64])
                    .default(16)
                    .about("accesses per thread, a block's width apart"),
            )
            .parameter(
                Parameter::new("vector_width", [1, 2, 4])
                    .about("neighbouring keys read by one access"),
            )
            // Fits the shared memory of every device.
            .restriction("private_bins * bins * 4 <= 49152")
            .size(SizeRule::starting(1 << 12, "keys").largest(1 << 31))
            .bytes("4 * size")
            .metric("updates", "G/s", "size / seconds / 1e9")
            .secondary("updates")
            // Counts are whole numbers.
            .error("max", 0.5)
            .wrong_above(0.5)
            .reference(Reference::Plugin)
            .answer_depends_on(["bins", "skew"])
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let of =
            |name: &str| problem.answer.integer(name).and_then(|value| usize::try_from(value).ok());
        let Some((bins, skew)) = of("bins").zip(of("skew")) else {
            return Err("the counts depend on `bins` and `skew`, which are not told".into());
        };
        let finest = self.finest.get_or_init(|| finest(problem.generator("keys"), problem.size));
        let mut counts = vec![0; bins];
        for (at, &count) in finest.iter().enumerate() {
            let (bin, kind) = ((at / KINDS) >> (FINEST - bins.ilog2()), at % KINDS);
            counts[if kind < skew { 0 } else { bin }] += count;
        }
        for (element, at) in out.iter_mut().zip(indices) {
            *element = counts.get(*at as usize).copied().unwrap_or_default() as f64;
        }
        Ok(())
    }
}

/// Counts of the keys of every kind, at the largest number of bins.
fn finest(keys: Generator<'_>, size: u64) -> Vec<u64> {
    let mut counts = vec![0; KINDS << FINEST];
    for i in 0..size {
        let key = keys.at(i) as u32;
        let (bin, kind) = ((key >> (32 - FINEST)) as usize, key as usize % KINDS);
        counts[bin * KINDS + kind] += 1;
    }
    counts
}

export_benchmark!(Histogram, "histogram");

#[cfg(test)]
mod tests {
    use super::*;
    use autobench_sdk::author::Configuration;

    /// The problem with these values, as the host passes it to `reference`.
    fn with(problem: &Problem, bins: u64, skew: u64) -> Problem {
        let values = [("bins", bins), ("skew", skew)];
        let values = values.map(|(name, value)| (name.to_owned(), value.into()));
        problem.answering(Configuration(values.into_iter().collect()))
    }

    #[test]
    fn counts_are_those_of_a_plain_loop_for_all_bins_and_skews() {
        let histogram = Histogram::default();
        let problem = Problem::new(histogram.describe(), 5000, 9);
        for (bins, skew) in
            [64, 256, 1024, 4096].into_iter().flat_map(|b| (0..5).map(move |s| (b, s)))
        {
            let indices: Vec<u64> = (0..bins).collect();
            let mut found = vec![f64::NAN; indices.len()];
            histogram
                .reference(&with(&problem, bins, skew), "counts", &indices, &mut found)
                .unwrap();
            let mut expected = vec![0_u64; indices.len()];
            for i in 0..5000 {
                let key = problem.input("keys", i) as u64;
                let share = key as f64 / f64::from(1_u32 << 16).powi(2);
                let bin = if key % 4 < skew { 0 } else { (share * bins as f64) as usize };
                expected[bin] += 1;
            }
            let found: Vec<u64> = found.iter().map(|count| *count as u64).collect();
            assert_eq!(found, expected, "{bins} bins, skew {skew}");
            assert_eq!(found.iter().sum::<u64>(), 5000);
        }
    }

    #[test]
    fn a_part_of_the_counts_is_that_of_the_whole() {
        let histogram = Histogram::default();
        let problem = Problem::new(histogram.describe(), 100, 9);
        let (mut whole, mut part) = ([0.0; 64], [0.0; 2]);
        let indices: Vec<u64> = (0..64).collect();
        let problem = with(&problem, 64, 1);
        histogram.reference(&problem, "counts", &indices, &mut whole).unwrap();
        histogram.reference(&problem, "counts", &[0, 9], &mut part).unwrap();
        let counts = |counts: &[f64]| counts.iter().map(|count| *count as u64).collect::<Vec<_>>();
        assert_eq!(counts(&part), counts(&[whole[0], whole[9]]));
        let untold = Problem::new(histogram.describe(), 100, 9);
        assert!(histogram.reference(&untold, "counts", &indices, &mut whole).is_err());
    }
}
