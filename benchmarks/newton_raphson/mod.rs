//! Roots of polynomials of degree 4 by ten Newton-Raphson iterations. The first five and the last
//! five compute in formats of their own.

use autobench_sdk::prelude::*;

/// The positive root of each of `size` polynomials `c₄ x⁴ + c₃ x³ + c₂ x² + c₁ x + c₀`.
///
/// `c₀` is negative and all other coefficients are positive. So for positive x a polynomial rises
/// and is convex, and has one root, near 1. The iteration finds it from any positive estimate.
#[derive(Debug, Default)]
pub struct NewtonRaphson;

impl BenchmarkConfig for NewtonRaphson {
    fn describe(&self) -> Document {
        Document::new("newton-raphson", "roots of polynomials of degree 4 by ten iterations")
            .source("newton_raphson.cu", include_str!("../../kernels/newton_raphson.cu"))
            .launch(
                Launch::new("newton_raphson", ["size"])
                    .divided_by(["block_size_x", "polynomials_per_thread"]),
            )
            .argument(Argument::buffer("roots", Role::Out, "roots_type", ["size"]))
            .argument(
                Argument::buffer("coefficients", Role::In, "coefficients_type", ["4", "size"])
                    .filled(Fill::Uniform { low: 0.5, high: 1.5 }),
            )
            .argument(
                Argument::buffer("constants", Role::In, "coefficients_type", ["size"])
                    .filled(Fill::Uniform { low: -6.0, high: -2.0 }),
            )
            .argument(
                Argument::buffer("estimates", Role::In, "estimates_type", ["size"])
                    .filled(Fill::Uniform { low: 0.8, high: 1.6 }),
            )
            .argument(Argument::scalar("n", "i64", "size"))
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("polynomials_per_thread", [1, 2, 4])
                    .about("polynomials per thread, a block's width apart"),
            )
            .parameter(Parameter::format("coefficients_type").about("format of the coefficients"))
            .parameter(Parameter::format("estimates_type").about("format of the first estimates"))
            .parameter(Parameter::format("roots_type").about("format of the roots"))
            .parameter(
                Parameter::format("first_five_type").about("what iterations 1 to 5 compute in"),
            )
            .parameter(
                Parameter::format("last_five_type").about("what iterations 6 to 10 compute in"),
            )
            .parameter(Parameter::policy().about("how quotients are computed"))
            // No block is larger than the problem.
            .restriction("block_size_x * polynomials_per_thread <= size")
            // The last five iterations use a format that is as wide as the first or wider.
            .restriction(
                "first_five_type == last_five_type or last_five_type == 'f64' \
                 or last_five_type == 'f32' and first_five_type != 'f64'",
            )
            // Estimates and roots are stored in formats no wider than those of their iterations.
            .restriction(
                "estimates_type == first_five_type or first_five_type == 'f64' \
                 or first_five_type == 'f32' and estimates_type != 'f64'",
            )
            .restriction(
                "roots_type == last_five_type or last_five_type == 'f64' \
                 or last_five_type == 'f32' and roots_type != 'f64'",
            )
            // Leaves out policies that mean the same.
            .restriction(
                "policy == 'accurate' \
                 or policy == 'fast' and (first_five_type != 'f64' or last_five_type != 'f64') \
                 or policy == 'approximate' and first_five_type in ['f16', 'bf16']",
            )
            .size(SizeRule::starting(1 << 12, "polynomials"))
            .flops("160 * size")
            .bytes("size * (5 * coefficients_type_bytes + estimates_type_bytes + roots_type_bytes)")
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .secondary("performance")
            .error("nrmse_by_mean", 1e-5)
            .wrong_above(0.5)
            .level("high", 1e-8)
            .level("medium", 1e-5)
            .level("low", 1e-2)
            .reference(Reference::Plugin)
    }

    fn reference(
        &self,
        problem: &Problem,
        _output: &str,
        indices: &[u64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let (n, rising, constants, estimates) = (
            problem.size,
            problem.generator("coefficients"),
            problem.generator("constants"),
            problem.generator("estimates"),
        );
        for (found, &i) in out.iter_mut().zip(indices) {
            let at = |power: u64| rising.at((power - 1) * n + i);
            *found = root([constants.at(i), at(1), at(2), at(3), at(4)], estimates.at(i));
        }
        Ok(())
    }
}

/// The root of `c[4] x⁴ + … + c[0]` that Newton's iteration finds from `x`, up to rounding.
fn root(c: [f64; 5], mut x: f64) -> f64 {
    for _ in 0..64 {
        let value = (((c[4] * x + c[3]) * x + c[2]) * x + c[1]) * x + c[0];
        let slope = ((4.0 * c[4] * x + 3.0 * c[3]) * x + 2.0 * c[2]) * x + c[1];
        let step = value / slope;
        x -= step;
        if step.abs() <= f64::EPSILON * x.abs() {
            break;
        }
    }
    x
}

export_benchmark!(NewtonRaphson, "newton_raphson");

#[cfg(test)]
mod tests {
    use super::*;

    /// `(x - r) (x³ + 2 x² + 3 x + 4)`, whose only positive root is r, multiplied out.
    fn with_root(r: f64) -> [f64; 5] {
        [-4.0 * r, 4.0 - 3.0 * r, 3.0 - 2.0 * r, 2.0 - r, 1.0]
    }

    #[test]
    fn a_polynomial_that_was_made_from_its_root_gives_it_back() {
        for r in [0.625, 1.0, 1.25, 1.5] {
            let found = root(with_root(r), 1.3);
            assert!((found - r).abs() < 4e-16, "{r}: {found}");
        }
    }

    #[test]
    fn at_every_reference_the_polynomial_changes_its_sign() {
        let problem = Problem::new(NewtonRaphson.describe(), 1000, 3);
        let indices: Vec<u64> = (0..1000).collect();
        let mut out = vec![0.0; 1000];
        NewtonRaphson.reference(&problem, "roots", &indices, &mut out).unwrap();
        for (i, &found) in (0..).zip(&out) {
            let value = |x: f64| {
                let powers = (1..=4).map(|k| {
                    problem.input("coefficients", (u64::from(k as u32) - 1) * 1000 + i) * x.powi(k)
                });
                problem.input("constants", i) + powers.sum::<f64>()
            };
            assert!(value(found - 1e-14) < 0.0 && value(found + 1e-14) > 0.0, "{i}: {found}");
            assert!((0.6..1.6).contains(&found), "{i}: {found}");
        }
    }
}
