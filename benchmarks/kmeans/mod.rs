//! The distances from many points to the centres of clusters: the expensive step of the k-means
//! method.

use autobench_sdk::prelude::*;

/// Coordinates of a point; the kernel uses the same value.
const DIMENSIONS: u64 = 15;

/// Squared distances from `size` points to all of 40 centres, `distances[k][i]`.
#[derive(Debug, Default)]
pub struct KMeans;

impl BenchmarkConfig for KMeans {
    fn describe(&self) -> Document {
        let input = Fill::Uniform { low: 0.1, high: 10.0 };
        Document::new("kmeans", "squared distances from points in 15 dimensions to 40 centres")
            .source("kmeans.cu", include_str!("../../kernels/kmeans.cu"))
            .launch(
                Launch::new("kmeans", ["size"]).divided_by(["block_size_x", "points_per_thread"]),
            )
            .argument(Argument::buffer("distances", Role::Out, "distances_type", ["40", "size"]))
            .argument(
                Argument::buffer("points", Role::In, "points_type", ["15", "size"])
                    .filled(input.clone()),
            )
            .argument(
                Argument::buffer("centres", Role::In, "centres_type", ["40", "15"]).filled(input),
            )
            .argument(Argument::scalar("n", "i64", "size"))
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("points_per_thread", [1, 2, 4, 8])
                    .about("points per thread, a block's width apart"),
            )
            .parameter(
                Parameter::new("centres_per_step", [1, 2, 4, 8])
                    .about("centres whose distances grow at the same time"),
            )
            .parameter(Parameter::format("points_type").about("format of the points"))
            .parameter(Parameter::format("centres_type").about("format of the centres"))
            .parameter(
                Parameter::format("distances_type")
                    .about("format of the distances, in which they are computed"),
            )
            // No block is larger than the problem.
            .restriction("block_size_x * points_per_thread <= size")
            // Limits the sums that a thread keeps in registers.
            .restriction("points_per_thread * centres_per_step <= 16")
            .size(SizeRule::starting(1 << 12, "points"))
            .flops("size * 40 * 15 * 3")
            .bytes(
                "size * (15 * points_type_bytes + 40 * distances_type_bytes) \
                 + 600 * centres_type_bytes",
            )
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .secondary("performance")
            .error("mre_plain", 1e-5)
            .wrong_above(0.5)
            .level("high", 1e-8)
            .level("medium", 1e-5)
            .level("low", 1e-3)
            .reference(Reference::Plugin)
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let (points, centres) = (problem.generator("points"), problem.generator("centres"));
        for (distance, &at) in out.iter_mut().zip(indices) {
            let (k, i) = (at / problem.size, at % problem.size);
            *distance = (0..DIMENSIONS)
                .map(|d| points.at(d * problem.size + i) - centres.at(k * DIMENSIONS + d))
                .map(|apart| apart * apart)
                .sum();
        }
        Ok(())
    }
}

export_benchmark!(KMeans, "kmeans");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_apart_are_squares_of_lengths_less_twice_the_product() {
        let problem = Problem::new(KMeans.describe(), 50, 7);
        let indices: Vec<u64> = (0..40 * 50).collect();
        let mut out = vec![0.0; indices.len()];
        KMeans.reference(&problem, "distances", &indices, &mut out).unwrap();
        for (&at, &found) in indices.iter().zip(&out) {
            let (k, i) = (at / 50, at % 50);
            let point: Vec<f64> = (0..15).map(|d| problem.input("points", d * 50 + i)).collect();
            let centre: Vec<f64> = (0..15).map(|d| problem.input("centres", k * 15 + d)).collect();
            let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
            let expected = product(&point, &point) + product(&centre, &centre)
                - 2.0 * product(&point, &centre);
            assert!((found - expected).abs() < 1e-11, "{at}: {found} {expected}");
        }
    }

    #[test]
    fn a_point_is_as_far_from_a_centre_as_the_document_says() {
        let mut document = KMeans.describe();
        document.arguments[1].fill = Fill::Constant(5.0);
        document.arguments[2].fill = Fill::Ramp { start: 0.0, step: 1.0 };
        let problem = Problem::new(document, 3, 0);
        let mut out = [0.0; 2];
        // Centre 0 is 0, 1, … 14: squares of -5 to 9. Centre 1 is 15, … 29: squares of 10 to 24.
        KMeans.reference(&problem, "distances", &[2, 3], &mut out).unwrap();
        assert_eq!(out.map(|distance| distance as i64), [55 + 285, 4900 - 285]);
    }
}
