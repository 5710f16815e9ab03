//! A driver: its functions, its error codes in words, its devices and their attributes.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::ffi::{c_char, c_int, c_uint};

use device::{DeviceFault, DeviceInfo, Missing};

use super::{
    calls::{Calls, DeviceNumber},
    fault::DriverFault,
};

/// What differs between the drivers of two vendors.
pub(crate) struct Vendor {
    /// Name of the backend, as in `--device`.
    pub(crate) backend: &'static str,
    /// Name in messages ("CUDA").
    pub(crate) name: &'static str,
    /// What to do if the driver works and shows no device.
    pub(crate) no_device: &'static str,
    /// What to do if the driver cannot describe a device.
    pub(crate) no_description: &'static str,
    /// Returns what keeps the driver from starting, if anything is found.
    pub(crate) hindrance: fn() -> Option<String>,
    /// Whether loading a module can return a log.
    pub(crate) takes_log: bool,
    pub(crate) attributes: Attributes,
}

/// A vendor's numbers of the attributes that are always needed.
pub(crate) struct Attributes {
    /// Most threads of a block in x, y, z.
    pub(crate) block: [c_uint; 3],
    /// Most blocks of a grid in x, y, z.
    pub(crate) grid: [c_uint; 3],
    /// Most threads of a block.
    pub(crate) threads: c_uint,
    /// Bytes of shared memory of a block. The first attribute that the driver knows is used.
    pub(crate) shared: &'static [c_uint],
    pub(crate) multiprocessors: c_uint,
    /// Threads that a multiprocessor runs at once.
    pub(crate) most_threads: c_uint,
}

pub(crate) type NameOf = Box<dyn Fn(u32) -> Option<String> + Send + Sync>;

pub(crate) struct Driver {
    pub(crate) vendor: &'static Vendor,
    pub(crate) calls: Calls,
    name_of: NameOf,
    version: i32,
    path: String,
}

impl Driver {
    /// Initialises a driver whose library was opened by the name or path `path`.
    pub(crate) fn start(
        vendor: &'static Vendor,
        calls: Calls,
        name_of: NameOf,
        path: String,
    ) -> Result<Self, String> {
        let mut driver = Self { vendor, calls, name_of, version: 0, path };
        let refused = |fault: DriverFault| {
            let why = (vendor.hindrance)().map_or(String::new(), |why| format!("; {why}"));
            format!("`{}` does not start: {fault}{why}", driver.path)
        };
        let (start, name) = driver.calls.start;
        // SAFETY: the only argument is a number that must be zero.
        driver.check(unsafe { start(0) }, name).map_err(refused)?;
        let mut version = 0;
        let (ask, name) = driver.calls.version;
        // SAFETY: the number lives until the call ends.
        driver.check(unsafe { ask(&raw mut version) }, name).map_err(refused)?;
        driver.version = version;
        Ok(driver)
    }

    pub(crate) fn version(&self) -> i32 {
        self.version
    }

    /// The name or path by which the library was opened.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn check(&self, code: u32, call: &'static str) -> Result<(), DriverFault> {
        if code == 0 {
            return Ok(());
        }
        let name = (self.name_of)(code);
        let name = name.unwrap_or_else(|| format!("{} error {code}", self.vendor.name));
        Err(DriverFault::new(code, name, call))
    }

    pub(crate) fn count(&self) -> Result<usize, Missing> {
        let mut count = 0;
        let (ask, name) = self.calls.count;
        // SAFETY: the number lives until the call ends.
        let code = unsafe { ask(&raw mut count) };
        let missing = |why: String| Missing {
            why: format!("the {} driver works and has no device for us: {why}", self.vendor.name),
            cure: self.vendor.no_device.to_owned(),
        };
        self.check(code, name).map_err(|fault| missing(fault.to_string()))?;
        match usize::try_from(count) {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(missing("it counts none".to_owned())),
        }
    }

    pub(crate) fn describe(
        &self,
        info: impl Fn(&Properties) -> DeviceInfo,
    ) -> Result<Vec<DeviceInfo>, Missing> {
        let describe = |ordinal| {
            let properties = self.properties(ordinal).map_err(|fault| Missing {
                why: format!("the driver cannot describe device {ordinal}: {fault}"),
                cure: self.vendor.no_description.to_owned(),
            })?;
            Ok(info(&properties))
        };
        (0..self.count()?).map(describe).collect()
    }

    pub(crate) fn properties_of(&self, ordinal: usize) -> Result<Properties, DeviceFault> {
        let count = self.count().map_err(|missing| DeviceFault(missing.to_string()))?;
        if ordinal >= count {
            let backend = self.vendor.backend;
            let known: Vec<String> = (0..count).map(|known| format!("{backend}:{known}")).collect();
            return Err(DeviceFault(format!(
                "there is no `{backend}:{ordinal}` (known: {})",
                known.join(", ")
            )));
        }
        Ok(self.properties(ordinal)?)
    }

    fn properties(&self, ordinal: usize) -> Result<Properties, DriverFault> {
        let mut device = 0;
        let number = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        let (ask, call) = self.calls.device;
        // SAFETY: the handle lives until the call ends.
        self.check(unsafe { ask(&raw mut device, number) }, call)?;
        let ask = |(ask, call): (unsafe extern "C" fn(*mut c_char, c_int, c_int) -> u32, _)| {
            // SAFETY: `to` has room for `length` bytes.
            self.text(call, |to, length| unsafe { ask(to, length, device) })
        };
        let (name, address) = (ask(self.calls.device_name)?, ask(self.calls.device_address)?);
        let mut memory = 0;
        let (ask, call) = self.calls.device_memory;
        // SAFETY: the number lives until the call ends.
        self.check(unsafe { ask(&raw mut memory, device) }, call)?;
        let wanted = &self.vendor.attributes;
        let number = |attribute| self.number(device, attribute);
        let three = |of: [c_uint; 3]| Ok([number(of[0])?, number(of[1])?, number(of[2])?]);
        let shared = wanted.shared.iter().map(|&attribute| number(attribute));
        let shared = shared.reduce(|first, next| first.or(next)).unwrap_or(Ok(0))?;
        Ok(Properties {
            ordinal,
            device,
            name,
            address,
            memory: memory as u64,
            multiprocessors: number(wanted.multiprocessors)?,
            most_threads: number(wanted.most_threads).ok().filter(|&threads| threads > 0),
            limits: Limits {
                block: three(wanted.block)?,
                grid: three(wanted.grid)?,
                threads: number(wanted.threads)?,
                shared,
            },
        })
    }

    pub(crate) fn attribute(&self, device: DeviceNumber, attribute: c_uint) -> Option<u32> {
        self.number(device, attribute).ok()
    }

    fn number(&self, device: DeviceNumber, attribute: c_uint) -> Result<u32, DriverFault> {
        let mut value = 0;
        let (ask, name) = self.calls.device_attribute;
        // SAFETY: the number lives until the call ends.
        self.check(unsafe { ask(&raw mut value, attribute, device) }, name)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    fn text(
        &self,
        call: &'static str,
        ask: impl FnOnce(*mut c_char, c_int) -> u32,
    ) -> Result<String, DriverFault> {
        let mut bytes = [0_u8; 256];
        self.check(ask(bytes.as_mut_ptr().cast(), 255), call)?;
        let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).trim().to_owned())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Most threads of a block in x, y, z.
    pub(crate) block: [u32; 3],
    /// Most blocks of a grid in x, y, z.
    pub(crate) grid: [u32; 3],
    pub(crate) threads: u32,
    /// Most bytes of shared memory of a block, static and dynamic together.
    pub(crate) shared: u32,
}

/// Properties of a device that both vendors have.
#[derive(Debug, Clone)]
pub(crate) struct Properties {
    pub(crate) ordinal: usize,
    pub(crate) device: DeviceNumber,
    pub(crate) name: String,
    /// Address on the PCI bus, by which sensor libraries find the device.
    pub(crate) address: String,
    /// Bytes of device memory.
    pub(crate) memory: u64,
    pub(crate) multiprocessors: u32,
    /// Threads that a multiprocessor runs at once.
    pub(crate) most_threads: Option<u32>,
    pub(crate) limits: Limits,
}
