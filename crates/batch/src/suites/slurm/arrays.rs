//! Which studies go into which job array.

use std::collections::{BTreeMap, BTreeSet};

use crate::suites::SuiteRecord;

/// How many studies share an array at most: clusters usually refuse indices above 1000.
const LARGEST: usize = 1000;

/// A job array: studies that wait for the same, each an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobArray {
    /// Numbers of its studies, from 1, all within the same thousand.
    pub studies: Vec<usize>,
    /// Studies whose winners they take; all of these have to end first.
    pub after: Vec<usize>,
    /// Whether they measure on hip, whose variables for devices are others.
    pub is_hip: bool,
}

impl JobArray {
    /// What an element adds to its index to know its study.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.studies.first().map_or(0, |study| study / LARGEST * LARGEST)
    }

    /// Its indices as SLURM reads them: `1-4,7`.
    #[must_use]
    pub fn indices(&self) -> String {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for index in self.studies.iter().map(|&study| index(study)) {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == index => *last = index,
                _ => ranges.push((index, index)),
            }
        }
        let range = |(first, last): (usize, usize)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        ranges.into_iter().map(range).collect::<Vec<_>>().join(",")
    }
}

/// Index of a study in its array.
#[must_use]
pub(super) fn index(study: usize) -> usize {
    study % LARGEST
}

/// The arrays of these studies, in the order in which they can be submitted: a study that takes
/// winners is in a later array than those it takes them from. `is_open` says which others have not
/// ended yet.
#[must_use]
pub fn arrays(
    record: &SuiteRecord,
    studies: &[usize],
    is_open: impl Fn(usize) -> bool,
) -> Vec<JobArray> {
    let mut levels: BTreeMap<usize, usize> = BTreeMap::new();
    let mut groups: BTreeMap<(usize, bool, usize), JobArray> = BTreeMap::new();
    let mut after: BTreeMap<(usize, bool, usize), BTreeSet<usize>> = BTreeMap::new();
    for (number, study) in record.numbered().filter(|(number, _)| studies.contains(number)) {
        let level = study.winners_of.iter().filter_map(|taken| levels.get(taken)).max();
        let level = level.map_or(0, |level| level + 1);
        levels.insert(number, level);
        let is_hip = study.argv.iter().any(|word| word.starts_with("--device=hip"));
        let key = (level, is_hip, number / LARGEST);
        let empty = || JobArray { studies: Vec::new(), after: Vec::new(), is_hip };
        groups.entry(key).or_insert_with(empty).studies.push(number);
        let taken = study.winners_of.iter().copied();
        let waited = taken.filter(|&taken| studies.contains(&taken) || is_open(taken));
        after.entry(key).or_default().extend(waited);
    }
    let with_after = |(key, array): ((usize, bool, usize), JobArray)| JobArray {
        after: after.remove(&key).unwrap_or_default().into_iter().collect(),
        ..array
    };
    groups.into_iter().map(with_after).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A suite of studies, each with its device and the studies whose winners it takes.
    pub(super) fn suite(studies: &[(&str, &[usize])]) -> SuiteRecord {
        let study = |(device, winners_of): &(&str, &[usize])| {
            json!({"label": "a", "argv": ["tune", "a", format!("--device={device}")],
                "winners_of": winners_of})
        };
        let record = json!({
            "format": "autobench-suite", "version": 1, "autobench": "0", "argv": [],
            "started": "2026-11-23T12:00:00Z", "suite": "s", "origin": "s.yaml", "hash": "",
            "text": "", "studies": studies.iter().map(study).collect::<Vec<_>>(),
        });
        serde_json::from_value(record).expect("a record")
    }

    #[test]
    fn studies_that_wait_for_winners_are_in_a_later_array() {
        let suite =
            suite(&[("cpu", &[]), ("cpu", &[]), ("cpu", &[1, 2]), ("cpu", &[3]), ("cpu", &[])]);
        let all = arrays(&suite, &[1, 2, 3, 4, 5], |_| false);
        let told: Vec<_> = all.iter().map(|a| (a.indices(), a.after.clone())).collect();
        let wanted = [("1-2,5", vec![]), ("3", vec![1, 2]), ("4", vec![3])];
        assert_eq!(told, wanted.map(|(indices, after)| (indices.to_owned(), after)));

        // Only the rest: what has ended is not waited for, what is in the queue is.
        let rest = arrays(&suite, &[3], |study| study == 2);
        assert_eq!(rest.len(), 1);
        assert_eq!((rest[0].indices().as_str(), &rest[0].after), ("3", &vec![2]));
    }

    #[test]
    fn devices_of_hip_have_arrays_of_their_own() {
        let suite = suite(&[("hip", &[]), ("cuda", &[]), ("hip:1", &[])]);
        let all = arrays(&suite, &[1, 2, 3], |_| false);
        let told: Vec<_> = all.iter().map(|a| (a.indices(), a.is_hip)).collect();
        assert_eq!(told, [("2".to_owned(), false), ("1,3".to_owned(), true)]);
    }

    #[test]
    fn no_index_is_above_a_thousand() {
        let suite = suite(&vec![("cpu", &[][..]); 2100]);
        let numbers: Vec<usize> = (1..=2100).collect();
        let all = arrays(&suite, &numbers, |_| false);
        let told: Vec<_> = all.iter().map(|a| (a.indices(), a.offset())).collect();
        let wanted = [("1-999", 0), ("0-999", 1000), ("0-100", 2000)];
        assert_eq!(told, wanted.map(|(indices, offset)| (indices.to_owned(), offset)));
    }
}
