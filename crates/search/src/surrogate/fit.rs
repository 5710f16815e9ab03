//! Finds the most probable hyperparameters of a process by a random search that only goes uphill. A
//! gradient would need a derivative for every length; a few dozen tries from the last
//! hyperparameters are as good.
//!
//! A few dozen more tries begin at the prior mean every time. What few points made probable may be
//! a local optimum, in which a search would stay and predict no further improvement.

use math::Rng;

use super::{DistanceMetric, GaussianProcess, Hyperparameters, Points};

/// Prior deviation of ln variance from 0.
const VARIANCE: f64 = 3.0;
/// Step sizes in the first and second half of the tries.
const STEPS: [f64; 2] = [0.7, 0.3];

/// Tries that begin at the prior mean, if the last hyperparameters differ from it.
const AFRESH: usize = 60;

/// What hyperparameters are fitted to: the metric, points, and their values.
type Seen<'a> = (&'a DistanceMetric, &'a Points, &'a [f64]);

/// Log posterior density of the hyperparameters given points and values, up to a constant.
fn log_probability(
    settings: &Hyperparameters,
    expected: &Hyperparameters,
    (metric, points, values): Seen<'_>,
) -> f64 {
    let Some(process) = GaussianProcess::new(metric, settings, points) else {
        return f64::NEG_INFINITY;
    };
    let ln_variance = process.posterior(values).variance.ln();
    let fit = (values.len() as f64 + 1.0) * ln_variance + process.factor().log_determinant();
    -0.5 * (fit + (ln_variance / VARIANCE).powi(2)) + settings.log_prior(expected)
}

/// The most probable hyperparameters that `tries` find under a prior with the mean `expected`. The
/// tries begin at `last` or, if that is more probable, at what [`AFRESH`] tries from the prior mean
/// found.
pub(crate) fn fit(
    seen: Seen<'_>,
    expected: &Hyperparameters,
    last: &Hyperparameters,
    tries: usize,
    rng: &mut Rng,
) -> Hyperparameters {
    let mut best = Fitted::new(seen, expected, last.clone());
    if last != expected {
        let mut afresh = Fitted::new(seen, expected, expected.clone());
        afresh.climb(AFRESH, rng);
        if afresh.probability > best.probability {
            best = afresh;
        }
    }
    best.climb(tries, rng);
    best.settings
}

/// Hyperparameters on their way uphill.
struct Fitted<'a> {
    seen: Seen<'a>,
    expected: &'a Hyperparameters,
    settings: Hyperparameters,
    /// Logarithm of their probability.
    probability: f64,
}

impl<'a> Fitted<'a> {
    fn new(seen: Seen<'a>, expected: &'a Hyperparameters, settings: Hyperparameters) -> Self {
        let probability = log_probability(&settings, expected, seen);
        Self { seen, expected, settings, probability }
    }

    fn climb(&mut self, tries: usize, rng: &mut Rng) {
        for attempt in 0..tries {
            let step = STEPS[usize::from(2 * attempt >= tries)];
            let varied = self.settings.varied(attempt, step, rng);
            let probability = log_probability(&varied, self.expected, self.seen);
            if probability > self.probability {
                (self.settings, self.probability) = (varied, probability);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use space::{Parameter, Space, seeded};

    use super::*;
    use crate::surrogate::LengthOf;

    /// Fitted ln length of halvings for 30 evaluations of a cost of one parameter.
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

    #[test]
    fn settings_that_few_points_suggested_are_left_when_more_speak_against_them() {
        let list: Vec<i64> = (0..40).collect();
        let parameters = ["x", "y"].map(|name| Parameter::new(name, list.clone())).to_vec();
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let metric = DistanceMetric::new(&space);
        let mut rng = seeded(5, 0);
        let ids = space.sample(40, &mut rng);
        let points = metric.points(&space, &ids);
        let cost = |point: &[u32]| (f64::from(point[0]) / 13.0).sin() + f64::from(point[1]) / 40.0;
        let values: Vec<f64> = points.iter().map(cost).collect();
        let seen = (&metric, &points, values.as_slice());
        let prior = Hyperparameters::prior(metric.lengths().map(|(_, of)| of));
        // Only noise, and lengths below every distance: no small step goes uphill.
        let stuck = Hyperparameters { ln_lengths: vec![-3.0; 2], ln_noise: -1.0, ln_odds: 8.0 };
        let fitted = fit(seen, &prior, &stuck, 0, &mut rng);
        let probability = |settings| log_probability(settings, &prior, seen);
        assert!(probability(&fitted) > probability(&prior).max(probability(&stuck)));
    }
}
