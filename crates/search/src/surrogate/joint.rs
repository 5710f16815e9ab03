//! Groups of axes with few combinations, so that the distance along a group is one table lookup.

use std::ops::Range;

use super::distance::Correlation;

/// Limit of combinations in a group.
const MOST_COMBINATIONS: usize = 1_024;

#[derive(Debug, Clone)]
pub(super) struct Joint {
    groups: Vec<Range<usize>>,
}

/// For one point and every combination of each group: squared distance, and contribution to the
/// second part of [`Correlation`].
#[derive(Debug)]
pub(super) struct JointTable(Vec<Vec<[f32; 2]>>);

impl Joint {
    pub(super) fn new(correlation: &Correlation) -> Self {
        let mut groups: Vec<Range<usize>> = Vec::new();
        let mut combinations = usize::MAX;
        for axis in 0..correlation.axes() {
            combinations = combinations.saturating_mul(correlation.values(axis));
            match groups.last_mut() {
                Some(group) if combinations <= MOST_COMBINATIONS => group.end = axis + 1,
                _ => {
                    groups.push(axis..axis + 1);
                    combinations = correlation.values(axis);
                }
            }
        }
        Self { groups }
    }

    /// The number of a point's combination in each group.
    pub(super) fn codes(&self, correlation: &Correlation, point: &[u32]) -> Vec<u32> {
        let code = |group: &Range<usize>| {
            let next = |code, axis| code * correlation.values(axis) as u32 + point[axis];
            group.clone().fold(0, next)
        };
        self.groups.iter().map(code).collect()
    }

    pub(super) fn table(&self, correlation: &Correlation, point: &[u32]) -> JointTable {
        let sums = |group: &Range<usize>| {
            let with = |sums: Vec<[f64; 2]>, axis: usize| {
                let row = correlation.row(axis, point[axis]);
                let plus = |[a, b]: [f64; 2]| row.iter().map(move |[c, d]| [a + c, b + d]);
                sums.into_iter().flat_map(plus).collect()
            };
            let sums: Vec<[f64; 2]> = group.clone().fold(vec![[0.0; 2]], with);
            sums.into_iter().map(|pair| pair.map(|sum| sum as f32)).collect()
        };
        JointTable(self.groups.iter().map(sums).collect())
    }
}

impl JointTable {
    /// Correlations of the point with the points of these codes; `codes` has a row for every group.
    pub(super) fn common<const N: usize>(
        &self,
        correlation: &Correlation,
        codes: &[[u32; N]],
    ) -> [f32; N] {
        let (mut common, mut alone) = ([0.0; N], [0.0; N]);
        for (table, codes) in self.0.iter().zip(codes) {
            for (at, code) in codes.iter().enumerate() {
                let [squared, part] = table[*code as usize];
                common[at] += squared;
                alone[at] += part;
            }
        }
        correlation.shape.of_each(&mut common);
        let together = correlation.together as f32;
        for (common, alone) in common.iter_mut().zip(alone) {
            *common = together * *common + alone;
        }
        common
    }
}

#[cfg(test)]
mod tests {
    use space::{Parameter, Space};

    use super::*;
    use crate::surrogate::{CorrelationFunction, DistanceMetric, Hyperparameters, Points};

    #[test]
    fn by_groups_points_have_in_common_what_they_have_by_axes() {
        let list = |n: i64| (1..=n).collect::<Vec<_>>();
        let lengths = [40, 3, 30, 1, 2, 2, 5];
        let parameters: Vec<Parameter> = lengths
            .iter()
            .enumerate()
            .map(|(at, n)| Parameter::new(format!("p{at}"), list(*n)))
            .collect();
        let space = Space::build(parameters, &["(p0 + p2) % 7 == 1"], &[]).unwrap();
        let metric = DistanceMetric::new(&space);
        let settings =
            Hyperparameters { ln_lengths: vec![0.3; metric.axes()], ln_noise: -9.0, ln_odds: 0.5 };
        let correlation = metric.correlation(&settings, CorrelationFunction::Matern32);
        let joint = Joint::new(&correlation);
        assert_eq!(joint.groups, [0..2, 2..6]);
        let mut points = Points::default();
        for id in space.ids().step_by(97) {
            points.push(&metric.point(&space.configuration(id)));
        }
        let first = points.get(0).to_vec();
        let table = joint.table(&correlation, &first);
        for (point, expected) in points.iter().zip(correlation.with_each(&first, points.iter())) {
            let codes: Vec<[u32; 1]> =
                joint.codes(&correlation, point).into_iter().map(|code| [code]).collect();
            let [common] = table.common(&correlation, &codes);
            assert!((f64::from(common) - expected).abs() < 1e-5);
        }
    }
}
