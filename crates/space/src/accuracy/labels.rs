//! Distance between two labellings of the same items. The names of the labels do not matter, only
//! which items share a label.

use rustc_hash::FxHashMap;

/// 1 − NMI, with NMI = 2 I / (H + H') (Strehl and Ghosh 2002, with the mean of the entropies): 0
/// for labellings that differ only in names, 1 for independent labellings. Two constant labellings,
/// which have no entropy, have distance 0. NaN if a label is not finite. O(n).
pub(super) fn nmi_loss(found: &[f64], reference: &[f64]) -> f64 {
    if found.iter().chain(reference).any(|label| !label.is_finite()) {
        return f64::NAN;
    }
    // Adding 0 turns −0 into 0, so both zeros are one label.
    let name = |label: f64| (label + 0.0).to_bits();
    let mut together: FxHashMap<(u64, u64), u64> = FxHashMap::default();
    for (x, r) in found.iter().zip(reference) {
        *together.entry((name(*x), name(*r))).or_default() += 1;
    }
    let mut cells: Vec<((u64, u64), u64)> = together.into_iter().collect();
    // A fixed order, so that the sums are the same in every run.
    cells.sort_unstable();
    let (mut of_found, mut of_reference) = (FxHashMap::default(), FxHashMap::default());
    for ((x, r), count) in &cells {
        *of_found.entry(*x).or_insert(0_u64) += count;
        *of_reference.entry(*r).or_insert(0_u64) += count;
    }
    if cells.len() == of_found.len() && cells.len() == of_reference.len() {
        return 0.0;
    }
    let all = found.len() as f64;
    let share = |count: u64| count as f64 / all;
    let (mut information, mut entropies) = (0.0, 0.0);
    for ((x, r), count) in &cells {
        let (own, other) = (share(of_found[x]), share(of_reference[r]));
        let both = share(*count);
        information += both * (both / (own * other)).ln();
        entropies -= both * (own.ln() + other.ln());
    }
    (1.0 - 2.0 * information / entropies).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_follows_its_definition() {
        // Four pairs of labels: (a,1) (a,2) (b,2) (b,2). I = H(1,2) + H(a,b) - H(pairs), in bits.
        let bits = |shares: &[f64]| shares.iter().map(|p| -p * p.log2()).sum::<f64>();
        let (own, other) = (bits(&[0.5, 0.5]), bits(&[0.25, 0.75]));
        let both = bits(&[0.25, 0.25, 0.5]);
        let expected = 1.0 - 2.0 * (own + other - both) / (own + other);
        let found = nmi_loss(&[0.0, 0.0, 1.0, 1.0], &[1.0, 2.0, 2.0, 2.0]);
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");

        let found = nmi_loss(&[0.0, 0.0, 1.0, 1.0, 2.0, 2.0], &[0.0, 0.0, 1.0, 2.0, 2.0, 2.0]);
        let (own, other) = (3.0_f64.ln(), bits(&[1.0 / 3.0, 1.0 / 6.0, 0.5]) * 2.0_f64.ln());
        let both = bits(&[1.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 3.0]) * 2.0_f64.ln();
        let expected = 1.0 - 2.0 * (own + other - both) / (own + other);
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn the_ends_are_exact() {
        for (found, reference, loss) in [
            (vec![3.0, 3.0, 5.0], vec![0.0, 0.0, 1.0], 0.0),
            (vec![1.0, 1.0], vec![2.0, 2.0], 0.0),
            (vec![0.0, -0.0, 1.0], vec![1.0, 1.0, 0.0], 0.0),
            (vec![1.0, 1.0, 1.0, 1.0], vec![0.0, 1.0, 0.0, 1.0], 1.0),
            (vec![0.0, 0.0, 1.0, 1.0], vec![0.0, 1.0, 0.0, 1.0], 1.0),
        ] {
            assert!(
                nmi_loss(&found, &reference).total_cmp(&loss).is_eq(),
                "{found:?} {reference:?}"
            );
        }
        assert!(nmi_loss(&[1.0, f64::NAN], &[0.0, 1.0]).is_nan());
        assert!(nmi_loss(&[1.0, 1.0], &[0.0, f64::INFINITY]).is_nan());
    }

    proptest! {
        #[test]
        fn names_of_labels_do_not_count_nor_does_the_order_of_the_two(
            labels in prop::collection::vec((0_u8..5, 0_u8..4), 1..200),
            names in Just([7_u8, 0, 9, 3, 1]).prop_shuffle(),
        ) {
            let found: Vec<f64> = labels.iter().map(|(x, _)| f64::from(*x)).collect();
            let reference: Vec<f64> = labels.iter().map(|(_, r)| f64::from(*r)).collect();
            let renamed: Vec<f64> =
                labels.iter().map(|(x, _)| f64::from(names[usize::from(*x)])).collect();
            let loss = nmi_loss(&found, &reference);
            prop_assert!((0.0..=1.0).contains(&loss));
            prop_assert!((loss - nmi_loss(&renamed, &reference)).abs() < 1e-12);
            prop_assert!((loss - nmi_loss(&reference, &found)).abs() < 1e-12);
            prop_assert!(nmi_loss(&found, &renamed).total_cmp(&0.0).is_eq());
        }
    }
}
