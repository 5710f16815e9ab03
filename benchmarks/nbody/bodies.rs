//! Bodies that share few places, so that the exact forces on all bodies are fast to compute.

use autobench_sdk::{document::Fill, inputs};

/// Number of places in the unit cube.
pub(crate) const PLACES: usize = 4096;

/// The softening, squared; the kernel uses the same value.
pub(crate) const SOFTENING: f64 = 1.0 / 64.0;

/// Streams of random numbers, by purpose.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Places = 16,
    Coordinates,
}

pub(crate) fn place(seed: u64, body: u64) -> usize {
    let fill = Fill::Integer { low: 0, high: PLACES as i64 - 1 };
    inputs::element(&fill, seed, Stream::Places as u32, body, 0) as usize
}

/// A coordinate (0 to 2) of a place.
pub(crate) fn coordinate(seed: u64, place: usize, axis: usize) -> f64 {
    let fill = Fill::Uniform { low: 0.0, high: 1.0 };
    inputs::element(&fill, seed, Stream::Coordinates as u32, (place * 3 + axis) as u64, 0)
}

/// The accelerations at all places.
#[derive(Debug)]
pub(crate) struct Field(Vec<[f64; 3]>);

impl Field {
    /// The field of bodies with these masses.
    pub(crate) fn of(seed: u64, bodies: u64, mass: impl Fn(u64) -> f64) -> Self {
        let mut masses = vec![0.0; PLACES];
        for body in 0..bodies {
            masses[place(seed, body)] += mass(body) / bodies as f64;
        }
        let at = |place| [0, 1, 2].map(|axis| coordinate(seed, place, axis));
        let places: Vec<[f64; 3]> = (0..PLACES).map(at).collect();
        Self(places.iter().map(|own| pulled(*own, &places, &masses)).collect())
    }

    /// The acceleration at a place, along an axis.
    pub(crate) fn at(&self, place: usize, axis: usize) -> f64 {
        self.0[place][axis]
    }
}

fn pulled(own: [f64; 3], places: &[[f64; 3]], masses: &[f64]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (place, mass) in places.iter().zip(masses) {
        let d = [0, 1, 2].map(|axis| place[axis] - own[axis]);
        let square = d.iter().map(|x| x * x).sum::<f64>() + SOFTENING;
        let pull = mass / (square * square.sqrt());
        for (sum, d) in sum.iter_mut().zip(d) {
            *sum += pull * d;
        }
    }
    sum
}
