//! Which of two series is lower, by the signs of their pairs. The answer may be asked for after
//! every pair: false answers stay as rare as stated (Ville 1939; Robbins 1970).

use statrs::function::beta::ln_beta;

/// Most frequent false answer to [`is_lower`], over all times at which it is asked.
const FALSE_ANSWERS: f64 = 0.01;

/// Whether the first of a pair is lower than the second in more than half of all pairs, after so
/// many pairs in which it was (`wins`) and in which it was not (`losses`).
///
/// If both are equally likely, the share of wins has the likelihood `2^-n`. Averaged over all
/// shares, it is a beta function. The ratio of the two is a martingale, so it ever exceeds
/// `1 / FALSE_ANSWERS` with at most this probability.
#[must_use]
pub fn is_lower(wins: usize, losses: usize) -> bool {
    let (wins, losses) = (wins as f64, losses as f64);
    let evidence = ln_beta(wins + 1.0, losses + 1.0) + (wins + losses) * std::f64::consts::LN_2;
    wins > losses && evidence >= -FALSE_ANSWERS.ln()
}

/// Whether the first of a pair is lower than the second in more than half of all pairs. Equal pairs
/// do not count.
#[must_use]
pub fn is_lower_in_pairs(pairs: impl IntoIterator<Item = (f64, f64)>) -> bool {
    let (mut wins, mut losses) = (0, 0);
    for (first, second) in pairs {
        wins += usize::from(first < second);
        losses += usize::from(first > second);
    }
    is_lower(wins, losses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, normal, seeded};

    /// Number of pairs after which the first is called lower, of at most 600.
    fn asked(rng: &mut Rng, ratio: f64) -> Option<usize> {
        let (mut wins, mut losses) = (0, 0);
        (1..=600).find(|_| {
            let noise = 0.05 * (normal(rng) - normal(rng));
            if ratio.ln() + noise < 0.0 {
                wins += 1
            } else {
                losses += 1
            }
            is_lower(wins, losses)
        })
    }

    #[test]
    fn equal_series_are_told_apart_as_rarely_as_stated_however_often_it_is_asked() {
        let mut rng = seeded(7, 0);
        let runs = 2000;
        let wrong = (0..runs).filter(|_| asked(&mut rng, 1.0).is_some()).count();
        assert!(wrong as f64 <= FALSE_ANSWERS * f64::from(runs), "{wrong} of {runs}");
    }

    #[test]
    fn a_difference_as_large_as_the_noise_is_seen_within_a_hundred_pairs() {
        let mut rng = seeded(8, 0);
        let runs = 200;
        let found: Vec<usize> = (0..runs).filter_map(|_| asked(&mut rng, 0.95)).collect();
        let quick = found.iter().filter(|pairs| **pairs <= 100).count();
        assert!(quick * 10 > runs * 9, "{quick} of {runs}");
        assert!(is_lower(11, 0) && !is_lower(10, 0) && !is_lower(0, 11) && !is_lower(0, 0));
    }
}
