//! Models of a target that trust different sources, averaged by how well they explain the target.
//!
//! Every model is the target's process with a prior mean: nothing, all sources alike, one source,
//! or the opposite of all. With the opposite, what is slow there is fast here, as in a recording of
//! rates instead of times. The weights of sources are shrunk towards those that the model assumes,
//! and remain uncertain. What that adds to the variance has a closed form, and so has the evidence
//! (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, section 2.7; Hoeting and
//! others, Bayesian Model Averaging, 1999).

use math::{Cholesky, nonnegative_least_squares};

use super::{Candidates, GaussianProcess, Soundness, log_improvement};

/// Prior deviation of a source's weight from the weight that a model assumes.
const SPREAD: f64 = 0.3;
/// Prior of the variance, as a number of residuals and their square.
const RESIDUALS: (f64, f64) = (2.0, 1.0);

/// Prior probabilities that no source predicts anything, and that all predict the opposite.
fn prior(soundness: Soundness) -> (f64, f64) {
    match soundness {
        Soundness::Sound => (0.4, 0.1),
        Soundness::Foreign | Soundness::Unrelated => (0.8, 0.05),
        Soundness::Inverted => (0.5, 0.3),
    }
}

/// Rounds in which weights and variance are updated alternately.
const ROUNDS: usize = 3;

/// Models that share one Cholesky factor.
pub(crate) struct Mixture {
    /// L⁻¹ times the values, the ones, and the predictions of each source.
    values: Vec<f64>,
    ones: Vec<f64>,
    said: Vec<Vec<f64>>,
    models: Vec<Model>,
}

struct Model {
    sources: Vec<usize>,
    /// Weights of the sources, all of one sign.
    weights: Vec<f64>,
    mean: f64,
    variance: f64,
    /// (ΦᵀΦ + λ)⁻¹ of the weights.
    uncertain: Vec<Vec<f64>>,
    probability: f64,
}

impl Mixture {
    /// Models of `values` at the points of the process, for which the sources predict `said`.
    /// `soundness` decides the prior probabilities.
    pub(crate) fn new(
        process: &GaussianProcess,
        values: &[f64],
        said: &[Vec<f64>],
        soundness: Soundness,
    ) -> Self {
        let (cold, opposite) = prior(soundness);
        let factor = process.factor();
        let values = factor.solve_lower(values);
        let said: Vec<Vec<f64>> = said.iter().map(|said| factor.solve_lower(said)).collect();
        let mut mixture = Self { values, ones: process.ones().to_vec(), said, models: Vec::new() };
        let sources = mixture.said.len();
        let mut beliefs: Vec<(Vec<usize>, f64, f64)> = vec![(Vec::new(), 0.0, cold)];
        let (all, share) = ((0..sources).collect::<Vec<usize>>(), 1.0 / sources as f64);
        let good = 1.0 - cold - opposite;
        let alone = match sources {
            1 => good,
            _ => good / 2.0 * share,
        };
        if sources > 1 {
            beliefs.push((all.clone(), share, good / 2.0));
        }
        beliefs.extend((0..sources).map(|source| (vec![source], 1.0, alone)));
        beliefs.push((all, -share, opposite));
        let (mut evidence, models): (Vec<f64>, Vec<Model>) = beliefs
            .into_iter()
            .map(|(sources, weight, prior)| {
                let (model, evidence) = mixture.model(sources, weight);
                (evidence + prior.ln(), model)
            })
            .unzip();
        mixture.models = models;
        let most = evidence.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        evidence.iter_mut().for_each(|evidence| *evidence = (*evidence - most).exp());
        let total: f64 = evidence.iter().sum();
        for (model, evidence) in mixture.models.iter_mut().zip(evidence) {
            model.probability = evidence / total;
        }
        mixture
    }

    /// A model that assumes this weight for each of these sources, and its log evidence. All
    /// weights have the sign of `believed`.
    fn model(&self, sources: Vec<usize>, believed: f64) -> (Model, f64) {
        let n = self.values.len() as f64;
        let ones = dot(&self.ones, &self.ones).max(f64::MIN_POSITIVE);
        let centred = |of: &[f64]| {
            let along = dot(of, &self.ones) / ones;
            of.iter().zip(&self.ones).map(|(x, one)| x - along * one).collect::<Vec<f64>>()
        };
        let values = centred(&self.values);
        let said: Vec<Vec<f64>> = sources.iter().map(|at| centred(&self.said[*at])).collect();
        let gram: Vec<Vec<f64>> =
            said.iter().map(|a| said.iter().map(|b| dot(a, b)).collect()).collect();
        let sign = believed.signum();
        let with: Vec<f64> = said.iter().map(|said| sign * dot(said, &values)).collect();
        let mut weights = vec![believed; sources.len()];
        let mut variance = RESIDUALS.1;
        let mut shrinkage = variance / (SPREAD * SPREAD);
        for _ in 0..ROUNDS {
            shrinkage = variance / (SPREAD * SPREAD);
            if !sources.is_empty() {
                let h: Vec<f64> = with.iter().map(|h| h + shrinkage * believed.abs()).collect();
                weights = nonnegative_least_squares(&ridged(&gram, shrinkage), &h);
                weights.iter_mut().for_each(|weight| *weight *= sign);
            }
            let mut left = values.clone();
            for (said, weight) in said.iter().zip(&weights) {
                left.iter_mut().zip(said).for_each(|(left, said)| *left -= weight * said);
            }
            let away: f64 = weights.iter().map(|weight| (weight - believed).powi(2)).sum();
            variance = (dot(&left, &left) + shrinkage * away + RESIDUALS.0 * RESIDUALS.1)
                / (n - 1.0 + RESIDUALS.0);
        }
        let explained: f64 = sources
            .iter()
            .zip(&weights)
            .map(|(at, weight)| weight * dot(&self.said[*at], &self.ones))
            .sum();
        let mean = (dot(&self.values, &self.ones) - explained) / ones;
        let factor = cholesky(&ridged(&gram, shrinkage));
        let determinant = factor.log_determinant() - sources.len() as f64 * shrinkage.ln();
        let evidence = -0.5 * ((n - 1.0 + RESIDUALS.0) * variance.ln() + determinant);
        let uncertain = inverse(&factor);
        (Model { sources, weights, mean, variance, uncertain, probability: 0.0 }, evidence)
    }

    /// Probability that some source predicts something, even if the opposite.
    pub(crate) fn trust(&self) -> f64 {
        1.0 - self.models[0].probability
    }

    /// What the models predict on average for every candidate, where the sources predict `said`.
    pub(crate) fn means(&self, candidates: &Candidates, said: &[Vec<f64>]) -> Vec<f64> {
        let known = Known::of(self, candidates);
        let all = 0..known.values.len();
        let of = |at| {
            let each = self.models.iter();
            each.map(|model| model.probability * known.mean(model, said, at)).sum()
        };
        all.map(of).collect()
    }

    /// ln of the expected improvement of every candidate over its own entry of `best`, where the
    /// sources predict `said`: the mean over the models or, if `cold`, of the model without
    /// sources.
    pub(crate) fn log_gains(
        &self,
        candidates: &Candidates,
        said: &[Vec<f64>],
        best: &[f64],
        cold: bool,
    ) -> Vec<f64> {
        let known = Known::of(self, candidates);
        let squares = dot(&self.ones, &self.ones).max(f64::MIN_POSITIVE);
        let along: Vec<f64> = self.said.iter().map(|s| dot(s, &self.ones) / squares).collect();
        let left = candidates.uncertain();
        let models: Vec<&Model> = match cold {
            true => self.models.iter().take(1).collect(),
            false => self.models.iter().filter(|model| model.probability > 1e-3).collect(),
        };
        let mut gains = Vec::with_capacity(known.values.len());
        let mut apart = Vec::new();
        for (at, left) in left.iter().enumerate() {
            let mut sum = 0.0;
            let mut highest = f64::NEG_INFINITY;
            for model in &models {
                let mean = known.mean(model, said, at);
                apart.clear();
                for source in &model.sources {
                    let own = known.own(*source, said, at);
                    apart.push(own - (1.0 - known.ones[at]) * along[*source]);
                }
                let mut variance = *left;
                for (row, a) in model.uncertain.iter().zip(&apart) {
                    variance += a * dot(row, &apart);
                }
                let deviation = (model.variance * variance).sqrt();
                let gain = deviation.ln()
                    + log_improvement((best[at] - mean) / deviation)
                    + if cold { 0.0 } else { model.probability.ln() };
                // ln of a sum of exponentials, added one after the other.
                if gain > highest {
                    sum = sum * (highest - gain).exp() + 1.0;
                    highest = gain;
                } else {
                    sum += (gain - highest).exp();
                }
            }
            gains.push(highest + sum.ln());
        }
        gains
    }
}

/// What the points contribute to every candidate: to its value, to 1, and to each source's
/// prediction.
struct Known {
    values: Vec<f64>,
    ones: Vec<f64>,
    said: Vec<Vec<f64>>,
}

impl Known {
    fn of(mixture: &Mixture, candidates: &Candidates) -> Self {
        Self {
            values: candidates.products(&mixture.values),
            ones: candidates.products(&mixture.ones),
            said: mixture.said.iter().map(|said| candidates.products(said)).collect(),
        }
    }

    /// A source's prediction for a candidate, beyond what follows from its predictions for the
    /// points.
    fn own(&self, source: usize, said: &[Vec<f64>], at: usize) -> f64 {
        said[source][at] - self.said[source][at]
    }

    /// What a model predicts for a candidate.
    fn mean(&self, model: &Model, said: &[Vec<f64>], at: usize) -> f64 {
        let weighted = model.sources.iter().zip(&model.weights);
        let own: f64 = weighted.map(|(source, w)| w * self.own(*source, said, at)).sum();
        model.mean + self.values[at] - model.mean * self.ones[at] + own
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn ridged(gram: &[Vec<f64>], ridge: f64) -> Vec<Vec<f64>> {
    let mut ridged = gram.to_vec();
    for (at, row) in ridged.iter_mut().enumerate() {
        row[at] += ridge;
    }
    ridged
}

fn cholesky(matrix: &[Vec<f64>]) -> Cholesky {
    let mut factor = Cholesky::default();
    for (at, row) in matrix.iter().enumerate() {
        if !factor.push(&row[..=at]) {
            break;
        }
    }
    factor
}

fn inverse(factor: &Cholesky) -> Vec<Vec<f64>> {
    let n = factor.len();
    (0..n)
        .map(|at| {
            let unit: Vec<f64> = (0..n).map(|other| f64::from(u8::from(other == at))).collect();
            factor.solve_upper(&factor.solve_lower(&unit))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use space::{Parameter, Space};

    use super::*;
    use crate::surrogate::{DistanceMetric, Hyperparameters};

    const SAID: [f64; 8] = [-1.2, 0.3, 1.1, -0.4, 0.9, -0.9, 1.2, -1.0];

    /// Prediction for a point far from eight others, where a source predicts -2 and for these
    /// `SAID`; and how far the source is trusted.
    fn expected(values: [f64; 8]) -> (f64, f64) {
        let parameter = Parameter::new("x", (1..=40_i64).collect::<Vec<_>>());
        let space = Space::build(vec![parameter], &[] as &[&str], &[]).expect("a space");
        let metric = DistanceMetric::new(&space);
        let settings = Hyperparameters::prior(metric.lengths().map(|(_, of)| of));
        let seen: Vec<_> = space.ids().step_by(5).collect();
        let points = metric.points(&space, &seen);
        let process = GaussianProcess::new(&metric, &settings, &points).expect("told apart");
        let mixture = Mixture::new(&process, &values, &[SAID.to_vec()], Soundness::Sound);
        let far = space.ids().nth(38).expect("one of forty");
        let candidates = Candidates::new(&process, &metric, &space, vec![far]);
        (mixture.means(&candidates, &[vec![-2.0]])[0], mixture.trust())
    }

    #[test]
    fn a_source_that_tells_what_is_the_case_or_the_opposite_is_believed_and_another_is_not() {
        let (straight, trusted) = expected(SAID);
        let (opposite, known) = expected(SAID.map(|said| -said));
        assert!(straight < -1.0 && trusted > 0.9, "{straight} {trusted}");
        assert!(opposite > 1.0 && known > 0.9, "{opposite} {known}");
        // Values that are neither like the source nor its opposite.
        let (other, trusted) = expected([0.9, 1.0, -0.8, -1.1, 1.2, -1.0, -0.2, 0.3]);
        assert!(other.abs() < 1.0 && trusted < 0.5, "{other} {trusted}");
    }
}
