//! Tells whether a space was recorded on a processor. Files only name their devices.

/// Words in names of processors, in lower case. No GPU has these in its name.
const NAMES: [&str; 8] =
    ["epyc", "ryzen", "threadripper", "xeon", "core(tm)", "neoverse", "processor", "cpu"];

/// Whether the name suggests that the device is a processor.
#[must_use]
pub fn names_processor(device: &str) -> bool {
    let device = device.to_lowercase();
    NAMES.iter().any(|name| device.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_told_from_gpus_by_their_names() {
        let processors = [
            "AMD EPYC",
            "Intel(R) Xeon(R) CPU @ 2.20GHz",
            "AMD Ryzen 9 7950X 16-Core Processor",
            "cpu",
        ];
        assert!(processors.into_iter().all(names_processor));
        let gpus = [
            "NVIDIA A100-PCIE-40GB",
            "AMD Instinct MI250X",
            "RTX 2080 Ti",
            "NVIDIA GH200 480GB",
            "",
        ];
        assert!(!gpus.into_iter().any(names_processor));
    }
}
