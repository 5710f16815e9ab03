//! Parameter sizes of a cubin's kernels, as `cuobjdump --dump-resource-usage` reads them. The
//! format is not published; anything unexpected gives `None`.

use device::compilation::elf::{Elf, word};

/// Codes in records of `.nv.info.KERNEL`: how a value is stored, and kinds of values.
const STORED_BEHIND: u8 = 4;
const PARAMETER: u8 = 0x17;
const PARAMETER_V2: u8 = 0x45;

pub(super) struct Cubin<'a>(Elf<'a>);

impl<'a> Cubin<'a> {
    /// Reads a cubin. Returns `None` for other files, such as PTX.
    pub(super) fn read(image: &'a [u8]) -> Option<Self> {
        /// The ELF header's machine number, `EM_CUDA`.
        const MACHINE: u64 = 190;
        if word(image, 18, 2)? != MACHINE {
            return None;
        }
        Elf::read(image).map(Self)
    }

    pub(super) fn parameters(&self, kernel: &str) -> Option<Vec<u32>> {
        let records = self.0.section(&format!(".nv.info.{kernel}"))?.contents;
        let mut found: Vec<(u64, u32)> = Vec::new();
        let mut at = 0;
        while at + 4 <= records.len() {
            let (stored, what) = (records[at], records[at + 1]);
            let length = usize::try_from(word(records, at + 2, 2)?).ok()?;
            at += 4;
            if stored != STORED_BEHIND {
                // The value itself is in place of the length.
                continue;
            }
            let value = records.get(at..at + length)?;
            if what == PARAMETER {
                // The record holds index, ordinal and offset, then the size in the upper bits of a
                // word.
                found.push((word(value, 4, 2)?, (word(value, 8, 4)? >> 18) as u32));
            } else if what == PARAMETER_V2 {
                return None;
            }
            at += length;
        }
        found.sort_unstable();
        let in_order = found.iter().enumerate().all(|(at, (ordinal, _))| at as u64 == *ordinal);
        in_order.then(|| found.into_iter().map(|(_, bytes)| bytes).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_cubin_has_no_answers() {
        assert!(Cubin::read(b".version 8.0\n.target sm_80\n\0").is_none());
        let program = std::fs::read("/proc/self/exe").expect("readable");
        assert!(Cubin::read(&program).is_none());
    }
}
