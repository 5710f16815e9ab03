//! The data symbols of a shared object and their sizes: `__constant__` variables are found by name
//! in it, whatever namespace they were compiled in.

/// A data symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Symbol {
    /// As the compiler wrote it (`coefficients`, `_ZN5ab_v012coefficientsE`).
    pub(super) mangled: String,
    /// In bytes.
    pub(super) bytes: u64,
}

/// Whether a mangled name is `name` itself, or `name` in the namespace of a variant.
pub(super) fn is_named(mangled: &str, name: &str, variant: usize) -> bool {
    let space = format!("ab_v{variant}");
    let inside = format!("_ZN{}{space}{}{name}E", space.len(), name.len());
    mangled == name || mangled == inside
}

/// The exported data symbols of a 64-bit little-endian ELF file; none where it is not one.
pub(super) fn exported_data(file: &[u8]) -> Vec<Symbol> {
    read(file).unwrap_or_default()
}

/// Positions are those of `Elf64_Ehdr`, `Elf64_Shdr` and `Elf64_Sym` in the System V ABI.
fn read(file: &[u8]) -> Option<Vec<Symbol>> {
    const DYNAMIC_SYMBOLS: u64 = 11;
    const OBJECT: u8 = 1;
    if file.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let (sections, size, count) = (word(file, 40, 8)?, word(file, 58, 2)?, word(file, 60, 2)?);
    let section = |index: u64| -> Option<&[u8]> {
        file.get(usize::try_from(sections.checked_add(index.checked_mul(size)?)?).ok()?..)
    };
    let contents = |header: &[u8]| -> Option<&[u8]> {
        let start = usize::try_from(word(header, 24, 8)?).ok()?;
        let length = usize::try_from(word(header, 32, 8)?).ok()?;
        file.get(start..start.checked_add(length)?)
    };
    let table = (0..count)
        .filter_map(section)
        .find(|header| word(header, 4, 4) == Some(DYNAMIC_SYMBOLS))?;
    let names = contents(section(word(table, 40, 4)?)?)?;
    let mut found = Vec::new();
    for symbol in contents(table)?.chunks_exact(24) {
        let (info, defined_in) = (symbol[4], word(symbol, 6, 2)?);
        if info & 15 != OBJECT || defined_in == 0 {
            continue;
        }
        let name = names.get(usize::try_from(word(symbol, 0, 4)?).ok()?..)?;
        let name = name.split(|&byte| byte == 0).next()?;
        let mangled = String::from_utf8_lossy(name).into_owned();
        found.push(Symbol { mangled, bytes: word(symbol, 16, 8)? });
    }
    Some(found)
}

fn word(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let mut word = [0; 8];
    word[..length].copy_from_slice(bytes.get(at..at.checked_add(length)?)?);
    Some(u64::from_le_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_inside_and_outside_of_a_variant() {
        assert!(is_named("weights", "weights", 3));
        assert!(is_named("_ZN5ab_v37weightsE", "weights", 3));
        assert!(!is_named("_ZN5ab_v37weightsE", "weights", 4));
        assert!(!is_named("_ZN5ab_v38weights2E", "weights", 3));
    }

    #[test]
    fn anything_else_than_an_object_has_no_symbols() {
        assert!(exported_data(b"").is_empty());
        assert!(exported_data(b"\x7fELF\x02\x01 and then something else entirely, cut").is_empty());
    }
}
