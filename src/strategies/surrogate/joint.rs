//! Axes taken together: where a few of them have few combinations of values, the distance along
//! all of these is one look into a table.

use std::ops::Range;

use super::Metric;

/// Axes are taken together while they have at most so many combinations.
const MOST_COMBINATIONS: usize = 1_024;

/// The axes of a metric in groups.
#[derive(Debug, Clone)]
pub(super) struct Joint {
    groups: Vec<Range<usize>>,
}

/// The squared distances of a point along each group, for every combination of its values.
#[derive(Debug)]
pub(super) struct Table(Vec<Vec<f32>>);

impl Joint {
    pub(super) fn new(metric: &Metric) -> Self {
        let mut groups: Vec<Range<usize>> = Vec::new();
        let mut combinations = usize::MAX;
        for axis in 0..metric.axes() {
            combinations = combinations.saturating_mul(metric.values(axis));
            match groups.last_mut() {
                Some(group) if combinations <= MOST_COMBINATIONS => group.end = axis + 1,
                _ => {
                    groups.push(axis..axis + 1);
                    combinations = metric.values(axis);
                }
            }
        }
        Self { groups }
    }

    /// Which combination a point has in each group.
    pub(super) fn codes(&self, metric: &Metric, point: &[u32]) -> Vec<u32> {
        let code = |group: &Range<usize>| {
            group.clone().fold(0, |code, axis| code * metric.values(axis) as u32 + point[axis])
        };
        self.groups.iter().map(code).collect()
    }

    pub(super) fn table(&self, metric: &Metric, point: &[u32]) -> Table {
        let sums = |group: &Range<usize>| {
            let with = |sums: Vec<f64>, axis: usize| {
                let row = metric.row(axis, point[axis]);
                sums.iter().flat_map(|sum| row.iter().map(move |d| sum + d)).collect()
            };
            group.clone().fold(vec![0.0], with).into_iter().map(|d| d as f32).collect()
        };
        Table(self.groups.iter().map(sums).collect())
    }
}

impl Table {
    /// The squared distances to points with these codes, a row of them for every group.
    pub(super) fn distances<const N: usize>(&self, codes: &[[u32; N]]) -> [f32; N] {
        let mut sums = [0.0; N];
        for (table, codes) in self.0.iter().zip(codes) {
            for (sum, code) in sums.iter_mut().zip(codes) {
                *sum += table[*code as usize];
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        space::{Parameter, Space},
        strategies::surrogate::Points,
    };

    #[test]
    fn distances_by_groups_are_those_by_axes() {
        let list = |n: i64| (1..=n).collect::<Vec<_>>();
        let lengths = [40, 3, 30, 1, 2, 2, 5];
        let parameters: Vec<Parameter> = lengths
            .iter()
            .enumerate()
            .map(|(at, n)| Parameter::new(format!("p{at}"), list(*n)))
            .collect();
        let space = Space::build(parameters, &["(p0 + p2) % 7 == 1"], &[]).unwrap();
        let metric = Metric::new(&space);
        let joint = Joint::new(&metric);
        assert_eq!(joint.groups, [0..2, 2..6]);
        let mut points = Points::default();
        for id in space.ids().step_by(97) {
            points.push(&metric.point(&space.configuration(id)));
        }
        let first = points.get(0).to_vec();
        let table = joint.table(&metric, &first);
        for (point, expected) in points.iter().zip(metric.to_each(&first, points.iter())) {
            let codes: Vec<[u32; 1]> =
                joint.codes(&metric, point).into_iter().map(|code| [code]).collect();
            let [distance] = table.distances(&codes);
            assert!((f64::from(distance) - expected).abs() < 1e-5);
        }
    }
}
