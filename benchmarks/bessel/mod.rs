//! The modified Bessel function I0 by its series. The length of the series is a parameter.

use autobench_sdk::prelude::*;

/// `I0(x)` for `size` numbers x.
#[derive(Debug, Default)]
pub struct Bessel;

impl BenchmarkConfig for Bessel {
    fn describe(&self) -> Document {
        // A format wider than the format of computation holds no more information.
        let no_wider = |part: &str| {
            format!(
                "compute_type == 'f64' or {part} == compute_type or \
                 (compute_type == 'f32' and {part} != 'f64')"
            )
        };
        Document::new("bessel", "Bessel function I0(x) by its series, in a mix of number formats")
            .source("bessel.cu", include_str!("../../kernels/bessel.cu"))
            .launch(
                Launch::new("bessel", ["size"]).divided_by(["block_size_x", "items_per_thread"]),
            )
            .argument(Argument::buffer("values", Role::Out, "output_type", ["size"]))
            .argument(
                Argument::buffer("points", Role::In, "input_type", ["size"])
                    .filled(Fill::Uniform { low: 0.0, high: 4.0 }),
            )
            .argument(Argument::scalar("n", "i64", "size"))
            .parameter(
                Parameter::new("block_size_x", [64, 128, 256, 512])
                    .default(256)
                    .about("threads per block"),
            )
            .parameter(
                Parameter::new("items_per_thread", [1, 2, 4, 8])
                    .about("elements per thread, a block's width apart"),
            )
            .parameter(
                Parameter::new("kmax", [6, 8, 10, 14, 20])
                    .default(20)
                    .about("terms of the series after the first"),
            )
            .parameter(Parameter::format("input_type").about("format of x"))
            .parameter(Parameter::format("output_type").about("format of I0(x)"))
            .parameter(Parameter::format("term_type").about("format of the running term"))
            .parameter(
                Parameter::format("compute_type").about("format of the square of x and of the sum"),
            )
            .parameter(Parameter::policy().about("how terms are divided"))
            .restriction(
                "policy == 'accurate' or (policy == 'fast' and term_type != 'f64') or \
                 (policy == 'approximate' and term_type in ['f16', 'bf16'])",
            )
            .restriction(no_wider("input_type"))
            .restriction(no_wider("output_type"))
            .restriction(no_wider("term_type"))
            .size(SizeRule::starting(1 << 12, "numbers"))
            .flops("(3 * kmax + 1) * size")
            .bytes("(input_type_bytes + output_type_bytes) * size")
            .metric("values", "G/s", "size / seconds / 1e9")
            .metric("performance", "GFLOP/s", "flops / seconds / 1e9")
            .secondary("values")
            .error("mre_plain", 10_f64.powf(-3.5))
            .wrong_above(0.5)
            .level("high", 1e-7)
            .level("medium", 10_f64.powf(-3.5))
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
        let points = problem.generator("points");
        for (value, &i) in out.iter_mut().zip(indices) {
            *value = i0(points.at(i));
        }
        Ok(())
    }
}

/// I0(x): the series until its terms no longer matter. All terms are positive, so nothing cancels.
fn i0(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-18 * sum {
        term *= quarter / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

export_benchmark!(Bessel, "bessel");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_has_the_tabulated_values() {
        // Abramowitz and Stegun, table 9.8 (times exp(-x) there), with the digits of later tables.
        for (x, tabulated) in [
            (0.0, 1.0),
            (0.5, 1.063_483_370_741_323_5),
            (1.0, 1.266_065_877_752_008_4),
            (2.0, 2.279_585_302_336_067),
            (3.0, 4.880_792_585_865_024),
            (4.0, 11.301_921_952_136_33),
        ] {
            assert!((i0(x) / tabulated - 1.0).abs() < 5e-15, "{x}: {}", i0(x));
        }
    }

    #[test]
    fn the_series_is_the_mean_of_an_exponential_over_the_circle() {
        // (1/pi) times the integral of exp(x cos t) from 0 to pi. The trapezium rule converges
        // faster than any power for a periodic function.
        for step in 0..=40 {
            let x = f64::from(step) / 10.0;
            let points = 40_u32;
            let inner: f64 = (1..points)
                .map(|j| {
                    (x * (std::f64::consts::PI * f64::from(j) / f64::from(points)).cos()).exp()
                })
                .sum();
            let integral = (inner + f64::midpoint(x.exp(), (-x).exp())) / f64::from(points);
            assert!((i0(x) / integral - 1.0).abs() < 5e-15, "{x}: {} {integral}", i0(x));
        }
    }

    #[test]
    fn elements_follow_their_indices() {
        let problem = Problem::new(Bessel.describe(), 100, 1);
        let mut out = [0.0; 3];
        Bessel.reference(&problem, "values", &[99, 0, 99], &mut out).unwrap();
        assert!((out[0] - out[2]).abs() < f64::EPSILON);
        assert!((out[1] / i0(problem.input("points", 0)) - 1.0).abs() < 1e-15);
        assert!(out.iter().all(|value| (1.0..11.4).contains(value)));
    }
}
