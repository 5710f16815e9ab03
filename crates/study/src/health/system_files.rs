//! Reads the small files of Linux about the system, under any root folder.

use std::{fs, path::Path};

/// Returns the trimmed text of a file; `None` if the file is missing or empty.
pub(super) fn read(root: &Path, path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(root.join(path)).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the value of a line `NAME: VALUE`.
pub(super) fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let mut values = lines.filter(|(found, _)| found.trim() == name);
    values.next().map(|(_, value)| value.trim())
}

/// Parses a list of cores such as `0-3,8`.
pub(super) fn list(text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        // A longer range is no range of cores.
        if last.checked_sub(first)? > 1 << 16 {
            return None;
        }
        numbers.extend(first..=last);
    }
    (!numbers.is_empty()).then_some(numbers)
}

/// Returns the control group folders of this process for a controller, from its own group up to the
/// root of the hierarchy. In a container, only the root may exist.
pub(super) fn groups(root: &Path, controller: &str) -> Vec<String> {
    let mine = read(root, "proc/self/cgroup").unwrap_or_default();
    let mut folders = Vec::new();
    for line in mine.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let bases: &[&str] = if controllers.is_empty() {
            &["sys/fs/cgroup", "sys/fs/cgroup/unified"]
        } else if controllers.split(',').any(|name| name == controller) {
            &["sys/fs/cgroup"]
        } else {
            continue;
        };
        for base in bases {
            let base = match controllers {
                "" => (*base).to_owned(),
                _ => format!("{base}/{controllers}"),
            };
            for folder in Path::new(path.trim_start_matches('/')).ancestors() {
                folders.push(format!("{base}/{}", folder.display()));
            }
        }
    }
    folders
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::health) fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            fs::write(path, text).expect("writable");
        }
        folder
    }

    #[test]
    fn lists_of_cores_are_read_as_the_kernel_writes_them() {
        assert_eq!(list("0-3,8,10-11"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(list("5\n"), Some(vec![5]));
        for wrong in ["", "x", "3-1", "0-99999999999", "-1", "1-"] {
            assert_eq!(list(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "Cpus_allowed:\t3\nCpus_allowed_list:\t0-1\nempty:";
        assert_eq!(field(text, "Cpus_allowed_list"), Some("0-1"));
        assert_eq!((field(text, "Cpus"), field(text, "empty")), (None, Some("")));
    }

    #[test]
    fn groups_of_both_kinds_are_found_up_to_their_root() {
        let old = root(&[("proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/a/b\n")]);
        let base = "sys/fs/cgroup/cpu,cpuacct";
        assert_eq!(
            groups(old.path(), "cpu"),
            [format!("{base}/a/b"), format!("{base}/a"), format!("{base}/")]
        );
        let new = root(&[("proc/self/cgroup", "0::/x")]);
        assert_eq!(groups(new.path(), "cpu")[..2], ["sys/fs/cgroup/x", "sys/fs/cgroup/"]);
        assert!(groups(Path::new("/nowhere"), "cpu").is_empty());
    }
}
