//! Sizes between the knee and its neighbours, which are measured after the knee is confirmed.

use super::Rounding;

/// Returns the geometric midpoints of the knee and its neighbours, rounded to accepted sizes.
/// `sizes` ascend.
#[must_use]
pub fn refinement(sizes: &[u64], knee: u64, rounding: Rounding) -> Vec<u64> {
    let Some(at) = sizes.iter().position(|size| *size == knee) else { return Vec::new() };
    let before = at.checked_sub(1).map(|i| (sizes[i], knee));
    let after = sizes.get(at + 1).map(|next| (knee, *next));
    let mut found: Vec<u64> = before
        .into_iter()
        .chain(after)
        .map(|(low, high)| rounding.nearest((low as f64 * high as f64).sqrt() as u64))
        .filter(|size| !sizes.contains(size))
        .collect();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_the_knee_are_refined() {
        assert_eq!(refinement(&[100, 200, 400], 200, Rounding::Multiple(1)), [141, 282]);
        assert_eq!(refinement(&[100, 200], 200, Rounding::Multiple(1)), [141]);
    }

    #[test]
    fn a_rule_that_leaves_no_room_leaves_nothing() {
        assert!(refinement(&[128, 256, 512], 256, Rounding::Power(2)).is_empty());
        assert!(refinement(&[128, 256], 77, Rounding::Multiple(1)).is_empty());
    }
}
