//! Tabu list: the last places of a search.

use std::collections::VecDeque;

use space::ConfigurationId;

pub(crate) struct Tabu {
    longest: usize,
    places: VecDeque<ConfigurationId>,
}

impl Tabu {
    pub(crate) fn new(longest: usize) -> Self {
        Self { longest, places: VecDeque::new() }
    }

    pub(crate) fn add(&mut self, id: ConfigurationId) {
        self.places.push_back(id);
        if self.places.len() > self.longest {
            self.places.pop_front();
        }
    }

    pub(crate) fn holds(&self, id: ConfigurationId) -> bool {
        self.places.contains(&id)
    }

    pub(crate) fn clear(&mut self) {
        self.places.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_place_is_forgotten_first() {
        let mut tabu = Tabu::new(2);
        [1, 2, 3].iter().for_each(|id| tabu.add(ConfigurationId(*id)));
        let held = [1, 2, 3].map(|id| tabu.holds(ConfigurationId(id)));
        assert_eq!(held, [false, true, true]);
        tabu.clear();
        assert!(!tabu.holds(ConfigurationId(3)));
    }
}
