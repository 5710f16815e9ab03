//! The compilation target, and the compiler options for it.

/// Options of every compilation, in addition to the architecture. None of them changes results:
/// fast mathematics is the kernels' own choice.
const OPTIONS: &[&str] = &["--std=c++17", "--disable-warnings"];
/// Makes the log report the resources that kernels use.
pub(super) const VERBOSE: &str = "--ptxas-options=--verbose";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// `sm_90a`, or `compute_80` for PTX.
    pub(super) architecture: String,
    /// Whether NVRTC makes machine code. Otherwise it makes PTX, which the driver compiles.
    pub(super) is_machine_code: bool,
}

impl Target {
    /// Chooses the device's own architecture if NVRTC knows it, with architecture-specific
    /// instructions if there are any. Otherwise chooses PTX of the newest known architecture that
    /// the device understands.
    pub(super) fn of(
        compute: (u32, u32),
        known: &[u32],
        version: (u32, u32),
    ) -> Result<Self, String> {
        let wanted = compute.0 * 10 + compute.1;
        if known.contains(&wanted) {
            // Since Hopper, a generation has instructions that the next may lack.
            let own = if compute.0 >= 9 && version >= (12, 0) { "a" } else { "" };
            let architecture = format!("sm_{wanted}{own}");
            return Ok(Self { architecture, is_machine_code: true });
        }
        let newest = known.iter().copied().filter(|&other| other < wanted).max();
        newest
            .map(|newest| Self {
                architecture: format!("compute_{newest}"),
                is_machine_code: false,
            })
            .ok_or_else(|| {
                let (major, minor) = version;
                format!(
                    "NVRTC {major}.{minor} knows no architecture as old as sm_{wanted}; an older \
                     one does (set AUTOBENCH_NVRTC to it)"
                )
            })
    }

    pub(super) fn options(&self) -> Vec<String> {
        let architecture = format!("--gpu-architecture={}", self.architecture);
        std::iter::once(architecture).chain(OPTIONS.iter().map(|&o| o.to_owned())).collect()
    }
}
