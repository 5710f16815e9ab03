//! Reads hiprtc's log: the first error of a failed compilation.

use device::CompileFault;

use crate::gpu::program::no_entry;

/// Marks the line that hiprtc adds for an entry: `… auto __hiprtc_1 = entry;`.
const ASKED: &str = "__hiprtc_";

/// The first error as a fault: `Invalid` if the device lacks resources, else `Failed`.
pub(super) fn fault(log: &str) -> CompileFault {
    let mut lines = log.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut rest = lines.clone().skip_while(|line| !line.contains("error:"));
    let Some(first) = rest.next() else {
        let first = lines.next().unwrap_or("hiprtc refused the source and said nothing");
        return CompileFault::Failed(first.to_owned());
    };
    let plain = first.strip_prefix("error: ").unwrap_or(first);
    if plain.contains("local memory") && plain.contains("limit") {
        return CompileFault::Invalid(plain.to_owned());
    }
    let asked = rest.next().filter(|line| line.contains(ASKED));
    if let Some((_, entry)) = asked.and_then(|line| line.rsplit_once("= ")) {
        return CompileFault::Failed(no_entry(entry.trim_end_matches(';')));
    }
    let mut text = plain.to_owned();
    if text.contains("file not found") && (text.contains("cuda_") || text.contains("hip")) {
        text.push_str("; hiprtc has no vendor headers, ab::f16 and ab::bf16 need none");
    }
    CompileFault::Failed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_stands_with_its_line() {
        let log = "test.cu:2:10: error: use of undeclared identifier 'undeclared'\n  c[0] = \
                   undeclared;\n         ^\n1 error generated when compiling for gfx90a.\n";
        let expected = "test.cu:2:10: error: use of undeclared identifier 'undeclared'".to_owned();
        assert_eq!(fault(log), CompileFault::Failed(expected));
    }

    #[test]
    fn too_much_shared_memory_is_invalid() {
        let log = "error: local memory (400000) exceeds limit (65536) in function '_Z5largePf'\n1 \
                   error generated.\n";
        let expected =
            "local memory (400000) exceeds limit (65536) in function '_Z5largePf'".to_owned();
        assert_eq!(fault(log), CompileFault::Invalid(expected));
    }

    #[test]
    fn an_entry_that_is_missing_is_said_in_our_words() {
        let log = "vecadd.cu:43:40: error: use of undeclared identifier 'absent'\nextern \"C\" \
                   constexpr auto __hiprtc_1 = absent;\n";
        assert_eq!(fault(log), CompileFault::Failed(no_entry("absent")));
    }

    #[test]
    fn silence_is_told_as_such() {
        assert!(fault("\n").to_string().contains("said nothing"));
    }
}
