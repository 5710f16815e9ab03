//! Distance of configurations, to begin a search with some that are far apart.

use space::{Configuration, ConfigurationId, Space};

/// Distance of any two different values. The distance of their places, at most 1, is added.
const DIFFERING: f64 = 0.3;

#[derive(Debug, Clone)]
pub(crate) struct ValueDistance {
    /// For each parameter, one over the distance between its outermost values.
    scale: Vec<f64>,
}

impl ValueDistance {
    pub(crate) fn new(space: &Space) -> Self {
        let last = |n: usize| n.saturating_sub(1).max(1) as f64;
        let scale = space.parameters().iter().map(|p| 1.0 / last(p.values.len())).collect();
        Self { scale }
    }

    pub(crate) fn between(&self, a: &Configuration, b: &Configuration) -> f64 {
        let pairs = a.0.iter().zip(&b.0).zip(&self.scale);
        pairs
            .filter(|((a, b), _)| a != b)
            .map(|((a, b), scale)| DIFFERING + f64::from(a.abs_diff(*b)) * scale)
            .sum()
    }

    /// The distance to the nearest of `others`.
    pub(crate) fn isolation<'a>(
        &self,
        configuration: &Configuration,
        others: impl IntoIterator<Item = &'a Configuration>,
    ) -> f64 {
        others
            .into_iter()
            .map(|other| self.between(other, configuration))
            .fold(f64::INFINITY, f64::min)
    }

    /// The drawn configuration that is nearest to the middle of all parameters.
    pub(crate) fn central(
        &self,
        space: &Space,
        drawn: Vec<ConfigurationId>,
    ) -> Option<ConfigurationId> {
        let away = |id: &ConfigurationId| -> f64 {
            let places = space.configuration(*id);
            let off = |(at, scale): (&u32, &f64)| (f64::from(*at) * scale - 0.5).powi(2);
            places.0.iter().zip(&self.scale).map(off).sum()
        };
        drawn.into_iter().min_by(|a, b| away(a).total_cmp(&away(b)))
    }

    /// The drawn configuration that is farthest from `others`.
    pub(crate) fn remote(
        &self,
        space: &Space,
        drawn: Vec<ConfigurationId>,
        others: &[Configuration],
    ) -> Option<ConfigurationId> {
        let far = |id: &ConfigurationId| self.isolation(&space.configuration(*id), others);
        drawn.into_iter().max_by(|a, b| far(a).total_cmp(&far(b)))
    }
}
