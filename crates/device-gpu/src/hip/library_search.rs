//! Where to look for AMD's runtime, hiprtc, and the libraries next to them.

use std::path::PathBuf;

use crate::gpu::library_search::{Wanted, existing, matching, named_folder};

const PLACES: &str = "ROCM_PATH, HIP_PATH, CONDA_PREFIX, and /opt/rocm*";

/// The runtime: the user-space half of the driver.
pub(super) const RUNTIME: Wanted = Wanted {
    what: "AMD's HIP runtime",
    variable: "AUTOBENCH_HIP_RUNTIME",
    names: &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"],
    places: PLACES,
    beside: None,
    cure: "install ROCm's HIP runtime (on Debian and Ubuntu `libamdhip64-5` or `hip-runtime-amd`), \
           or set AUTOBENCH_HIP_RUNTIME to its libamdhip64.so",
};

/// The compiler, if it is a separate library.
pub(super) const HIPRTC: Wanted = Wanted {
    what: "hiprtc (HIP's run-time compiler)",
    variable: "AUTOBENCH_HIPRTC",
    names: &["libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so"],
    places: PLACES,
    beside: Some("libhiprtc-builtins.so"),
    cure: "install ROCm's hiprtc (`hip-runtime-amd` brings it), or set AUTOBENCH_HIPRTC to the \
           libhiprtc.so or libamdhip64.so to use",
};

/// The library with which hiprtc of this ROCm version compiles. It knows the architectures. The
/// library of another version would bring a second LLVM into the process.
pub(super) fn comgr(rocm: Option<i32>) -> Wanted {
    Wanted {
        what: "AMD's code object manager",
        variable: "AUTOBENCH_AMD_COMGR",
        names: match rocm {
            Some(..=6) => &["libamd_comgr.so.2"],
            Some(7) => &["libamd_comgr.so.3"],
            _ => &[],
        },
        places: PLACES,
        beside: None,
        cure: "install ROCm's comgr, or set AUTOBENCH_AMD_COMGR to its libamd_comgr.so",
    }
}

pub(super) const SMI: Wanted = Wanted {
    what: "AMD's library of sensors",
    variable: "AUTOBENCH_ROCM_SMI",
    names: &[
        "librocm_smi64.so.7",
        "librocm_smi64.so.6",
        "librocm_smi64.so.5",
        "librocm_smi64.so.1",
        "librocm_smi64.so",
    ],
    places: PLACES,
    beside: None,
    cure: "install `rocm-smi-lib` (on Debian `librocm-smi64-1`), or set AUTOBENCH_ROCM_SMI to its \
           librocm_smi64.so",
};

/// Folders where ROCm may be, in addition to the loader's own.
pub(super) fn folders() -> Vec<PathBuf> {
    let named = ["ROCM_PATH", "HIP_PATH", "CONDA_PREFIX"];
    let mut roots: Vec<PathBuf> = named.into_iter().filter_map(named_folder).collect();
    // Newest first: `rocm-6.4` sorts behind `rocm-5.7`.
    let mut installed = matching("/opt", "rocm");
    installed.sort();
    roots.extend(installed.into_iter().rev());
    let inside = ["lib", "lib64", "lib/x86_64-linux-gnu", "hip/lib"];
    existing(roots.iter().flat_map(|root| inside.map(|folder| root.join(folder))))
}
