//! Reads sections and symbols of 64-bit little-endian ELF files: shared objects of the host, and
//! cubins.

/// Section type `SHT_DYNSYM`: symbols that a shared object exports or imports.
const DYNAMIC_SYMBOLS: u64 = 11;

/// An ELF file.
pub struct Elf<'a> {
    file: &'a [u8],
    headers: Vec<&'a [u8]>,
    names: &'a [u8],
}

/// A section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'a> {
    /// Name of the section.
    pub name: &'a str,
    /// Bytes of the section.
    pub contents: &'a [u8],
}

/// A symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Name of the symbol.
    pub name: &'a str,
    /// Whether the type is `STT_OBJECT`.
    pub is_data: bool,
    /// Whether this file defines the symbol. Otherwise the symbol is imported.
    pub is_defined: bool,
    /// Size of the object.
    pub bytes: u64,
}

impl<'a> Elf<'a> {
    /// Reads a file. Returns `None` if it is not a 64-bit little-endian ELF file. Offsets are those
    /// of `Elf64_Ehdr`, `Elf64_Shdr` and `Elf64_Sym` in the System V ABI.
    pub fn read(file: &'a [u8]) -> Option<Self> {
        if file.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let (start, size, count) = (word(file, 40, 8)?, word(file, 58, 2)?, word(file, 60, 2)?);
        let header = |index: u64| {
            let at = usize::try_from(start.checked_add(index.checked_mul(size)?)?).ok()?;
            file.get(at..at.checked_add(64)?)
        };
        let headers = (0..count).map(header).collect::<Option<Vec<_>>>()?;
        let mut elf = Self { file, headers, names: &[] };
        let names = usize::try_from(word(file, 62, 2)?).ok()?;
        elf.names = elf.headers.get(names).and_then(|header| elf.contents(header))?;
        Some(elf)
    }

    fn contents(&self, header: &[u8]) -> Option<&'a [u8]> {
        let start = usize::try_from(word(header, 24, 8)?).ok()?;
        let length = usize::try_from(word(header, 32, 8)?).ok()?;
        self.file.get(start..start.checked_add(length)?)
    }

    /// The section of this name, if any.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<Section<'a>> {
        let header = self
            .headers
            .iter()
            .find(|header| word(header, 0, 4).and_then(|at| text(self.names, at)) == Some(name))?;
        let name = text(self.names, word(header, 0, 4)?)?;
        Some(Section { name, contents: self.contents(header)? })
    }

    /// Symbols that the file exports or imports.
    #[must_use]
    pub fn dynamic_symbols(&self) -> Vec<Symbol<'a>> {
        self.table(DYNAMIC_SYMBOLS).unwrap_or_default()
    }

    fn table(&self, kind: u64) -> Option<Vec<Symbol<'a>>> {
        const OBJECT: u8 = 1;
        let table = self.headers.iter().find(|header| word(header, 4, 4) == Some(kind))?;
        let names = self.headers.get(usize::try_from(word(table, 40, 4)?).ok()?)?;
        let names = self.contents(names)?;
        let symbol = |symbol: &'a [u8]| {
            Some(Symbol {
                name: text(names, word(symbol, 0, 4)?)?,
                is_data: symbol[4] & 15 == OBJECT,
                is_defined: word(symbol, 6, 2)? != 0,
                bytes: word(symbol, 16, 8)?,
            })
        };
        self.contents(table)?.chunks_exact(24).map(symbol).collect()
    }
}

fn text(names: &[u8], at: u64) -> Option<&str> {
    let rest = names.get(usize::try_from(at).ok()?..)?;
    std::str::from_utf8(rest.split(|&byte| byte == 0).next()?).ok()
}

/// Reads a little-endian number of up to eight bytes.
#[must_use]
pub fn word(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let mut word = [0; 8];
    word[..length].copy_from_slice(bytes.get(at..at.checked_add(length)?)?);
    Some(u64::from_le_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_else_than_an_object_is_nothing() {
        assert!(Elf::read(b"").is_none());
        assert!(Elf::read(b"\x7fELF\x02\x01 and then something else entirely, cut").is_none());
    }

    #[test]
    fn this_very_program_has_sections_and_symbols() {
        let file = std::fs::read("/proc/self/exe").expect("readable");
        let elf = Elf::read(&file).expect("an ELF file");
        let text = elf.section(".text").expect("code");
        assert!(text.name == ".text" && !text.contents.is_empty());
        assert!(elf.section(".nothing of this name").is_none());
        assert!(elf.dynamic_symbols().iter().any(|symbol| !symbol.name.is_empty()));
    }
}
