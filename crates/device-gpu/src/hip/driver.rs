//! AMD's runtime: its library, the names of its error codes, the numbers of its attributes, and the
//! architecture of a device.
#![expect(unsafe_code, reason = "calls the runtime's library")]

use std::{
    ffi::{CStr, c_char, c_int},
    sync::Arc,
};

use device::{DeviceFault, Missing};

use super::{calls, library_search, permission};
use crate::gpu::{
    api::{Call, symbol},
    driver::{Attributes, Driver, NameOf, Properties, Vendor},
    library_search::FoundLibrary,
};

/// Numbers of `hipDeviceAttribute_t`, the same since ROCm 5.
pub(super) const ECC: u32 = 0;
pub(super) const CLOCK: u32 = 5;
pub(super) const INTEGRATED: u32 = 16;
pub(super) const WATCHDOG: u32 = 18;
pub(super) const CACHE_L2: u32 = 19;
const MULTIPROCESSORS: u32 = 63;
const BLOCK: [u32; 3] = [26, 27, 28];
const GRID: [u32; 3] = [29, 30, 31];
const THREADS: u32 = 56;
pub(super) const THREADS_PER_MULTIPROCESSOR: u32 = 57;
pub(super) const MEMORY_BUS: u32 = 59;
pub(super) const MEMORY_CLOCK: u32 = 60;
pub(super) const REGISTERS_PER_BLOCK: u32 = 71;
const SHARED: u32 = 74;
pub(super) const WARP: u32 = 87;
pub(super) const SHARED_PER_MULTIPROCESSOR: u32 = 10002;

#[cfg(feature = "hip-sys")]
const _: () = {
    use hip_sys::hiprt::hipDeviceAttribute_t as Theirs;
    assert!(ECC == Theirs::hipDeviceAttributeEccEnabled as u32);
    assert!(CLOCK == Theirs::hipDeviceAttributeClockRate as u32);
    assert!(INTEGRATED == Theirs::hipDeviceAttributeIntegrated as u32);
    assert!(WATCHDOG == Theirs::hipDeviceAttributeKernelExecTimeout as u32);
    assert!(CACHE_L2 == Theirs::hipDeviceAttributeL2CacheSize as u32);
    assert!(MULTIPROCESSORS == Theirs::hipDeviceAttributeMultiprocessorCount as u32);
    assert!(BLOCK[0] == Theirs::hipDeviceAttributeMaxBlockDimX as u32);
    assert!(GRID[0] == Theirs::hipDeviceAttributeMaxGridDimX as u32);
    assert!(THREADS == Theirs::hipDeviceAttributeMaxThreadsPerBlock as u32);
    let threads = Theirs::hipDeviceAttributeMaxThreadsPerMultiProcessor as u32;
    assert!(THREADS_PER_MULTIPROCESSOR == threads);
    assert!(MEMORY_BUS == Theirs::hipDeviceAttributeMemoryBusWidth as u32);
    assert!(MEMORY_CLOCK == Theirs::hipDeviceAttributeMemoryClockRate as u32);
    assert!(REGISTERS_PER_BLOCK == Theirs::hipDeviceAttributeMaxRegistersPerBlock as u32);
    assert!(SHARED == Theirs::hipDeviceAttributeMaxSharedMemoryPerBlock as u32);
    assert!(WARP == Theirs::hipDeviceAttributeWarpSize as u32);
    let shared = Theirs::hipDeviceAttributeMaxSharedMemoryPerMultiprocessor as u32;
    assert!(SHARED_PER_MULTIPROCESSOR == shared);
};

static VENDOR: Vendor = Vendor {
    backend: "hip",
    name: "HIP",
    no_device: "see what `rocminfo` lists, whether you may use /dev/kfd (groups `render` and \
                `video`), and what HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES leave",
    no_description: "look at what `rocminfo` says of it",
    hindrance: permission::fault,
    takes_log: false,
    attributes: Attributes {
        block: BLOCK,
        grid: GRID,
        threads: THREADS,
        shared: &[SHARED],
        multiprocessors: MULTIPROCESSORS,
        most_threads: THREADS_PER_MULTIPROCESSOR,
    },
};

type GetErrorName = unsafe extern "C" fn(u32) -> *const c_char;
/// The structure differs between versions; see `architecture`.
type GetProperties = unsafe extern "C" fn(*mut u8, c_int) -> u32;
type GetVersion = unsafe extern "C" fn(*mut c_int) -> u32;

pub(super) struct Runtime {
    pub(super) driver: Arc<Driver>,
    properties: Call<GetProperties>,
    version: Option<i32>,
}

impl Runtime {
    pub(super) fn load() -> Result<Self, Missing> {
        library_search::RUNTIME.find(&library_search::folders(), Self::take)
    }

    fn take(found: FoundLibrary) -> Result<Self, String> {
        let FoundLibrary { library, path } = found;
        let lacks = |name| format!("`{path}` is no usable runtime: it has no function `{name}`");
        let calls = calls::load(&library).map_err(lacks)?;
        // SAFETY: the types are those of the runtime's header, with enumerations as numbers. The
        // library is never unloaded.
        let (properties, ask_version, ask_name) = unsafe {
            (
                // Programs built since ROCm 6 call this function, whatever name their source uses.
                symbol::<GetProperties>(&library, "hipGetDevicePropertiesR0600")
                    .or_else(|_| symbol::<GetProperties>(&library, "hipGetDeviceProperties"))
                    .map_err(lacks)?,
                symbol::<GetVersion>(&library, "hipRuntimeGetVersion").ok(),
                symbol::<GetErrorName>(&library, "hipGetErrorName").ok(),
            )
        };
        // The runtime does not survive being unloaded while its threads run.
        std::mem::forget(library);
        let name_of: NameOf = Box::new(move |code| {
            // SAFETY: any number may be passed; the answer is static text or null.
            let name = unsafe { ask_name?.0(code) };
            (!name.is_null())
                // SAFETY: not null, and static text of the library.
                .then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
        });
        let driver = Driver::start(&VENDOR, calls, name_of, path)?;
        let mut version = 0;
        // SAFETY: the number lives until the call ends.
        let told = ask_version.is_some_and(|(ask, _)| unsafe { ask(&raw mut version) == 0 });
        let version = told.then_some(version);
        Ok(Self { driver: Arc::new(driver), properties, version })
    }

    /// The version such as `5.2.21153`, if the runtime reports it.
    pub(super) fn version(&self) -> Option<String> {
        let version = self.version?;
        let (major, minor) = (version / 10_000_000, version / 100_000 % 100);
        Some(format!("{major}.{minor}.{}", version % 100_000))
    }

    /// The major version, in which the names of the libraries end.
    pub(super) fn major(&self) -> Option<i32> {
        self.version.map(|version| version / 10_000_000)
    }

    /// The architecture of a device with its features, such as `gfx90a:sramecc+:xnack-`.
    pub(super) fn architecture(&self, properties: &Properties) -> Result<String, DeviceFault> {
        let (ask, call) = self.properties;
        // Four times as many bytes as any version writes.
        let mut bytes = vec![0_u8; 8192];
        // SAFETY: there is more room than the structure takes.
        let code = unsafe { ask(bytes.as_mut_ptr(), properties.device) };
        self.driver.check(code, call)?;
        architecture_in(&bytes).ok_or_else(|| {
            DeviceFault(format!(
                "`{}` does not say which architecture {} is",
                self.driver.path(),
                properties.name
            ))
        })
    }
}

/// Finds the architecture in a `hipDeviceProp_t`. Its offset differs between versions, its form
/// does not. The first 256 bytes hold the device's name and are skipped, since it may look like an
/// architecture.
fn architecture_in(properties: &[u8]) -> Option<String> {
    let texts = properties.get(256..)?.split(|&byte| byte == 0);
    texts.filter_map(|text| std::str::from_utf8(text).ok()).find_map(|text| {
        let number = text.get(text.find("gfx")?..)?;
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '+' | '-');
        (number.len() > 5 && number.chars().all(known)).then(|| number.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_architecture_is_found_wherever_it_stands() {
        for at in [396, 1160] {
            let mut properties = vec![0; 2048];
            properties[..7].copy_from_slice(b"gfx1030");
            properties[at - 4..at].copy_from_slice(&[1, 0, 0, 0]);
            properties[at..at + 22].copy_from_slice(b"gfx90a:sramecc+:xnack-");
            let found = architecture_in(&properties);
            assert_eq!(found.as_deref(), Some("gfx90a:sramecc+:xnack-"));
        }
        assert_eq!(architecture_in(&[0; 2048]), None);
    }
}
