//! Scales objectives: 0 is the best value seen, 1 is where the plane through the front's extreme
//! points meets the objective's axis. Deb and Jain (2014), section IV-C.

use math::solve_least_squares;

use super::ParetoMember;

/// Weight of the other objectives in the search for the extreme point of one objective.
const OFF_AXIS: f64 = 1e6;
/// Share of the front's range within which a value counts as the best.
const NOTHING: f64 = 1e-3;
/// Tolerance, as a share of the range. A plane that has shorter axes or misses its points by more
/// is rejected.
const DEGENERATE: f64 = 1e-6;

#[derive(Debug, Clone, Default)]
pub(crate) struct Hyperplane {
    /// The best value ever seen of every objective.
    ideal: Vec<f64>,
    /// For every objective, the point nearest to its axis among all fronts so far.
    extremes: Vec<Vec<f64>>,
    /// Where the plane meets the axes.
    nadir: Vec<f64>,
}

impl Hyperplane {
    /// Updates the scale with a generation: its members that did not fail, and its first rank,
    /// `front`.
    pub(crate) fn update(&mut self, all: &[&ParetoMember], front: &[ParetoMember]) {
        let Some(first) = front.first() else { return };
        let figures = first.objectives.len();
        self.ideal.resize(figures, f64::INFINITY);
        for member in all {
            for (ideal, value) in self.ideal.iter_mut().zip(&member.objectives) {
                *ideal = ideal.min(*value);
            }
        }
        let range = |worst: f64, ideal: f64| if worst > ideal { worst - ideal } else { 0.0 };
        let on_front = highest(figures, front.iter());
        let anywhere = highest(figures, all.iter().copied());
        let ranges: Vec<f64> = (0..figures)
            .map(|i| {
                let near = range(on_front[i], self.ideal[i]);
                let far = range(anywhere[i], self.ideal[i]);
                if near > 0.0 {
                    near
                } else if far > 0.0 {
                    far
                } else {
                    1.0
                }
            })
            .collect();
        self.find_extremes(front, &ranges);
        let axes = self.axes(&ranges).unwrap_or_else(|| vec![1.0; figures]);
        self.nadir = (0..figures)
            .map(|i| {
                let axis = axes[i] * ranges[i];
                let most = range(anywhere[i], self.ideal[i]);
                self.ideal[i] + if most > 0.0 { axis.min(most) } else { axis }
            })
            .collect();
    }

    pub(crate) fn normalised(&self, objectives: &[f64]) -> Vec<f64> {
        let ends = self.ideal.iter().zip(&self.nadir);
        objectives
            .iter()
            .zip(ends)
            .map(|(value, (low, high))| (value - low) / (high - low))
            .collect()
    }

    /// Updates the extreme points. Objectives off an axis are multiplied by [`OFF_AXIS`].
    fn find_extremes(&mut self, front: &[ParetoMember], ranges: &[f64]) {
        let known = std::mem::take(&mut self.extremes);
        let candidates = || known.iter().chain(front.iter().map(|member| &member.objectives));
        let achievement = |point: &Vec<f64>, axis: usize| -> f64 {
            let above = point.iter().zip(&self.ideal).zip(ranges).map(|((x, low), range)| {
                let share = (x - low) / range;
                if share < NOTHING { 0.0 } else { share }
            });
            let weighed = above
                .enumerate()
                .map(|(i, share)| if i == axis { share } else { share * OFF_AXIS });
            weighed.fold(0.0, f64::max)
        };
        let extreme = |axis: usize| {
            let nearer = |a: &&Vec<f64>, b: &&Vec<f64>| {
                achievement(a, axis).total_cmp(&achievement(b, axis))
            };
            candidates().min_by(nearer).cloned().unwrap_or_default()
        };
        self.extremes = (0..self.ideal.len()).map(extreme).collect();
    }

    /// Lengths of the axes up to the plane through the extreme points, in ranges; `None` if there
    /// is no such plane.
    fn axes(&self, ranges: &[f64]) -> Option<Vec<f64>> {
        let figures = self.ideal.len();
        let column = |i: usize| -> Vec<f64> {
            self.extremes.iter().map(|point| (point[i] - self.ideal[i]) / ranges[i]).collect()
        };
        let columns: Vec<Vec<f64>> = (0..figures).map(column).collect();
        let plane = solve_least_squares(columns.clone(), &vec![1.0; figures], 1e-12);
        let on_plane = |at: usize| -> f64 { (0..figures).map(|i| columns[i][at] * plane[i]).sum() };
        let fits = (0..figures).all(|at| (on_plane(at) - 1.0).abs() < DEGENERATE);
        let axes: Vec<f64> = plane.iter().map(|slope| 1.0 / slope).collect();
        (fits && axes.iter().all(|axis| axis.is_finite() && *axis > DEGENERATE)).then_some(axes)
    }
}

fn highest<'a>(figures: usize, members: impl Iterator<Item = &'a ParetoMember>) -> Vec<f64> {
    members.fold(vec![f64::NEG_INFINITY; figures], |highest, member| {
        highest.iter().zip(&member.objectives).map(|(a, b)| a.max(*b)).collect()
    })
}

#[cfg(test)]
mod tests {
    use space::ConfigurationId;

    use super::*;

    fn member(objectives: [f64; 2]) -> ParetoMember {
        ParetoMember { id: ConfigurationId(0), objectives: objectives.to_vec() }
    }

    #[test]
    fn the_ends_of_a_front_span_the_scale() {
        let front = [[2.0, 300.0], [4.0, 150.0], [10.0, 100.0]].map(member);
        let mut plane = Hyperplane::default();
        plane.update(&front.iter().collect::<Vec<_>>(), &front);
        for (objectives, expected) in
            [([2.0, 100.0], [0.0, 0.0]), ([10.0, 300.0], [1.0, 1.0]), ([4.0, 150.0], [0.25, 0.25])]
        {
            let scaled = plane.normalised(&objectives);
            assert!((scaled[0] - expected[0]).abs() < 1e-9, "{scaled:?}");
            assert!((scaled[1] - expected[1]).abs() < 1e-9, "{scaled:?}");
        }
    }

    #[test]
    fn a_single_point_and_equal_objectives_still_have_a_scale() {
        for points in [vec![[1.0, 1.0]], vec![[1.0, 5.0], [1.0, 6.0]], vec![[3.0, 2.0]; 4]] {
            let all: Vec<ParetoMember> = points.into_iter().map(member).collect();
            let mut plane = Hyperplane::default();
            plane.update(&all.iter().collect::<Vec<_>>(), &all[..1]);
            for one in &all {
                assert!(plane.normalised(&one.objectives).iter().all(|x| x.is_finite()));
            }
        }
    }
}
