//! The difference between two sides, by one way of comparing their studies, and its variance.

/// Weight of the expected variance against the seen one, in degrees of freedom. High enough that
/// few studies can be judged, low enough that studies that lie apart count.
const PRIOR: f64 = 4.0;

/// Fewest studies of a side that show the spread between studies.
pub(super) const LEAST: usize = 3;

/// A difference between two sides, in logarithms of seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// Logarithms of the run times of the first side and of the other.
    pub(super) sides: (f64, f64),
    /// Variance of the difference, by the spread between studies.
    pub(super) seen: f64,
    /// Degrees of freedom of `seen`.
    pub(super) freedom: f64,
    /// Variance of the difference, by the spread between the parts of the studies.
    pub(super) expected: f64,
}

impl View {
    /// How much longer the first side takes, as a difference of logarithms.
    pub(super) fn middle(&self) -> f64 {
        self.sides.0 - self.sides.1
    }

    /// Returns the variance of the difference and its degrees of freedom. Expected and seen
    /// variance are combined as by Smyth (2004) for many small experiments. `wander` is the ratio
    /// of seen to expected variance in the other benchmarks of the table. If the studies lie
    /// farther apart than expected, only the seen variance counts.
    pub(super) fn variance(&self, wander: f64) -> (f64, f64) {
        let expected = wander * self.expected;
        if self.seen > expected {
            return (self.seen, self.freedom);
        }
        let variance = PRIOR * expected + self.freedom * self.seen;
        (variance / (PRIOR + self.freedom), PRIOR + self.freedom)
    }
}

/// Degrees of freedom for the assumption that the ratio of seen to expected variance is 1. With 8,
/// one noisy benchmark changes the ratio little, and a table of many benchmarks changes it a lot.
const BEFOREHAND: f64 = 8.0;

/// Returns the ratio of seen to expected variance over these benchmarks, each in the view where it
/// is least. The ratio is at least 1, and 1 without benchmarks.
pub(super) fn wander<'a>(others: impl Iterator<Item = &'a Vec<View>>) -> f64 {
    let (mut seen, mut freedom) = (BEFOREHAND, BEFOREHAND);
    let times = |view: &View| view.seen / view.expected;
    for views in others {
        let least = views.iter().min_by(|a, b| times(a).total_cmp(&times(b)));
        let Some(view) = least else { continue };
        // Each benchmark counts the same, however noisy it is.
        seen += view.freedom * times(view);
        freedom += view.freedom;
    }
    (seen / freedom).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn studies_that_agree_by_luck_are_no_closer_than_their_parts_let_expect() {
        let view = View { sides: (0.0, 0.0), seen: 0.0, freedom: 2.0, expected: 3e-4 };
        let (variance, freedom) = view.variance(1.0);
        assert!((variance / (PRIOR * 3e-4 / (PRIOR + 2.0)) - 1.0).abs() < 1e-9, "{variance}");
        assert!((freedom - (PRIOR + 2.0)).abs() < 1e-12);
        let apart = View { seen: 1e-2, ..view };
        assert_eq!(apart.variance(1.0), (1e-2, 2.0), "what lies apart speaks for itself");
        assert!(apart.variance(100.0).0 > 1e-2, "but not where all benchmarks do");
    }

    #[test]
    fn a_machine_that_wanders_more_than_parts_show_is_known_from_other_benchmarks() {
        let view =
            |times: f64| View { sides: (0.0, 0.0), seen: times, freedom: 3.0, expected: 1.0 };
        let table = vec![vec![view(20.0), view(12.0)]; 20];
        let times = wander(table.iter());
        assert!(times > 10.0 && times < 12.0, "{times}");
        assert!(wander(table[..1].iter()) < 5.0, "one benchmark says little");
        assert!((wander([vec![view(0.1)]].iter()) - 1.0).abs() < 1e-12, "one at least");
        assert!((wander(std::iter::empty()) - 1.0).abs() < 1e-12);
    }
}
