//! What a size has of its own, beyond the error of its samples: buffers that lie badly in memory,
//! tiles that do not divide. Rounds in few pieces of memory cannot average it out, so it is added to the
//! interval. It shows as a lack of smoothness of the curve.

/// Points around each size through which a cubic is laid.
const AROUND: usize = 2;

/// Standard deviation of what points have of their own: the mean squared distance of a point from
/// the cubic through its four neighbours, beyond what errors of the points explain. Zero for fewer
/// than five points.
pub(super) fn own_scatter(position: &[f64], values: &[f64], errors: &[f64]) -> f64 {
    if values.len() < 2 * AROUND + 1 {
        return 0.0;
    }
    let apart: Vec<f64> = (AROUND..values.len() - AROUND)
        .map(|at| {
            let near = [at - 2, at - 1, at + 1, at + 2];
            let share = |from: usize| -> f64 {
                let others = near.iter().filter(|other| **other != from);
                others
                    .map(|other| {
                        (position[at] - position[*other]) / (position[from] - position[*other])
                    })
                    .product()
            };
            let shares = near.map(share);
            let cubic: f64 =
                near.iter().zip(shares).map(|(from, share)| share * values[*from]).sum();
            let squares: f64 = shares.iter().map(|share| share * share).sum();
            (values[at] - cubic) / (1.0 + squares).sqrt()
        })
        .collect();
    let square =
        |values: &[f64]| math::mean(&values.iter().map(|value| value * value).collect::<Vec<_>>());
    (square(&apart) - square(errors)).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use math::{normal, seeded};

    use super::*;

    #[test]
    fn a_smooth_curve_has_none_and_that_of_others_is_found() {
        let position: Vec<f64> = (0..22).map(|at| 0.4 * f64::from(at)).collect();
        let smooth: Vec<f64> = position.iter().map(|p| (1.0 + (4.0 - p).exp()).ln()).collect();
        assert!(own_scatter(&position, &smooth, &[0.0; 22]) < 0.003);
        let mut rng = seeded(1, 0);
        let scattered: Vec<f64> = smooth.iter().map(|z| z + 0.02 * normal(&mut rng)).collect();
        let found = own_scatter(&position, &scattered, &[0.0; 22]);
        assert!((0.014..0.026).contains(&found), "{found}");
        assert!(own_scatter(&position, &scattered, &[0.03; 22]) < 1e-12, "samples explain it");
        assert!(own_scatter(&position[..4], &smooth[..4], &[0.0; 4]) < 1e-12);
    }
}
