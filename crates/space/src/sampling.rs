//! Random configurations: one, several without repeats, or several that cover every parameter.

use math::Rng;
use rand::{RngExt, seq::SliceRandom};
use rustc_hash::FxHashMap;

use super::{Configuration, ConfigurationId, Space};

impl Space {
    /// A uniformly drawn configuration; `None` when nothing is valid. O(1).
    #[must_use]
    pub fn random(&self, rng: &mut Rng) -> Option<ConfigurationId> {
        (!self.is_empty()).then(|| ConfigurationId(rng.random_range(0..self.len())))
    }

    /// `count` different random configurations, or all if there are fewer. Costs `count`.
    #[must_use]
    pub fn sample(&self, count: usize, rng: &mut Rng) -> Vec<ConfigurationId> {
        let mut shuffle = self.shuffle();
        std::iter::from_fn(|| shuffle.next(rng)).take(count).collect()
    }

    /// All configurations in random order, one at a time.
    #[must_use]
    pub fn shuffle(&self) -> Shuffle {
        Shuffle { left: self.len(), moved: FxHashMap::default() }
    }

    /// `count` different configurations that cover the values of each parameter evenly, as far as
    /// the restrictions allow. All configurations if there are fewer.
    ///
    /// Draws a Latin hypercube over the values that occur. An invalid point moves to the nearest
    /// valid configuration, and a repeated configuration is replaced by a random one. Costs `count`
    /// times [`Space::nearest_by_hamming`].
    #[must_use]
    pub fn latin_hypercube(&self, count: usize, rng: &mut Rng) -> Vec<ConfigurationId> {
        if count as u64 >= self.len() {
            return self.sample(count, rng);
        }
        let mut points = vec![Configuration(Vec::with_capacity(self.parameters.len())); count];
        let mut strata: Vec<usize> = (0..count).collect();
        for occurring in &self.occurring {
            strata.shuffle(rng);
            for (point, stratum) in points.iter_mut().zip(&strata) {
                let place = (*stratum as f64 + rng.random::<f64>()) / count as f64;
                let index = (place * occurring.len() as f64) as usize;
                point.0.push(occurring[index.min(occurring.len() - 1)]);
            }
        }
        let mut found = Vec::with_capacity(count);
        let mut seen = rustc_hash::FxHashSet::default();
        for point in &points {
            found.extend(self.nearest_by_hamming(point).filter(|id| seen.insert(*id)));
        }
        let mut shuffle = self.shuffle();
        while found.len() < count
            && let Some(id) = shuffle.next(rng)
        {
            if seen.insert(id) {
                found.push(id);
            }
        }
        found
    }
}

/// All configurations of a space in random order. Memory grows with the number drawn.
#[derive(Clone, Debug)]
pub struct Shuffle {
    left: u64,
    /// Positions of a virtual list that no longer hold their own index.
    moved: FxHashMap<u64, u64>,
}

impl Shuffle {
    /// The next configuration; `None` after the last.
    pub fn next(&mut self, rng: &mut Rng) -> Option<ConfigurationId> {
        if self.left == 0 {
            return None;
        }
        let at = rng.random_range(0..self.left);
        self.left -= 1;
        let last = self.moved.remove(&self.left).unwrap_or(self.left);
        let drawn = if at == self.left { last } else { self.moved.insert(at, last).unwrap_or(at) };
        Some(ConfigurationId(drawn))
    }
}
