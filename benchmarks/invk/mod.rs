//! Inverse kinematics: the angles of an arm with four joints that bring its tool to a target.

use std::f64::consts::FRAC_PI_2;

use autobench_sdk::prelude::*;

/// Lengths of the upper and the lower link, the base's height, and the tool's length; the kernel
/// uses the same values.
const ARM: (f64, f64, f64, f64) = (1.0, 0.75, 0.5, 0.25);

/// The angles of `size` arms: a base that turns about the vertical, and shoulder, elbow and wrist
/// that bend. The elbow is up and the tool points straight down.
///
/// No target stretches or folds the arm, so small changes of a target change the angles little.
#[derive(Debug, Default)]
pub struct InvK;

impl BenchmarkConfig for InvK {
    fn describe(&self) -> Document {
        Document::new("invk", "angles of an arm with four joints from its targets")
            .source("invk.cu", include_str!("../../kernels/invk.cu"))
            .launch(Launch::new("invk", ["size"]).divided_by(["block_size_x", "points_per_thread"]))
            .argument(Argument::buffer("angles", Role::Out, "angles_type", ["4", "size"]))
            .argument(
                Argument::buffer("x", Role::In, "targets_type", ["size"])
                    .filled(Fill::Uniform { low: 0.5, high: 1.2 }),
            )
            .argument(
                Argument::buffer("y", Role::In, "targets_type", ["size"])
                    .filled(Fill::Uniform { low: -0.8, high: 0.8 }),
            )
            .argument(
                Argument::buffer("z", Role::In, "targets_type", ["size"])
                    .filled(Fill::Uniform { low: 0.0, high: 1.0 }),
            )
            .argument(Argument::scalar("n", "i64", "size"))
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512, 1024])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("points_per_thread", [1, 2, 4, 8])
                    .about("targets per thread, a block's width apart"),
            )
            .parameter(Parameter::format("targets_type").about("format of the targets"))
            .parameter(Parameter::format("angles_type").about("format of the angles"))
            .parameter(
                Parameter::format("intermediates_type")
                    .about("what lengths and cosines are computed in"),
            )
            .parameter(
                Parameter::format("functions_type")
                    .about("what roots and inverse functions are computed in"),
            )
            .parameter(Parameter::policy().about("how roots and inverse functions are computed"))
            // No block is larger than the problem.
            .restriction("block_size_x * points_per_thread <= size")
            // Functions and intermediates have the same format, or intermediates have the next
            // wider format.
            .restriction(
                "intermediates_type == functions_type \
                 or functions_type == 'f32' and intermediates_type == 'f64' \
                 or functions_type in ['f16', 'bf16'] and intermediates_type == 'f32'",
            )
            // Leaves out policies that mean the same.
            .restriction(
                "policy == 'accurate' or policy == 'fast' and functions_type != 'f64' \
                 or policy == 'approximate' and functions_type in ['f16', 'bf16']",
            )
            .size(SizeRule::starting(1 << 13, "targets"))
            .bytes("size * (3 * targets_type_bytes + 4 * angles_type_bytes)")
            .metric("targets_per_second", "G/s", "size / seconds / 1e9")
            .secondary("targets_per_second")
            .error("nmae", 1e-4)
            .wrong_above(0.5)
            .level("high", 1e-8)
            .level("medium", 1e-4)
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
        let [x, y, z] = ["x", "y", "z"].map(|name| problem.generator(name));
        for (angle, &at) in out.iter_mut().zip(indices) {
            let (joint, i) = (at / problem.size, at % problem.size);
            *angle = angles(x.at(i), y.at(i), z.at(i))[joint as usize];
        }
        Ok(())
    }
}

/// The angles of base, shoulder, elbow and wrist at a target.
fn angles(x: f64, y: f64, z: f64) -> [f64; 4] {
    let (upper, lower, base, tool) = ARM;
    let (r, s) = (x.hypot(y), z + tool - base);
    let cosine = (r * r + s * s - upper * upper - lower * lower) / (2.0 * upper * lower);
    let elbow = -cosine.acos();
    let shoulder =
        s.atan2(r) + (lower * (1.0 - cosine * cosine).sqrt()).atan2(upper + lower * cosine);
    [y.atan2(x), shoulder, elbow, -FRAC_PI_2 - shoulder - elbow]
}

export_benchmark!(InvK, "invk");

#[cfg(test)]
mod tests {
    use super::*;

    /// Position of the tool's tip for these angles.
    fn tip([turn, shoulder, elbow, wrist]: [f64; 4]) -> [f64; 3] {
        let (upper, lower, base, tool) = ARM;
        let links =
            [(upper, shoulder), (lower, shoulder + elbow), (tool, shoulder + elbow + wrist)];
        let out: f64 = links.iter().map(|(length, angle)| length * angle.cos()).sum();
        let up: f64 = links.iter().map(|(length, angle)| length * angle.sin()).sum();
        [out * turn.cos(), out * turn.sin(), base + up]
    }

    #[test]
    fn the_arm_reaches_its_target_with_the_tool_down_and_the_elbow_up() {
        let problem = Problem::new(InvK.describe(), 1000, 2);
        let indices: Vec<u64> = (0..4000).collect();
        let mut out = vec![0.0; 4000];
        InvK.reference(&problem, "angles", &indices, &mut out).unwrap();
        for i in 0..1000 {
            let found = [0, 1, 2, 3].map(|joint| out[joint * 1000 + i]);
            let target = ["x", "y", "z"].map(|name| problem.input(name, i as u64));
            for (reached, wanted) in tip(found).iter().zip(target) {
                assert!((reached - wanted).abs() < 1e-14, "{i}: {found:?} {target:?}");
            }
            assert!((found[1] + found[2] + found[3] + FRAC_PI_2).abs() < 1e-15);
            assert!(found[2] < 0.0);
        }
    }

    #[test]
    fn no_target_stretches_or_folds_the_arm() {
        // The corners of the targets' box, and the point nearest to the shoulder.
        for (x, y, z) in [(1.2, 0.8, 1.0), (0.5, 0.0, 0.25), (1.2, -0.8, 0.0)] {
            let elbow = angles(x, y, z)[2];
            assert!((-2.7..-0.7).contains(&elbow), "{x} {y} {z}: {elbow}");
        }
    }
}
