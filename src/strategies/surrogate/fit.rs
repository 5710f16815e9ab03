//! Most probable settings of a process, by a random search that only goes uphill. A gradient would
//! cost a derivative of every length; from the last settings on, a few dozen tries are as good.

use super::{DistanceMetric, GaussianProcess, Hyperparameters, Points};
use crate::space::Rng;

/// Prior deviation of ln variance from 0.
const VARIANCE: f64 = 3.0;
/// Steps of a try: large ones first.
const STEPS: [f64; 2] = [0.7, 0.3];

/// Log posterior density of the settings given points and values, up to a constant.
fn log_probability(
    settings: &Hyperparameters,
    expected: &Hyperparameters,
    (metric, points, values): (&DistanceMetric, &Points, &[f64]),
) -> f64 {
    let Some(process) = GaussianProcess::new(metric, settings, points) else {
        return f64::NEG_INFINITY;
    };
    let ln_variance = process.posterior(values).variance.ln();
    let fit = (values.len() as f64 + 1.0) * ln_variance + process.factor().log_determinant();
    -0.5 * (fit + (ln_variance / VARIANCE).powi(2)) + settings.log_prior(expected)
}

/// Better settings than `last` under a prior with the mean `expected`, if `tries` find any.
pub(in crate::strategies) fn fit(
    seen: (&DistanceMetric, &Points, &[f64]),
    expected: &Hyperparameters,
    last: &Hyperparameters,
    tries: usize,
    rng: &mut Rng,
) -> Hyperparameters {
    let mut best = last.clone();
    let mut highest = log_probability(&best, expected, seen);
    for attempt in 0..tries {
        let step = STEPS[usize::from(2 * attempt >= tries)];
        let varied = best.varied(attempt, step, rng);
        let probability = log_probability(&varied, expected, seen);
        if probability > highest {
            (best, highest) = (varied, probability);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        space::{Parameter, Space, seeded},
        strategies::surrogate::LengthOf,
    };

    /// ln length of halvings that is fitted to 30 evaluations of a cost of one parameter.
    fn fitted(cost: impl Fn(i64) -> f64) -> f64 {
        let list: Vec<i64> = (2..=61).collect();
        let space =
            Space::build(vec![Parameter::new("x", list.clone())], &[] as &[&str], &[]).unwrap();
        let metric = DistanceMetric::new(&space).with_halvings(space.parameters());
        let mut rng = seeded(3, 0);
        let ids = space.sample(30, &mut rng);
        let values: Vec<f64> = ids.iter().map(|id| cost(list[id.0 as usize])).collect();
        let prior = Hyperparameters::prior(metric.lengths().map(|(_, of)| of));
        let points = metric.points(&space, &ids);
        let settings = fit((&metric, &points, &values), &prior, &prior, 200, &mut rng);
        let at = metric.lengths().position(|(_, of)| of == LengthOf::Halvings).unwrap();
        settings.ln_lengths[at]
    }

    #[test]
    fn halvings_come_to_matter_where_costs_hang_on_them_and_nowhere_else() {
        let halved = fitted(|x| -f64::from(x.trailing_zeros()) / 2.0);
        let smooth = fitted(|x| (x as f64 / 30.0 - 1.0).powi(2) * 2.0);
        assert!(halved < 1.0 && smooth > 1.5, "{halved} where they matter, {smooth} elsewhere");
    }
}
