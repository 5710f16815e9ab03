//! The matrix Q of non-Cartesian image reconstruction in magnetic resonance imaging, in a mix of
//! number formats.

mod image;
mod turns;

use std::sync::{Mutex, PoisonError};

use autobench_sdk::prelude::*;

use image::{Image, Sample};

/// Number of samples: 16³ from an edge of 32 voxels on, fewer for smaller edges, always a multiple
/// of 128.
const SAMPLES: &str = "min(128 * size, 4096)";

/// Q at `size`³ voxels.
#[derive(Debug, Default)]
pub struct MriQ {
    /// The image at the last indices that the host asked for. The host asks for its two parts
    /// separately.
    last: Mutex<Option<Asked>>,
}

#[derive(Debug)]
struct Asked {
    size: u64,
    seed: u64,
    indices: Vec<u64>,
    image: Image,
}

impl BenchmarkConfig for MriQ {
    fn describe(&self) -> Document {
        let input = |name, format, shape: &[&str], low, high| {
            Argument::buffer(name, Role::In, format, shape.iter().copied())
                .filled(Fill::Uniform { low, high })
        };
        let image = |name| Argument::buffer(name, Role::Out, "image_type", ["size"; 3]);
        let phi = |name| input(name, "magnitude_type", &[SAMPLES], -1.0, 1.0);
        // One octant of k-space, so that the means of both parts, which errors are divided by, are
        // far from 0.
        let sample = |name| input(name, "sample_type", &[SAMPLES], 0.0, 0.5);
        let voxel = |name| input(name, "voxel_type", &["size"; 3], 0.0, 1.0);
        Document::new("mri-q", "matrix Q of magnetic resonance imaging, in a mix of number formats")
            .source("mri_q.cu", include_str!("../../kernels/mri_q.cu"))
            .launch(
                Launch::new("mri_q", ["size * size * size"])
                    .divided_by(["block_size_x", "voxels_per_thread"]),
            )
            .argument(image("image_re"))
            .argument(image("image_im"))
            .argument(phi("phi_re"))
            .argument(phi("phi_im"))
            .argument(sample("sample_x"))
            .argument(sample("sample_y"))
            .argument(sample("sample_z"))
            .argument(voxel("voxel_x"))
            .argument(voxel("voxel_y"))
            .argument(voxel("voxel_z"))
            .argument(Argument::scalar("voxels", "i64", "size * size * size"))
            .argument(Argument::scalar("samples", "i32", SAMPLES))
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("voxels_per_thread", [1, 2, 4])
                    .about("voxels per thread, a block's width apart"),
            )
            .parameter(
                Parameter::new("unroll_samples", [1, 2, 4, 8])
                    .about("samples per round of the innermost loop"),
            )
            .parameter(
                Parameter::format("magnitude_type")
                    .about("format of phi and of its squared magnitude"),
            )
            .parameter(Parameter::format("sample_type").about("format of the samples' positions"))
            .parameter(
                Parameter::format("voxel_type")
                    .about("format of the voxels' positions and of the phase"),
            )
            .parameter(Parameter::format("image_type").about("format of sums and results"))
            .parameter(Parameter::policy().about("how sine and cosine are computed"))
            .restriction(
                "policy == 'accurate' or (policy == 'fast' and voxel_type != 'f64') or \
                 (policy == 'approximate' and voxel_type in ['f16', 'bf16'])",
            )
            .size(SizeRule::starting(8, "voxels along an edge").binary_digits(3).largest(1024))
            // Sine and cosine count as one operation each.
            .flops(format!("15 * size ** 3 * {SAMPLES}"))
            .bytes(format!(
                "size ** 3 * (3 * voxel_type_bytes + 2 * image_type_bytes) + \
                 {SAMPLES} * (2 * magnitude_type_bytes + 3 * sample_type_bytes)"
            ))
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .metric("pairs", "G/s", format!("size ** 3 * {SAMPLES} / seconds / 1e9"))
            .secondary("performance")
            .error("nrmse_by_mean", 1e-4)
            .wrong_above(0.5)
            .level("high", 1e-6)
            .level("medium", 1e-4)
            .level("low", 1e-2)
            .reference(Reference::Plugin)
    }

    fn reference(
        &self,
        problem: &Problem,
        output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = match last.take() {
            Some(asked)
                if (asked.size, asked.seed) == (problem.size, problem.seed)
                    && asked.indices == indices =>
            {
                asked
            }
            _ => Asked {
                size: problem.size,
                seed: problem.seed,
                indices: indices.to_vec(),
                image: image_of(problem, indices),
            },
        };
        let part = if output == "image_re" { &asked.image.re } else { &asked.image.im };
        out.copy_from_slice(part);
        *last = Some(asked);
        Ok(())
    }
}

fn image_of(problem: &Problem, indices: &[u64]) -> Image {
    let input = |name| problem.generator(name);
    let (re, im) = (input("phi_re"), input("phi_im"));
    let (kx, ky, kz) = (input("sample_x"), input("sample_y"), input("sample_z"));
    let (x, y, z) = (input("voxel_x"), input("voxel_y"), input("voxel_z"));
    let samples: Vec<Sample> = (0..(128 * problem.size).min(4096))
        .map(|k| Sample {
            weight: re.at(k).powi(2) + im.at(k).powi(2),
            position: [kx.at(k), ky.at(k), kz.at(k)],
        })
        .collect();
    image::image(&samples, indices, |i| [x.at(i), y.at(i), z.at(i)])
}

export_benchmark!(MriQ, "mri_q");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_follow_indices_sizes_and_seeds() {
        let benchmark = MriQ::default();
        let check = |size, seed, indices: &[u64]| {
            let problem = Problem::new(benchmark.describe(), size, seed);
            let (mut re, mut im) = (vec![0.0; indices.len()], vec![0.0; indices.len()]);
            benchmark.reference(&problem, "image_re", indices, &mut re).unwrap();
            benchmark.reference(&problem, "image_im", indices, &mut im).unwrap();
            for (at, &i) in indices.iter().enumerate() {
                let alone = image_of(&problem, &[i]);
                assert!((re[at] - alone.re[0]).abs() < 1e-12, "{size} {seed} {i}");
                assert!((im[at] - alone.im[0]).abs() < 1e-12, "{size} {seed} {i}");
            }
            re
        };
        let first = check(4, 1, &[63, 0, 5]);
        check(4, 1, &[5]);
        assert!((first[0] - check(4, 2, &[63, 0, 5])[0]).abs() > 1e-3);
        check(5, 2, &[124, 0, 5]);
    }

    #[test]
    fn no_mean_is_near_zero() {
        for size in [4, 8] {
            let problem = Problem::new(MriQ::default().describe(), size, 7);
            let indices: Vec<u64> = (0..size * size * size).collect();
            let image = image_of(&problem, &indices);
            for part in [image.re, image.im] {
                let count = part.len() as f64;
                let mean = part.iter().sum::<f64>() / count;
                let rms = (part.iter().map(|q| q * q).sum::<f64>() / count).sqrt();
                assert!(mean.abs() > 0.2 * rms, "{size}: mean {mean}, root mean square {rms}");
            }
        }
    }
}
