//! L-BFGS within a box, for functions without derivatives.
//!
//! Byrd, Lu, Nocedal and Zhu, A Limited Memory Algorithm for Bound Constrained Optimization, SIAM J.
//! Sci. Comput. 16, 1995, as SciPy calls it: gradients are differences of a fixed step, and every
//! trial of a line search costs a gradient. Variables at an end of the box that would leave it are
//! fixed; the published algorithm finds them along the projected gradient, and its line search also
//! looks at the slope.

use search_api::Stop;

/// Corrections that approximate the curvature.
const MEMORY: usize = 10;
/// Trials of a line search.
const TRIALS: usize = 20;
/// Share of the expected decrease that a step must bring.
const DECREASE: f64 = 1e-3;
/// Relative decrease, and size of the projected gradient, at which it ends.
const ENDS: (f64, f64) = (2.22e-9, 1e-5);

/// A box from 0 to its ends, with the step of differences.
pub(crate) struct Bounded<'a> {
    pub(crate) ends: &'a [f64],
    pub(crate) step: f64,
}

/// Returns values and may end the search.
pub(crate) type Function<'f> = dyn FnMut(&[f64]) -> Result<f64, Stop> + 'f;

/// A place with its value and gradient.
#[derive(Clone)]
struct Place {
    at: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl Bounded<'_> {
    /// A local minimum near `start`, and its value.
    pub(crate) fn minimise(
        &self,
        start: &[f64],
        function: &mut Function<'_>,
    ) -> Result<(Vec<f64>, f64), Stop> {
        let mut here = self.place(start.to_vec(), function)?;
        let mut pairs: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        while self.projected(&here) > ENDS.1 {
            let direction = self.direction(&here, &pairs);
            let Some(next) = self.search(&here, &direction, pairs.is_empty(), function)? else {
                if pairs.is_empty() {
                    break;
                }
                // Once more, without what was learnt of the curvature.
                pairs.clear();
                continue;
            };
            let decrease = here.value - next.value;
            let scale = here.value.abs().max(next.value.abs()).max(1.0);
            let moved = less(&next.at, &here.at);
            let bent = less(&next.gradient, &here.gradient);
            if dot(&moved, &bent) > f64::EPSILON * dot(&bent, &bent) {
                pairs.push((moved, bent));
                if pairs.len() > MEMORY {
                    pairs.remove(0);
                }
            }
            here = next;
            if decrease <= ENDS.0 * scale {
                break;
            }
        }
        Ok((here.at, here.value))
    }

    fn place(&self, mut at: Vec<f64>, function: &mut Function<'_>) -> Result<Place, Stop> {
        at.iter_mut().zip(self.ends).for_each(|(x, end)| *x = x.clamp(0.0, *end));
        let value = function(&at)?;
        let mut gradient = Vec::with_capacity(at.len());
        for d in 0..at.len() {
            let mut beside = at.clone();
            let step = if at[d] + self.step <= self.ends[d] { self.step } else { -self.step };
            beside[d] += step;
            gradient.push((function(&beside)? - value) / step);
        }
        Ok(Place { at, value, gradient })
    }

    /// Whether a variable is at an end that the gradient would push it beyond.
    fn is_fixed(&self, place: &Place, d: usize) -> bool {
        (place.at[d] <= 0.0 && place.gradient[d] > 0.0)
            || (place.at[d] >= self.ends[d] && place.gradient[d] < 0.0)
    }

    /// The largest part of the gradient that leads inside.
    fn projected(&self, place: &Place) -> f64 {
        let part =
            |(d, x): (usize, &f64)| ((x - place.gradient[d]).clamp(0.0, self.ends[d]) - x).abs();
        place.at.iter().enumerate().map(part).fold(0.0, f64::max)
    }

    /// The two loops of Nocedal (1980), over the variables that are not fixed.
    fn direction(&self, here: &Place, pairs: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
        let free = |vector: &mut [f64]| {
            for (d, x) in vector.iter_mut().enumerate() {
                if self.is_fixed(here, d) {
                    *x = 0.0;
                }
            }
        };
        let mut q = here.gradient.clone();
        free(&mut q);
        let mut shares = Vec::new();
        for (moved, bent) in pairs.iter().rev() {
            let share = dot(moved, &q) / dot(moved, bent);
            add(&mut q, -share, bent);
            shares.push(share);
        }
        if let Some((moved, bent)) = pairs.last() {
            let scale = dot(moved, bent) / dot(bent, bent);
            q.iter_mut().for_each(|x| *x *= scale);
        }
        for ((moved, bent), share) in pairs.iter().zip(shares.iter().rev()) {
            let back = dot(bent, &q) / dot(moved, bent);
            add(&mut q, share - back, moved);
        }
        free(&mut q);
        q.iter_mut().for_each(|x| *x = -*x);
        q
    }

    /// A place that is lower along the direction; `None` if none of the trials is.
    fn search(
        &self,
        here: &Place,
        direction: &[f64],
        first: bool,
        function: &mut Function<'_>,
    ) -> Result<Option<Place>, Stop> {
        let slope = dot(&here.gradient, direction);
        let length = dot(direction, direction).sqrt();
        if !(slope < 0.0 && slope.is_finite() && length.is_finite()) {
            return Ok(None);
        }
        let longest = |(d, x): (usize, &f64)| match direction[d] {
            by if by > 0.0 => (self.ends[d] - x) / by,
            by if by < 0.0 => -x / by,
            _ => f64::INFINITY,
        };
        let most = here.at.iter().enumerate().map(longest).fold(f64::INFINITY, f64::min);
        let mut step = if first { (1.0 / length).min(most) } else { most.min(1.0) };
        for _ in 0..TRIALS {
            let mut at = here.at.clone();
            add(&mut at, step, direction);
            let there = self.place(at, function)?;
            let rise = there.value - here.value;
            if rise <= DECREASE * step * slope {
                return Ok(Some(there));
            }
            // The lowest point of the parabola through both values and the slope.
            let lowest = -slope * step * step / (2.0 * (rise - slope * step));
            step =
                if lowest.is_finite() { lowest.clamp(0.1 * step, 0.5 * step) } else { 0.5 * step };
        }
        Ok(None)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn less(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn add(to: &mut [f64], factor: f64, of: &[f64]) {
    to.iter_mut().zip(of).for_each(|(to, of)| *to += factor * of);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minimum(ends: &[f64], start: &[f64], function: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        let bounded = Bounded { ends, step: 1e-7 };
        bounded.minimise(start, &mut |at: &[f64]| Ok(function(at))).unwrap().0
    }

    #[test]
    fn a_curved_valley_is_followed_to_its_bottom() {
        // Rosenbrock's, moved so that its lowest point is at (2, 2).
        let valley = |x: &[f64]| {
            let (a, b) = (x[0] - 1.0, x[1] - 1.0);
            (1.0 - a).powi(2) + 100.0 * (b - a * a).powi(2)
        };
        let at = minimum(&[4.0, 4.0], &[0.2, 2.5], valley);
        assert!((at[0] - 2.0).abs() < 1e-2 && (at[1] - 2.0).abs() < 1e-2, "{at:?}");
    }

    #[test]
    fn a_minimum_outside_ends_at_the_edge_of_the_box() {
        let bowl = |x: &[f64]| (x[0] - 5.0).powi(2) + 3.0 * (x[1] + 2.0).powi(2);
        let at = minimum(&[1.0, 1.0], &[0.5, 0.5], bowl);
        assert!((at[0] - 1.0).abs() < 1e-6 && at[1].abs() < 1e-6, "{at:?}");
    }

    #[test]
    fn a_flat_function_and_one_without_numbers_end() {
        assert_eq!(minimum(&[1.0], &[0.5], |_| 1.0), [0.5]);
        assert_eq!(minimum(&[1.0], &[0.5], |x| if x[0] > 0.5 { f64::MAX } else { 1.0 }), [0.5]);
    }
}
