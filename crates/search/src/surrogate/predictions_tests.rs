//! Predictions against scikit-learn's, and against double precision.

use math::{mean, standard_deviation};
use rand::RngExt;
use space::{ConfigurationId, Parameter, Space, seeded};

use super::*;
use crate::surrogate::{CorrelationFunction, DistanceMetric, Hyperparameters};

fn space(lengths: &[i64]) -> Space {
    let parameter = |(at, n): (usize, &i64)| Parameter::new(format!("p{at}"), 1..=*n);
    let parameters = lengths.iter().enumerate().map(parameter).collect();
    Space::build(parameters, &[] as &[&str], &[]).unwrap()
}

fn settings(axes: usize, length: f64, noise: f64) -> Hyperparameters {
    Hyperparameters { ln_lengths: vec![length.ln(); axes], ln_noise: noise.ln(), ln_odds: 40.0 }
}

fn points(space: &Space, metric: &DistanceMetric, ids: &[u64]) -> Points {
    metric.points(space, &ids.iter().copied().map(ConfigurationId).collect::<Vec<_>>())
}

#[test]
fn means_and_deviations_equal_those_of_scikit_learn() {
    // scikit-learn 1.9, GaussianProcessRegressor(kernel, alpha, normalize_y=True, optimizer=None)
    // with length 1.5, on the unit grid of lists of 4 and 3 values (steps of 1/4): `predict` with
    // `return_std` for the seven other points.
    let cases = [
        (
            CorrelationFunction::Matern32,
            1e-10,
            [
                3.730_944_3,
                3.013_100_2,
                2.539_435_4,
                3.282_813_1,
                0.309_457_7,
                2.807_502_6,
                0.113_857_3,
            ],
            [
                0.106_538_5,
                0.142_676_2,
                0.100_376_0,
                0.184_048_5,
                0.132_022_1,
                0.217_260_3,
                0.198_846_1,
            ],
        ),
        (
            CorrelationFunction::Matern52,
            1e-10,
            [
                3.998_677_8,
                3.517_063_7,
                2.908_005_2,
                4.244_820_1,
                -0.716_345_9,
                4.121_261_0,
                -1.737_336_2,
            ],
            [
                0.050_032_0,
                0.070_399_7,
                0.039_409_4,
                0.103_175_3,
                0.059_150_3,
                0.133_465_5,
                0.106_197_6,
            ],
        ),
        (
            CorrelationFunction::SquaredExponential,
            1e-6,
            [
                4.191_796_9,
                4.186_669_4,
                3.294_379_1,
                5.390_051_4,
                -1.773_694_9,
                6.403_547_8,
                -4.221_699_0,
            ],
            [
                0.018_231_4,
                0.024_513_1,
                0.007_626_6,
                0.041_704_0,
                0.011_307_7,
                0.054_205_5,
                0.026_907_6,
            ],
        ),
    ];
    let space = space(&[4, 3]);
    let metric = DistanceMetric::grid(&space);
    let values = [3.0, 1.0, 2.5, 1.75, 4.0];
    let rest = [1, 3, 4, 6, 8, 9, 11];
    for (shape, noise, means, deviations) in cases {
        let mut process = GaussianProcess::unseeing(&metric, &settings(2, 1.5, noise), shape);
        let seen = points(&space, &metric, &[0, 5, 7, 10, 2]);
        assert!(seen.iter().all(|point| process.push(point)));
        let mut predictions = Predictions::new(&process, &points(&space, &metric, &rest));
        predictions.see(&process, &values);
        let scale = standard_deviation(&values) * 0.8_f64.sqrt();
        for (ours, theirs) in predictions.means(mean(&values)).zip(means) {
            assert!((ours - theirs).abs() < 2e-4, "{shape:?}: mean {ours}, {theirs}");
        }
        for (share, theirs) in predictions.uncertain().zip(deviations) {
            let ours = f64::from(share).sqrt() * scale;
            assert!((ours - theirs).abs() < 2e-4, "{shape:?}: deviation {ours}, {theirs}");
        }
    }
}

#[test]
fn points_in_whatever_portions_say_what_double_precision_says() {
    let space = space(&[7, 5, 2, 9]);
    let metric = DistanceMetric::new(&space);
    let mut rng = seeded(5, 0);
    for _ in 0..3 {
        let settings = settings(metric.axes(), rng.random_range(0.3..2.0), 1e-6);
        let mut process =
            GaussianProcess::unseeing(&metric, &settings, CorrelationFunction::Matern52);
        let ids = space.sample(space.len() as usize, &mut rng);
        let (seen, rest) = ids.split_at(90);
        let places = metric.points(&space, rest);
        let mut predictions = Predictions::new(&process, &places);
        let mut values = Vec::new();
        for portion in seen.chunk_by(|_, _| rng.random_bool(0.7)) {
            for id in portion {
                let place = metric.point(&space.configuration(*id));
                assert!(process.push(&place));
                values.push(place.iter().map(|at| f64::from(*at).sin()).sum());
            }
            predictions.see(&process, &values);
        }
        let posterior = process.posterior(&values);
        let (means, deviations): (Vec<f64>, Vec<f64>) =
            places.iter().map(|place| exact(&process, &posterior, place)).unzip();
        let close = |ours: &[f64], exact: &[f64], most: f64| {
            assert_eq!(ours.len(), exact.len());
            for (ours, exact) in ours.iter().zip(exact) {
                assert!((ours - exact).abs() < most, "{ours}, {exact}");
            }
        };
        close(&predictions.means(posterior.mean).collect::<Vec<_>>(), &means, 2e-3);
        close(&predictions.means_of(&posterior), &means, 2e-3);
        close(&predictions.first_means(&process, &posterior), &means, 2e-2);
        let deviation = |share: f32| (f64::from(share) * posterior.variance).sqrt();
        close(&predictions.uncertain().map(deviation).collect::<Vec<_>>(), &deviations, 1e-3);
    }
}

/// Mean and deviation at a place, in double precision.
fn exact(process: &GaussianProcess, posterior: &Posterior, place: &[u32]) -> (f64, f64) {
    let correlations: Vec<f64> = process.covariances(place, process.points().iter()).collect();
    let column = process.factor().solve_lower(&correlations);
    let mean: f64 = column.iter().zip(&posterior.whitened).map(|(v, w)| v * w).sum();
    let left = 1.0 - column.iter().map(|v| v * v).sum::<f64>();
    (posterior.mean + mean, (posterior.variance * left.max(1e-12)).sqrt())
}

#[test]
fn what_is_near_failures_is_less_likely_valid() {
    let space = space(&[9]);
    let metric = DistanceMetric::new(&space);
    let mut process =
        GaussianProcess::unseeing(&metric, &settings(1, 0.5, 1e-6), CorrelationFunction::Matern32);
    let mut predictions = Predictions::new(&process, &points(&space, &metric, &[0, 2, 5, 8]));
    assert!(predictions.valid().all(|valid| valid > 0.999));
    predictions.fail(&process, &[1]);
    assert!(process.push(&[7]));
    predictions.see(&process, &[1.0]);
    let valid: Vec<f32> = predictions.valid().collect();
    let (near, far) = valid.split_at(2);
    // The doubt is ten times as large next to the failure as three steps from it.
    let doubt = |valid: &[f32], of: fn(f32, f32) -> f32| valid.iter().map(|v| 1.0 - v).reduce(of);
    let (near, far) = (doubt(near, f32::min).unwrap(), doubt(far, f32::max).unwrap());
    assert!(near > 10.0 * far && near > 0.01 && far < 0.01, "{valid:?}");
}
