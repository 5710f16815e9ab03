//! The sizes of a study, in the order they are visited.

use records::settings::{LADDER_FACTOR, SizeSettings};

use super::Rounding;

/// Sizes between two, ascending, each accepted by the rule; or the listed sizes. Where steps follow what
/// is measured, these are the rungs of the ladder that they are taken from.
#[must_use]
pub fn sizes(
    settings: &SizeSettings,
    (first, largest): (u64, u64),
    rounding: Rounding,
) -> Vec<u64> {
    if let Some(list) = &settings.list {
        let mut sizes: Vec<u64> = list.iter().map(|size| rounding.named(*size)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        return sizes;
    }
    let begin = settings.start.map_or(rounding.nearest(first), |start| rounding.named(start));
    let factor = settings.factor.fixed().unwrap_or(LADDER_FACTOR);
    let next = |size: &u64| {
        // A factor smaller than the rule's own steps takes every step.
        let least = size.checked_add(1).and_then(|least| rounding.up(least))?;
        Some(rounding.nearest((*size as f64 * factor) as u64).max(least))
    };
    std::iter::successors(Some(begin), next).take_while(|size| *size <= largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_gives_growing_sizes_by_the_rule() {
        let all = sizes(&SizeSettings::default(), (16, 200), Rounding::Multiple(16));
        assert_eq!(all, [16, 32, 48, 80, 128, 192]);
    }

    #[test]
    fn listed_sizes_are_visited_once_each_in_order() {
        let listed = SizeSettings { list: Some(vec![64, 16, 64]), ..SizeSettings::default() };
        assert_eq!(sizes(&listed, (16, 32), Rounding::Multiple(16)), [16, 64]);
    }
}
