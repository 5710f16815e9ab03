//! A compiled configuration in the device's memory: its functions and their needs.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::{
    cell::Cell,
    collections::BTreeMap,
    ffi::{CString, c_int, c_void},
    rc::Rc,
};

use serde::{Deserialize, Serialize};

use super::{
    calls::{Address, Handle, call},
    context::Context,
    fault::DriverFault,
};

/// Numbers of function attributes, in both vendors' headers.
const MOST_THREADS: u32 = 0;
const SHARED_BYTES: u32 = 1;
const CONSTANT_BYTES: u32 = 2;
const LOCAL_BYTES: u32 = 3;
const REGISTERS: u32 = 4;
const MOST_DYNAMIC_SHARED_BYTES: u32 = 8;
/// Load options that only NVIDIA has: a buffer for the driver's log, and its length.
const LOG: u32 = 5;
const LOG_BYTES: u32 = 6;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Image {
    /// Machine code, or text with a terminating zero.
    pub(crate) bytes: Vec<u8>,
    pub(crate) part: ImagePart,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ImagePart {
    pub(crate) entries: Vec<ImageEntry>,
    /// Facts from the compiler.
    pub(crate) facts: BTreeMap<String, f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ImageEntry {
    /// Mangled name.
    pub(crate) name: String,
    /// Bytes of each parameter, if the image lists them.
    pub(crate) parameters: Option<Vec<u32>>,
}

pub(crate) struct LoadedFunction {
    pub(crate) handle: Handle,
    /// Most threads in a block, given the function's registers.
    pub(crate) most_threads: u32,
    /// Bytes of static shared memory.
    pub(crate) shared: u32,
    /// Bytes of each parameter, if the image or the driver lists them.
    pub(crate) parameters: Option<Vec<u32>>,
    /// Bytes of dynamic shared memory that have been allowed so far.
    allowed: Cell<u32>,
    numbers: [(&'static str, f64); 4],
}

/// A loaded module. Functions are handles into it, so it must outlive them.
pub(crate) struct Loaded {
    context: Rc<Context>,
    module: Handle,
    pub(crate) functions: Vec<LoadedFunction>,
    facts: BTreeMap<String, f64>,
}

impl Loaded {
    /// Loads an image. The error includes the driver's log.
    pub(crate) fn new(context: &Rc<Context>, image: &Image) -> Result<Self, String> {
        let mut module: Handle = std::ptr::null_mut();
        let mut log = [0_u8; 2048];
        let mut options = [LOG, LOG_BYTES];
        let given = if context.driver.vendor.takes_log { 2 } else { 0 };
        // The length is a number, passed in place of a pointer.
        let mut values: [*mut c_void; 2] =
            [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(log.len() - 1)];
        // SAFETY: the image is complete (text ends with a zero), and the buffers live until the
        // call ends.
        let loaded = unsafe {
            let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
            let bytes = image.bytes.as_ptr().cast();
            call!(context, load_module(&raw mut module, bytes, given, options, values))
        };
        loaded.map_err(|fault| {
            let said = String::from_utf8_lossy(log.split(|&byte| byte == 0).next().unwrap_or(&[]));
            let said = said.lines().map(str::trim).find(|line| !line.is_empty());
            format!("{fault}{}", said.map_or(String::new(), |said| format!(": {said}")))
        })?;
        let context = Rc::clone(context);
        let facts = image.part.facts.clone();
        let mut loaded = Self { context, module, functions: Vec::new(), facts };
        for entry in &image.part.entries {
            let function = loaded.function(entry).map_err(|fault| fault.to_string())?;
            loaded.functions.push(function);
        }
        Ok(loaded)
    }

    fn function(&self, entry: &ImageEntry) -> Result<LoadedFunction, DriverFault> {
        let text = CString::new(entry.name.as_str()).unwrap_or_default();
        let mut handle = std::ptr::null_mut();
        // SAFETY: the module is loaded, and the name lives until the call ends.
        unsafe { call!(self.context, function(&raw mut handle, self.module, text.as_ptr())) }?;
        let number = |attribute| self.attribute(handle, attribute);
        let shared = number(SHARED_BYTES)?;
        Ok(LoadedFunction {
            handle,
            most_threads: number(MOST_THREADS)?,
            shared,
            parameters: self.parameters(handle).or(entry.parameters.clone()),
            allowed: Cell::new(0),
            numbers: [
                ("registers", f64::from(number(REGISTERS)?)),
                ("shared_bytes", f64::from(shared)),
                ("local_bytes", f64::from(number(LOCAL_BYTES)?)),
                ("constant_bytes", f64::from(number(CONSTANT_BYTES)?)),
            ],
        })
    }

    fn attribute(&self, function: Handle, attribute: u32) -> Result<u32, DriverFault> {
        let mut value: c_int = 0;
        // SAFETY: the function is of a loaded module, and the number lives until the call ends.
        unsafe { call!(self.context, function_attribute(&raw mut value, attribute, function)) }?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Bytes of each parameter, which drivers since CUDA 12.4 list.
    fn parameters(&self, function: Handle) -> Option<Vec<u32>> {
        let (ask, _) = self.context.driver.calls.parameter?;
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: the function belongs to a loaded module. After the last parameter the driver
            // returns an error, which ends the list.
            let code = unsafe { ask(function, sizes.len(), &raw mut offset, &raw mut bytes) };
            match code {
                0 => sizes.push(u32::try_from(bytes).ok()?),
                1 => return Some(sizes),
                _ => return None,
            }
        }
    }

    /// Allows blocks of a function this much dynamic shared memory. NVIDIA's driver must be told
    /// first if static and dynamic shared memory together exceed 48 KB.
    pub(crate) fn allow(&self, function: &LoadedFunction, bytes: u32) -> Result<(), DriverFault> {
        if bytes <= function.allowed.get() {
            return Ok(());
        }
        if let Some((allow, name)) = self.context.driver.calls.set_function_attribute {
            let value = c_int::try_from(bytes).unwrap_or(c_int::MAX);
            // SAFETY: the function is of a loaded module.
            let code = unsafe { allow(function.handle, MOST_DYNAMIC_SHARED_BYTES, value) };
            self.context.check(code, name)?;
        }
        function.allowed.set(bytes);
        Ok(())
    }

    /// Blocks of a function that a multiprocessor can run at once.
    pub(crate) fn resident_blocks(
        &self,
        function: &LoadedFunction,
        threads: u32,
        dynamic: u32,
    ) -> Result<u32, DriverFault> {
        let mut blocks: c_int = 0;
        // SAFETY: the function is of a loaded module, and the number lives until the call ends.
        unsafe {
            let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
            let (function, dynamic) = (function.handle, dynamic as usize);
            call!(self.context, resident_blocks(&raw mut blocks, function, threads, dynamic))
        }?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// Address and bytes of a `__constant__` variable.
    pub(crate) fn constant(&self, name: &str) -> Option<(Address, u64)> {
        let text = CString::new(name).ok()?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded; name, address and number live until the call ends.
        let found = unsafe {
            let name = text.as_ptr();
            call!(self.context, global(&raw mut address, &raw mut bytes, self.module, name))
        };
        found.ok()?;
        Some((address, bytes as u64))
    }

    /// Facts from the compiler and the driver. With several entries, the largest value counts.
    pub(crate) fn facts(&self) -> BTreeMap<String, f64> {
        let mut facts = self.facts.clone();
        for (name, value) in self.functions.iter().flat_map(|function| function.numbers) {
            let largest = facts.entry(name.to_owned()).or_insert(value);
            *largest = largest.max(value);
        }
        facts
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: loaded once in `new`; callers wait for their launches before they drop this.
        let _ = unsafe { call!(self.context, unload_module(self.module)) };
    }
}
