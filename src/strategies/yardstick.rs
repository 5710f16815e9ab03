//! Costs in units of what separates the best seen from the typical, so that temperatures mean the
//! same for microseconds and hours.

/// The level of failures, and of costs that are worse still.
const WORST: f64 = 3.0;

/// The finite costs seen so far, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Yardstick {
    sorted: Vec<f64>,
}

impl Yardstick {
    /// Takes note of a cost. Failures are no costs.
    pub(super) fn see(&mut self, cost: f64) {
        if cost.is_finite() {
            let at = self.sorted.partition_point(|seen| *seen <= cost);
            self.sorted.insert(at, cost);
        }
    }

    /// 0 for the best seen, 1 for the median, and never above 3.
    pub(super) fn level(&self, cost: f64) -> f64 {
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

    /// By how many levels `new` is above `old`.
    pub(super) fn rise(&self, old: f64, new: f64) -> f64 {
        self.level(new) - self.level(old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
