//! The sizes of a study, in ascending order.

use records::settings::{LADDER_FACTOR, SizeSettings};

use super::Rounding;

/// Returns the listed sizes, or else accepted sizes from `first` to `largest`, ascending. With
/// `--factor auto`, which chooses steps while measuring, these are the rungs to choose from.
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
        // With a factor smaller than the rule's steps, every accepted size is taken.
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
