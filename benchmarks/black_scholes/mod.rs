//! Prices of European options by Black and Scholes, in a mix of number formats.

mod normal;

use autobench_sdk::prelude::*;

/// Yearly risk-free interest rate; the kernel uses the same value.
const RATE: f64 = 0.02;

/// Yearly volatility of the shares; the kernel uses the same value.
const VOLATILITY: f64 = 0.30;

/// A call and a put for each of `size` options.
#[derive(Debug, Default)]
pub struct BlackScholes;

impl BenchmarkConfig for BlackScholes {
    fn describe(&self) -> Document {
        let input = |name, format, low, high| {
            Argument::buffer(name, Role::In, format, ["size"]).filled(Fill::Uniform { low, high })
        };
        Document::new(
            "black-scholes",
            "prices of European options after Black and Scholes, in a mix of number formats",
        )
        .source("black_scholes.cu", include_str!("../../kernels/black_scholes.cu"))
        .launch(
            Launch::new("black_scholes", ["size"])
                .divided_by(["block_size_x", "options_per_thread"]),
        )
        .argument(Argument::buffer("calls", Role::Out, "output_type", ["size"]))
        .argument(Argument::buffer("puts", Role::Out, "output_type", ["size"]))
        .argument(input("prices", "price_type", 5.0, 30.0))
        .argument(input("strikes", "price_type", 1.0, 100.0))
        .argument(input("times", "time_type", 0.25, 10.0))
        .argument(Argument::scalar("n", "i64", "size"))
        .parameter(
            Parameter::new("block_size_x", [64, 128, 256, 512])
                .default(256)
                .about("threads per block"),
        )
        .parameter(
            Parameter::new("options_per_thread", [1, 2, 4])
                .about("options per thread, a block's width apart"),
        )
        .parameter(Parameter::format("price_type").about("format of prices and strikes"))
        .parameter(Parameter::format("time_type").about("format of times"))
        .parameter(Parameter::format("output_type").about("format of calls and puts"))
        .parameter(Parameter::format("compute_type").about("format of everything between"))
        .parameter(
            Parameter::policy().about(
                "how logarithm, exponential, root, quotient and error function are computed",
            ),
        )
        .restriction(
            "policy == 'accurate' or (policy == 'fast' and compute_type != 'f64') or \
             (policy == 'approximate' and compute_type in ['f16', 'bf16'])",
        )
        .size(SizeRule::starting(1 << 12, "options"))
        // Each function counts as one operation.
        .flops("26 * size")
        .bytes("size * (2 * price_type_bytes + time_type_bytes + 2 * output_type_bytes)")
        .metric("options", "G/s", "size / seconds / 1e9")
        .metric("bandwidth", "GB/s", "bytes / seconds / 1e9")
        .secondary("options")
        .error("nrmse_by_mean", 1e-4)
        .wrong_above(0.5)
        .level("high", 1e-8)
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
        let is_call = output == "calls";
        let prices = problem.generator("prices");
        let strikes = problem.generator("strikes");
        let times = problem.generator("times");
        for (value, &i) in out.iter_mut().zip(indices) {
            let (call, put) = price(prices.at(i), strikes.at(i), times.at(i), RATE, VOLATILITY);
            *value = if is_call { call } else { put };
        }
        Ok(())
    }
}

/// The prices of the call and of the put.
fn price(share: f64, strike: f64, time: f64, rate: f64, volatility: f64) -> (f64, f64) {
    let spread = volatility * time.sqrt();
    let drift = (rate + 0.5 * volatility * volatility) * time;
    let d1 = ((share / strike).ln() + drift) / spread;
    let d2 = d1 - spread;
    let discounted = strike * (-rate * time).exp();
    let call = share * normal::below(d1) - discounted * normal::below(d2);
    let put = discounted * normal::below(-d2) - share * normal::below(-d1);
    (call, put)
}

export_benchmark!(BlackScholes, "black_scholes");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_textbook_has_these_prices() {
        // Hull, "Options, Futures, and Other Derivatives", the chapter on Black, Scholes and
        // Merton: share 42, strike 40, half a year, interest 10 %, volatility 20 %.
        let (call, put) = price(42.0, 40.0, 0.5, 0.1, 0.2);
        assert!((call - 4.76).abs() < 0.005 && (put - 0.81).abs() < 0.005, "{call} {put}");
        // Haug, "The Complete Guide to Option Pricing Formulas": share 60, strike 65, a quarter of
        // a year, interest 8 %, volatility 30 %.
        let (call, _) = price(60.0, 65.0, 0.25, 0.08, 0.3);
        assert!((call - 2.1334).abs() < 5e-5, "{call}");
    }

    #[test]
    fn calls_and_puts_keep_parity_for_every_input() {
        let problem = Problem::new(BlackScholes.describe(), 5000, 9);
        let indices: Vec<u64> = (0..5000).collect();
        let (mut calls, mut puts) = (vec![0.0; 5000], vec![0.0; 5000]);
        BlackScholes.reference(&problem, "calls", &indices, &mut calls).unwrap();
        BlackScholes.reference(&problem, "puts", &indices, &mut puts).unwrap();
        for (i, (call, put)) in (0..).zip(calls.iter().zip(&puts)) {
            let (share, strike) = (problem.input("prices", i), problem.input("strikes", i));
            let bond = strike * (-RATE * problem.input("times", i)).exp();
            assert!((call - put - (share - bond)).abs() < 1e-13, "{i}: {call} {put}");
            assert!(*call >= (share - bond).max(0.0) - 1e-13 && *call <= share, "{i}: {call}");
        }
    }

    #[test]
    fn far_from_the_strike_nothing_is_left_to_chance() {
        let (call, put) = price(100.0, 1.0, 0.25, RATE, VOLATILITY);
        assert!((call - (100.0 - (-0.005_f64).exp())).abs() < 1e-12, "{call}");
        assert!((0.0..1e-15).contains(&put), "{put}");
    }
}
