//! Why an installed runtime shows no device: its file under `/dev` is missing or may not be opened.

use std::{fs::OpenOptions, io::ErrorKind, path::Path};

/// The device file of ROCm's kernel module.
const CONTROL: &str = "/dev/kfd";

/// What is wrong with the runtime's file, in one sentence, if anything is wrong.
pub(super) fn fault() -> Option<String> {
    // Linux on Windows (WSL) has another file.
    if Path::new("/dev/dxg").exists() { None } else { fault_of(Path::new(CONTROL)) }
}

fn fault_of(control: &Path) -> Option<String> {
    let error = OpenOptions::new().read(true).write(true).open(control).err()?;
    let name = control.display();
    match error.kind() {
        ErrorKind::NotFound => Some(format!(
            "there is no `{name}`: load the kernel's module `amdgpu`, or start the container with \
             `--device /dev/kfd --device /dev/dri`"
        )),
        ErrorKind::PermissionDenied => Some(format!(
            "this user may not open `{name}`: join the groups `render` and `video`, or ask for the \
             job's GPUs (`--gres=gpu:1`)"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named_and_an_open_one_is_no_fault() {
        let folder = tempfile::tempdir().expect("a folder");
        let control = folder.path().join("kfd");
        let said = fault_of(&control).expect("there is no file");
        assert!(said.contains("kfd") && said.contains("amdgpu"), "{said}");
        std::fs::write(&control, "").expect("written");
        assert_eq!(fault_of(&control), None);
    }
}
