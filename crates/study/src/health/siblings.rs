//! Hardware threads that share a core (simultaneous multithreading).

use std::path::Path;

use serde::Serialize;

use super::system_files::{list, read};

/// How hardware threads in use share cores with each other and with unused threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Siblings {
    /// Groups of threads in use that share a core.
    pub together: Vec<Vec<usize>>,
    /// Unused threads that share a core with a thread in use.
    pub outside: Vec<usize>,
}

impl Siblings {
    pub(super) fn read(root: &Path, cores: &[usize]) -> Option<Self> {
        let mut siblings = Self { together: Vec::new(), outside: Vec::new() };
        for core in cores {
            let folder = format!("sys/devices/system/cpu/cpu{core}/topology");
            let named = ["core_cpus_list", "thread_siblings_list"];
            let text = named.iter().find_map(|name| read(root, format!("{folder}/{name}")));
            let group = list(&text?)?;
            let (inside, outside): (Vec<usize>, Vec<usize>) =
                group.into_iter().partition(|thread| cores.contains(thread));
            if inside.len() > 1 && !siblings.together.contains(&inside) {
                siblings.together.push(inside);
            }
            siblings.outside.extend(outside);
        }
        siblings.outside.sort_unstable();
        siblings.outside.dedup();
        (!cores.is_empty()).then_some(siblings)
    }

    /// Keeps only one of these threads per core.
    #[must_use]
    pub fn one_of_each(&self, cores: &[usize]) -> Vec<usize> {
        let second = |core: &usize| {
            self.together.iter().any(|group| group.iter().skip(1).any(|other| other == core))
        };
        cores.iter().copied().filter(|core| !second(core)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::system_files::tests::root, *};

    #[test]
    fn threads_of_one_core_are_told_from_those_left_to_others() {
        let list =
            |core: usize| format!("sys/devices/system/cpu/cpu{core}/topology/core_cpus_list");
        let files: Vec<(String, &str)> =
            vec![(list(0), "0,4"), (list(4), "0,4"), (list(1), "1,5\n"), (list(2), "2")];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
        let root = root(&files);
        let siblings = Siblings::read(root.path(), &[0, 1, 2, 4]).expect("it is said");
        assert_eq!(siblings, Siblings { together: vec![vec![0, 4]], outside: vec![5] });
        assert_eq!(siblings.one_of_each(&[0, 1, 2, 4]), [0, 1, 2]);
        assert_eq!(Siblings::read(root.path(), &[0, 3]), None);
        assert_eq!(Siblings::read(root.path(), &[]), None);
    }
}
