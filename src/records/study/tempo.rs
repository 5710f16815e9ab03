//! How fast the machine itself was in each round, as the sentinel shows it: the copy that is the same in
//! every round. A machine whose memory others use has another curve and another knee, so an answer
//! is that of one tempo.

use std::collections::BTreeSet;

use super::round_records::RoundsEvent;
use crate::numeric::{median, quantile, sorted, two_groups};

/// Two tempos differ by this factor at least.
pub(super) const APART: f64 = 1.2;

/// Rounds on both sides whose middle is the tempo of a round: a single slow copy is no tempo.
const AROUND: usize = 3;

/// Rounds at the faster tempo from which on it gives the answer: slow sizes take part in one of sixteen, and
/// need some samples, too.
const LEAST_FAST: usize = 160;

/// Rounds from which on their tenths can be compared.
const LEAST_ROUNDS: usize = 100;

/// Two tempos of a machine within a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Tempos {
    /// Rounds that do not count, by number: those at the other tempo.
    pub left_out: BTreeSet<u64>,
    /// Number of rounds that have a sentinel.
    pub rounds: usize,
    /// Seconds of the sentinel at the tempo that counts, and at the other.
    pub seconds: (f64, f64),
}

impl Tempos {
    /// Of the rounds of one purpose; `None` if the machine kept one tempo, or nobody watched. The
    /// faster one counts, if it has enough rounds; the machine is its own there.
    #[must_use]
    pub fn of<'a>(events: impl Iterator<Item = &'a RoundsEvent>) -> Option<Self> {
        let (numbers, smooth) = smoothed(events);
        let groups = two_groups(&smooth, APART.ln())?;
        let fast = smooth.iter().filter(|log| **log <= groups.bound).count();
        let counts_fast = fast >= LEAST_FAST || 2 * fast >= smooth.len();
        let left_out = numbers.iter().zip(&smooth).filter(|(_, log)| {
            let is_fast = **log <= groups.bound;
            is_fast != counts_fast
        });
        let left_out = left_out.map(|(number, _)| *number).collect();
        let (fast, slow) = (groups.lower.exp(), groups.upper.exp());
        let seconds = if counts_fast { (fast, slow) } else { (slow, fast) };
        Some(Self { left_out, rounds: smooth.len(), seconds })
    }

    /// Whether the rounds that count are those in which the machine was slower.
    #[must_use]
    pub fn counts_slower(&self) -> bool {
        self.seconds.0 > self.seconds.1
    }

    /// Seconds of the sentinel in the rounds of a purpose that count; `None` if nobody watched.
    #[must_use]
    pub fn copy_seconds<'a>(events: impl Iterator<Item = &'a RoundsEvent> + Clone) -> Option<f64> {
        if let Some(tempos) = Self::of(events.clone()) {
            return Some(tempos.seconds.0);
        }
        let all: Vec<f64> = events
            .flat_map(|event| &event.rounds)
            .filter_map(|round| round.sentinel.filter(|seconds| *seconds > 0.0))
            .collect();
        (!all.is_empty()).then(|| median(&all))
    }

    /// How many times as long copies took in the slowest tenth of the rounds that count as in the fastest; `None`
    /// for few rounds. Copies next to each other count together: what changes slowly changes the curve.
    #[must_use]
    pub fn swing<'a>(events: impl Iterator<Item = &'a RoundsEvent> + Clone) -> Option<f64> {
        let left_out = Self::of(events.clone()).map(|tempos| tempos.left_out).unwrap_or_default();
        let (numbers, smooth) = smoothed(events);
        let counted = numbers.iter().zip(smooth).filter(|(number, _)| !left_out.contains(number));
        let logs = sorted(&counted.map(|(_, log)| log).collect::<Vec<f64>>());
        (logs.len() >= LEAST_ROUNDS).then(|| (quantile(&logs, 0.9) - quantile(&logs, 0.1)).exp())
    }
}

/// Numbers of the rounds that have a sentinel, and the middle ln seconds of those around each.
fn smoothed<'a>(events: impl Iterator<Item = &'a RoundsEvent>) -> (Vec<u64>, Vec<f64>) {
    let sentinels = events.flat_map(|event| event.rounds.iter().zip(event.first..));
    let (numbers, logs): (Vec<u64>, Vec<f64>) = sentinels
        .filter_map(|(round, number)| Some((number, round.sentinel.filter(|s| *s > 0.0)?.ln())))
        .unzip();
    let around = |at: usize| at.saturating_sub(AROUND)..logs.len().min(at + AROUND + 1);
    let smooth = (0..logs.len()).map(|at| median(&logs[around(at)])).collect();
    (numbers, smooth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        numeric::{normal, seeded},
        records::Round,
    };

    fn events(stretches: &[(usize, f64)]) -> Vec<RoundsEvent> {
        let mut rng = seeded(6, 0);
        let mut first = 1;
        let mut event = |(count, seconds): &(usize, f64)| {
            let mut round = || Round {
                sentinel: Some(seconds * (0.07 * normal(&mut rng)).exp()),
                ..Round::default()
            };
            let rounds: Vec<Round> = (0..*count).map(|_| round()).collect();
            first += rounds.len() as u64;
            RoundsEvent { first: first - rounds.len() as u64, rounds, ..RoundsEvent::default() }
        };
        stretches.iter().map(&mut event).collect()
    }

    #[test]
    fn rounds_in_which_others_used_the_memory_are_left_out() {
        let events = events(&[(200, 500e-6), (800, 330e-6)]);
        let tempos = Tempos::of(events.iter()).expect("two tempos");
        assert!((190..=205).contains(&tempos.left_out.len()), "{}", tempos.left_out.len());
        assert!(tempos.left_out.contains(&1) && !tempos.left_out.contains(&600));
        assert!(tempos.seconds.0 < tempos.seconds.1 && !tempos.counts_slower());
        let copy = Tempos::copy_seconds(events.iter()).expect("watched");
        assert!((copy / 330e-6 - 1.0).abs() < 0.05, "{copy}");
        assert_eq!(Tempos::copy_seconds([RoundsEvent::default()].iter()), None);
    }

    #[test]
    fn a_few_fast_rounds_do_not_give_the_answer() {
        let events = events(&[(500, 500e-6), (20, 330e-6)]);
        let tempos = Tempos::of(events.iter()).expect("two tempos");
        assert!((14..=26).contains(&tempos.left_out.len()), "{}", tempos.left_out.len());
        assert!(tempos.left_out.contains(&510) && tempos.counts_slower());
    }

    #[test]
    fn memory_that_swings_is_told_from_noise_and_from_another_tempo() {
        let swing = |stretches: &[(usize, f64)]| Tempos::swing(events(stretches).iter());
        let steady = swing(&[(400, 500e-6)]).expect("watched");
        let counted = swing(&[(200, 700e-6), (800, 330e-6)]).expect("watched");
        assert!(steady < 1.12 && counted < 1.12, "{steady} {counted}");
        let swinging: Vec<(usize, f64)> =
            (0..40).map(|at| (20, 500e-6 * (0.16 * f64::from(at % 5)).sin().exp())).collect();
        let swung = swing(&swinging).expect("watched");
        assert!(swung > 1.3, "{swung}");
        assert_eq!(swing(&[(80, 500e-6)]), None, "too few rounds");
    }

    #[test]
    fn one_tempo_is_not_divided_and_lone_interruptions_are_none() {
        assert_eq!(Tempos::of(events(&[(400, 500e-6)]).iter()), None);
        let mut interrupted = events(&[(400, 500e-6)]);
        for round in interrupted[0].rounds.iter_mut().step_by(9) {
            round.sentinel = Some(5e-3);
        }
        assert_eq!(Tempos::of(interrupted.iter()), None);
        assert_eq!(Tempos::of([RoundsEvent::default()].iter()), None);
    }
}
