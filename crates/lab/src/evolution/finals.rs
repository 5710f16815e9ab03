//! The finals: the last survivors run again, more often and with other seeds. The best of a hundred
//! candidates is partly the luckiest. Only runs that did not select it show whether it is good.

use std::time::Instant;

use records::{EventLog, FamilyEvent, FamilyRules, FinalRow, FinalsEvent};
use scoring::Landscape;

use super::{
    evolving::{FamilyError, FamilyListener, file_name},
    family::Family,
    fitness::{Judgement, judge},
};

/// Distance of the finals' seeds from those of the loop.
const FRESH: u64 = 1_000_000;

/// Holds the finals of a complete family, unless they were held already; `false` if the user
/// stopped them.
///
/// # Errors
/// If they cannot be written.
pub fn hold_finals(
    family: &mut Family,
    landscapes: &[Landscape],
    journal: &mut EventLog<FamilyEvent>,
    listener: &dyn FamilyListener,
) -> Result<bool, FamilyError> {
    let view = family.view();
    let rules = &view.record.rules;
    let survivors: Vec<_> =
        family.population(u64::MAX).into_iter().filter(|one| one.score.is_some()).collect();
    if view.finals.is_some() || rules.final_repeats == 0 || survivors.is_empty() {
        return Ok(true);
    }
    let began = Instant::now();
    let share = f64::from(rules.final_repeats) / f64::from(rules.repeats);
    let fresh = FamilyRules {
        repeats: rules.final_repeats,
        seed: rules.seed.wrapping_add(FRESH),
        candidate_seconds: rules.candidate_seconds * share.max(1.0),
        ..rules.clone()
    };
    let mut rows = Vec::new();
    for one in survivors {
        listener.holds_finals(one.number);
        let path = file_name(one.number);
        let row = FinalRow { number: one.number, ..FinalRow::default() };
        rows.push(match judge(&fresh, landscapes, (&path, &one.code), listener.watch()) {
            Judgement::Stopped => return Ok(false),
            Judgement::Failed(why) => FinalRow { fault: Some(why), ..row },
            Judgement::Scored { score, standard_error, .. } => {
                FinalRow { score: Some(score), standard_error, ..row }
            }
        });
    }
    let seconds = began.elapsed().as_secs_f64();
    let event = FinalsEvent { repeats: fresh.repeats, seed: fresh.seed, rows, seconds };
    family.write(journal, FamilyEvent::Finals(event))?;
    Ok(true)
}
