//! The driver: its library, its devices, and what it says of them.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::{
    ffi::{CStr, c_char, c_int},
    sync::Arc,
};

use cudarc::driver::sys::{CUdevice, CUdevice_attribute as Attribute, CUresult};

use super::{
    calls::Calls,
    fault::Fault,
    finding::{self, Found},
    permission,
};
use crate::backends::Missing;

/// `cuGetErrorName`, which must take codes that no enumeration lists.
type NameOf = unsafe extern "C" fn(u32, *mut *const c_char) -> u32;

/// The driver's library, initialised.
pub(super) struct Driver {
    pub(super) calls: Calls,
    name_of: Option<NameOf>,
    /// As it says it: 12040 is 12.4.
    version: i32,
    /// The name or path its library was opened by.
    path: String,
}

impl Driver {
    /// Opens and initialises the driver.
    pub(super) fn load() -> Result<Arc<Self>, Missing> {
        finding::DRIVER.find(&finding::driver_folders(), Self::take).map(Arc::new)
    }

    fn take(found: Found) -> Result<Self, String> {
        let Found { library, path } = found;
        let calls = Calls::load(&library)
            .map_err(|name| format!("`{path}` is no usable driver: it has no function `{name}`"))?;
        // SAFETY: the function's type in the driver's header, with the enumeration as a number.
        let name_of = unsafe { library.get::<NameOf>(b"cuGetErrorName\0") }.ok().map(|name| *name);
        // A driver does not survive being unloaded while its threads run.
        std::mem::forget(library);
        let mut driver = Self { calls, name_of, version: 0, path };
        // SAFETY: no arguments but a number that must be zero.
        let code = unsafe { (driver.calls.cuInit)(0) };
        let refused = |fault: Fault| {
            let why = permission::fault().map_or(String::new(), |why| format!("; {why}"));
            format!("`{}` does not start: {fault}{why}", driver.path)
        };
        driver.check(code, "cuInit").map_err(refused)?;
        let mut version = 0;
        // SAFETY: the number lives until the call ends.
        let code = unsafe { (driver.calls.cuDriverGetVersion)(&raw mut version) };
        driver.check(code, "cuDriverGetVersion").map_err(refused)?;
        driver.version = version;
        Ok(driver)
    }

    /// The newest CUDA it can run: 12040 is 12.4.
    pub(super) fn version(&self) -> i32 {
        self.version
    }

    /// The name or path its library was opened by.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// A result as a fault, if it is one.
    pub(super) fn check(&self, code: u32, call: &'static str) -> Result<(), Fault> {
        if code == CUresult::CUDA_SUCCESS as u32 {
            return Ok(());
        }
        let mut name = std::ptr::null();
        let named = self.name_of.is_some_and(|name_of| {
            // SAFETY: any number may be asked for; the answer is static text or null.
            unsafe { name_of(code, &raw mut name) == 0 }
        });
        let name = (named && !name.is_null()).then(|| {
            // SAFETY: not null, and static text of the library.
            unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
        });
        Err(Fault::new(code, name, call))
    }

    /// How many devices there are; none is a reason.
    pub(super) fn count(&self) -> Result<usize, Missing> {
        let mut count = 0;
        // SAFETY: the number lives until the call ends.
        let code = unsafe { (self.calls.cuDeviceGetCount)(&raw mut count) };
        let missing = |why: String| Missing {
            why: format!("the NVIDIA driver works and has no device for us: {why}"),
            cure: "see what `nvidia-smi -L` lists and what CUDA_VISIBLE_DEVICES leaves of it"
                .to_owned(),
        };
        self.check(code, "cuDeviceGetCount").map_err(|fault| missing(fault.to_string()))?;
        match usize::try_from(count) {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(missing("it counts none".to_owned())),
        }
    }

    /// What the driver knows of a device.
    pub(super) fn properties(&self, ordinal: usize) -> Result<Properties, Fault> {
        let mut device: CUdevice = 0;
        let number = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        // SAFETY: the handle lives until the call ends.
        let code = unsafe { (self.calls.cuDeviceGet)(&raw mut device, number) };
        self.check(code, "cuDeviceGet")?;
        let name = self.text("cuDeviceGetName", |to, length| {
            // SAFETY: `to` has room for `length` bytes.
            unsafe { (self.calls.cuDeviceGetName)(to, length, device) }
        })?;
        let address = self.text("cuDeviceGetPCIBusId", |to, length| {
            // SAFETY: as above.
            unsafe { (self.calls.cuDeviceGetPCIBusId)(to, length, device) }
        })?;
        let mut memory = 0;
        // SAFETY: the number lives until the call ends.
        let code = unsafe { (self.calls.cuDeviceTotalMem_v2)(&raw mut memory, device) };
        self.check(code, "cuDeviceTotalMem_v2")?;
        let limits = Limits {
            block: [
                self.number(device, Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                self.number(device, Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                self.number(device, Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ],
            grid: [
                self.number(device, Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                self.number(device, Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                self.number(device, Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ],
            threads: self.number(device, Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            shared: self
                .number(device, Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
                .or_else(|_| {
                    let plain = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK;
                    self.number(device, plain)
                })?,
        };
        let compute = (
            self.number(device, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            self.number(device, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        let multiprocessors =
            self.number(device, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Ok(Properties {
            ordinal,
            device,
            name,
            address,
            memory: memory as u64,
            compute,
            multiprocessors,
            limits,
        })
    }

    /// An attribute that the driver may not have.
    pub(super) fn attribute(&self, device: CUdevice, attribute: Attribute) -> Option<u32> {
        self.number(device, attribute).ok()
    }

    fn number(&self, device: CUdevice, attribute: Attribute) -> Result<u32, Fault> {
        let mut value = 0;
        // SAFETY: the number lives until the call ends.
        let code = unsafe { (self.calls.cuDeviceGetAttribute)(&raw mut value, attribute, device) };
        self.check(code, "cuDeviceGetAttribute")?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    fn text(
        &self,
        call: &'static str,
        ask: impl FnOnce(*mut c_char, c_int) -> u32,
    ) -> Result<String, Fault> {
        let mut bytes = [0_u8; 256];
        self.check(ask(bytes.as_mut_ptr().cast(), 255), call)?;
        let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).trim().to_owned())
    }
}

/// What a launch may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// Threads of a block in x, y, z.
    pub(super) block: [u32; 3],
    /// Blocks of a grid in x, y, z.
    pub(super) grid: [u32; 3],
    /// Threads of a block.
    pub(super) threads: u32,
    /// Bytes of shared memory of a block, static and dynamic together.
    pub(super) shared: u32,
}

/// What the driver knows of a device and everybody needs.
#[derive(Debug, Clone)]
pub(super) struct Properties {
    pub(super) ordinal: usize,
    pub(super) device: CUdevice,
    pub(super) name: String,
    /// On the PCI bus, by which NVML finds the same device.
    pub(super) address: String,
    /// Bytes.
    pub(super) memory: u64,
    /// The compute capability.
    pub(super) compute: (u32, u32),
    pub(super) multiprocessors: u32,
    pub(super) limits: Limits,
}
