//! Several objectives as one cost, with new weights every time, so that a search seeks every
//! trade-off. Knowles, ParEGO: A Hybrid Algorithm with On-Line Landscape Approximation for
//! Expensive Multiobjective Optimization Problems, IEEE Trans. Evol. Comput. 10, 2006.

use math::{Rng, das_dennis, front};
use rand::seq::IndexedRandom;
use search_api::Evaluation;

/// Weight of the sum of the objectives against the worst of them. It matters when the worst cannot
/// improve.
const AUGMENTATION: f64 = 0.05;

#[derive(Debug, Default)]
pub(crate) struct Scalarisation {
    /// Objectives of every evaluation; empty for failures.
    objectives: Vec<Vec<f64>>,
    weights: Vec<Vec<f64>>,
}

impl Scalarisation {
    pub(crate) fn learn(&mut self, evaluation: &Evaluation) {
        let objectives = match evaluation.objectives.iter().all(|o| o.is_finite()) {
            true => evaluation.objectives.to_vec(),
            false => Vec::new(),
        };
        if self.weights.is_empty() && objectives.len() > 1 {
            self.weights = das_dennis(objectives.len(), partitions(objectives.len()));
        }
        self.objectives.push(objectives);
    }

    /// Whether there are several objectives.
    pub(crate) fn is_for_front(&self) -> bool {
        !self.weights.is_empty()
    }

    /// The costs of all evaluations for newly drawn weights: the augmented Chebyshev distance from
    /// the best of each objective, in units of the front's extent. Costs are at least 1, so that
    /// their logarithm distinguishes near from far, and infinite for failures. `None` while there
    /// is one objective.
    pub(crate) fn costs(&self, rng: &mut Rng) -> Option<Vec<f64>> {
        let weights = self.weights.choose(rng)?;
        let valid: Vec<&Vec<f64>> = self.objectives.iter().filter(|o| !o.is_empty()).collect();
        let on_front: Vec<&Vec<f64>> = front(&valid).into_iter().map(|at| valid[at]).collect();
        let scales: Vec<(f64, f64)> = (0..weights.len())
            .map(|at| {
                let (low, near) = extent(on_front.iter().map(|point| point[at]));
                let (_, far) = extent(valid.iter().map(|point| point[at]));
                let range = if near > low { near - low } else { far - low };
                (low, if range > 0.0 { range } else { 1.0 })
            })
            .collect();
        let cost = |objectives: &Vec<f64>| {
            if objectives.is_empty() {
                return f64::INFINITY;
            }
            let shares: Vec<f64> =
                objectives.iter().zip(&scales).map(|(x, (low, range))| (x - low) / range).collect();
            let worst = shares.iter().zip(weights).map(|(x, w)| w * x).fold(0.0, f64::max);
            1.0 + worst + AUGMENTATION * shares.iter().sum::<f64>()
        };
        Some(self.objectives.iter().map(cost).collect())
    }
}

/// Number of parts that weights are multiples of: 11, 15 and 20 directions for 2, 3 and 4
/// objectives.
fn partitions(objectives: usize) -> usize {
    match objectives {
        2 => 10,
        3 => 4,
        4 => 3,
        _ => 2,
    }
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

#[cfg(test)]
mod tests {
    use space::seeded;

    use super::*;

    fn learnt(evaluations: &[Evaluation]) -> Scalarisation {
        let mut scalarisation = Scalarisation::default();
        evaluations.iter().for_each(|evaluation| scalarisation.learn(evaluation));
        scalarisation
    }

    #[test]
    fn one_objective_stays_as_it_is() {
        let one = learnt(&[Evaluation::scored(1.0), Evaluation::failed()]);
        assert_eq!(one.costs(&mut seeded(1, 0)), None);
    }

    #[test]
    fn every_point_of_a_front_is_the_best_for_some_weights_and_nothing_else_ever() {
        let points = [[1.0, 900.0], [3.0, 400.0], [8.0, 200.0], [4.0, 500.0], [9.0, 900.0]];
        let mut evaluations: Vec<Evaluation> =
            points.iter().map(|point| Evaluation::of(point.to_vec())).collect();
        evaluations.push(Evaluation::failed());
        evaluations.push(Evaluation::of(vec![f64::INFINITY, 1.0]));
        let several = learnt(&evaluations);
        let mut rng = seeded(1, 0);
        let mut best = std::collections::BTreeSet::new();
        for _ in 0..100 {
            let costs = several.costs(&mut rng).unwrap();
            assert!(costs[5].is_infinite() && costs[6].is_infinite());
            assert!(costs[..5].iter().all(|cost| *cost >= 1.0));
            best.extend((0..7).min_by(|a, b| costs[*a].total_cmp(&costs[*b])));
        }
        assert_eq!(best.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
    }
}
