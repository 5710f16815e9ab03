//! Distances between the values of a parameter: by size and place, and by how often values can be
//! halved.
//!
//! Widths of memory transactions, of warps and of banks are powers of two. So the effect of a value
//! often depends on the power of two in it, which neither its size nor its place in a list shows:
//! by these, 48 is nearer to 50 than to 16.

use space::{Parameter, Value};

/// Part of a distance that any difference makes. Near values may behave differently for reasons
/// that no order shows. Without this part, the process is far too smooth.
pub(super) const JUMP: f64 = 0.08;
/// The same part of a distance by halvings.
const HALVINGS_JUMP: f64 = 0.3;
/// Shortest list of values in which halvings tell anything that places do not.
const SHORTEST: usize = 4;

/// Squared distances between the values of a parameter, or between the values in the middle of `n`
/// steps. They are half by place in the list and half by size; by place alone if sizes have no
/// logarithm.
pub(super) fn by_size(parameter: &Parameter, n: usize) -> Vec<f64> {
    let listed = &parameter.values;
    let middle = |step: usize| &listed[(2 * step + 1) * listed.len() / (2 * n)];
    let values: Vec<&Value> = (0..n).map(middle).collect();
    if n == 2 {
        return vec![0.0, 1.0, 1.0, 0.0];
    }
    let place = |at: usize| at as f64 / (n - 1) as f64;
    let sizes: Option<Vec<f64>> =
        values.iter().map(|value| value.as_f64().filter(|v| *v > 0.0).map(f64::ln)).collect();
    let range = sizes.as_ref().map(|sizes| {
        let low = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        let high = sizes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (low, high - low)
    });
    let size = |at: usize| match (&sizes, range) {
        (Some(sizes), Some((low, range))) if range > 0.0 => (sizes[at] - low) / range,
        _ => place(at),
    };
    let between = |a: usize, b: usize| {
        if a == b {
            return 0.0;
        }
        let square = |x: f64| x * x;
        let both = square(place(a) - place(b)) + square(size(a) - size(b));
        (1.0 - JUMP) * both / 2.0 + JUMP
    };
    (0..n * n).map(|at| between(at / n, at % n)).collect()
}

/// Squared distances of values by how often each can be halved. `None` if that adds nothing to
/// sizes: for fewer than four values, values that are not positive whole numbers, powers of two
/// only, or values that can all be halved equally often.
pub(super) fn by_halvings(values: &[&Value]) -> Option<Vec<f64>> {
    let whole: Option<Vec<i64>> =
        values.iter().map(|value| value.as_i64().filter(|value| *value > 0)).collect();
    let whole = whole.filter(|whole| whole.len() >= SHORTEST)?;
    if whole.iter().all(|value| value.count_ones() == 1) {
        return None;
    }
    let halvings: Vec<u32> = whole.iter().map(|value| value.trailing_zeros()).collect();
    let (low, high) = (halvings.iter().min()?, halvings.iter().max()?);
    if low == high {
        return None;
    }
    let range = f64::from(high - low);
    let between = |a: u32, b: u32| match a == b {
        true => 0.0,
        false => HALVINGS_JUMP + (1.0 - HALVINGS_JUMP) * (f64::from(a.abs_diff(b)) / range).powi(2),
    };
    Some(halvings.iter().flat_map(|a| halvings.iter().map(|b| between(*a, *b))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distances(values: &[i64]) -> Option<Vec<f64>> {
        let values: Vec<Value> = values.iter().map(|value| Value::from(*value)).collect();
        by_halvings(&values.iter().collect::<Vec<_>>())
    }

    #[test]
    fn values_of_the_same_power_of_two_are_not_apart() {
        let table = distances(&[16, 32, 48, 64, 80]).unwrap();
        let between = |a: usize, b: usize| table[a * 5 + b];
        assert_eq!((between(0, 2), between(2, 4), between(3, 3)), (0.0, 0.0, 0.0));
        assert!(between(0, 1) > HALVINGS_JUMP && between(0, 1) < between(0, 3));
        assert!((between(0, 3) - 1.0).abs() < 1e-12 && (between(3, 0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn lists_in_which_it_tells_nothing_have_none() {
        for values in [&[1, 2, 4, 8, 16][..], &[1, 2, 3], &[1, 3, 5, 7], &[0, 1, 2, 3]] {
            assert_eq!(distances(values), None, "{values:?}");
        }
        let texts: Vec<Value> = ["a", "b", "c", "d"].map(Value::from).to_vec();
        assert_eq!(by_halvings(&texts.iter().collect::<Vec<_>>()), None);
    }
}
