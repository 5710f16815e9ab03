//! Machines that change between two states while they are measured: a core whose other thread comes
//! and goes, a clock that is raised and lowered. Where the states only scale the curve, what rounds
//! have in common takes care of them. Where they bend it as well (memory that two cores fill and one
//! core cannot), a mixture of both is the curve of neither, and how much of each it holds is chance.
//! Then the rounds of the lower state alone count: it is what the machine holds whoever else uses it.

use crate::numeric::{core, mad, mean, median, quantile, sorted, standard_deviation};

/// A state lasts for several rounds: so many in a row are looked at together.
const IN_A_ROW: usize = 5;
/// A state has so many rounds at least, and this share of them.
const LEAST: (usize, f64) = (30, 0.05);
/// States lie so many standard deviations apart (Ashman, Bird and Zepf 1994, who ask for two; halves
/// of a normal distribution lie 2.7 apart), and so far at least.
const APART: (f64, f64) = (3.0, 0.08);
/// Columns differ between the states by this much at least beyond what all have in common, and by
/// so many times what noise makes of it.
const BENT: (f64, f64) = (0.03, 3.0);
/// Fewer columns show no bend, and fewer values no middle.
const LEAST_COLUMNS: usize = 4;
const LEAST_VALUES: usize = 6;

/// The rounds that were set aside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aside {
    /// Their share of all rounds.
    pub share: f64,
    /// How many times as high their values are, in the middle.
    pub higher: f64,
}

/// Which rounds of a table of logarithms belong to the lower of two states, if there are two that
/// bend the curve differently. `effects` is what each round has in common. O(rows · columns · log).
pub(super) fn lower_state(values: &[Vec<f64>], effects: &[f64]) -> Option<(Vec<bool>, Aside)> {
    let calm = calmed(effects);
    let between = parting(&calm)?;
    let lower: Vec<bool> = calm.iter().map(|effect| *effect < between).collect();
    let of =
        |low: bool| -> Vec<usize> { (0..lower.len()).filter(|at| lower[*at] == low).collect() };
    let states = [of(true), of(false)];
    let least = LEAST.0.max((LEAST.1 * lower.len() as f64).ceil() as usize);
    if states.iter().any(|rounds| rounds.len() < least) {
        return None;
    }
    let levels =
        states.each_ref().map(|rounds| -> Vec<f64> { rounds.iter().map(|at| calm[*at]).collect() });
    let step = mean(&levels[1]) - mean(&levels[0]);
    let [a, b] = levels.each_ref().map(|level| standard_deviation(level).powi(2));
    if step < APART.1 || step < APART.0 * ((a + b) / 2.0).sqrt() {
        return None;
    }
    let share = states[1].len() as f64 / lower.len() as f64;
    let sound = is_whole(values, &states[0]) && is_bent(values, effects, &states);
    sound.then_some((lower, Aside { share, higher: step.exp() }))
}

/// Every effect in the middle of its neighbours in time.
fn calmed(effects: &[f64]) -> Vec<f64> {
    let reach = IN_A_ROW / 2;
    let around = |at: usize| {
        let to = (at + reach + 1).min(effects.len());
        median(&effects[at.saturating_sub(reach)..to])
    };
    (0..effects.len()).map(around).collect()
}

/// The value that parts a sample in two with the least variance within them (Otsu 1979).
fn parting(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let (count, all) = (sorted.len() as f64, sorted.iter().sum::<f64>());
    let mut below = 0.0;
    let mut best = None;
    for (at, pair) in sorted.windows(2).enumerate() {
        below += pair[0];
        let few = (at + 1) as f64;
        let apart = below / few - (all - below) / (count - few);
        let between = few * (count - few) * apart * apart;
        if best.is_none_or(|(most, _)| between > most) {
            best = Some((between, f64::midpoint(pair[0], pair[1])));
        }
    }
    best.map(|(_, at)| at)
}

/// Whether some rounds say as much of every column as a middle needs, or all that there is.
fn is_whole(values: &[Vec<f64>], rounds: &[usize]) -> bool {
    (0..values.first().map_or(0, Vec::len)).all(|at| {
        let all = values.iter().filter(|row| !row[at].is_nan()).count();
        let kept = rounds.iter().filter(|round| !values[**round][at].is_nan()).count();
        kept >= LEAST_VALUES.min(all)
    })
}

/// Whether the columns differ between two states by more than what all have in common.
fn is_bent(values: &[Vec<f64>], effects: &[f64], states: &[Vec<usize>; 2]) -> bool {
    let columns = values.first().map_or(0, Vec::len);
    let column = |at: usize| {
        let [low, high] = states.each_ref().map(|rounds| -> Vec<f64> {
            let value = |round: &usize| values[*round][at] - effects[*round];
            rounds.iter().map(value).filter(|value| !value.is_nan()).collect()
        });
        let variance = |of: &[f64]| mad(of).powi(2) / of.len() as f64;
        (low.len().min(high.len()) >= LEAST_VALUES)
            .then(|| (core(&low) - core(&high), variance(&low) + variance(&high)))
    };
    let (apart, errors): (Vec<f64>, Vec<f64>) = (0..columns).filter_map(column).unzip();
    if apart.len() < LEAST_COLUMNS {
        return false;
    }
    let middle = quantile(&sorted(&apart), 0.5);
    let bend = mean(&apart.iter().map(|a| (a - middle).powi(2)).collect::<Vec<_>>()).sqrt();
    bend >= BENT.0 && bend >= BENT.1 * mean(&errors).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{normal, row_effects, seeded};

    /// Rounds of which every block of twenty is in a state of its own; `higher` is what the higher
    /// state adds to the columns.
    fn table(rounds: usize, share: f64, higher: impl Fn(usize) -> f64) -> Vec<Vec<f64>> {
        let mut rng = seeded(9, 0);
        let mut round = |at: usize| {
            let is_higher = ((at / 20) as f64 * 0.618).fract() < share;
            let value = |column: usize| {
                let state = if is_higher { higher(column) } else { 0.0 };
                (1.0 + column as f64).ln() + state + 0.03 * normal(&mut rng)
            };
            (0..12).map(value).collect()
        };
        (0..rounds).map(&mut round).collect()
    }

    fn found(table: &[Vec<f64>]) -> Option<(Vec<bool>, Aside)> {
        lower_state(table, &row_effects(table))
    }

    #[test]
    fn states_that_bend_the_curve_are_told_apart() {
        let bends = |column: usize| 0.04 * column as f64;
        for share in [0.1, 0.5, 0.9] {
            let table = table(1000, share, bends);
            let (lower, aside) = found(&table).expect("two states");
            assert!((aside.share - share).abs() < 0.06, "{share} {aside:?}");
            assert!((aside.higher.ln() - 0.22).abs() < 0.05, "{aside:?}");
            let wrong = lower
                .iter()
                .enumerate()
                .filter(|(at, lower)| **lower == (((at / 20) as f64 * 0.618).fract() < share));
            assert!(wrong.count() < 40);
        }
    }

    #[test]
    fn states_that_scale_the_curve_are_left_together() {
        assert_eq!(found(&table(1000, 0.5, |_| 0.4)), None);
    }

    #[test]
    fn one_state_is_not_torn_and_a_rare_one_is_no_state() {
        assert_eq!(found(&table(1000, 0.0, |_| 0.0)), None);
        assert_eq!(found(&table(1000, 0.02, |column| 0.04 * column as f64)), None);
        assert_eq!(found(&table(40, 0.5, |column| 0.04 * column as f64)), None);
        assert_eq!(lower_state(&[], &[]), None);
    }
}
