//! Tabu list: the last places of a search.

use std::collections::VecDeque;

use crate::space::ConfigurationId;

pub(in crate::strategies) struct Tabu {
    longest: usize,
    places: VecDeque<ConfigurationId>,
}

impl Tabu {
    pub(in crate::strategies) fn new(longest: usize) -> Self {
        Self { longest, places: VecDeque::new() }
    }

    pub(in crate::strategies) fn add(&mut self, id: ConfigurationId) {
        self.places.push_back(id);
        if self.places.len() > self.longest {
            self.places.pop_front();
        }
    }

    pub(in crate::strategies) fn holds(&self, id: ConfigurationId) -> bool {
        self.places.contains(&id)
    }

    pub(in crate::strategies) fn clear(&mut self) {
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
