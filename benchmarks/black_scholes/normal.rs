//! The normal distribution, from the complementary error function. The absolute error is below
//! 1e-15.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// The share of the standard normal distribution below `d`.
pub(crate) fn below(d: f64) -> f64 {
    0.5 * complementary_error(-d * FRAC_1_SQRT_2)
}

/// The series is used below this value, the continued fraction above.
const SEAM: f64 = 1.5;

/// erfc(x).
fn complementary_error(x: f64) -> f64 {
    if x < 0.0 {
        2.0 - complementary_error(-x)
    } else if x < SEAM {
        1.0 - error_by_series(x)
    } else {
        by_fraction(x)
    }
}

/// erf(x) = 2/√π exp(-x²) Σ 2ⁿ x²ⁿ⁺¹ / (1·3·…·(2n+1)). All terms are positive.
fn error_by_series(x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term > 1e-18 * sum {
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
        n += 1.0;
    }
    FRAC_2_SQRT_PI * bell(x) * sum
}

/// erfc(x) = exp(-x²) / √π · 1 / (x + (1/2) / (x + (2/2) / (x + (3/2) / …))), computed from its
/// end.
fn by_fraction(x: f64) -> f64 {
    // The number of terms needed falls as 1/x².
    let depth = (20.0 + 220.0 / (x * x)).ceil();
    let (mut tail, mut n) = (x, depth);
    while n > 0.0 {
        tail = x + 0.5 * n / tail;
        n -= 1.0;
    }
    0.5 * FRAC_2_SQRT_PI * bell(x) / tail
}

/// exp(-x²), corrected for the rounding of x².
fn bell(x: f64) -> f64 {
    let square = x * x;
    let rounded_off = x.mul_add(x, -square);
    (-square).exp() * (1.0 - rounded_off)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn published_values_of_the_complementary_error_function() {
        for (x, published) in [
            (-1.0, 1.842_700_792_949_715),
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (2.0, 0.004_677_734_981_047_266),
            (3.0, 2.209_049_699_858_544e-5),
            (4.0, 1.541_725_790_028_002e-8),
            (5.0, 1.537_459_794_428_034_8e-12),
        ] {
            let found = complementary_error(x);
            assert!((found / published - 1.0).abs() < 4e-15, "{x}: {found:e}");
        }
    }

    #[test]
    fn series_and_fraction_agree_around_their_seam() {
        for step in 0..=20 {
            let x = 1.4 + 0.01 * f64::from(step);
            let (series, fraction) = (1.0 - error_by_series(x), by_fraction(x));
            assert!((series - fraction).abs() < 1e-15, "{x}: {series:e} {fraction:e}");
        }
    }

    #[test]
    fn the_slope_is_the_bell() {
        for step in -60..=60 {
            let (d, h) = (f64::from(step) * 0.1, 1e-3);
            // The central difference of fourth order.
            let slope = (8.0 * (below(d + h) - below(d - h)) - below(d + 2.0 * h)
                + below(d - 2.0 * h))
                / (12.0 * h);
            let density = (-d * d / 2.0).exp() / (2.0 * PI).sqrt();
            assert!((slope - density).abs() < 2e-12, "{d}: {slope} {density}");
        }
        assert!((below(1.959_963_984_540_054) - 0.975).abs() < 1e-15);
    }
}
