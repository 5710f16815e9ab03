//! How fast the machine itself was in each round, as the sentinel shows it: the copy that is the same in
//! every round. A machine whose memory others use has another curve and another knee, so an answer
//! is that of one tempo: of the fastest that lasted, at which the machine is its own.

use std::collections::BTreeSet;

use math::{median, quantile, sorted};

use super::round_records::RoundsEvent;

/// Two tempos differ by this factor at least.
const APART: f64 = 1.2;

/// From the fastest round of a tempo to its slowest.
const WIDE: f64 = 1.15;

/// Rounds on both sides whose middle is the tempo of a round: neither single slow copies nor copies that scatter are
/// a tempo. Others use the memory for seconds, in which there are dozens of rounds.
const AROUND: usize = 12;

/// Rounds of a tempo from which on it gives the answer, or half of them all if that is less: sizes that take part in
/// one of sixteen have six samples then. Beside a compiler fast rounds are few and scatter: where 160 were asked for, slow
/// ones gave the answer, up to six times too low.
const LEAST: usize = 96;

/// Rounds from which on they are a tempo of their own.
const LEAST_APART: usize = 5;

/// No memory becomes slower by this factor because others use it; a copy that takes so long had no core.
const WAITED: f64 = 4.0;

/// The tempo of a machine within a study that gives the answer, beside others.
#[derive(Debug, Clone, PartialEq)]
pub struct Tempos {
    /// Rounds that do not count, by number: those at other tempos.
    pub left_out: BTreeSet<u64>,
    /// Of these, the slower ones.
    pub slow: BTreeSet<u64>,
    /// Number of rounds that have a sentinel.
    pub rounds: usize,
    /// Seconds of the sentinel at the tempo that counts.
    pub seconds: f64,
    /// What was faster, but for too few rounds.
    pub faster: Option<OtherTempo>,
    /// What was slower.
    pub slower: Option<OtherTempo>,
}

/// Rounds at a tempo that does not count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OtherTempo {
    /// How many.
    pub rounds: usize,
    /// Seconds of the sentinel in them.
    pub seconds: f64,
}

impl Tempos {
    /// Of the rounds of one purpose; `None` if the machine kept one tempo, or nobody watched. What counts is
    /// the fastest of enough rounds, whether what is slower has a tempo or swings.
    #[must_use]
    pub fn of<'a>(events: impl Iterator<Item = &'a RoundsEvent>) -> Option<Self> {
        let (numbers, smooth) = smoothed(events);
        let least = LEAST.min(smooth.len() / 2).max(LEAST_APART);
        let fastest = sorted(&smooth)
            .windows(least)
            .map(|enough| (enough[0], enough[least - 1]))
            .find(|(first, last)| last - first <= WIDE.ln())?
            .0;
        let of = |group: &dyn Fn(f64) -> bool| -> Vec<f64> {
            smooth.iter().copied().filter(|log| group(*log)).collect()
        };
        let is_faster = |log: f64| log < fastest;
        let is_slower = |log: f64| log > fastest + WIDE.ln();
        let own = median(&of(&|log| !is_faster(log) && !is_slower(log)));
        let other = |logs: Vec<f64>| {
            let (rounds, log) = (logs.len(), (logs.len() >= LEAST_APART).then(|| median(&logs))?);
            let seconds = log.exp();
            ((log - own).abs() >= APART.ln()).then_some(OtherTempo { rounds, seconds })
        };
        let (faster, slower) = (other(of(&is_faster)), other(of(&is_slower)));
        if faster.is_none() && slower.is_none() {
            return None;
        }
        let numbered = |is_of: &dyn Fn(f64) -> bool| -> BTreeSet<u64> {
            let of = numbers.iter().zip(&smooth).filter(|(_, log)| is_of(**log));
            of.map(|(number, _)| *number).collect()
        };
        let slow = numbered(&|log| slower.is_some() && is_slower(log));
        let fast = numbered(&|log| faster.is_some() && is_faster(log));
        let left_out = &slow | &fast;
        let (rounds, seconds) = (smooth.len(), own.exp());
        Some(Self { left_out, slow, rounds, seconds, faster, slower })
    }

    /// Whether the slow rounds are enough for an answer of their own.
    #[must_use]
    pub fn has_enough_slow(&self) -> bool {
        self.slow.len() >= LEAST
    }

    /// Whether the slow rounds took so long that they waited for a core: no memory is that slow because others
    /// use it.
    #[must_use]
    pub fn waited(&self) -> bool {
        self.slower.is_some_and(|slower| slower.seconds > WAITED * self.seconds)
    }

    /// Seconds of the sentinel in the rounds of a purpose that count; `None` if nobody watched.
    #[must_use]
    pub fn copy_seconds<'a>(events: impl Iterator<Item = &'a RoundsEvent> + Clone) -> Option<f64> {
        if let Some(tempos) = Self::of(events.clone()) {
            return Some(tempos.seconds);
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
        Self::swing_without(events, &left_out)
    }

    /// The same of all rounds but these.
    #[must_use]
    pub fn swing_without<'a>(
        events: impl Iterator<Item = &'a RoundsEvent>,
        left_out: &BTreeSet<u64>,
    ) -> Option<f64> {
        let (numbers, smooth) = smoothed(events);
        let counted = numbers.iter().zip(smooth).filter(|(number, _)| !left_out.contains(number));
        let logs = sorted(&counted.map(|(_, log)| log).collect::<Vec<f64>>());
        (logs.len() >= LEAST).then(|| (quantile(&logs, 0.9) - quantile(&logs, 0.1)).exp())
    }
}

/// Numbers of the rounds that have a sentinel, and the middle ln seconds of those around each.
fn smoothed<'a>(events: impl Iterator<Item = &'a RoundsEvent>) -> (Vec<u64>, Vec<f64>) {
    let sentinels = events.flat_map(|event| event.rounds.iter().zip(event.first..));
    let (numbers, logs): (Vec<u64>, Vec<f64>) = sentinels
        .filter_map(|(round, number)| Some((number, round.sentinel.filter(|s| *s > 0.0)?.ln())))
        .unzip();
    // As many at the ends, where fewer would make a tempo of a few rounds.
    let width = logs.len().min(2 * AROUND + 1);
    let around = |at: usize| {
        let first = at.saturating_sub(AROUND).min(logs.len() - width);
        first..first + width
    };
    let smooth = (0..logs.len()).map(|at| median(&logs[around(at)])).collect();
    (numbers, smooth)
}

#[cfg(test)]
mod tests {
    use math::{normal, seeded};

    use super::*;
    use crate::Round;

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
        assert!(tempos.slow == tempos.left_out && !tempos.waited());
        let slower = tempos.slower.expect("slower rounds");
        assert!(
            (slower.seconds / tempos.seconds / 1.5 - 1.0).abs() < 0.1 && tempos.faster.is_none()
        );
        let copy = Tempos::copy_seconds(events.iter()).expect("watched");
        assert!((copy / 330e-6 - 1.0).abs() < 0.05, "{copy}");
        assert_eq!(Tempos::copy_seconds([RoundsEvent::default()].iter()), None);
    }

    #[test]
    fn a_few_fast_rounds_do_not_give_the_answer() {
        let events = events(&[(500, 500e-6), (20, 330e-6)]);
        let tempos = Tempos::of(events.iter()).expect("two tempos");
        assert!((14..=26).contains(&tempos.left_out.len()), "{}", tempos.left_out.len());
        assert!(tempos.left_out.contains(&510) && tempos.slower.is_none());
        assert!(tempos.slow.is_empty());
        let faster = tempos.faster.expect("faster rounds");
        assert!(faster.seconds < tempos.seconds && faster.rounds == tempos.left_out.len());
    }

    #[test]
    fn fast_rounds_count_though_others_come_between_and_slow_them_down() {
        let mut stretches = vec![(400, 600e-6)];
        stretches.extend((0..5).flat_map(|_| [(25, 360e-6), (25, 480e-6)]));
        let events = events(&stretches);
        let tempos = Tempos::of(events.iter()).expect("tempos");
        assert!(tempos.faster.is_none(), "{tempos:?}");
        assert!(tempos.seconds < 400e-6, "{}", tempos.seconds);
        let counted = tempos.rounds - tempos.left_out.len();
        assert!((LEAST..160).contains(&counted), "{counted}");
        assert!(
            Tempos::swing(events.iter()).is_some_and(|swing| swing < APART),
            "known of so few, too"
        );
    }

    #[test]
    fn a_few_rounds_are_no_tempo_wherever_they_are() {
        for stretches in [[(9, 330e-6), (500, 500e-6)], [(500, 500e-6), (9, 330e-6)]] {
            assert_eq!(Tempos::of(events(&stretches).iter()), None, "{stretches:?}");
        }
    }

    #[test]
    fn a_fast_tempo_is_told_from_a_slow_one_that_swings() {
        let mut stretches = vec![(230, 560e-6), (280, 375e-6)];
        stretches.extend((0..24).map(|at| (20, 560e-6 * (0.08 * f64::from(at % 5 - 2)).exp())));
        let events = events(&stretches);
        let tempos = Tempos::of(events.iter()).expect("two tempos");
        let counted = tempos.rounds - tempos.left_out.len();
        assert!((260..=300).contains(&counted) && tempos.faster.is_none(), "{counted}");
        assert!((tempos.seconds / 375e-6 - 1.0).abs() < 0.05, "{}", tempos.seconds);
        assert!(Tempos::swing(events.iter()).expect("watched") < 1.2);
    }

    #[test]
    fn rounds_whose_copies_scatter_are_of_one_tempo() {
        let mut rng = seeded(9, 0);
        let mut round = || Round {
            sentinel: Some(500e-6 * (0.25 * normal(&mut rng)).exp()),
            ..Round::default()
        };
        let rounds = (0..900).map(|_| round()).collect();
        let event = RoundsEvent { first: 1, rounds, ..RoundsEvent::default() };
        assert_eq!(Tempos::of([event].iter()), None);
    }

    #[test]
    fn memory_that_swings_is_told_from_noise_and_from_another_tempo() {
        let swing = |stretches: &[(usize, f64)]| Tempos::swing(events(stretches).iter());
        let steady = swing(&[(400, 500e-6)]).expect("watched");
        let counted = swing(&[(200, 700e-6), (800, 330e-6)]).expect("watched");
        assert!(steady < 1.12 && counted < 1.12, "{steady} {counted}");
        let swinging = |by: f64| -> Vec<(usize, f64)> {
            (0..40).map(|at| (60, 500e-6 * (by * f64::from(at % 5)).exp())).collect()
        };
        let swung = swing(&swinging(0.065)).expect("watched");
        assert!(
            (1.22..1.32).contains(&swung) && Tempos::of(events(&swinging(0.065)).iter()).is_none(),
            "{swung}"
        );
        // What swings further counts at its fastest, and swings no more there.
        let (swung, tempos) = (swing(&swinging(0.15)), Tempos::of(events(&swinging(0.15)).iter()));
        assert!(swung.is_some_and(|swung| swung < 1.2), "{swung:?}");
        let tempos = tempos.expect("several");
        assert!(
            (tempos.seconds / 500e-6 - 1.0).abs() < 0.1 && tempos.slower.is_some(),
            "{tempos:?}"
        );
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
