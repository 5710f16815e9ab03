//! Annealing: when a step for the worse is taken, and how that gets rarer.

use rand::RngExt;

use crate::space::Rng;

/// The criterion of Metropolis et al. (1953): better always, worse by `rise` with probability
/// exp(−rise / temperature).
pub(super) fn accepts(rise: f64, temperature: f64, rng: &mut Rng) -> bool {
    rise <= 0.0 || rng.random::<f64>() < (-rise / temperature).exp()
}

/// The temperature after a share of the budget, from `hot` at first to `cold` at the end,
/// by equal factors.
pub(super) fn cooled(hot: f64, cold: f64, progress: f64) -> f64 {
    hot * (cold / hot).powf(progress.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::seeded;

    #[test]
    fn worse_steps_are_taken_as_often_as_boltzmann_says() {
        let mut rng = seeded(1, 0);
        let mut share = |rise, temperature| {
            (0..10_000).filter(|_| accepts(rise, temperature, &mut rng)).count() as f64 / 1e4
        };
        assert!((share(0.0, 0.1) - 1.0).abs() < 1e-12);
        assert!((share(-1.0, 0.1) - 1.0).abs() < 1e-12);
        // Four standard errors of a share of 10,000 are below 0.02.
        assert!((share(0.5, 1.0) - (-0.5_f64).exp()).abs() < 0.02);
        assert!(share(1.0, 1e-4).abs() < 1e-12);
        assert!(share(f64::INFINITY, 1.0).abs() < 1e-12);
    }

    #[test]
    fn cooling_goes_by_equal_factors_from_hot_to_cold() {
        assert!((cooled(1.0, 0.01, 0.0) - 1.0).abs() < 1e-12);
        assert!((cooled(1.0, 0.01, 0.5) - 0.1).abs() < 1e-12);
        assert!((cooled(1.0, 0.01, 2.0) - 0.01).abs() < 1e-12);
    }
}
