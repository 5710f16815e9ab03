//! Which configurations of a space may come next.

use rustc_hash::FxHashSet;

use crate::space::{ConfigurationId, Neighbourhood, Rng, Space};

/// Everything unknown of a space of at most `most` configurations. Of a larger one, so many at
/// random and the neighbours of the incumbents stand for all.
pub(in crate::strategies) fn pool(
    space: &Space,
    most: usize,
    incumbents: &[ConfigurationId],
    known: &FxHashSet<ConfigurationId>,
    rng: &mut Rng,
) -> Vec<ConfigurationId> {
    let mut pool: Vec<ConfigurationId> = if space.len() <= most as u64 {
        space.ids().collect()
    } else {
        let near = incumbents.iter().flat_map(|id| space.neighbours(*id, Neighbourhood::Hamming));
        space.sample(most, rng).into_iter().chain(near).collect()
    };
    pool.retain(|id| !known.contains(id));
    pool.sort_unstable();
    pool.dedup();
    pool
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Parameter, seeded};

    #[test]
    fn small_spaces_are_whole_and_of_large_ones_the_neighbours_of_the_best_are_there() {
        let list = (1..=20).collect::<Vec<_>>();
        let parameters = ["a", "b", "c"].map(|name| Parameter::new(name, list.clone())).to_vec();
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let best = ConfigurationId(4_321);
        let known = FxHashSet::from_iter([best, ConfigurationId(7)]);
        let mut rng = seeded(1, 0);
        assert_eq!(pool(&space, 8_000, &[], &known, &mut rng).len(), 7_998);
        let some = pool(&space, 500, &[best], &known, &mut rng);
        assert!(some.is_sorted() && some.len() > 500 && some.len() <= 500 + 57);
        assert!(!some.contains(&best));
        let neighbours = space.neighbours(best, Neighbourhood::Hamming);
        assert!(neighbours.iter().all(|id| some.contains(id)));
    }
}
