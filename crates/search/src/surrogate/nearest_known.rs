//! A model that predicts a configuration from the nearest known ones.

use space::Configuration;

pub(crate) struct NearestKnown {
    k: usize,
    known: Vec<(Configuration, f64)>,
}

impl NearestKnown {
    pub(crate) fn new(k: usize) -> Self {
        Self { k, known: Vec::new() }
    }

    pub(crate) fn learn(&mut self, configuration: Configuration, cost: f64) {
        self.known.push((configuration, cost));
    }

    /// Mean `worth` of the costs of the nearest known configurations, by the number of differing
    /// parameters. Among equally near ones, the first learnt count. O(known · parameters).
    pub(crate) fn predicted(
        &self,
        configuration: &Configuration,
        worth: impl Fn(f64) -> f64,
    ) -> f64 {
        let mut nearest: Vec<(usize, f64)> = Vec::with_capacity(self.k + 1);
        for (known, cost) in &self.known {
            let differs = |(a, b): &(&u32, &u32)| a != b;
            let distance = known.0.iter().zip(&configuration.0).filter(differs).count();
            if nearest.len() < self.k || distance < nearest[self.k - 1].0 {
                let at = nearest.partition_point(|(other, _)| *other <= distance);
                nearest.insert(at, (distance, *cost));
                nearest.truncate(self.k);
            }
        }
        nearest.iter().map(|(_, cost)| worth(*cost)).sum::<f64>() / nearest.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_count_and_of_equals_the_first() {
        let mut model = NearestKnown::new(2);
        model.learn(Configuration(vec![0, 0, 9]), 1.0);
        model.learn(Configuration(vec![5, 5, 5]), 100.0);
        model.learn(Configuration(vec![0, 9, 0]), 3.0);
        model.learn(Configuration(vec![9, 0, 0]), 70.0);
        let here = Configuration(vec![0, 0, 0]);
        assert!((model.predicted(&here, |cost| cost) - 2.0).abs() < 1e-12);
        assert!((model.predicted(&here, |cost| cost * 10.0) - 20.0).abs() < 1e-12);
    }
}
