//! Studies that use the winning values of earlier studies of the suite.

use std::path::Path;

use records::{Named, Progress, StudyRecord};
use registry::nearest;

use super::{
    expansion::PlannedStudy,
    fault::{Faults, SuiteFault},
    journal::Told,
    record::SuiteRecord,
    row::read,
};

/// For every study, the 1-based numbers of the studies whose winners it uses. These are earlier
/// studies with the labels in `winners_of`, in the same variation if there are several.
///
/// # Errors
/// If no earlier study has one of the labels.
pub fn winners_of(studies: &[&PlannedStudy]) -> Result<Vec<Vec<usize>>, Vec<SuiteFault>> {
    let mut faults = Faults::default();
    let mut all = Vec::new();
    for (at, study) in studies.iter().enumerate() {
        let earlier = || studies[..at].iter().map(|study| study.label.as_str());
        let variation = study.variation();
        let mut taken = Vec::new();
        for word in &study.winners_of {
            let varied = format!("{}{variation}", word.text);
            let found = earlier().position(|label| label == varied);
            match found.or_else(|| earlier().position(|label| label == word.text)) {
                Some(found) => taken.push(found + 1),
                None => {
                    let meant = nearest(&word.text, earlier());
                    let meant = meant.map(|label| format!("; did you mean `{label}`?"));
                    let meant = meant.unwrap_or_default();
                    let why =
                        format!("no study before this one is labelled `{}`{meant}", word.text);
                    faults.add(word.place, why);
                }
            }
        }
        all.push(taken);
    }
    faults.or(all)
}

/// Returns `--param` values `NAME=VALUE` for a study that uses winners: the winning values of the
/// parameters that those studies searched.
///
/// # Errors
/// If one of those studies has no winner, or two of them disagree. The error is one sentence.
pub fn won(
    path: &Path,
    record: &SuiteRecord,
    told: &Told,
    number: usize,
) -> Result<Vec<String>, String> {
    let study = number.checked_sub(1).and_then(|at| record.studies.get(at));
    let mut all: Vec<(String, String, &str)> = Vec::new();
    for taken in study.map_or(&[][..], |study| &study.winners_of) {
        let label = taken.checked_sub(1).and_then(|at| record.studies.get(at));
        let label = label.map_or("", |study| study.label.as_str());
        let none =
            || format!("study {taken}, `{label}`, has no winner whose parameters it could take");
        let folder = told.folders.get(taken).ok_or_else(none)?;
        let (record, view) = read(&path.join(folder))?.ok_or_else(none)?;
        let finished = matches!(view.progress, Progress::Finished(_));
        let (_, winner) = view.winner().filter(|_| finished).ok_or_else(none)?;
        for (name, value) in searched(&record, &winner.configuration) {
            match all.iter().find(|(known, ..)| *known == name) {
                Some((_, other, from)) if *other != value => {
                    return Err(format!(
                        "`{name}` is {other} in the winner of `{from}` and {value} in that of \
                         `{label}`; tune it in one of them"
                    ));
                }
                Some(_) => {}
                None => all.push((name, value, label)),
            }
        }
    }
    Ok(all.into_iter().map(|(name, value, _)| format!("{name}={value}")).collect())
}

/// The parameters of a winner that its study searched. Excludes parameters narrowed to one value,
/// and controls of the device.
fn searched(record: &StudyRecord, winner: &Named) -> Vec<(String, String)> {
    let is_one = |text: &&String| {
        text.split_once('=').is_some_and(|(_, values)| !values.contains([',', '(', '[']))
    };
    let settings = &record.settings;
    let fixed: Vec<&str> = settings
        .parameters
        .iter()
        .filter(is_one)
        .chain(&settings.controls)
        .filter_map(|text| text.split('=').next())
        .map(str::trim)
        .collect();
    let own = winner.0.iter().filter(|(name, _)| !fixed.contains(&name.as_str()));
    own.map(|(name, value)| (name.clone(), value.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use records::settings::StudySettings;

    use super::*;

    #[test]
    fn what_was_narrowed_to_one_value_or_controlled_was_not_searched() {
        let record = StudyRecord {
            settings: StudySettings {
                parameters: vec!["a=1".into(), "b = 1,2".into(), "e=range(3)".into()],
                controls: vec!["sm_clock=1200,1980".into()],
                ..StudySettings::default()
            },
            ..StudyRecord::new(
                Vec::new(),
                Default::default(),
                Default::default(),
                Default::default(),
                StudySettings::default(),
            )
        };
        let winner = serde_json::json!({"a": 1, "b": 1, "c": 1, "e": 1, "sm_clock": 1});
        let winner: Named = serde_json::from_value(winner).expect("a configuration");
        let names: Vec<String> =
            searched(&record, &winner).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "c", "e"]);
    }
}
