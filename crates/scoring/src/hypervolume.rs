//! Hypervolume: the volume that points dominate below a reference, lower being better. Zitzler and
//! Thiele (1999).

use math::front;

/// The exact hypervolume below `reference`. Points that are not below it add nothing.
///
/// For two objectives it is a sum over the front, O(n log n). For more, it is a sum of slices
/// between the points along the last objective, each with the hypervolume of the other objectives:
/// O(n² log n) for three, and n times as much for each further one.
#[must_use]
pub fn hypervolume(points: &[Vec<f64>], reference: &[f64]) -> f64 {
    let below = |point: &&Vec<f64>| point.iter().zip(reference).all(|(x, limit)| x < limit);
    let below: Vec<&[f64]> = points.iter().filter(below).map(Vec::as_slice).collect();
    volume(below, reference)
}

fn volume(points: Vec<&[f64]>, reference: &[f64]) -> f64 {
    let best: Vec<&[f64]> = front(&points).into_iter().map(|at| points[at]).collect();
    match reference.len() {
        0 => 0.0,
        1 => best.first().map_or(0.0, |point| reference[0] - point[0]),
        2 => area(best, reference),
        figures => slices(best, &reference[..figures - 1], reference[figures - 1]),
    }
}

/// Sum of the steps of a staircase, beginning at the lowest first objective.
fn area(mut front: Vec<&[f64]>, reference: &[f64]) -> f64 {
    front.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut top = reference[1];
    let mut area = 0.0;
    for point in front {
        area += (reference[0] - point[0]) * (top - point[1]);
        top = point[1];
    }
    area
}

/// Sum of the slices along the last objective; a slice counts the points below it.
fn slices(mut front: Vec<&[f64]>, reference: &[f64], end: f64) -> f64 {
    let last = reference.len();
    front.sort_by(|a, b| a[last].total_cmp(&b[last]));
    let mut volume_so_far = 0.0;
    let mut within: Vec<&[f64]> = Vec::new();
    for (at, point) in front.iter().enumerate() {
        within.push(&point[..last]);
        let next = front.get(at + 1).map_or(end, |next| next[last]);
        if next > point[last] {
            // Only the front of a slice matters for it and for the slices above.
            within = math::front(&within).into_iter().map(|at| within[at]).collect();
            volume_so_far += (next - point[last]) * volume(within.clone(), reference);
        }
    }
    volume_so_far
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn boxes_that_overlap_count_once() {
        // By hand: 3·3 + 2·1 (the second point adds what lies outside the first one's box) …
        let points = [vec![1.0, 1.0], vec![2.0, 0.0], vec![5.0, 0.0], vec![2.0, 3.0]];
        assert!((hypervolume(&points, &[4.0, 4.0]) - 11.0).abs() < 1e-12);
        let cube = [vec![0.0, 0.0, 0.0]];
        assert!((hypervolume(&cube, &[2.0, 3.0, 4.0]) - 24.0).abs() < 1e-12);
        // Two boxes of 1·2·2 and 2·1·2 share 1·1·2.
        let two = [vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]];
        assert!((hypervolume(&two, &[2.0, 2.0, 2.0]) - 6.0).abs() < 1e-12);
        assert!(hypervolume(&[], &[1.0, 1.0]).abs() < 1e-300);
    }

    #[test]
    fn volumes_are_those_of_pymoo() {
        // pymoo 0.6.2, HV(ref_point)(P), for points of numpy.random.default_rng(7).
        let two = [[0.63, 0.9], [0.78, 0.23], [0.01, 0.82], [0.3, 0.28], [0.22, 0.16], [1.0, 0.79]];
        let two = two.map(|point| point.to_vec());
        assert!((hypervolume(&two, &[1.1; 2]) - 0.886).abs() < 1e-12);
        let three = [
            [0.04, 0.51, 0.47],
            [0.92, 0.63, 0.51],
            [0.5, 0.25, 0.01],
            [0.19, 0.69, 0.2],
            [0.37, 0.0, 0.83],
            [0.15, 0.27, 0.88],
            [0.74, 0.09, 0.54],
            [0.6, 0.06, 0.39],
            [0.32, 0.15, 0.82],
        ];
        let three = three.map(|point| point.to_vec());
        assert!((hypervolume(&three, &[1.1; 3]) - 0.875_984).abs() < 1e-12);
        assert!((hypervolume(&three, &[0.8; 3]) - 0.199_159).abs() < 1e-12);
        let four = [
            [0.61, 0.64, 0.68, 0.15],
            [0.44, 0.24, 0.4, 0.1],
            [0.97, 0.22, 0.67, 0.3],
            [0.87, 0.66, 0.13, 0.85],
            [0.94, 0.9, 0.57, 0.15],
            [0.19, 0.93, 0.55, 0.18],
            [0.88, 0.64, 0.57, 0.38],
            [0.41, 0.24, 0.04, 0.88],
            [0.47, 0.55, 0.32, 0.75],
            [0.03, 0.37, 0.03, 0.12],
        ];
        let four = four.map(|point| point.to_vec());
        assert!((hypervolume(&four, &[1.0; 4]) - 0.568_913_4).abs() < 1e-12);
    }

    /// The volume, by counting the unit cubes of a small lattice.
    fn counted(points: &[Vec<f64>], side: i32, figures: usize) -> f64 {
        let cells = (0..side.pow(figures as u32)).filter(|cell| {
            let corner = |figure: usize| f64::from(cell / side.pow(figure as u32) % side);
            points.iter().any(|p| (0..figures).all(|figure| p[figure] <= corner(figure)))
        });
        cells.count() as f64
    }

    proptest! {
        #[test]
        fn on_a_lattice_the_volume_is_its_cells(
            (figures, points) in (1_usize..5).prop_flat_map(|figures| {
                let figure = (0_i32..7).prop_map(f64::from);
                (Just(figures), prop::collection::vec(prop::collection::vec(figure, figures), 0..12))
            })
        ) {
            let exact = hypervolume(&points, &vec![5.0; figures]);
            prop_assert!((exact - counted(&points, 5, figures)).abs() < 1e-9);
        }
    }
}
