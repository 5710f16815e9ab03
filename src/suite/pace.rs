//! Estimates the remaining time of a suite: the time limits of the remaining studies, scaled by how
//! much of their limits the finished studies used.

use batch::suites::RecordedStudy;

use super::command_lines::StudyLine;

/// The time limits of all studies, and how much finished studies used of theirs.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Time limit of each study in seconds; `None` without a limit.
    limits: Vec<Option<f64>>,
    /// Sums over finished studies: their time limits, and their real seconds.
    done: (f64, f64),
}

impl Pace {
    pub(super) fn of(studies: &[RecordedStudy]) -> Self {
        let limit = |study: &RecordedStudy| match StudyLine::read(&study.argv) {
            Ok(StudyLine::Measured(line)) => {
                let settings = line.settings().ok()?;
                settings.budget.resolved(settings.goal, &settings.device).seconds
            }
            Ok(StudyLine::Score(_)) | Err(_) => None,
        };
        Self { limits: studies.iter().map(limit).collect(), done: (0.0, 0.0) }
    }

    /// Adds a finished study's real seconds.
    pub(super) fn done(&mut self, number: usize, wall: f64) {
        if let Some(limit) = self.limits[number - 1] {
            self.done.0 += limit;
            self.done.1 += wall;
        }
    }

    /// Estimated seconds from the start of a study to the end of the suite; `None` if a study has
    /// no limit.
    pub(super) fn left(&self, number: usize) -> Option<f64> {
        let limits: Option<Vec<f64>> = self.limits[number - 1..].iter().copied().collect();
        let pace = if self.done.0 > 0.0 { self.done.1 / self.done.0 } else { 1.0 };
        Some(limits?.iter().sum::<f64>() * pace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn studies(lines: &[&str]) -> Vec<RecordedStudy> {
        let study = |line: &&str| {
            let argv: Vec<&str> = line.split(' ').collect();
            let fields = serde_json::json!({"label": argv[1], "argv": argv});
            serde_json::from_value(fields).expect("a study")
        };
        lines.iter().map(study).collect()
    }

    #[test]
    fn what_is_left_follows_the_pace_so_far() {
        let mut pace =
            Pace::of(&studies(&["run a --time=10", "run b --time=20", "run c --time=50"]));
        assert_eq!(pace.left(1), Some(80.0));
        pace.done(1, 15.0);
        assert_eq!(pace.left(2), Some(105.0));
        assert_eq!(Pace::of(&studies(&["run c"])).left(1), Some(50.0));
    }

    #[test]
    fn a_study_without_a_limit_has_no_end() {
        let pace = Pace::of(&studies(&["run a --time=10", "tune b --size=4 --budget=9"]));
        assert_eq!(pace.left(1), None);
    }
}
