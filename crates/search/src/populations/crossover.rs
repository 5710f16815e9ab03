//! Crossover: two children from the values of two parents.

use math::Rng;
use rand::RngExt;
use space::Configuration;

pub(crate) type Crossover =
    fn(&Configuration, &Configuration, &mut Rng) -> (Configuration, Configuration);

pub(crate) const NAMES: &[&str] = &["single_point", "two_point", "uniform", "disruptive_uniform"];

pub(crate) fn named(name: &str) -> Crossover {
    match name {
        "two_point" => two_point,
        "uniform" => uniform,
        "disruptive_uniform" => disruptive_uniform,
        _ => single_point,
    }
}

/// Children of two parents whose values are swapped where `swaps` is true.
fn swapped(
    a: &Configuration,
    b: &Configuration,
    mut swaps: impl FnMut(usize) -> bool,
) -> (Configuration, Configuration) {
    let (mut a, mut b) = (a.clone(), b.clone());
    for at in 0..a.0.len() {
        if swaps(at) {
            std::mem::swap(&mut a.0[at], &mut b.0[at]);
        }
    }
    (a, b)
}

/// Swaps everything after one random point (Holland 1975).
fn single_point(
    a: &Configuration,
    b: &Configuration,
    rng: &mut Rng,
) -> (Configuration, Configuration) {
    let point = rng.random_range(0..a.0.len().max(1));
    swapped(a, b, |at| at >= point)
}

/// Swaps the values between two random points.
fn two_point(
    a: &Configuration,
    b: &Configuration,
    rng: &mut Rng,
) -> (Configuration, Configuration) {
    let (one, other) = (rng.random_range(0..=a.0.len()), rng.random_range(0..=a.0.len()));
    swapped(a, b, |at| (one.min(other)..one.max(other)).contains(&at))
}

/// Swaps every value with probability ½ (Syswerda 1989).
fn uniform(a: &Configuration, b: &Configuration, rng: &mut Rng) -> (Configuration, Configuration) {
    swapped(a, b, |_| rng.random_bool(0.5))
}

/// Half-uniform crossover (Eshelman 1991): swaps half of the differing values, so that children
/// differ from both parents.
fn disruptive_uniform(
    a: &Configuration,
    b: &Configuration,
    rng: &mut Rng,
) -> (Configuration, Configuration) {
    let mut left = (0..a.0.len()).filter(|at| a.0[*at] != b.0[*at]).count();
    let mut wanted = left.div_ceil(2);
    swapped(a, b, |at| {
        // Draws `wanted` of the `left` remaining differences, uniformly.
        if a.0[at] == b.0[at] {
            return false;
        }
        let swap = rng.random_range(0..left) < wanted;
        (left, wanted) = (left - 1, wanted - usize::from(swap));
        swap
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use space::seeded;

    use super::*;

    proptest! {
        #[test]
        fn children_have_their_parents_values_between_them(
            pairs in prop::collection::vec((0_u32..4, 0_u32..4), 0..12), seed: u64,
        ) {
            let (a, b): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
            let (a, b) = (Configuration(a), Configuration(b));
            for name in NAMES {
                let (c, d) = named(name)(&a, &b, &mut seeded(seed, 0));
                for at in 0..a.0.len() {
                    let (parents, children) = ((a.0[at], b.0[at]), (c.0[at], d.0[at]));
                    prop_assert!(children == parents || children == (parents.1, parents.0));
                }
            }
        }

        #[test]
        fn a_disruptive_child_differs_from_both_parents_in_half(seed: u64, n in 2_usize..12) {
            let (a, b) = (Configuration(vec![0; n]), Configuration(vec![1; n]));
            let (child, _) = disruptive_uniform(&a, &b, &mut seeded(seed, 0));
            let swapped = child.0.iter().filter(|value| **value == 1).count();
            prop_assert_eq!(swapped, n.div_ceil(2));
        }
    }
}
