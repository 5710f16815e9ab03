//! Distance of a search of several objectives from the front of a recorded space.

use math::front;

use super::{gd, gd_plus, hypervolume, igd, igd_plus};

/// Reference point of hypervolumes, in front extents; above 1, so that the worst ends count.
const REFERENCE: f64 = 1.1;

/// Most steps that a hypervolume may take. With more than three objectives, the number of steps is
/// a high power of the number of points.
const MOST_STEPS: f64 = 1e7;

/// The front of a space, scaled to its best and worst values of every objective.
#[derive(Debug, Clone, PartialEq)]
pub struct TrueFront {
    ideal: Vec<f64>,
    extent: Vec<f64>,
    /// Scaled points of the front.
    points: Vec<Vec<f64>>,
    volume: f64,
}

/// How near evaluations come to a front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// Modified inverted generational distance; 0 is the front itself.
    pub igd_plus: f64,
    /// Inverted generational distance.
    pub igd: f64,
    /// Modified generational distance; 0 if what was found is on
    /// the front or beyond.
    pub gd_plus: f64,
    /// Generational distance.
    pub gd: f64,
    /// Hypervolume as a share of the front's; NaN where it would take too long.
    pub hypervolume: f64,
}

impl TrueFront {
    /// The front of all configurations' objectives, lower being better; `None` without
    /// configurations.
    #[must_use]
    pub fn of(all: &[Vec<f64>]) -> Option<Self> {
        let on_front: Vec<&Vec<f64>> = front(all).into_iter().map(|at| &all[at]).collect();
        let figures = on_front.first()?.len();
        let column = |at: usize| on_front.iter().map(move |point| point[at]);
        let ideal: Vec<f64> =
            (0..figures).map(|at| column(at).fold(f64::INFINITY, f64::min)).collect();
        let extent = (0..figures).map(|at| {
            let worst = column(at).fold(f64::NEG_INFINITY, f64::max);
            if worst > ideal[at] { worst - ideal[at] } else { 1.0 }
        });
        let extent = extent.collect();
        let mut truth = Self { ideal, extent, points: Vec::new(), volume: 0.0 };
        truth.points = on_front.into_iter().map(|point| truth.scaled(point)).collect();
        truth.volume = affordable(&truth.points, &vec![REFERENCE; figures]);
        Some(truth)
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Always false: a front has a point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// How near these evaluations come to the front.
    #[must_use]
    pub fn reached(&self, found: &[&Vec<f64>]) -> Reached {
        let best = front(found).into_iter().map(|at| self.scaled(found[at]));
        let best: Vec<Vec<f64>> = best.collect();
        let reference = vec![REFERENCE; self.ideal.len()];
        Reached {
            igd_plus: igd_plus(&self.points, &best),
            igd: igd(&self.points, &best),
            gd_plus: gd_plus(&self.points, &best),
            gd: gd(&self.points, &best),
            hypervolume: match self.volume.is_nan() {
                true => f64::NAN,
                false => affordable(&best, &reference) / self.volume,
            },
        }
    }

    /// The distance of a search from this front, before its first evaluation.
    #[must_use]
    pub fn approach(&self) -> Approach<'_> {
        Approach { truth: self, nearest: vec![f64::INFINITY; self.points.len()] }
    }

    fn scaled(&self, point: &[f64]) -> Vec<f64> {
        let scales = self.ideal.iter().zip(&self.extent);
        point.iter().zip(scales).map(|(x, (low, extent))| (x - low) / extent).collect()
    }
}

/// The hypervolume of a front; NaN where it would take too long.
fn affordable(front: &[Vec<f64>], reference: &[f64]) -> f64 {
    let power = reference.len().saturating_sub(1) as f64;
    let steps = if reference.len() > 3 { (front.len() as f64).powf(power) } else { 0.0 };
    if steps > MOST_STEPS { f64::NAN } else { hypervolume(front, reference) }
}

/// A search's distance from a front after each of its evaluations.
#[derive(Debug, Clone)]
pub struct Approach<'a> {
    truth: &'a TrueFront,
    /// Square of the distance of every point of the front from what was found so far.
    nearest: Vec<f64>,
}

impl Approach<'_> {
    /// Adds an evaluation. O(front · objectives).
    pub fn add(&mut self, found: &[f64]) {
        let found = self.truth.scaled(found);
        for (nearest, wanted) in self.nearest.iter_mut().zip(&self.truth.points) {
            let worse = wanted.iter().zip(&found).map(|(wanted, got)| (got - wanted).max(0.0));
            *nearest = nearest.min(worse.map(|apart| apart * apart).sum());
        }
    }

    /// [`igd_plus`] of everything found so far; infinite before the first. O(front).
    #[must_use]
    pub fn igd_plus(&self) -> f64 {
        self.nearest.iter().map(|square| square.sqrt()).sum::<f64>() / self.nearest.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_front_is_reached_by_itself_and_units_do_not_matter() {
        let all = vec![vec![1.0, 90.0], vec![3.0, 40.0], vec![8.0, 20.0], vec![9.0, 95.0]];
        let truth = TrueFront::of(&all).expect("points");
        assert_eq!(truth.len(), 3);
        let whole = truth.reached(&all.iter().collect::<Vec<_>>());
        assert!(whole.igd_plus.abs() < 1e-15 && (whole.hypervolume - 1.0).abs() < 1e-12);
        let one = truth.reached(&[&all[1]]);
        // (3, 40) is 2/7 worse than the best of the first objective and 2/7 of the second.
        assert!((one.igd_plus - (2.0 / 7.0 + 0.0 + 2.0 / 7.0) / 3.0).abs() < 1e-12);
        let other: Vec<Vec<f64>> = all.iter().map(|p| vec![p[0] * 1e3, p[1] * 1e-3]).collect();
        let same = TrueFront::of(&other).expect("points").reached(&[&other[1]]);
        assert!((same.hypervolume - one.hypervolume).abs() < 1e-12);
        assert!(truth.reached(&[]).igd_plus.is_infinite());
        assert_eq!(TrueFront::of(&[]), None);
    }

    #[test]
    fn a_hypervolume_of_many_points_and_objectives_is_left_out() {
        let point = |at: u32| {
            let angle = f64::from(at) * 0.37;
            vec![angle.sin(), angle.cos(), (2.0 * angle).sin(), (3.0 * angle).cos(), f64::from(at)]
        };
        let all: Vec<Vec<f64>> = (0..400).map(point).collect();
        let truth = TrueFront::of(&all).expect("points");
        let reached = truth.reached(&all.iter().take(20).collect::<Vec<_>>());
        assert!(truth.len() > 100 && reached.hypervolume.is_nan() && reached.igd_plus > 0.0);
    }

    #[test]
    fn step_by_step_the_distance_is_that_of_the_whole_set() {
        let all = vec![vec![1.0, 90.0], vec![3.0, 40.0], vec![8.0, 20.0], vec![9.0, 95.0]];
        let truth = TrueFront::of(&all).expect("points");
        let mut approach = truth.approach();
        assert!(approach.igd_plus().is_infinite());
        let mut found: Vec<&Vec<f64>> = Vec::new();
        for at in [3, 1, 2, 0] {
            approach.add(&all[at]);
            found.push(&all[at]);
            assert!((approach.igd_plus() - truth.reached(&found).igd_plus).abs() < 1e-12);
        }
    }
}
