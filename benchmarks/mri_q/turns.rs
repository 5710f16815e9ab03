//! Sine and cosine of angles in turns, several at a time and without branches: the reference needs
//! about 1e9 of them.

/// Number of angles that are computed together.
pub(crate) const LANES: usize = 8;

/// 1.5 · 2⁵²: adding it to a small number rounds that number to a whole number.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// 1/3!, 1/5!, … of the sine, and 1/2!, 1/4!, … of the cosine, with their signs.
const SINE: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];
const COSINE: [f64; 8] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// Sines and cosines of `turns`, each below about 2³².
pub(crate) fn sines_and_cosines(turns: [f64; LANES]) -> ([f64; LANES], [f64; LANES]) {
    let (mut sines, mut cosines) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        // The nearest quarter turn, and the exact rest, at most an eighth of a turn.
        let sum = 4.0 * turns[lane] + WHOLE;
        let angle = (turns[lane] - (sum - WHOLE) * 0.25) * std::f64::consts::TAU;
        let quarter = sum.to_bits();
        let square = angle * angle;
        let (mut sine, mut cosine) = (0.0, 0.0);
        for term in (0..8).rev() {
            sine = (sine + SINE[term]) * square;
            cosine = (cosine + COSINE[term]) * square;
        }
        let (sine, cosine) = ((angle + angle * sine).to_bits(), (1.0 + cosine).to_bits());
        // Odd quarters exchange sine and cosine. Quarters 2 and 3 flip the sine's sign, quarters 1
        // and 2 the cosine's.
        let exchange = (quarter & 1).wrapping_neg();
        let difference = (sine ^ cosine) & exchange;
        let sine_sign = (quarter & 2) << 62;
        let cosine_sign = (quarter.wrapping_add(1) & 2) << 62;
        sines[lane] = f64::from_bits(sine ^ difference ^ sine_sign);
        cosines[lane] = f64::from_bits(cosine ^ difference ^ cosine_sign);
    }
    (sines, cosines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_the_standard_library() {
        for step in -4000..=4000 {
            let turns = f64::from(step) / 1024.0;
            let (sines, cosines) = sines_and_cosines([turns; LANES]);
            // Exactly representable turns, also reduced here, so that the library gets small
            // angles.
            let (sine, cosine) = (turns.fract() * std::f64::consts::TAU).sin_cos();
            assert!((sines[3] - sine).abs() < 1e-15, "{turns}: {} {sine}", sines[3]);
            assert!((cosines[7] - cosine).abs() < 1e-15, "{turns}: {} {cosine}", cosines[7]);
        }
    }

    #[test]
    fn quarters_are_exact() {
        let (sines, cosines) = sines_and_cosines([0.0, 0.25, 0.5, 0.75, 1.0, -0.25, 5.5, -3.75]);
        let sign = |x: f64| if x.abs() < 1e-18 { 0 } else { x.signum() as i32 };
        assert_eq!(sines.map(sign), [0, 1, 0, -1, 0, -1, 0, 1]);
        assert_eq!(cosines.map(sign), [1, 0, -1, 0, 1, 0, -1, 0]);
        assert!(sines.iter().chain(&cosines).all(|x| x.abs() < 1e-18 || x.abs() > 1.0 - 1e-16));
    }
}
