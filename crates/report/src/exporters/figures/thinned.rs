//! Which of many points are drawn. Thousands lie over each other, and make files that no program
//! opens quickly.

use std::{collections::BTreeMap, ops::Range};

/// Most marks of a picture.
pub(super) const MOST_MARKS: usize = 5_000;

/// Returns the positions of the points to draw, at most `most`, in order. Of more, these are the
/// lowest and the highest of each kind within columns of the picture: the outline of the cloud.
pub(super) fn thinned<K: Ord + Copy>(points: &[(f64, f64, K)], most: usize) -> Vec<usize> {
    if points.len() <= most {
        return (0..points.len()).collect();
    }
    let mut kinds: Vec<K> = points.iter().map(|point| point.2).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let columns = (most / (2 * kinds.len())).max(1);
    let xs = points.iter().map(|point| point.0).filter(|x| x.is_finite());
    let Range { start, end } =
        xs.fold(f64::INFINITY..f64::NEG_INFINITY, |range, x| range.start.min(x)..range.end.max(x));
    let column = |x: f64| {
        let share = (x - start) / (end - start);
        if share.is_finite() { (share * (columns - 1) as f64) as usize } else { 0 }
    };
    let mut outline: BTreeMap<(usize, K), (usize, usize)> = BTreeMap::new();
    for (at, &(x, y, kind)) in points.iter().enumerate() {
        let (low, high) = outline.entry((column(x), kind)).or_insert((at, at));
        if y < points[*low].1 {
            *low = at;
        }
        if y > points[*high].1 {
            *high = at;
        }
    }
    let mut drawn: Vec<usize> = outline.into_values().flat_map(|(low, high)| [low, high]).collect();
    drawn.sort_unstable();
    drawn.dedup();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_are_all_drawn_and_of_many_the_outline() {
        let point = |n: u64| ((n % 977) as f64, ((n * 7919) % 1009) as f64, n % 3);
        for count in [0, 1, 50, 51, 10_000] {
            let points: Vec<_> = (0..count).map(point).collect();
            let drawn = thinned(&points, 50);
            assert!(drawn.len() <= 50 && drawn.is_sorted(), "{count}: {}", drawn.len());
            let ends = |all: &mut dyn Iterator<Item = f64>| {
                all.fold((f64::INFINITY, 0.0_f64), |(low, high), y| (low.min(y), high.max(y)))
            };
            let all = ends(&mut points.iter().map(|point| point.1));
            assert_eq!(ends(&mut drawn.iter().map(|at| points[*at].1)), all, "{count}");
        }
        let same = vec![(1.0, f64::NAN, 0); 100];
        assert!(thinned(&same, 10).len() <= 10);
    }
}
