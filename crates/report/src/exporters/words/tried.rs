//! Phrases about how many of the configurations of a size were tried.

use std::collections::HashSet;

use records::{SizePoint, StudyView};

use super::quantities::grouped;

/// Formats how many of a size's configurations were tried there and at all sizes, and why no more.
/// `None` if the size has fewer than two configurations.
#[must_use]
pub fn sentence(view: &StudyView, point: &SizePoint) -> Option<String> {
    let all = point.opened.as_ref()?.configurations;
    let tried = different(view, |size| size == point.size);
    if all < 2 {
        return None;
    }
    if tried >= all {
        return Some(format!("all {} configurations at this size", grouped(all)));
    }
    let mut text = format!("{} of {} configurations at this size", grouped(tried), grouped(all));
    if view.sizes.len() > 1 {
        text += &format!(", {} at all sizes together", grouped(different(view, |_| true)));
    }
    let why = point.closed.as_ref().map(|closed| closed.why.as_str()).filter(|why| !why.is_empty());
    Some(text + &why.map_or_else(String::new, |why| format!("; {why}")))
}

/// Counts the different configurations that were tried at these sizes.
fn different(view: &StudyView, at: impl Fn(u64) -> bool) -> u64 {
    let trials = view.trials.iter().map(|row| &row.event.trial).filter(|trial| at(trial.size));
    trials.map(|trial| trial.configuration.key()).collect::<HashSet<String>>().len() as u64
}

#[cfg(test)]
mod tests {
    use records::{
        Costs, Named, Outcome, Phase, SizeClosed, SizeOpened, Status, Trial, TrialCounts,
        TrialEvent, TrialRow,
    };
    use space::Value;

    use super::*;

    /// Returns the sentence on size 256 after trials of these sizes and tiles.
    fn said(tried: &[(u64, i64)], configurations: u64) -> Option<String> {
        let row = |(number, (size, tile)): (usize, &(u64, i64))| TrialRow {
            number: number as u64 + 1,
            event: TrialEvent {
                trial: Trial {
                    size: *size,
                    phase: if number == 0 { Phase::Again } else { Phase::Search },
                    configuration: Named(vec![("tile".to_owned(), Value::Int(*tile))]),
                    outcome: Outcome::failed(Status::Crashed, "", Costs::default()),
                    score: None,
                },
                samples_offset: 0,
                samples_count: 0,
                charged: 0.0,
            },
        };
        let point = |size: u64| SizePoint {
            size,
            opened: Some(SizeOpened { size, configurations, ..SizeOpened::default() }),
            closed: Some(SizeClosed {
                why: "seconds were spent".to_owned(),
                ..SizeClosed::default()
            }),
            counts: TrialCounts::default(),
        };
        let sizes: HashSet<u64> = tried.iter().map(|(size, _)| *size).collect();
        let view = StudyView {
            sizes: sizes.into_iter().map(point).collect(),
            trials: tried.iter().enumerate().map(row).collect(),
            ..StudyView::default()
        };
        sentence(&view, &point(256))
    }

    #[test]
    fn few_of_many_are_counted_once_with_the_reason() {
        let several = said(&[(256, 1), (256, 2), (256, 2), (128, 3)], 1464);
        let text =
            "2 of 1464 configurations at this size, 3 at all sizes together; seconds were spent";
        assert_eq!(several.as_deref(), Some(text));
        let alone = said(&[(256, 1), (256, 2)], 1464);
        let text = "2 of 1464 configurations at this size; seconds were spent";
        assert_eq!(alone.as_deref(), Some(text));
    }

    #[test]
    fn all_of_few_have_no_reason_and_one_is_no_choice() {
        let all = said(&[(256, 1), (256, 2)], 2);
        assert_eq!(all.as_deref(), Some("all 2 configurations at this size"));
        assert_eq!(said(&[(256, 1)], 1), None);
    }
}
