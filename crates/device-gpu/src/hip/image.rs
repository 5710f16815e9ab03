//! Kernels of a code object: parameter sizes, registers, memory. The metadata is MessagePack in a
//! note of the file (LLVM, User Guide for AMDGPU Backend, "Code Object V3 Metadata"); anything
//! unexpected gives `None`.

use std::collections::BTreeMap;

use device::compilation::elf::{Elf, word};

use super::metadata::MetadataValue;

/// Type of the note, `NT_AMDGPU_METADATA`.
const METADATA: u64 = 32;

/// Keys of the metadata, with the names of the facts in records.
const FACTS: [(&str, &str); 8] = [
    (".vgpr_count", "registers"),
    (".sgpr_count", "scalar_registers"),
    (".agpr_count", "accumulator_registers"),
    (".vgpr_spill_count", "spilled_registers"),
    (".sgpr_spill_count", "spilled_scalar_registers"),
    (".private_segment_fixed_size", "stack_bytes"),
    (".group_segment_fixed_size", "shared_bytes"),
    (".wavefront_size", "warp_size"),
];

pub(super) struct CodeObject(MetadataValue);

impl CodeObject {
    /// Reads a code object. Returns `None` for other files.
    pub(super) fn read(image: &[u8]) -> Option<Self> {
        let elf = Elf::read(image)?;
        let note = elf.section(".note")?.contents;
        let name = usize::try_from(word(note, 0, 4)?).ok()?;
        let length = usize::try_from(word(note, 4, 4)?).ok()?;
        if word(note, 8, 4)? != METADATA {
            return None;
        }
        let start = 12_usize.checked_add(name.checked_next_multiple_of(4)?)?;
        let document = note.get(start..start.checked_add(length)?)?;
        MetadataValue::read(document).map(Self)
    }

    fn kernels(&self) -> &[MetadataValue] {
        self.0.get("amdhsa.kernels").map_or(&[], MetadataValue::items)
    }

    /// Bytes of each parameter of a kernel, without the parameters that the runtime adds.
    pub(super) fn parameters(&self, kernel: &str) -> Option<Vec<u32>> {
        let named = |value: &&MetadataValue| {
            value.get(".name").and_then(MetadataValue::text) == Some(kernel)
        };
        let arguments = self.kernels().iter().find(named)?.get(".args");
        let mut sizes = Vec::new();
        for argument in arguments.map_or(&[][..], MetadataValue::items) {
            let kind = argument.get(".value_kind")?.text()?;
            if !kind.starts_with("hidden_") {
                sizes.push(u32::try_from(argument.get(".size")?.number()?).ok()?);
            }
        }
        Some(sizes)
    }

    /// Resources of the kernels. The largest value over all kernels counts.
    pub(super) fn facts(&self) -> BTreeMap<String, f64> {
        let mut facts = BTreeMap::new();
        for kernel in self.kernels() {
            for (theirs, ours) in FACTS {
                if let Some(number) = kernel.get(theirs).and_then(MetadataValue::number) {
                    let largest: &mut f64 = facts.entry(ours.to_owned()).or_insert(0.0);
                    *largest = largest.max(number as f64);
                }
            }
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_object_has_no_answers() {
        assert!(CodeObject::read(b"\x7fELF").is_none());
        let program = std::fs::read("/proc/self/exe").expect("readable");
        assert!(CodeObject::read(&program).is_none());
    }
}
