//! Divides studies into job arrays.

use std::collections::{BTreeMap, BTreeSet};

use crate::suites::SuiteRecord;

/// Most studies in an array: clusters usually reject indices above 1000.
const LARGEST: usize = 1000;

/// A job array. Its elements are one study each, and all wait for the same studies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobArray {
    /// 1-based numbers of the array's studies, all within the same thousand.
    pub studies: Vec<usize>,
    /// Studies that have to end first, because these studies use their winning values.
    pub after: Vec<usize>,
    /// Whether the studies run on HIP, which uses other environment variables to select devices.
    pub is_hip: bool,
}

impl JobArray {
    /// What an element adds to its index to get its study's number.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.studies.first().map_or(0, |study| study / LARGEST * LARGEST)
    }

    /// The array's indices in SLURM's format: `1-4,7`.
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

#[must_use]
pub(super) fn index(study: usize) -> usize {
    study % LARGEST
}

/// Divides studies into arrays, in the order in which to submit them. A study that uses results of
/// others is in a later array than they are. `is_open` says whether a study that is not among
/// `studies` has not ended yet.
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
        let level = study.needs().filter_map(|needed| levels.get(&needed)).max();
        let level = level.map_or(0, |level| level + 1);
        levels.insert(number, level);
        let is_hip = study.argv.iter().any(|word| word.starts_with("--device=hip"));
        let key = (level, is_hip, number / LARGEST);
        let empty = || JobArray { studies: Vec::new(), after: Vec::new(), is_hip };
        groups.entry(key).or_insert_with(empty).studies.push(number);
        let waited = study.needs().filter(|needed| studies.contains(needed) || is_open(*needed));
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

    /// A suite of studies, each with its device and the studies whose winners it uses.
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

        // Submits only study 3. Study 1 has ended; study 2 is in the queue and must be waited for.
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
