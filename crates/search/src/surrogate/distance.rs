//! Distance of configurations: a sum over the parameters, each with a length of its own.

use space::{Configuration, ConfigurationId, Parameter, Space, Value};

use super::{
    CorrelationFunction, Hyperparameters, LengthOf,
    differences::{by_halvings, by_size},
};

/// Steps into which longer lists of values are divided, since tables grow with the square of this.
const STEPS: usize = 128;

/// Squared distances, each at most 1, between the values of every parameter that has several.
#[derive(Debug, Clone)]
pub(crate) struct DistanceMetric {
    axes: Vec<MetricAxis>,
    flat: Vec<f64>,
}

/// One parameter; its table of `values × values` begins at `begin`.
#[derive(Debug, Clone, Copy)]
struct MetricAxis {
    parameter: usize,
    /// Length of the parameter's list.
    listed: usize,
    /// The same, or the number of steps of a long list.
    values: usize,
    begin: usize,
    /// Where its table by halvings begins, if it has one; that distance has its own length.
    halvings: Option<usize>,
}

impl MetricAxis {
    fn len(&self) -> usize {
        self.values * self.values
    }
}

/// Configurations as positions along the axes, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Points {
    width: usize,
    flat: Vec<u32>,
}

impl Points {
    pub(crate) fn len(&self) -> usize {
        self.flat.len().checked_div(self.width).unwrap_or(0)
    }

    pub(crate) fn get(&self, at: usize) -> &[u32] {
        &self.flat[at * self.width..(at + 1) * self.width]
    }

    pub(crate) fn push(&mut self, point: &[u32]) {
        self.width = point.len();
        self.flat.extend_from_slice(point);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.flat.chunks_exact(self.width.max(1))
    }
}

impl DistanceMetric {
    pub(crate) fn new(space: &Space) -> Self {
        Self::of(space.parameters())
    }

    pub(super) fn of(parameters: &[Parameter]) -> Self {
        let mut metric = Self { axes: Vec::new(), flat: Vec::new() };
        for (parameter, described) in parameters.iter().enumerate() {
            let listed = described.values.len();
            if listed > 1 {
                let (values, begin) = (listed.min(STEPS), metric.flat.len());
                metric.axes.push(MetricAxis { parameter, listed, values, begin, halvings: None });
                metric.flat.extend(by_size(described, values));
            }
        }
        metric
    }

    /// The same metric with distances by halvings, where these add anything.
    pub(crate) fn with_halvings(mut self, parameters: &[Parameter]) -> Self {
        for axis in &mut self.axes {
            let values: Vec<&Value> = parameters[axis.parameter].values.iter().collect();
            let table = by_halvings(&values).filter(|_| axis.listed == axis.values);
            axis.halvings = table.as_ref().map(|_| self.flat.len());
            self.flat.extend(table.into_iter().flatten());
        }
        self
    }

    /// Kernel Tuner's unit grid: neighbouring values are 1 / (length of the longest list) apart.
    pub(crate) fn grid(space: &Space) -> Self {
        let mut metric = Self::new(space);
        let longest = metric.axes.iter().map(|axis| axis.values).max().unwrap_or(1) as f64;
        for axis in &metric.axes {
            let table = &mut metric.flat[axis.begin..axis.begin + axis.len()];
            for (at, squared) in table.iter_mut().enumerate() {
                let steps = (at / axis.values).abs_diff(at % axis.values);
                *squared = (steps as f64 / longest).powi(2);
            }
        }
        metric
    }

    /// Number of parameters with several values.
    pub(crate) fn axes(&self) -> usize {
        self.axes.len()
    }

    /// The parameter of every length, and which of its distances the length scales, in the order of
    /// the hyperparameters.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = (usize, LengthOf)> {
        self.axes.iter().flat_map(|axis| {
            let halvings = axis.halvings.map(|_| (axis.parameter, LengthOf::Halvings));
            std::iter::once((axis.parameter, LengthOf::Values)).chain(halvings)
        })
    }

    pub(crate) fn point(&self, configuration: &Configuration) -> Vec<u32> {
        let step = |axis: &MetricAxis| {
            let place = configuration.0[axis.parameter];
            match axis.listed == axis.values {
                true => place,
                false => (place as usize * axis.values / axis.listed) as u32,
            }
        };
        self.axes.iter().map(step).collect()
    }

    pub(crate) fn points(&self, space: &Space, ids: &[ConfigurationId]) -> Points {
        let mut points = Points::default();
        ids.iter().for_each(|id| points.push(&self.point(&space.configuration(*id))));
        points
    }

    /// Correlation of configurations with these lengths.
    pub(super) fn correlation(
        &self,
        settings: &Hyperparameters,
        shape: CorrelationFunction,
    ) -> Correlation {
        let apart = 1.0 / (1.0 + settings.ln_odds.exp());
        let mut ln_lengths = settings.ln_lengths.iter();
        let mut table = Vec::with_capacity(self.flat.len());
        let mut axes = self.axes.clone();
        for axis in &mut axes {
            let mut squared = vec![0.0; axis.len()];
            for (begin, ln_length) in
                [Some(axis.begin), axis.halvings].into_iter().flatten().zip(&mut ln_lengths)
            {
                let factor = (-2.0 * ln_length).exp();
                let distances = &self.flat[begin..begin + axis.len()];
                squared.iter_mut().zip(distances).for_each(|(sum, d)| *sum += factor * d);
            }
            axis.begin = table.len();
            let alone = |squared: f64| apart * shape.at(squared) / self.axes.len() as f64;
            table.extend(squared.into_iter().map(|squared| [squared, alone(squared)]));
        }
        Correlation { axes, table, shape, together: 1.0 - apart }
    }
}

/// Correlation of configurations. The first part depends on all parameters jointly; the second is
/// the mean over the parameters, each alone. Most effects of a parameter do not depend on the
/// others, and a process that can use this learns from far fewer points.
#[derive(Debug, Clone)]
pub(crate) struct Correlation {
    axes: Vec<MetricAxis>,
    /// For two values of an axis: squared distance, and contribution to the second part.
    table: Vec<[f64; 2]>,
    pub(super) shape: CorrelationFunction,
    /// Weight of the first part.
    pub(super) together: f64,
}

impl Correlation {
    pub(super) fn axes(&self) -> usize {
        self.axes.len()
    }

    pub(super) fn values(&self, axis: usize) -> usize {
        self.axes[axis].values
    }

    /// For one value of an axis and each of its values: squared distance, and contribution to the
    /// second part.
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

#[cfg(test)]
mod tests {
    use space::ConfigurationId;

    use super::*;
    use crate::surrogate::differences::JUMP;

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

    #[test]
    fn halvings_have_a_length_of_their_own_and_a_long_one_changes_nothing() {
        let parameters =
            vec![Parameter::new("x", [16, 32, 48, 64, 80]), Parameter::new("y", [0, 1])];
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let plain = DistanceMetric::new(&space);
        let metric = plain.clone().with_halvings(space.parameters());
        let lengths: Vec<(usize, LengthOf)> = metric.lengths().collect();
        assert_eq!(
            lengths,
            [(0, LengthOf::Values), (0, LengthOf::Halvings), (1, LengthOf::Values)]
        );
        assert_eq!(plain.lengths().count(), 2);
        let points = metric.points(&space, &space.ids().collect::<Vec<_>>());
        let common = |metric: &DistanceMetric, ln_lengths: &[f64]| -> Vec<f64> {
            let ln_lengths = ln_lengths.to_vec();
            let settings = Hyperparameters { ln_lengths, ln_noise: -9.0, ln_odds: 0.5 };
            let correlation = metric.correlation(&settings, CorrelationFunction::Matern52);
            correlation.with_each(points.get(0), points.iter()).collect()
        };
        let long = common(&metric, &[0.3, 30.0, 0.1]);
        for (long, plain) in long.iter().zip(common(&plain, &[0.3, 0.1])) {
            assert!((long - plain).abs() < 1e-12, "{long} {plain}");
        }
        // 16, 48 and 80 are alike where only halvings count.
        let halved = common(&metric, &[30.0, 0.0, 0.1]);
        let of = |x: usize| halved[2 * x];
        assert!((of(2) - 1.0).abs() < 1e-9 && (of(4) - 1.0).abs() < 1e-9);
        assert!(of(1) < 0.8 && of(3) < of(1));
    }
}
