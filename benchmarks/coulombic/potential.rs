//! The potential of point charges, computed on all cores.

use std::thread;

/// A point charge above the plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Particle {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) z: f64,
    pub(crate) charge: f64,
}

/// Number of particles that are summed together, so that the compiler can use vectors.
const LANES: usize = 8;

/// Particles in groups. A group stores each coordinate of its particles together.
#[derive(Debug, Default)]
pub(crate) struct Particles(Vec<Group>);

#[derive(Debug, Clone, Copy)]
struct Group {
    x: [f64; LANES],
    y: [f64; LANES],
    z_squared: [f64; LANES],
    charge: [f64; LANES],
}

impl FromIterator<Particle> for Particles {
    fn from_iter<I: IntoIterator<Item = Particle>>(particles: I) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for (at, particle) in particles.into_iter().enumerate() {
            if at % LANES == 0 {
                // Particles that fill the last group have no charge.
                groups.push(Group {
                    x: [0.0; LANES],
                    y: [0.0; LANES],
                    z_squared: [1.0; LANES],
                    charge: [0.0; LANES],
                });
            }
            if let Some(group) = groups.last_mut() {
                let lane = at % LANES;
                group.x[lane] = particle.x;
                group.y[lane] = particle.y;
                group.z_squared[lane] = particle.z * particle.z;
                group.charge[lane] = particle.charge;
            }
        }
        Self(groups)
    }
}

impl Particles {
    /// The potential at a point of the plane.
    pub(crate) fn potential(&self, x: f64, y: f64) -> f64 {
        let mut sums = [0.0; LANES];
        for group in &self.0 {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (dx, dy) = (x - group.x[lane], y - group.y[lane]);
                let distance = (dx * dx + dy * dy + group.z_squared[lane]).sqrt();
                *sum += group.charge[lane] / distance;
            }
        }
        sums.iter().sum()
    }

    /// The potentials at the points that `place` gives for `indices`.
    pub(crate) fn potentials(
        &self,
        indices: &[u64],
        out: &mut [f64],
        place: impl Fn(u64) -> (f64, f64) + Sync,
    ) {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = indices.len().div_ceil(threads).max(1);
        thread::scope(|scope| {
            for (indices, out) in indices.chunks(share).zip(out.chunks_mut(share)) {
                let place = &place;
                scope.spawn(move || {
                    for (&i, value) in indices.iter().zip(out) {
                        let (x, y) = place(i);
                        *value = self.potential(x, y);
                    }
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_charge_has_its_known_potential() {
        let particles: Particles =
            [Particle { x: 1.0, y: -2.0, z: 6.0, charge: 5.0 }].into_iter().collect();
        // Distances 2, 3 and 6 along the axes give the distance 7.
        assert!((particles.potential(3.0, 1.0) - 5.0 / 7.0).abs() < 1e-15);
    }

    #[test]
    fn a_ring_of_charges_has_the_potential_of_a_ring_on_its_axis_and_beyond() {
        let ring: Particles = (0..1000)
            .map(|i| {
                let angle = f64::from(i) * std::f64::consts::TAU / 1000.0;
                Particle { x: angle.cos(), y: angle.sin(), z: 0.5, charge: 0.001 }
            })
            .collect();
        // On the axis all charges are equally far.
        assert!((ring.potential(0.0, 0.0) - 1.0 / 1.25_f64.sqrt()).abs() < 1e-14);
        // Off the axis: 2/pi K(m) / sqrt((1 + r)^2 + z^2), with the elliptic integral by the
        // arithmetic-geometric mean: K = pi / (2 agm(1, sqrt(1 - m))).
        let (r, z): (f64, f64) = (0.4, 0.5);
        let far = (1.0 + r) * (1.0 + r) + z * z;
        let m = 4.0 * r / far;
        let (mut a, mut g) = (1.0, (1.0 - m).sqrt());
        for _ in 0..8 {
            (a, g) = (f64::midpoint(a, g), (a * g).sqrt());
        }
        assert!((ring.potential(r, 0.0) - 1.0 / (a * far.sqrt())).abs() < 1e-13);
    }

    #[test]
    fn no_indices_need_no_threads() {
        Particles::default().potentials(&[], &mut [], |_| (0.0, 0.0));
    }
}
