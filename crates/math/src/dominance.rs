//! Pareto dominance of points with several values, where lower is better in each. All points have
//! the same number of values, and none is NaN.

use std::cmp::Ordering;

/// Whether `a` dominates `b`: it is worse in no value and better in at least one. O(values).
#[must_use]
pub fn dominates(a: &[f64], b: &[f64]) -> bool {
    let mut better = false;
    for (a, b) in a.iter().zip(b) {
        if a > b {
            return false;
        }
        better |= a < b;
    }
    better
}

/// Positions of the points that no other point dominates, ascending. Equal points are all kept.
///
/// In lexicographic order, the points that dominate a point come before it. So a comparison with
/// the front so far suffices. O(n log n + n · front).
#[must_use]
pub fn front(points: &[impl AsRef<[f64]>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|a, b| lexicographic(points[*a].as_ref(), points[*b].as_ref()));
    let mut front: Vec<usize> = Vec::new();
    for at in order {
        let point = points[at].as_ref();
        if !front.iter().any(|known| dominates(points[*known].as_ref(), point)) {
            front.push(at);
        }
    }
    front.sort_unstable();
    front
}

/// All points by rank: the front, the front of the rest, and so on. Positions ascend within a rank.
/// The fast non-dominated sort of Deb, Pratap, Agarwal and Meyarivan (2002). O(n² · values).
#[must_use]
pub fn fronts(points: &[impl AsRef<[f64]>]) -> Vec<Vec<usize>> {
    let n = points.len();
    let mut beaten_by = vec![0_usize; n];
    let mut beats: Vec<Vec<usize>> = vec![Vec::new(); n];
    for a in 0..n {
        for b in a + 1..n {
            let (better, worse) = if dominates(points[a].as_ref(), points[b].as_ref()) {
                (a, b)
            } else if dominates(points[b].as_ref(), points[a].as_ref()) {
                (b, a)
            } else {
                continue;
            };
            beats[better].push(worse);
            beaten_by[worse] += 1;
        }
    }
    let mut ranks = Vec::new();
    let mut rank: Vec<usize> = (0..n).filter(|at| beaten_by[*at] == 0).collect();
    while !rank.is_empty() {
        let mut next = Vec::new();
        for worse in rank.iter().flat_map(|at| &beats[*at]) {
            beaten_by[*worse] -= 1;
            if beaten_by[*worse] == 0 {
                next.push(*worse);
            }
        }
        next.sort_unstable();
        ranks.push(std::mem::replace(&mut rank, next));
    }
    ranks
}

fn lexicographic(a: &[f64], b: &[f64]) -> Ordering {
    let pairs = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    pairs.fold(Ordering::Equal, Ordering::then)
}

/// Crowding distance of each point of a front (Deb, Pratap, Agarwal and Meyarivan 2002): for every
/// value, the distance between the two neighbours of the point relative to the range, summed. It is
/// infinite at both ends of a value, and 0 for a point that repeats an earlier one.
/// O(n log n · values + n²).
#[must_use]
pub fn crowding(points: &[impl AsRef<[f64]>]) -> Vec<f64> {
    let point = |at: usize| points[at].as_ref();
    let different: Vec<usize> = (0..points.len())
        .filter(|at| (0..*at).all(|earlier| point(earlier) != point(*at)))
        .collect();
    let mut crowding = vec![0.0; points.len()];
    let figures = points.first().map_or(0, |first| first.as_ref().len());
    for figure in 0..figures {
        let mut order = different.clone();
        order.sort_by(|a, b| point(*a)[figure].total_cmp(&point(*b)[figure]));
        let (Some(first), Some(last)) = (order.first().copied(), order.last().copied()) else {
            break;
        };
        let range = point(last)[figure] - point(first)[figure];
        for around in order.windows(3) {
            if range > 0.0 {
                let apart = point(around[2])[figure] - point(around[0])[figure];
                crowding[around[1]] += apart / range;
            }
        }
        crowding[first] = f64::INFINITY;
        crowding[last] = f64::INFINITY;
    }
    crowding
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `numpy.random.default_rng(7)`: twelve points of two values rounded to two digits, the last
    /// equal to the fifth; then twelve of three values.
    const TWO: [[f64; 2]; 12] = [
        [0.63, 0.9],
        [0.78, 0.23],
        [0.3, 0.87],
        [0.01, 0.82],
        [0.8, 0.47],
        [0.3, 0.28],
        [0.25, 0.45],
        [0.5, 0.55],
        [1.0, 0.79],
        [0.62, 0.99],
        [0.22, 0.16],
        [0.8, 0.47],
    ];
    const THREE: [[f64; 3]; 12] = [
        [0.04, 0.51, 0.47],
        [0.92, 0.63, 0.51],
        [0.5, 0.25, 0.01],
        [0.19, 0.69, 0.2],
        [0.37, 0.0, 0.83],
        [0.15, 0.27, 0.88],
        [0.51, 0.85, 0.64],
        [0.74, 0.09, 0.54],
        [0.51, 0.87, 0.36],
        [0.6, 0.06, 0.39],
        [0.32, 0.15, 0.82],
        [0.38, 0.98, 0.59],
    ];

    #[test]
    fn ranks_and_crowding_are_those_of_pymoo() {
        // pymoo 0.6.2: NonDominatedSorting().do(…), calc_crowding_distance(…) times three values.
        let ranks: [&[usize]; 4] = [&[3, 10], &[1, 5, 6], &[2, 4, 7, 11], &[0, 8, 9]];
        assert_eq!(fronts(&TWO), ranks);
        let ranks: [&[usize]; 2] = [&[0, 2, 3, 4, 5, 9, 10], &[1, 6, 7, 8, 11]];
        assert_eq!(fronts(&THREE), ranks);
        let members: Vec<[f64; 3]> = ranks[0].iter().map(|at| THREE[*at]).collect();
        let lonely = crowding(&members);
        assert!(lonely[..6].iter().all(|distance| distance.is_infinite()), "{lonely:?}");
        assert!((lonely[6] - 1.010_583_993_717_427).abs() < 1e-12, "{lonely:?}");
    }

    #[test]
    fn a_point_dominates_where_it_is_nowhere_worse_and_somewhere_better() {
        assert!(dominates(&[1.0, 2.0], &[1.0, 3.0]));
        assert!(!dominates(&[1.0, 2.0], &[1.0, 2.0]));
        assert!(!dominates(&[1.0, 2.0], &[2.0, 1.0]));
    }

    fn points() -> impl Strategy<Value = Vec<Vec<f64>>> {
        let figure = (0_i32..6).prop_map(f64::from);
        (1_usize..4).prop_flat_map(move |figures| {
            prop::collection::vec(prop::collection::vec(figure.clone(), figures), 0..40)
        })
    }

    proptest! {
        #[test]
        fn the_front_is_what_nothing_dominates(points in points()) {
            let free = |at: &usize| !points.iter().any(|other| dominates(other, &points[*at]));
            let expected: Vec<usize> = (0..points.len()).filter(free).collect();
            prop_assert_eq!(front(&points), expected);
        }

        #[test]
        fn ranks_are_the_fronts_of_what_is_left(points in points()) {
            let mut left: Vec<usize> = (0..points.len()).collect();
            for rank in fronts(&points) {
                let remaining: Vec<&Vec<f64>> = left.iter().map(|at| &points[*at]).collect();
                let expected: Vec<usize> = front(&remaining).into_iter().map(|at| left[at]).collect();
                prop_assert_eq!(&rank, &expected);
                left.retain(|at| !rank.contains(at));
            }
            prop_assert!(left.is_empty());
        }

        #[test]
        fn crowding_knows_no_scale_and_the_ends_are_lonely(points in points()) {
            let lonely = crowding(&points);
            let scaled: Vec<Vec<f64>> =
                points.iter().map(|p| p.iter().map(|v| 4.0 * v).collect()).collect();
            prop_assert_eq!(&crowding(&scaled), &lonely);
            if !points.is_empty() {
                prop_assert!(lonely.iter().any(|distance| distance.is_infinite()));
            }
            for (at, point) in points.iter().enumerate() {
                if points[..at].contains(point) {
                    prop_assert!(lonely[at].abs() < 1e-300);
                }
            }
        }
    }
}
