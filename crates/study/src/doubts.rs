//! What speaks against an answer whatever its curve: a machine that was not its own while rounds were taken.

use records::{RoundsEvent, RoundsPurpose, Tempos};

use super::{Plan, StudyJournal, counted_rounds::CountedRounds};

/// Share of the samples' time that others may take of a settled answer. A virtual machine of two cores lost 1 %
/// (once 8 %), and 47 to 87 % beside a compiler.
pub(super) const MOST_TAKEN: f64 = 0.25;
/// Factor between the speeds of memory within a settled answer. On a virtual machine whose answers repeat it is 1.1;
/// on one where it was 1.3 and more, answers of an hour lay between 20 736 and 236 196.
pub(super) const MOST_SWING: f64 = 1.2;

/// What speaks against the answer of a machine that was not its own while the rounds were taken.
pub(super) fn doubts(journal: &StudyJournal) -> Vec<String> {
    [slower(journal), swinging(journal), crowded(journal)].into_iter().flatten().collect()
}

/// A machine whose cores others used, too: samples that waited are known and left out, but those that did
/// not wait shared caches and memory with what the others did.
fn crowded(journal: &StudyJournal) -> Option<String> {
    let taken = CountedRounds::of(journal, RoundsPurpose::Answer).share_taken()?;
    let in_percent = 100.0 * taken;
    (taken > MOST_TAKEN)
        .then(|| format!("others took {in_percent:.0} % of the time in which it was measured"))
}

/// A machine whose memory others use by turns: its curve is of no one machine.
fn swinging(journal: &StudyJournal) -> Option<String> {
    let swing = Tempos::swing(journal.rounds(RoundsPurpose::Answer))?;
    (swing > MOST_SWING).then(|| {
        format!(
            "the machine's memory was {swing:.1} times slower in a tenth of the rounds than in another"
        )
    })
}

/// A machine that was faster before: another tempo has another knee.
fn slower(journal: &StudyJournal) -> Option<String> {
    let own = Tempos::of(journal.rounds(RoundsPurpose::Answer));
    if let Some((tempos, faster)) = own.and_then(|own| own.faster.map(|faster| (own, faster))) {
        return Some(format!(
            "the machine's memory was {:.1} times faster in {} of the study's rounds, too few to count",
            tempos.seconds / faster.seconds,
            faster.rounds
        ));
    }
    let pace = journal.pace()?;
    let factor = pace.slower(journal.rounds(RoundsPurpose::Answer))?;
    let than = match pace.studies {
        1 => "in the study of this benchmark before".to_owned(),
        2..10 => format!("in the fastest of {} studies of this benchmark before", pace.studies),
        several => format!("in a tenth of the {several} studies of this benchmark before"),
    };
    Some(format!("the machine's memory was {factor:.1} times slower than {than}"))
}

/// Whether the machine's memory is likely to become faster than all rounds of the answer found it.
pub(super) fn may_become_faster(plan: &Plan, journal: &StudyJournal) -> bool {
    is_slowed(plan, journal, journal.rounds(RoundsPurpose::Answer))
}

/// Whether it was when so many seconds of rounds had been taken, or others had slowed most of these rounds down, so that
/// they do not count; a study that goes on knows it, too. Where others take the cores as well, more rounds say no more.
pub(super) fn were_slowed(plan: &Plan, journal: &StudyJournal, seconds: f64) -> bool {
    let mut spent = 0.0;
    let within = |event: &&RoundsEvent| {
        let begins_within = spent < seconds;
        spent += event.costs.total();
        begins_within
    };
    let rounds: Vec<&RoundsEvent> =
        journal.rounds(RoundsPurpose::Answer).take_while(within).collect();
    let tempos = Tempos::of(rounds.iter().copied());
    // That others took cores in them, too, does not show in the rounds that count.
    let mostly_slow =
        tempos.is_some_and(|tempos| 2 * tempos.slow.len() > tempos.rounds && !tempos.waited());
    (mostly_slow && crowded(journal).is_none()) || is_slowed(plan, journal, rounds.into_iter())
}

/// Whether rounds met a machine that was faster at other times, or, where there is time to wait, one that may be: a
/// virtual machine of which nothing is known and that shows a single tempo.
fn is_slowed<'a>(
    plan: &Plan,
    journal: &StudyJournal,
    rounds: impl Iterator<Item = &'a RoundsEvent> + Clone,
) -> bool {
    let tempos = Tempos::of(rounds.clone());
    match journal.pace() {
        _ if tempos.as_ref().is_some_and(|tempos| tempos.faster.is_some()) => true,
        Some(pace) if pace.is_unknown() => {
            let waits = plan.settings.budget.overtime.is_some_and(|overtime| overtime > 0.0);
            waits && tempos.is_none() && Tempos::copy_seconds(rounds).is_some()
        }
        Some(pace) => pace.may_recover(rounds),
        None => false,
    }
}
