//! Where to look for NVIDIA's driver and NVRTC.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::gpu::library_search::{Wanted, existing, matching, named_folder};

pub(super) const DRIVER: Wanted = Wanted {
    what: "the NVIDIA driver",
    variable: "AUTOBENCH_CUDA_DRIVER",
    names: &["libcuda.so.1", "libcuda.so"],
    places: "the usual folders of containers, WSL and NixOS",
    beside: None,
    cure: "install the NVIDIA driver, or set AUTOBENCH_CUDA_DRIVER to its libcuda.so.1",
};

pub(super) const NVRTC: Wanted = Wanted {
    what: "NVRTC (CUDA's run-time compiler)",
    variable: "AUTOBENCH_NVRTC",
    names: &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"],
    places: "CUDA_HOME, CUDA_PATH, CONDA_PREFIX, /usr/local/cuda*, /opt/cuda, and the packages of \
             Python environments (VIRTUAL_ENV, python3 on the path, pyenv, ~/.local)",
    beside: Some("libnvrtc-builtins.so"),
    cure: "install the CUDA toolkit or `pip install nvidia-cuda-nvrtc-cu12`, or set \
           AUTOBENCH_NVRTC to the libnvrtc.so to use",
};

/// Folders where a driver may be, in addition to the loader's own: containers, WSL, NixOS.
pub(super) fn driver_folders() -> Vec<PathBuf> {
    let known = [
        "/usr/lib/wsl/lib",
        "/usr/local/nvidia/lib64",
        "/usr/local/nvidia/lib",
        "/usr/lib64-nvidia",
        "/run/opengl-driver/lib",
    ];
    existing(known.iter().map(PathBuf::from))
}

/// Folders where NVRTC may be, in addition to the loader's own: toolkits, then Python environments.
pub(super) fn nvrtc_folders() -> Vec<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CONDA_PREFIX"];
    let mut roots: Vec<PathBuf> = named.into_iter().filter_map(named_folder).collect();
    // Newest toolkit first: `cuda-13.0` sorts behind `cuda-12.9`.
    let mut toolkits = matching("/usr/local", "cuda");
    toolkits.sort();
    roots.extend(toolkits.into_iter().rev());
    roots.push(PathBuf::from("/opt/cuda"));
    let inside = ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
    let toolkits = roots.iter().flat_map(|root| inside.map(|folder| root.join(folder)));
    existing(toolkits.chain(python_folders()))
}

/// `site-packages/nvidia/…/lib` of Python environments: the active one, those of interpreters on
/// the path, pyenv's, and the user's own.
fn python_folders() -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(named_folder).collect();
    for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        let python = folder.join("python3");
        let real = fs::canonicalize(&python).ok();
        for path in [Some(python), real].into_iter().flatten().filter(|path| path.exists()) {
            prefixes.extend(path.parent().and_then(Path::parent).map(Path::to_owned));
        }
    }
    let home = named_folder("HOME");
    let pyenv = named_folder("PYENV_ROOT").or(home.as_ref().map(|home| home.join(".pyenv")));
    prefixes.extend(pyenv.into_iter().flat_map(|root| matching(root.join("versions"), "")));
    prefixes.extend(home.map(|home| home.join(".local")));
    prefixes.push(PathBuf::from("/usr/local"));
    let mut found = Vec::new();
    for library in prefixes.iter().flat_map(|prefix| matching(prefix.join("lib"), "python3")) {
        for packages in ["site-packages", "dist-packages"] {
            let vendor = library.join(packages).join("nvidia");
            found.extend(["cu13", "cuda_nvrtc"].map(|package| vendor.join(package).join("lib")));
        }
    }
    found
}
