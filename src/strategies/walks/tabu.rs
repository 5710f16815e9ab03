//! The places a search was at last, and would rather not visit again.

use std::collections::VecDeque;

use crate::space::ConfigurationId;

/// The last so many places.
pub(in crate::strategies) struct Tabu {
    longest: usize,
    places: VecDeque<ConfigurationId>,
}

impl Tabu {
    /// A list that holds at most `longest`.
    pub(in crate::strategies) fn new(longest: usize) -> Self {
        Self { longest, places: VecDeque::new() }
    }

    /// Adds a place; the oldest gives way to it.
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
