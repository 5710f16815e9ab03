//! Reads NVRTC's log: the first error of a failed compilation, and what ptxas reports about
//! kernels.

use std::collections::BTreeMap;

use device::CompileFault;

use crate::gpu::program::no_entry;

/// Texts that mark a line as an error.
const ERRORS: [&str; 4] = ["error:", "error   :", "error :", "fatal"];

/// The first line with an error. With `VERBOSE`, ptxas prints no errors.
pub(super) fn error(log: &str) -> Option<&str> {
    log.lines().map(str::trim).find(|line| ERRORS.iter().any(|error| line.contains(error)))
}

/// The first error as a fault: `Invalid` if the device lacks resources, else `Failed`.
pub(super) fn fault(log: &str) -> CompileFault {
    let first = error(log)
        .or_else(|| log.lines().map(str::trim).find(|line| !line.is_empty()))
        .unwrap_or("NVRTC refused the source and said nothing");
    if first.contains("uses too much") {
        return CompileFault::Invalid(without_prefix(first).to_owned());
    }
    if let Some((_, what)) = first.strip_prefix("__nv_name_map(").and_then(|at| at.split_once(": "))
    {
        return CompileFault::Failed(no_entry(what));
    }
    let mut text = with_colon(first);
    if first.contains("open source file") && first.contains("cuda_") {
        text.push_str("; NVRTC has no vendor headers, ab::f16 and ab::bf16 need none");
    }
    CompileFault::Failed(text)
}

/// Turns `ptxas error   : Entry function … uses too much shared data` into a sentence.
fn without_prefix(line: &str) -> &str {
    line.split_once(": ").map_or(line, |(_, rest)| rest)
}

/// Turns `kernel.cu(2): error: …` into `kernel.cu:2: error: …`, the form of all other compilers.
fn with_colon(line: &str) -> String {
    let parts = line.split_once('(').and_then(|(file, rest)| {
        let (number, rest) = rest.split_once("): ")?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| format!("{file}:{number}: {rest}"))
    });
    parts.unwrap_or_else(|| line.to_owned())
}

/// ptxas' lines about these entries and the functions they call.
pub(super) fn of_entries(log: &str, names: &[String]) -> String {
    const BEGIN: &str = "Compiling entry function '";
    let mut theirs = false;
    let lines = log.lines().filter(|line| {
        if let Some((_, rest)) = line.split_once(BEGIN) {
            let name = rest.split('\'').next().unwrap_or_default();
            theirs = names.iter().any(|known| known == name);
        }
        theirs
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Resources that ptxas reports, in registers and bytes per thread or block. The largest value over
/// all entries counts.
pub(super) fn facts(log: &str) -> BTreeMap<String, f64> {
    let told = [
        (" registers", "registers"),
        (" bytes smem", "shared_bytes"),
        (" bytes stack frame", "stack_bytes"),
        (" bytes spill stores", "spill_store_bytes"),
        (" bytes spill loads", "spill_load_bytes"),
    ];
    let mut facts = BTreeMap::new();
    for part in log.lines().flat_map(|line| line.split(',')) {
        for (words, name) in told {
            let before = part.trim().strip_suffix(words);
            let number = before.and_then(|before| before.split_whitespace().next_back());
            if let Some(number) = number.and_then(|number| number.parse().ok()) {
                let largest: &mut f64 = facts.entry(name.to_owned()).or_insert(0.0);
                *largest = largest.max(number);
            }
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_stands_with_its_line() {
        let log =
            "test.cu(2): error: identifier \"undeclared\" is undefined\n    c[0] = 1\n\n1 error";
        let expected = "test.cu:2: error: identifier \"undeclared\" is undefined".to_owned();
        assert_eq!(fault(log), CompileFault::Failed(expected));
    }

    #[test]
    fn too_much_shared_memory_is_invalid() {
        let log = "ptxas error   : Entry function 'k' uses too much shared data (0x18000 bytes, 0xc000 max)\n";
        let expected =
            "Entry function 'k' uses too much shared data (0x18000 bytes, 0xc000 max)".to_owned();
        assert_eq!(fault(log), CompileFault::Invalid(expected));
    }

    #[test]
    fn an_entry_that_is_missing_is_said_in_our_words() {
        let log = "__nv_name_map(2): error: identifier \"sum\" is undefined\n";
        let CompileFault::Failed(text) = fault(log) else { panic!("it is no kernel") };
        assert!(text.starts_with("an entry is not") && text.contains("sum"), "{text}");
    }

    #[test]
    fn what_kernels_use_is_read_and_the_largest_stays() {
        let log = "ptxas info    : Function properties for a\n\
                   ptxas         .     8 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads\n\
                   ptxas info    : Used 12 registers, used 1 barriers, 512 bytes smem\n\
                   ptxas info    : Compile time = 7.944 ms\n\
                   ptxas         .     16 bytes stack frame, 0 bytes spill stores, 12 bytes spill loads\n\
                   ptxas info    : Used 40 registers, used 0 barriers, 392 bytes cmem[0]\n";
        let expected = [
            ("registers", 40.0),
            ("shared_bytes", 512.0),
            ("spill_load_bytes", 12.0),
            ("spill_store_bytes", 4.0),
            ("stack_bytes", 16.0),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value));
        assert_eq!(facts(log), BTreeMap::from(expected));
        assert_eq!(error(log), None);
    }

    #[test]
    fn of_several_kernels_each_has_its_own() {
        let log = "ptxas info    : 20 bytes gmem\n\
                   ptxas info    : Compiling entry function 'b' for 'sm_90a'\n\
                   ptxas info    : Used 32 registers, used 0 barriers\n\
                   ptxas info    : Compiling entry function 'a' for 'sm_90a'\n\
                   ptxas info    : Used 12 registers, used 0 barriers\n";
        for (name, registers) in [("a", 12.0), ("b", 32.0)] {
            let theirs = of_entries(log, &[name.to_owned()]);
            assert_eq!(facts(&theirs), BTreeMap::from([("registers".to_owned(), registers)]));
        }
        assert_eq!(of_entries(log, &["c".to_owned()]), "");
    }
}
