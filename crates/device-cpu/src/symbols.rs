//! Data symbols of a shared object. They locate `__constant__` variables in any namespace.

use device::compilation::elf::Elf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DataSymbol {
    /// The name as the compiler wrote it (`coefficients`, `_ZN5ab_v012coefficientsE`).
    pub(super) mangled: String,
    pub(super) bytes: u64,
}

/// Whether a mangled name is `name` itself, or `name` in the namespace of a variant.
pub(super) fn is_named(mangled: &str, name: &str, variant: usize) -> bool {
    let space = format!("ab_v{variant}");
    let inside = format!("_ZN{}{space}{}{name}E", space.len(), name.len());
    mangled == name || mangled == inside
}

/// The exported data symbols; empty if the file is not an ELF file.
pub(super) fn exported_data(file: &[u8]) -> Vec<DataSymbol> {
    let symbols = Elf::read(file).map(|elf| elf.dynamic_symbols()).unwrap_or_default();
    symbols
        .into_iter()
        .filter(|symbol| symbol.is_data && symbol.is_defined)
        .map(|symbol| DataSymbol { mangled: symbol.name.to_owned(), bytes: symbol.bytes })
        .collect()
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
