//! The compilation target, and the compiler options for it.

use device::CompileJob;

/// Options of every compilation, in addition to the architecture. None of them changes results:
/// fast mathematics is the kernels' own choice.
const OPTIONS: &[&str] = &["-std=c++17", "-w"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// The runtime's name of the architecture, such as `gfx90a:sramecc+:xnack-`.
    pub(super) architecture: String,
}

impl Target {
    /// Chooses the device's own architecture, if hiprtc knows it. An unknown one makes hiprtc end
    /// the process.
    pub(super) fn of(
        architecture: &str,
        known: Option<&[String]>,
        hiprtc: &str,
    ) -> Result<Self, String> {
        let plain = architecture.split(':').next().unwrap_or_default();
        if known.is_some_and(|known| !known.iter().any(|other| other == plain)) {
            return Err(format!(
                "{hiprtc} does not know the device's architecture {plain}; a newer ROCm does (set \
                 AUTOBENCH_HIP_RUNTIME and AUTOBENCH_HIPRTC to its libraries)"
            ));
        }
        Ok(Self { architecture: architecture.to_owned() })
    }

    pub(super) fn options(&self) -> Vec<String> {
        let architecture = format!("--offload-arch={}", self.architecture);
        std::iter::once(architecture).chain(OPTIONS.iter().map(|&o| o.to_owned())).collect()
    }
}

/// Option with the size of a job's largest block, if known. Otherwise clang assumes 1,024 threads,
/// for which a thread may use at most 128 registers.
pub(super) fn block_limit(job: &CompileJob) -> Option<String> {
    let threads = |block: &[u32; 3]| block.iter().map(|&n| u64::from(n)).product::<u64>();
    let largest = job.blocks.iter().map(threads).max().unwrap_or(0);
    let known = job.blocks.len() == job.entries.len() && job.blocks.iter().all(|b| threads(b) > 0);
    (known && (1..=1024).contains(&largest))
        .then(|| format!("--gpu-max-threads-per-block={largest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_block_is_told_and_an_unknown_one_is_not() {
        let job = |blocks: Vec<[u32; 3]>| CompileJob {
            sources: vec![],
            macros: vec![],
            options: vec![],
            entries: vec![String::new(); blocks.len()],
            blocks,
        };
        let told = block_limit(&job(vec![[64, 1, 1], [16, 16, 1]]));
        assert_eq!(told.as_deref(), Some("--gpu-max-threads-per-block=256"));
        assert_eq!(block_limit(&job(vec![[64, 1, 1], [0; 3]])), None);
        assert_eq!(block_limit(&job(vec![[64, 64, 64]])), None);
    }
}
