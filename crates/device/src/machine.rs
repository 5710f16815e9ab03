//! The machine's processor and memory. Linux tells them in several places, of which virtual machines
//! and ARM boards leave some out.

use std::{fs, path::Path};

/// What the processor is called where nothing tells its name.
const UNKNOWN: &str = "unknown processor";

/// Fields of `/proc/cpuinfo` with a name: of x86, of ARM boards, of MIPS, of POWER, of RISC-V.
const FIELDS: [&str; 5] = ["model name", "Hardware", "cpu model", "cpu", "uarch"];

/// Other files with the name of a board or a machine, best first.
const FILES: [&str; 3] = [
    "sys/firmware/devicetree/base/model",
    "sys/class/dmi/id/product_name",
    "sys/class/dmi/id/board_name",
];

/// Companies that make ARM processors, by `CPU implementer`.
const IMPLEMENTERS: [(u32, &str); 10] = [
    (0x41, "Arm"),
    (0x42, "Broadcom"),
    (0x43, "Cavium"),
    (0x46, "Fujitsu"),
    (0x48, "HiSilicon"),
    (0x4e, "NVIDIA"),
    (0x51, "Qualcomm"),
    (0x61, "Apple"),
    (0x6d, "Microsoft"),
    (0xc0, "Ampere"),
];

/// Designs of Arm, by `CPU part`.
const DESIGNS: [(u32, &str); 8] = [
    (0xd03, "Cortex-A53"),
    (0xd08, "Cortex-A72"),
    (0xd0b, "Cortex-A76"),
    (0xd0c, "Neoverse-N1"),
    (0xd40, "Neoverse-V1"),
    (0xd41, "Cortex-A78"),
    (0xd49, "Neoverse-N2"),
    (0xd4f, "Neoverse-V2"),
];

/// Returns the name of the processor, never an empty text; `root` is `/` except in tests.
#[must_use]
pub fn processor_name(root: &Path) -> String {
    let info = fs::read_to_string(root.join("proc/cpuinfo")).unwrap_or_default();
    let told = || FIELDS.iter().find_map(|name| field(&info, name));
    let read = |path: &&str| name(&fs::read_to_string(root.join(path)).ok()?);
    told()
        .or_else(|| arm(&info))
        .or_else(|| FILES.iter().find_map(read))
        .unwrap_or_else(|| UNKNOWN.to_owned())
}

/// Returns the bytes of memory of the machine, if they are known.
#[must_use]
pub fn memory(root: &Path) -> Option<u64> {
    let told = fs::read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    let kilobytes =
        field(&told, "MemTotal").and_then(|text| text.strip_suffix(" kB")?.parse().ok());
    let asked = || {
        let info = rustix::system::sysinfo();
        u64::from(info.mem_unit).checked_mul(info.totalram).filter(|_| root == Path::new("/"))
    };
    let bytes = kilobytes.and_then(|number: u64| number.checked_mul(1024));
    bytes.filter(|bytes| *bytes > 0).or_else(asked).filter(|bytes| *bytes > 0)
}

/// The first value of a field that says anything.
fn field(info: &str, wanted: &str) -> Option<String> {
    let mut fields = info.lines().filter_map(|line| line.split_once(':'));
    fields.find_map(|(found, value)| name(value).filter(|_| found.trim() == wanted))
}

/// A name, if the text is one.
fn name(text: &str) -> Option<String> {
    let text = text.trim_end_matches('\0').trim();
    let says = text.chars().any(char::is_alphanumeric);
    let placeholder = ["unknown", "none", "not specified", "to be filled by o.e.m."]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    (says && !placeholder).then(|| text.to_owned())
}

fn arm(info: &str) -> Option<String> {
    let number = |wanted| {
        let text = field(info, wanted)?;
        u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
    };
    let (implementer, part) = (number("CPU implementer")?, number("CPU part")?);
    let company = IMPLEMENTERS.iter().find(|(known, _)| *known == implementer);
    let design = DESIGNS.iter().find(|(known, _)| implementer == 0x41 && *known == part);
    let company = company.map_or(format!("implementer {implementer:#x}"), |one| one.1.to_owned());
    let design = design.map_or(format!("part {part:#x}"), |one| one.1.to_owned());
    Some(format!("{company} {design}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(files: &[(&str, &str)]) -> (String, Option<u64>) {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        (processor_name(root.path()), memory(root.path()))
    }

    #[test]
    fn a_processor_has_a_name_whatever_the_machine_tells() {
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        let strange = "CPU implementer\t: 0x99\nCPU part\t: 0x1\n";
        let files = "sys/class/dmi/id/product_name";
        for (told, expected) in [
            (&[("proc/cpuinfo", "processor : 0\nmodel name : Fast 9000\n")][..], "Fast 9000"),
            (&[("proc/cpuinfo", "model name : \nHardware : Board X\n")], "Board X"),
            (&[("proc/cpuinfo", "model name : unknown\n"), (files, "KVM\n")], "KVM"),
            (&[("proc/cpuinfo", arm), (files, "KVM\n")], "Arm Neoverse-N1"),
            (&[("proc/cpuinfo", strange)], "implementer 0x99 part 0x1"),
            (&[("proc/cpuinfo", "cpu : POWER9, altivec\n")], "POWER9, altivec"),
            (&[("sys/firmware/devicetree/base/model", "Board Y\0")], "Board Y"),
            (&[(files, "To Be Filled By O.E.M.\n"), ("sys/class/dmi/id/board_name", "B\n")], "B"),
            (&[("proc/cpuinfo", "\0:\n::\nmodel name\n")], UNKNOWN),
            (&[], UNKNOWN),
        ] {
            assert_eq!(named(told).0, expected);
        }
    }

    #[test]
    fn memory_is_read_or_not_known() {
        assert_eq!(named(&[("proc/meminfo", "MemTotal:  2048 kB\n")]).1, Some(2 << 20));
        for text in
            ["", "MemTotal: 0 kB\n", "MemTotal: many\n", "MemTotal: 99999999999999999999 kB\n"]
        {
            assert_eq!(named(&[("proc/meminfo", text)]).1, None, "{text}");
        }
    }

    #[test]
    fn this_machine_is_known() {
        assert!(!processor_name(Path::new("/")).is_empty());
        assert!(memory(Path::new("/")).is_some_and(|bytes| bytes > 1 << 20));
    }
}
