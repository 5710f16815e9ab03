//! Seeded random numbers: xoshiro256++ (Blackman and Vigna 2021), with a state filled by
//! SplitMix64, so that any machine can repeat a result from its record.

use rand::{RngExt, SeedableRng};

/// The only generator in autobench.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// The generator for a seed. `stream` keeps users of the same seed independent of each other.
#[must_use]
pub fn seeded(seed: u64, stream: u64) -> Rng {
    Rng::seed_from_u64(seed ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Generator for searches and for samples of spaces, with streams numbered 0, 1, 2, … It mixes seed
/// and stream in another way than [`seeded`]. Recorded studies and scores depend on both functions,
/// so neither may change.
#[must_use]
pub fn seeded_search(seed: u64, stream: u64) -> Rng {
    // SplitMix64's finaliser separates (1, 0) from (0, 1), and neighbouring streams.
    let mut z = stream.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    Rng::seed_from_u64(seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ z)
}

/// One standard normal draw (Box and Muller 1958) from two uniform draws.
pub fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mean, variance};

    #[test]
    fn the_same_seed_repeats_and_streams_differ() {
        let draw = |seed, stream| -> Vec<u64> {
            let mut rng = seeded(seed, stream);
            (0..4).map(|_| rng.random()).collect()
        };
        assert_eq!(draw(7, 0), draw(7, 0));
        assert_ne!(draw(7, 0), draw(7, 1));
        assert_ne!(draw(7, 0), draw(8, 0));
    }

    #[test]
    fn a_search_repeats_by_seed_and_stream_and_differs_from_others() {
        let first = |seed, stream| seeded_search(seed, stream).random::<u64>();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(2, 1));
        assert_ne!(first(0, 1), first(1, 0));
        assert_ne!(first(7, 0), first(7, 1));
    }

    #[test]
    fn normal_draws_have_mean_zero_and_variance_one() {
        let mut rng = seeded(1, 0);
        let draws: Vec<f64> = (0..20_000).map(|_| normal(&mut rng)).collect();
        // Standard errors: 1/sqrt(20000) = 0.007 and sqrt(2/20000) = 0.01; four of each.
        assert!(mean(&draws).abs() < 0.028);
        assert!((variance(&draws) - 1.0).abs() < 0.04);
    }
}
