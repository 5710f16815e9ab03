//! Distances of a set of points from a reference front, lower being better in every objective.

/// Inverted generational distance: mean distance from each reference point to the nearest found
/// point (Coello Coello and Reyes Sierra 2004). O(reference · found).
#[must_use]
pub fn igd(reference: &[Vec<f64>], found: &[Vec<f64>]) -> f64 {
    mean_nearest(reference, found, |wanted, got| got - wanted)
}

/// As [`igd`], but only objectives in which the found point is worse count. Unlike [`igd`], it
/// never rates a set worse than one that it dominates. Ishibuchi, Masuda, Tanigaki and Nojima,
/// Modified Distance Calculation (2015). O(reference · found).
#[must_use]
pub fn igd_plus(reference: &[Vec<f64>], found: &[Vec<f64>]) -> f64 {
    mean_nearest(reference, found, |wanted, got| (got - wanted).max(0.0))
}

/// Generational distance: mean distance from each found point to the nearest reference point (Van
/// Veldhuizen 1999), without the exponent. O(reference · found).
#[must_use]
pub fn gd(reference: &[Vec<f64>], found: &[Vec<f64>]) -> f64 {
    backwards(reference, found, |got, wanted| got - wanted)
}

/// As [`gd`], but only objectives in which the found point is worse count (Ishibuchi and others
/// 2015). O(reference · found).
#[must_use]
pub fn gd_plus(reference: &[Vec<f64>], found: &[Vec<f64>]) -> f64 {
    backwards(reference, found, |got, wanted| (got - wanted).max(0.0))
}

fn backwards(reference: &[Vec<f64>], found: &[Vec<f64>], apart: impl Fn(f64, f64) -> f64) -> f64 {
    if found.is_empty() { f64::INFINITY } else { mean_nearest(found, reference, apart) }
}

/// Mean of the shortest distances; infinite if nothing was found, NaN without a reference.
fn mean_nearest(
    reference: &[Vec<f64>],
    found: &[Vec<f64>],
    apart: impl Fn(f64, f64) -> f64,
) -> f64 {
    let nearest = |wanted: &Vec<f64>| -> f64 {
        let squares = found.iter().map(|got| {
            wanted.iter().zip(got).map(|(wanted, got)| apart(*wanted, *got).powi(2)).sum::<f64>()
        });
        squares.fold(f64::INFINITY, f64::min).sqrt()
    };
    reference.iter().map(nearest).sum::<f64>() / reference.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_pymoo() {
        // pymoo 0.6.2, IGDPlus(Z)(P) and IGD(Z)(P), for points of numpy.random.default_rng(7).
        let reference = [vec![0.1, 0.6], vec![0.3, 0.3], vec![0.7, 0.05]];
        let found = [[0.63, 0.9], [0.78, 0.23], [0.01, 0.82], [0.25, 0.45], [0.22, 0.16]];
        let found = found.map(|point| point.to_vec());
        assert!((igd_plus(&reference, &found) - 0.076_666_666_666_666_66).abs() < 1e-15);
        assert!((igd(&reference, &found) - 0.189_074_357_800_101_76).abs() < 1e-12);
        // By the definition, in Python.
        assert!((gd(&reference, &found) - 0.2726098159267622).abs() < 1e-12);
        assert!((gd_plus(&reference, &found) - 0.23519855103586532).abs() < 1e-12);
    }

    #[test]
    fn only_what_is_worse_counts_for_igd_plus() {
        let reference = [vec![0.0, 1.0], vec![1.0, 0.0]];
        // (0.5, 0.5) is 0.5 worse than either reference point, and in one objective only.
        let found = [vec![0.5, 0.5]];
        assert!((igd_plus(&reference, &found) - 0.5).abs() < 1e-15);
        assert!((igd(&reference, &found) - 0.5_f64.sqrt()).abs() < 1e-15);
        assert!(igd(&reference, &reference).abs() < 1e-15);
        assert!(igd_plus(&reference, &[]).is_infinite());
        assert!(gd(&reference, &[]).is_infinite() && gd_plus(&reference, &[]).is_infinite());
    }
}
