//! `hockney`: fits the run time `t = t0 + work / r∞`, with a start-up time and a final rate, and
//! answers the smallest size that reaches a share of `r∞`. Work is in units of x, throughput is `y
//! = work / t`, and half of `r∞` is reached at `n½ = t0 · r∞`. Hockney and Jesshope (1981).

use math::{FittedLine, mean, weighted_line};
use registry::{Allowed, Knob};

use super::{
    Curve, Detection, Detector, DetectorSettings, Direction, Shape, View,
    curve::{drops::first_fall, settings::SHARE, smoothing::residual_noise, thinning::thin},
};

inventory::submit!(Detector {
    name: "hockney",
    about: "the size that reaches a share of r_inf in t = t0 + work / r_inf",
    reference: "Hockney, Jesshope: Parallel Computers (1981)",
    knobs: KNOBS,
    view: View::Whole,
    detect,
});

/// Number of refits with weights from the previous fit.
const ROUNDS: usize = 4;

/// The model is rejected if the variance of the residuals exceeds this multiple of the noise's.
const LARGEST_MISFIT: f64 = 8.0;

/// The lower limit that applies if neighbouring residuals are correlated.
const ALIKE_MISFIT: f64 = 1.7;

/// Above this correlation of neighbouring residuals, the lower limit applies.
const LARGEST_CORRELATION: f64 = 0.35;

/// The fit is judged with at least this much noise.
const LEAST_NOISE: f64 = 0.01;

const KNOBS: &[Knob] = &[
    Knob {
        name: "least_r2",
        about: "the smallest coefficient of determination at which the model counts as fitting",
        default: "0.97",
        allowed: Allowed::Number(0.0, 1.0),
    },
    SHARE,
];

fn detect(curve: &Curve, settings: &DetectorSettings) -> Detection {
    let (thinned, at) = thin(curve, settings);
    search(&thinned, settings).mapped(curve, &at)
}

fn search(curve: &Curve, settings: &DetectorSettings) -> Detection {
    if (settings.direction, settings.shape) != (Direction::Increasing, Shape::Concave) {
        return Detection::none("not this model: it is about throughput that rises");
    }
    if curve.x()[0] <= 0.0 || curve.y().iter().any(|y| *y <= 0.0) {
        return Detection::none("not this model: sizes and throughput must be above zero");
    }
    let position: Vec<f64> = curve.x().iter().map(|x| x.log2()).collect();
    let z: Vec<f64> = curve.y().iter().map(|y| y.ln()).collect();
    let noise = residual_noise(&position, &z);
    let n = first_fall(&z, noise).unwrap_or(curve.len());
    if n < 4 {
        return Detection::none(format!("{n} points on the rise; a fit needs at least four"));
    }
    judge(&curve.picked(&(0..n).collect::<Vec<_>>()), &position[..n], noise, settings)
}

fn judge(curve: &Curve, position: &[f64], noise: f64, settings: &DetectorSettings) -> Detection {
    let x = curve.x();
    let time: Vec<f64> = x.iter().zip(curve.y()).map(|(x, y)| x / y).collect();
    let Some(line) = relative_line(x, &time) else {
        return Detection::none("not this model: no line goes through the run times");
    };
    if line.slope <= 0.0 || line.intercept <= 0.0 {
        return Detection::none("not this model: no positive start-up time and rate fit");
    }
    let (r_inf, t0) = (1.0 / line.slope, line.intercept);
    let n_half = t0 * r_inf;
    let apart: Vec<f64> = x.iter().zip(&time).map(|(&x, t)| t / line.at(x) - 1.0).collect();
    let squares = mean(&apart.iter().map(|e| e * e).collect::<Vec<_>>());
    let expected = noise.max(LEAST_NOISE).powi(2);
    let alike = neighbour_correlation(&apart);
    let r2 = rate_r2(curve, r_inf, n_half);
    let figures = |detection: Detection| {
        detection
            .with("r_inf", r_inf)
            .with("t0", t0)
            .with("n_half", n_half)
            .with("r2", r2)
            .with("misfit", (squares / expected).sqrt())
    };
    let share = settings.share();
    let wanted = n_half * share / (1.0 - share);
    let misfit = squares > LARGEST_MISFIT * expected
        || (squares > ALIKE_MISFIT * expected && alike > LARGEST_CORRELATION)
        || r2 < settings.knobs.number("least_r2").min(1.0 - 6.0 * expected);
    if misfit {
        let why = format!(
            "not this model: run times lie {:.1} % from the line where noise is {:.1} %",
            100.0 * squares.sqrt(),
            100.0 * noise
        );
        return figures(Detection::none(why));
    }
    if wanted > x[x.len() - 1] * (x[x.len() - 1] / x[x.len() - 2]).sqrt() {
        let why = format!(
            "{:.0} % of r_inf would be reached at {wanted:.4e}, beyond the last point",
            100.0 * share
        );
        return figures(Detection::none(why));
    }
    let index = nearest(position, wanted.log2());
    let why = format!("the nearest to {:.0} % of r_inf, r2 {r2:.4}", 100.0 * share);
    figures(Detection::at(curve, index, why))
}

/// The line with the smallest relative distance from the times.
fn relative_line(x: &[f64], time: &[f64]) -> Option<FittedLine> {
    let mut weights: Vec<f64> = time.iter().map(|t| 1.0 / (t * t)).collect();
    let mut line = weighted_line(x, time, &weights)?;
    for _ in 0..ROUNDS {
        for ((w, &x), &t) in weights.iter_mut().zip(x).zip(time) {
            *w = 1.0 / line.at(x).max(0.25 * t).powi(2);
        }
        line = weighted_line(x, time, &weights)?;
    }
    Some(line)
}

/// Coefficient of determination (R²) of the rate.
fn rate_r2(curve: &Curve, r_inf: f64, n_half: f64) -> f64 {
    let middle = mean(curve.y());
    let (mut left, mut all) = (0.0, 0.0);
    for (x, y) in curve.x().iter().zip(curve.y()) {
        left += (y - r_inf * x / (x + n_half)).powi(2);
        all += (y - middle).powi(2);
    }
    if all > 0.0 { 1.0 - left / all } else { 0.0 }
}

/// Correlation of neighbouring residuals: one minus half of von Neumann's ratio (1941).
fn neighbour_correlation(apart: &[f64]) -> f64 {
    let squares: f64 = apart.iter().map(|e| e * e).sum();
    let steps: f64 = apart.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum();
    if squares > 0.0 { 1.0 - steps / (2.0 * squares) } else { 0.0 }
}

fn nearest(position: &[f64], wanted: f64) -> usize {
    let mut best = 0;
    for (i, p) in position.iter().enumerate() {
        if (p - wanted).abs() < (position[best] - wanted).abs() {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> Vec<f64> {
        (0..20).map(|i| 2f64.powi(8 + i)).collect()
    }

    #[test]
    fn its_own_curve_gives_its_parameters_back() {
        // t0 = 1 ms and r_inf = 1e9 per second: half of the rate is reached at a million.
        let x = sizes();
        let y: Vec<f64> = x.iter().map(|x| x / (1e-3 + x / 1e9)).collect();
        let found = detect(&Curve::new(&x, &y).expect("a curve"), &DetectorSettings::default());
        let fact = |name: &str| found.facts.iter().find(|f| f.0 == name).expect("a fact").1;
        assert!((fact("n_half") / 1e6 - 1.0).abs() < 1e-6);
        assert!((fact("r_inf") / 1e9 - 1.0).abs() < 1e-6);
        // 90 % is reached at nine million; the nearest power of two on a log axis is 2^23.
        assert!((found.knee.expect("a knee").x - 2f64.powi(23)).abs() < 1.0);
    }

    #[test]
    fn another_shape_is_not_this_model() {
        let x = sizes();
        let y: Vec<f64> = x.iter().map(|x| 1.0 - (-x / 2f64.powi(18)).exp()).collect();
        let found = detect(&Curve::new(&x, &y).expect("a curve"), &DetectorSettings::default());
        assert!(found.knee.is_none() && found.why.contains("not this model"), "{found:?}");
    }
}
