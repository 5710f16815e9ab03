//! Annealing: acceptance of worse steps, the cooling schedule, and costs in units of the distance
//! from the best seen to the median, so that temperatures mean the same for microseconds and hours.

use math::Rng;
use rand::RngExt;

/// Criterion of Metropolis et al. (1953): accepts with probability exp(−rise / temperature).
pub(crate) fn accepts(rise: f64, temperature: f64, rng: &mut Rng) -> bool {
    rise <= 0.0 || rng.random::<f64>() < (-rise / temperature).exp()
}

/// Temperature after a share of the budget: it falls from `hot` to `cold` by equal factors.
pub(crate) fn cooled(hot: f64, cold: f64, progress: f64) -> f64 {
    hot * (cold / hot).powf(progress.clamp(0.0, 1.0))
}

/// The highest level, which failures have.
const WORST: f64 = 3.0;

/// The finite costs seen so far, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Yardstick {
    sorted: Vec<f64>,
}

impl Yardstick {
    /// Records a cost unless it is that of a failure.
    pub(crate) fn see(&mut self, cost: f64) {
        if cost.is_finite() {
            let at = self.sorted.partition_point(|seen| *seen <= cost);
            self.sorted.insert(at, cost);
        }
    }

    /// Level of a cost: 0 for the best seen, 1 for the median, at most 3.
    pub(crate) fn level(&self, cost: f64) -> f64 {
        let Some(best) = self.sorted.first() else { return WORST };
        let unit = self.sorted[self.sorted.len() / 2] - best;
        let above = cost - best;
        if above <= 0.0 {
            0.0
        } else if unit > 0.0 && above.is_finite() {
            (above / unit).min(WORST)
        } else {
            WORST
        }
    }

    pub(crate) fn rise(&self, old: f64, new: f64) -> f64 {
        self.level(new) - self.level(old)
    }
}

#[cfg(test)]
mod tests {
    use space::seeded;

    use super::*;

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

    #[test]
    fn levels_do_not_depend_on_the_unit() {
        let measured = |unit: f64| {
            let mut yardstick = Yardstick::default();
            [5.0, 1.0, 3.0, f64::INFINITY, 9.0].iter().for_each(|cost| yardstick.see(cost * unit));
            [1.0, 2.0, 5.0, 6.0, 1e9, f64::INFINITY].map(|cost| yardstick.level(cost * unit))
        };
        let near = |a: [f64; 6], b: [f64; 6]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(measured(1.0), [0.0, 0.25, 1.0, 1.25, 3.0, 3.0]));
        assert!(near(measured(1.0), measured(2.0_f64.powi(-30))));
    }

    #[test]
    fn nothing_seen_or_all_the_same_is_no_reason_to_fail() {
        let mut yardstick = Yardstick::default();
        assert!((yardstick.rise(f64::INFINITY, f64::INFINITY)).abs() < 1e-12);
        yardstick.see(2.0);
        yardstick.see(2.0);
        assert!(yardstick.level(2.0).abs() < 1e-12);
        assert!(yardstick.rise(2.0, f64::INFINITY) > 2.0);
    }
}
