//! Studies that use results of earlier studies of the suite: winning values, or the size that
//! saturates the device.

use std::path::Path;

use records::{Named, Progress, StudyRecord};
use registry::did_you_mean;

use super::{
    earlier_runs::SizeFrom,
    expansion::PlannedStudy,
    fault::{Faults, SuiteFault},
    given::Word,
    journal::Told,
    record::SuiteRecord,
    row::read,
};

/// The studies of a suite that another one needs, by their 1-based numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// The studies whose winning values are its parameters.
    pub winners_of: Vec<usize>,
    /// The run that gives it its size.
    pub size_of: Option<usize>,
}

/// For every study, the studies that it needs. These are earlier studies with the labels in
/// `winners_of` and `size_of`, in the same variation if there are several.
///
/// # Errors
/// If no earlier study has one of the labels.
pub fn links(studies: &[&PlannedStudy]) -> Result<Vec<Links>, Vec<SuiteFault>> {
    let mut faults = Faults::default();
    let mut all = Vec::new();
    for (at, study) in studies.iter().enumerate() {
        let earlier = || studies[..at].iter().map(|study| study.label.as_str());
        let variation = study.variation();
        let mut number = |word: &Word| {
            let varied = format!("{}{variation}", word.text);
            let found = earlier().position(|label| label == varied);
            let found = found.or_else(|| earlier().position(|label| label == word.text));
            if found.is_none() {
                let meant = did_you_mean(&word.text, earlier());
                let why = format!("no study before this one is labelled `{}`{meant}", word.text);
                faults.add(word.place, why);
            }
            Some(found? + 1)
        };
        all.push(Links {
            winners_of: study.winners_of.iter().filter_map(&mut number).collect(),
            size_of: study.size_of.as_ref().and_then(number),
        });
    }
    faults.or(all)
}

/// Returns the size that a run of the suite gives to a study, if the study takes one.
///
/// # Errors
/// If that run has no answer. The error is one sentence.
pub fn size_of(
    path: &Path,
    record: &SuiteRecord,
    told: &Told,
    number: usize,
) -> Result<Option<SizeFrom>, String> {
    let Some(taken) = record.study(number).and_then(|study| study.size_of) else {
        return Ok(None);
    };
    let label = record.label(taken);
    let none = || format!("study {taken}, `{label}`, has measured no size that it could take");
    let folder = path.join(told.folders.get(&taken).ok_or_else(none)?);
    let (record, view) = read(&folder)?.ok_or_else(none)?;
    let finished = matches!(view.progress, Progress::Finished(_));
    let given = SizeFrom::of(&folder, &record, &view).filter(|_| finished);
    given.map(Some).ok_or_else(none)
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
    let mut all: Vec<(String, String, &str)> = Vec::new();
    for taken in record.study(number).map_or(&[][..], |study| &study.winners_of) {
        let label = record.label(*taken);
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
