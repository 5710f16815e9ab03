//! A compiled configuration in the device's memory: its functions and what they need.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::{
    cell::Cell,
    collections::BTreeMap,
    ffi::{CString, c_int, c_void},
    rc::Rc,
};

use cudarc::driver::sys::{
    CUdeviceptr, CUfunction, CUfunction_attribute as Attribute, CUjit_option, CUmodule,
};

use super::{context::Context, cubin::Cubin, fault::Fault};

/// What NVRTC made of a job.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Image {
    /// A cubin, or PTX with its final zero.
    pub(super) bytes: Vec<u8>,
    /// The entries' names as the compiler wrote them.
    pub(super) entries: Vec<String>,
    /// What the compiler said of them, by name.
    pub(super) facts: BTreeMap<String, f64>,
}

/// A launchable function.
pub(super) struct Function {
    pub(super) handle: CUfunction,
    /// Threads that a block of it can have, given its registers.
    pub(super) most_threads: u32,
    /// Bytes of static shared memory.
    pub(super) shared: u32,
    /// Bytes of each parameter, where the image or the driver tells.
    pub(super) parameters: Option<Vec<u32>>,
    /// Bytes of dynamic shared memory that were asked for so far.
    allowed: Cell<u32>,
    numbers: [(&'static str, f64); 4],
}

/// A module. Functions are handles into it: keep it while they are used.
pub(super) struct Loaded {
    context: Rc<Context>,
    module: CUmodule,
    pub(super) functions: Vec<Function>,
    facts: BTreeMap<String, f64>,
}

impl Loaded {
    /// Loads an image; where the driver refuses it, its own words are in the sentence.
    pub(super) fn new(context: &Rc<Context>, image: &Image) -> Result<Self, String> {
        let mut module: CUmodule = std::ptr::null_mut();
        let mut log = [0_u8; 2048];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // A number is passed in the pointer's place.
        let mut values: [*mut c_void; 2] =
            [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(log.len() - 1)];
        // SAFETY: the image is complete (PTX ends with its zero); buffers live until the call ends.
        let code = unsafe {
            (context.driver.calls.cuModuleLoadDataEx)(
                &raw mut module,
                image.bytes.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        context.check(code, "cuModuleLoadDataEx").map_err(|fault| {
            let said = String::from_utf8_lossy(log.split(|&byte| byte == 0).next().unwrap_or(&[]));
            let said = said.lines().map(str::trim).find(|line| !line.is_empty());
            format!("{fault}{}", said.map_or(String::new(), |said| format!(": {said}")))
        })?;
        let context = Rc::clone(context);
        let facts = image.facts.clone();
        let mut loaded = Self { context, module, functions: Vec::new(), facts };
        let cubin = Cubin::read(&image.bytes);
        for name in &image.entries {
            let parameters = cubin.as_ref().and_then(|cubin| cubin.parameters(name));
            let function = loaded.function(name, parameters).map_err(|fault| fault.to_string())?;
            loaded.functions.push(function);
        }
        Ok(loaded)
    }

    fn function(&self, name: &str, parameters: Option<Vec<u32>>) -> Result<Function, Fault> {
        let calls = &self.context.driver.calls;
        let text = CString::new(name).unwrap_or_default();
        let mut handle = std::ptr::null_mut();
        // SAFETY: the module is loaded, and the name lives until the call ends.
        let code =
            unsafe { (calls.cuModuleGetFunction)(&raw mut handle, self.module, text.as_ptr()) };
        self.context.check(code, "cuModuleGetFunction")?;
        let number = |attribute| self.attribute(handle, attribute);
        let shared = number(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        Ok(Function {
            handle,
            most_threads: number(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            shared,
            parameters: self.parameters(handle).or(parameters),
            allowed: Cell::new(0),
            numbers: [
                ("registers", f64::from(number(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?)),
                ("shared_bytes", f64::from(shared)),
                ("local_bytes", f64::from(number(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?)),
                (
                    "constant_bytes",
                    f64::from(number(Attribute::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?),
                ),
            ],
        })
    }

    fn attribute(&self, function: CUfunction, attribute: Attribute) -> Result<u32, Fault> {
        let mut value: c_int = 0;
        // SAFETY: the function is of a loaded module, and the number lives until the call ends.
        let code = unsafe {
            (self.context.driver.calls.cuFuncGetAttribute)(&raw mut value, attribute, function)
        };
        self.context.check(code, "cuFuncGetAttribute")?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// As drivers since CUDA 12.4 know them.
    fn parameters(&self, function: CUfunction) -> Option<Vec<u32>> {
        let ask = self.context.driver.calls.cuFuncGetParamInfo?;
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: the function is of a loaded module; behind the last parameter the driver
            // answers with an error, which ends the list.
            let code = unsafe { ask(function, sizes.len(), &raw mut offset, &raw mut bytes) };
            match code {
                0 => sizes.push(u32::try_from(bytes).ok()?),
                1 => return Some(sizes),
                _ => return None,
            }
        }
    }

    /// Lets blocks of a function have this much dynamic shared memory: beyond 48 KB together with
    /// the static one, the driver wants to be asked first.
    pub(super) fn allow(&self, function: &Function, bytes: u32) -> Result<(), Fault> {
        if bytes <= function.allowed.get() {
            return Ok(());
        }
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let value = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        // SAFETY: the function is of a loaded module.
        let code = unsafe {
            (self.context.driver.calls.cuFuncSetAttribute)(function.handle, attribute, value)
        };
        self.context.check(code, "cuFuncSetAttribute")?;
        function.allowed.set(bytes);
        Ok(())
    }

    /// Blocks of a function that a multiprocessor can run at once.
    pub(super) fn resident_blocks(
        &self,
        function: &Function,
        threads: u32,
        dynamic: u32,
    ) -> Result<u32, Fault> {
        let mut blocks: c_int = 0;
        // SAFETY: the function is of a loaded module, and the number lives until the call ends.
        let code = unsafe {
            (self.context.driver.calls.cuOccupancyMaxActiveBlocksPerMultiprocessor)(
                &raw mut blocks,
                function.handle,
                c_int::try_from(threads).unwrap_or(c_int::MAX),
                dynamic as usize,
            )
        };
        self.context.check(code, "cuOccupancyMaxActiveBlocksPerMultiprocessor")?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// Address and bytes of a `__constant__` variable.
    pub(super) fn constant(&self, name: &str) -> Option<(CUdeviceptr, u64)> {
        let text = CString::new(name).ok()?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded; name, address and number live until the call ends.
        let code = unsafe {
            (self.context.driver.calls.cuModuleGetGlobal_v2)(
                &raw mut address,
                &raw mut bytes,
                self.module,
                text.as_ptr(),
            )
        };
        self.context.check(code, "cuModuleGetGlobal_v2").ok()?;
        Some((address, bytes as u64))
    }

    /// What compiler and driver say; of several entries the largest number.
    pub(super) fn facts(&self) -> BTreeMap<String, f64> {
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
        // SAFETY: loaded once in `new`; whoever launches waits before letting go.
        unsafe { (self.context.driver.calls.cuModuleUnload)(self.module) };
    }
}
