//! Why an installed driver shows no device: its files under `/dev` are missing or may not be
//! opened.

use std::{fs::OpenOptions, io::ErrorKind, path::Path};

/// The device file of the driver's kernel module.
const CONTROL: &str = "nvidiactl";

/// What is wrong with the driver's files, in one sentence, if anything is wrong.
pub(super) fn fault() -> Option<String> {
    // Linux on Windows (WSL) has another file.
    if Path::new("/dev/dxg").exists() {
        return None;
    }
    fault_in(Path::new("/dev"))
}

fn fault_in(folder: &Path) -> Option<String> {
    if !folder.join(CONTROL).exists() {
        return Some(format!(
            "there is no `{}`: load the driver's kernel module, or start the container with its \
             GPUs (`--gpus all`)",
            folder.join(CONTROL).display()
        ));
    }
    let numbered = (0..64).map(|number| format!("nvidia{number}"));
    for name in std::iter::once(CONTROL.to_owned()).chain(numbered) {
        let path = folder.join(name);
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        if opened.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied) {
            return Some(format!(
                "this user may not open `{}`: join the group that owns it, or ask for the job's \
                 GPUs (`--gres=gpu:1`)",
                path.display()
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_are_named_and_open_ones_are_no_fault() {
        let folder = tempfile::tempdir().expect("a folder");
        let said = fault_in(folder.path()).expect("there is no file");
        assert!(said.contains("nvidiactl") && said.contains("--gpus all"), "{said}");
        std::fs::write(folder.path().join(CONTROL), "").expect("written");
        std::fs::write(folder.path().join("nvidia0"), "").expect("written");
        assert_eq!(fault_in(folder.path()), None);
    }
}
