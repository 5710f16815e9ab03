//! How far two sides lie apart, in one way of looking at their studies, and how well that is known.

/// How many further studies the parts of the studies count for, when they say how far a study lies from the
/// next: enough that few studies can be judged, few enough that studies which lie apart are heard.
const PRIOR: f64 = 4.0;

/// Fewest studies of a side that say how far studies lie apart.
pub(super) const LEAST: usize = 3;

/// A difference between two sides, in logarithms of seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// How long the first and the other side take.
    pub(super) sides: (f64, f64),
    /// Variance of that, as the studies show it.
    pub(super) seen: f64,
    /// Degrees of freedom of what was seen.
    pub(super) freedom: f64,
    /// Variance of that, as the parts of the studies let expect it.
    pub(super) expected: f64,
}

impl View {
    /// How much longer the first side takes.
    pub(super) fn middle(&self) -> f64 {
        self.sides.0 - self.sides.1
    }

    /// Variance of the difference and its degrees of freedom. Expected and seen variance are
    /// weighed as Smyth (2004) does for many small experiments; `wander` is how many times the
    /// expected one other benchmarks of the table show. Studies that lie farther apart than is expected
    /// speak for themselves.
    pub(super) fn variance(&self, wander: f64) -> (f64, f64) {
        let expected = wander * self.expected;
        if self.seen > expected {
            return (self.seen, self.freedom);
        }
        let variance = PRIOR * expected + self.freedom * self.seen;
        (variance / (PRIOR + self.freedom), PRIOR + self.freedom)
    }
}

/// Degrees of freedom that speak for what is expected before any benchmark does: one noisy benchmark says little
/// about a calm one, a table of many a good deal.
const BEFOREHAND: f64 = 8.0;

/// How many times the expected variance these benchmarks show, each in the view that shows least; one at
/// least, and of none.
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
