//! What is compiled for, and the options that say so.

/// Options of every compilation besides the architecture: nothing that changes results (no fast
/// mathematics: policies are the kernels' own choice).
const OPTIONS: &[&str] = &["--std=c++17", "--disable-warnings"];
/// Has the log say what kernels use.
pub(super) const VERBOSE: &str = "--ptxas-options=--verbose";

/// What NVRTC is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// `sm_90a`, or `compute_80` where only PTX will do.
    pub(super) architecture: String,
    /// Machine code; else PTX that the driver compiles.
    pub(super) is_machine_code: bool,
}

impl Target {
    /// The device's own architecture where NVRTC knows it, with its own instructions where it has
    /// any; else PTX of the newest that NVRTC knows and the device understands.
    pub(super) fn of(
        compute: (u32, u32),
        known: &[u32],
        version: (u32, u32),
    ) -> Result<Self, String> {
        let wanted = compute.0 * 10 + compute.1;
        if known.contains(&wanted) {
            // Since Hopper each generation has instructions that the next need not have.
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

    /// All options.
    pub(super) fn options(&self) -> Vec<String> {
        let architecture = format!("--gpu-architecture={}", self.architecture);
        std::iter::once(architecture).chain(OPTIONS.iter().map(|&o| o.to_owned())).collect()
    }
}
