//! Q at some voxels, computed on all cores.

use std::thread;

use super::turns::{LANES, sines_and_cosines};

/// A sample of k-space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// |phi|².
    pub(crate) weight: f64,
    pub(crate) position: [f64; 3],
}

/// The real and the imaginary part at some voxels.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) re: Vec<f64>,
    pub(crate) im: Vec<f64>,
}

/// A group of samples, stored so that the compiler can use vectors. A missing sample has weight 0.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    weight: [f64; LANES],
    position: [[f64; LANES]; 3],
}

/// Q at the voxels that `place` gives for `indices`.
pub(crate) fn image(
    samples: &[Sample],
    indices: &[u64],
    place: impl Fn(u64) -> [f64; 3] + Sync,
) -> Image {
    let groups: Vec<Group> = samples.chunks(LANES).map(group).collect();
    let mut image = Image { re: vec![0.0; indices.len()], im: vec![0.0; indices.len()] };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = indices.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts = image.re.chunks_mut(share).zip(image.im.chunks_mut(share));
        for (indices, (re, im)) in indices.chunks(share).zip(parts) {
            let (groups, place) = (&groups, &place);
            scope.spawn(move || {
                for (&i, (re, im)) in indices.iter().zip(re.iter_mut().zip(im)) {
                    (*re, *im) = voxel(groups, place(i));
                }
            });
        }
    });
    image
}

fn group(samples: &[Sample]) -> Group {
    let mut group = Group::default();
    for (lane, sample) in samples.iter().enumerate() {
        group.weight[lane] = sample.weight;
        for axis in 0..3 {
            group.position[axis][lane] = sample.position[axis];
        }
    }
    group
}

fn voxel(groups: &[Group], [x, y, z]: [f64; 3]) -> (f64, f64) {
    let (mut re, mut im) = ([0.0; LANES], [0.0; LANES]);
    for group in groups {
        let [kx, ky, kz] = &group.position;
        let mut turns = [0.0; LANES];
        for lane in 0..LANES {
            turns[lane] = kx[lane] * x + ky[lane] * y + kz[lane] * z;
        }
        let (sines, cosines) = sines_and_cosines(turns);
        for lane in 0..LANES {
            re[lane] += group.weight[lane] * cosines[lane];
            im[lane] += group.weight[lane] * sines[lane];
        }
    }
    (re.iter().sum(), im.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenly_spaced_samples_on_a_line_make_the_kernel_of_dirichlet() {
        // The sum of a geometric series: exp(i pi (n - 1) x) sin(pi n x) / sin(pi x).
        let n = 101_u32;
        let samples: Vec<Sample> =
            (0..n).map(|k| Sample { weight: 1.0, position: [0.0, f64::from(k), 0.0] }).collect();
        let place = |i: u64| [3.25, 0.013 * i as f64 - 0.4, -7.5];
        let indices: Vec<u64> = (0..60).collect();
        let image = image(&samples, &indices, place);
        for &i in &indices {
            let half_turns = std::f64::consts::PI * place(i)[1];
            let size = (f64::from(n) * half_turns).sin() / half_turns.sin();
            let angle = f64::from(n - 1) * half_turns;
            let at = usize::try_from(i).unwrap();
            assert!((image.re[at] - size * angle.cos()).abs() < 1e-11, "{i}: {}", image.re[at]);
            assert!((image.im[at] - size * angle.sin()).abs() < 1e-11, "{i}: {}", image.im[at]);
        }
    }

    #[test]
    fn at_the_origin_all_samples_add_up() {
        let samples: Vec<Sample> = (1..=13)
            .map(|k| Sample { weight: f64::from(k), position: [f64::from(k), 0.3, -0.2] })
            .collect();
        let image = image(&samples, &[0], |_| [0.0; 3]);
        assert!((image.re[0] - 91.0).abs() < 1e-13 && image.im[0].abs() < 1e-13);
    }
}
