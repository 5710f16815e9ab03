//! Rounds sizes to those that a benchmark accepts.

use autobench_sdk::document::SizeRule;

/// How a study rounds every size that it visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// To a multiple of this number, which is at least 1.
    Multiple(u64),
    /// To a power of this number, which is at least 2.
    Power(u64),
    /// To this many leading binary digits, at least 1. Sizes that a user names are not rounded.
    Digits(u32),
    /// To a multiple of this power of two, and below it to a power of two. Sizes that a user names
    /// are not rounded.
    Tile(u64),
}

impl Rounding {
    /// Takes the size rule of a benchmark.
    #[must_use]
    pub fn of(rule: &SizeRule) -> Self {
        match (rule.powers_of, rule.multiple_of, rule.tile) {
            (Some(base), ..) if base >= 2 => Self::Power(base),
            (_, Some(multiple), _) => Self::Multiple(multiple.max(1)),
            (.., Some(tile)) => Self::Tile(tile.max(1).next_power_of_two()),
            _ => rule.binary_digits.map_or(Self::Multiple(1), |digits| Self::Digits(digits.max(1))),
        }
    }

    /// Returns the largest accepted size up to `size`, or the smallest one if all are larger.
    #[must_use]
    pub fn down(self, size: u64) -> u64 {
        match self {
            Self::Multiple(m) => (size / m * m).max(m),
            Self::Power(base) => {
                let mut power = 1_u64;
                while let Some(next) = power.checked_mul(base).filter(|next| *next <= size) {
                    power = next;
                }
                power
            }
            Self::Digits(digits) => (size.max(1) >> dropped(size, digits)) << dropped(size, digits),
            Self::Tile(tile) if size >= tile => Self::Multiple(tile).down(size),
            Self::Tile(_) => Self::Power(2).down(size),
        }
    }

    /// Returns the smallest accepted size from `size` on; `None` if it does not fit into 64 bits.
    #[must_use]
    pub fn up(self, size: u64) -> Option<u64> {
        let down = self.down(size);
        if down >= size {
            return Some(down);
        }
        match self {
            Self::Multiple(m) => down.checked_add(m),
            Self::Power(base) => down.checked_mul(base),
            Self::Digits(digits) => down.checked_add(1 << dropped(down, digits)),
            Self::Tile(tile) => down.checked_add(down.min(tile)),
        }
    }

    /// Returns the accepted size nearest to `size`; the larger one on a tie.
    #[must_use]
    pub fn nearest(self, size: u64) -> u64 {
        let down = self.down(size);
        match self.up(size) {
            Some(up) if up - size <= size.saturating_sub(down) => up,
            _ => down,
        }
    }

    /// Rounds a size that a user named: to multiples and powers, which kernels may rely on, but not
    /// to digits or tiles.
    #[must_use]
    pub fn named(self, size: u64) -> u64 {
        match self {
            Self::Digits(_) | Self::Tile(_) => size.max(1),
            _ => self.nearest(size),
        }
    }
}

/// Returns the number of binary digits of a size after its `digits` leading ones.
fn dropped(size: u64, digits: u32) -> u32 {
    (u64::BITS - size.max(1).leading_zeros()).saturating_sub(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_round_both_ways_and_never_to_zero() {
        let rule = Rounding::Multiple(16);
        assert_eq!((rule.down(31), rule.up(31), rule.nearest(31)), (16, Some(32), 32));
        assert_eq!(rule.down(3), 16);
        assert_eq!(rule.up(u64::MAX), None);
    }

    #[test]
    fn binary_digits_round_both_ways_and_leave_named_sizes_alone() {
        let rule = Rounding::Digits(2);
        assert_eq!((rule.down(47), rule.up(33), rule.nearest(42)), (32, Some(48), 48));
        assert_eq!((rule.up(49), rule.up(64), rule.down(0)), (Some(64), Some(64), 1));
        assert_eq!(rule.up(u64::MAX), None);
        assert_eq!((rule.named(1000), Rounding::Multiple(16).named(1000)), (1000, 1008));
    }

    #[test]
    fn tiles_divide_all_sizes_above_them() {
        let rule = Rounding::Tile(64);
        let all: Vec<u64> =
            std::iter::successors(Some(16), |size| rule.up(size + 1)).take(6).collect();
        assert_eq!(all, [16, 32, 64, 128, 192, 256]);
        assert_eq!((rule.down(150), rule.nearest(170), rule.down(50)), (128, 192, 32));
        assert_eq!((rule.up(u64::MAX), rule.named(100), rule.down(0)), (None, 100, 1));
    }

    #[test]
    fn powers_round_both_ways() {
        let rule = Rounding::Power(2);
        assert_eq!((rule.down(1000), rule.up(1000), rule.nearest(1000)), (512, Some(1024), 1024));
        assert_eq!(rule.down(0), 1);
        assert_eq!(rule.up(u64::MAX), None);
    }
}
