//! Monotone regression.

/// The non-decreasing sequence nearest to `values` in weighted least squares, by pooling adjacent
/// violators (Ayer et al. 1955). All weights are 1 if `weights` has another length. O(n).
#[must_use]
pub fn isotonic_increasing(values: &[f64], weights: &[f64]) -> Vec<f64> {
    let weight_of = |i: usize| if weights.len() == values.len() { weights[i] } else { 1.0 };
    // Blocks: mean, weight, length.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(values.len());
    for (i, &value) in values.iter().enumerate() {
        let mut block = (value, weight_of(i), 1);
        while let Some(&(mean, weight, length)) = blocks.last() {
            if mean <= block.0 {
                break;
            }
            blocks.pop();
            let total = weight + block.1;
            block = ((mean * weight + block.0 * block.1) / total, total, length + block.2);
        }
        blocks.push(block);
    }
    blocks.iter().flat_map(|&(mean, _, length)| std::iter::repeat_n(mean, length)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violators_are_pooled_to_their_weighted_mean() {
        assert_eq!(isotonic_increasing(&[1.0, 3.0, 2.0, 4.0], &[]), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(isotonic_increasing(&[4.0, 1.0], &[3.0, 1.0]), [3.25, 3.25]);
    }

    #[test]
    fn a_monotone_sequence_is_left_alone() {
        let values = [1.0, 1.0, 2.0, 5.0];
        assert_eq!(isotonic_increasing(&values, &[]), values);
        assert!(isotonic_increasing(&[], &[]).is_empty());
    }
}
