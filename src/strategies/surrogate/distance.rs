//! Distance of configurations: a sum over the parameters, each with a length of its own.

use super::{CorrelationFunction, Hyperparameters};
use crate::space::{Configuration, ConfigurationId, Parameter, Space, Value};

/// Part of a distance that any difference makes. Near values may behave differently for reasons
/// that no order shows; without this part the process is far too smooth.
const JUMP: f64 = 0.08;

/// Steps in which longer lists of values are seen, as there is a table of every two values.
const STEPS: usize = 128;

/// Squared distances between the values of every parameter with a choice, each at most 1.
#[derive(Debug, Clone)]
pub(in crate::strategies) struct DistanceMetric {
    axes: Vec<MetricAxis>,
    flat: Vec<f64>,
}

/// One parameter; its table of `values × values` begins at `begin`.
#[derive(Debug, Clone, Copy)]
struct MetricAxis {
    parameter: usize,
    /// Length of the parameter's list.
    listed: usize,
    /// The same, or the steps in which a long list is seen.
    values: usize,
    begin: usize,
}

/// Configurations as positions along the axes, one after the other.
#[derive(Debug, Clone, Default)]
pub(in crate::strategies) struct Points {
    width: usize,
    flat: Vec<u32>,
}

impl Points {
    pub(in crate::strategies) fn len(&self) -> usize {
        self.flat.len().checked_div(self.width).unwrap_or(0)
    }

    pub(in crate::strategies) fn get(&self, at: usize) -> &[u32] {
        &self.flat[at * self.width..(at + 1) * self.width]
    }

    pub(in crate::strategies) fn push(&mut self, point: &[u32]) {
        self.width = point.len();
        self.flat.extend_from_slice(point);
    }

    pub(in crate::strategies) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.flat.chunks_exact(self.width.max(1))
    }
}

impl DistanceMetric {
    pub(in crate::strategies) fn new(space: &Space) -> Self {
        Self::of(space.parameters())
    }

    pub(super) fn of(parameters: &[Parameter]) -> Self {
        let mut metric = Self { axes: Vec::new(), flat: Vec::new() };
        for (parameter, described) in parameters.iter().enumerate() {
            let listed = described.values.len();
            if listed > 1 {
                let (values, begin) = (listed.min(STEPS), metric.flat.len());
                metric.axes.push(MetricAxis { parameter, listed, values, begin });
                metric.flat.extend(table(described, values));
            }
        }
        metric
    }

    /// Kernel Tuner's unit grid: neighbouring values are apart by one over the longest list.
    pub(in crate::strategies) fn grid(space: &Space) -> Self {
        let mut metric = Self::new(space);
        let longest = metric.axes.iter().map(|axis| axis.values).max().unwrap_or(1) as f64;
        for axis in &metric.axes {
            let table = &mut metric.flat[axis.begin..axis.begin + axis.values * axis.values];
            for (at, squared) in table.iter_mut().enumerate() {
                let steps = (at / axis.values).abs_diff(at % axis.values);
                *squared = (steps as f64 / longest).powi(2);
            }
        }
        metric
    }

    /// Number of parameters with a choice.
    pub(in crate::strategies) fn axes(&self) -> usize {
        self.axes.len()
    }

    /// The parameter of every axis.
    pub(in crate::strategies) fn parameters(&self) -> impl Iterator<Item = usize> {
        self.axes.iter().map(|axis| axis.parameter)
    }

    pub(in crate::strategies) fn point(&self, configuration: &Configuration) -> Vec<u32> {
        let step = |axis: &MetricAxis| {
            let place = configuration.0[axis.parameter];
            match axis.listed == axis.values {
                true => place,
                false => (place as usize * axis.values / axis.listed) as u32,
            }
        };
        self.axes.iter().map(step).collect()
    }

    pub(in crate::strategies) fn points(&self, space: &Space, ids: &[ConfigurationId]) -> Points {
        let mut points = Points::default();
        ids.iter().for_each(|id| points.push(&self.point(&space.configuration(*id))));
        points
    }

    /// Correlation of configurations when every axis has its length.
    pub(super) fn correlation(
        &self,
        settings: &Hyperparameters,
        shape: CorrelationFunction,
    ) -> Correlation {
        let apart = 1.0 / (1.0 + settings.ln_odds.exp());
        let mut table = Vec::with_capacity(self.flat.len());
        for (axis, ln_length) in self.axes.iter().zip(&settings.ln_lengths) {
            let factor = (-2.0 * ln_length).exp();
            let end = axis.begin + axis.values * axis.values;
            table.extend(self.flat[axis.begin..end].iter().map(|distance| {
                let scaled = distance * factor;
                [scaled, apart * shape.at(scaled) / self.axes.len() as f64]
            }));
        }
        Correlation { axes: self.axes.clone(), table, shape, together: 1.0 - apart }
    }
}

/// Correlation of configurations: a part of all parameters together, and a part that is the mean
/// over the parameters alone. Most effects of a parameter do not depend on the others; a process
/// that may believe so learns from far fewer points.
#[derive(Debug, Clone)]
pub(in crate::strategies) struct Correlation {
    axes: Vec<MetricAxis>,
    /// For two values of an axis, their squared distance and their correlation alone.
    table: Vec<[f64; 2]>,
    pub(super) shape: CorrelationFunction,
    /// Weight of the part of all parameters together.
    pub(super) together: f64,
}

impl Correlation {
    pub(super) fn axes(&self) -> usize {
        self.axes.len()
    }

    pub(super) fn values(&self, axis: usize) -> usize {
        self.axes[axis].values
    }

    /// Squared distances and correlations alone of one value of an axis with all of them.
    pub(super) fn row(&self, axis: usize, at: u32) -> &[[f64; 2]] {
        let MetricAxis { values, begin, .. } = self.axes[axis];
        let begin = begin + at as usize * values;
        &self.table[begin..begin + values]
    }

    pub(super) fn with_each<'a>(
        &'a self,
        point: &[u32],
        others: impl Iterator<Item = &'a [u32]> + 'a,
    ) -> impl Iterator<Item = f64> + 'a {
        let rows: Vec<&[[f64; 2]]> =
            point.iter().enumerate().map(|(axis, at)| self.row(axis, *at)).collect();
        others.map(move |other| {
            let (mut squared, mut alone) = (0.0, 0.0);
            for (row, at) in rows.iter().zip(other) {
                let [distance, common] = row[*at as usize];
                squared += distance;
                alone += common;
            }
            self.together * self.shape.at(squared) + alone
        })
    }
}

/// Squared distances between the values of a parameter, or those in the middle of `n` steps: by
/// place in the list and by size, half each; by place alone where sizes have no logarithm.
fn table(parameter: &Parameter, n: usize) -> Vec<f64> {
    let listed = &parameter.values;
    let middle = |step: usize| &listed[(2 * step + 1) * listed.len() / (2 * n)];
    let values: Vec<&Value> = (0..n).map(middle).collect();
    if n == 2 {
        return vec![0.0, 1.0, 1.0, 0.0];
    }
    let place = |at: usize| at as f64 / (n - 1) as f64;
    let sizes: Option<Vec<f64>> =
        values.iter().map(|value| value.as_f64().filter(|v| *v > 0.0).map(f64::ln)).collect();
    let range = sizes.as_ref().map(|sizes| {
        let low = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        let high = sizes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (low, high - low)
    });
    let size = |at: usize| match (&sizes, range) {
        (Some(sizes), Some((low, range))) if range > 0.0 => (sizes[at] - low) / range,
        _ => place(at),
    };
    let between = |a: usize, b: usize| {
        if a == b {
            return 0.0;
        }
        let square = |x: f64| x * x;
        let both = square(place(a) - place(b)) + square(size(a) - size(b));
        (1.0 - JUMP) * both / 2.0 + JUMP
    };
    (0..n * n).map(|at| between(at / n, at % n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::ConfigurationId;

    #[test]
    fn a_list_of_thousands_is_seen_in_steps() {
        let long: Vec<i64> = (1..=8_000).collect();
        let space = Space::build(vec![Parameter::new("a", long)], &[] as &[&str], &[]).unwrap();
        let metric = DistanceMetric::new(&space);
        assert_eq!(metric.flat.len(), STEPS * STEPS);
        let step = |place: u32| metric.point(&Configuration(vec![place]))[0];
        assert_eq!((step(0), step(62), step(63), step(7_999)), (0, 0, 1, STEPS as u32 - 1));
        assert!(metric.flat.iter().all(|squared| (0.0..=1.0).contains(squared)));
    }

    #[test]
    fn single_values_drop_out_and_differing_at_all_counts() {
        let parameters = vec![
            Parameter::new("one", [7]),
            Parameter::new("two", ["a", "b"]),
            Parameter::new("many", [1, 2, 4, 8]),
        ];
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let metric = DistanceMetric::new(&space);
        assert_eq!(metric.axes(), 2);
        let mut points = Points::default();
        for id in space.ids() {
            points.push(&metric.point(&space.configuration(id)));
        }
        let first = metric.point(&space.configuration(ConfigurationId(0)));
        let unit = Hyperparameters { ln_lengths: vec![0.0; 2], ln_noise: -9.0, ln_odds: 40.0 };
        let together = metric.correlation(&unit, CorrelationFunction::Matern52);
        let matern = |squared: f64| CorrelationFunction::Matern52.at(squared);
        let common: Vec<f64> = together.with_each(&first, points.iter()).collect();
        let step = (1.0 - JUMP) / 9.0 + JUMP;
        let expected = [0.0, step, (1.0 - JUMP) * 4.0 / 9.0 + JUMP, 1.0];
        for (at, common) in common.iter().enumerate() {
            let other = if at < 4 { 0.0 } else { 1.0 };
            assert!((common - matern(expected[at % 4] + other)).abs() < 1e-12, "{at}: {common}");
        }
        let alone = metric.correlation(
            &Hyperparameters { ln_odds: -40.0, ..unit },
            CorrelationFunction::Matern52,
        );
        let common: Vec<f64> = alone.with_each(&first, points.iter()).collect();
        assert!((common[0] - 1.0).abs() < 1e-12);
        assert!((common[5] - (matern(1.0) + matern(step)) / 2.0).abs() < 1e-12);
    }
}
