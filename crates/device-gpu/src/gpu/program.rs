//! One compilation at run time. Both vendors' compilers have the same functions.
#![expect(unsafe_code, reason = "calls the compiler's library")]

use std::ffi::{CStr, CString, NulError, c_char, c_int};

use device::{CompileFault, CompileJob, compilation::headers::HEADERS};

use super::{calls::Handle, unit};

super::api::table! {
    struct Calls;
    fn version(*mut c_int, *mut c_int);
    fn create(
        *mut Handle, *const c_char, *const c_char, c_int, *const *const c_char,
        *const *const c_char
    );
    fn destroy(*mut Handle);
    fn add_name(Handle, *const c_char);
    fn compile(Handle, c_int, *const *const c_char);
    fn log_bytes(Handle, *mut usize);
    fn log(Handle, *mut c_char);
    fn lowered_name(Handle, *const c_char, *mut *const c_char);
    fn code_bytes(Handle, *mut usize);
    fn code(Handle, *mut c_char);
    optional
}

/// Result code of a source that does not compile.
const DOES_NOT_COMPILE: u32 = 6;
/// Result code of an option that the compiler does not know.
const INVALID_OPTION: u32 = 5;

#[derive(Clone, Copy)]
pub(crate) struct Tool<'a> {
    pub(crate) calls: &'a Calls,
    pub(crate) name: &'static str,
}

pub(crate) struct Texts {
    unit: CString,
    headers: Vec<CString>,
    names: Vec<CString>,
    entries: Vec<CString>,
}

impl Texts {
    /// The sources of jobs with their macros, and all headers except those of the cpu device.
    pub(crate) fn of(jobs: &[&CompileJob]) -> Result<Self, CompileFault> {
        let others = || jobs.iter().flat_map(|job| job.sources.iter().skip(1));
        // The cpu device has its own headers in place of the vendor's.
        let ours = || HEADERS.iter().filter(|(name, _)| !name.starts_with("autobench/cpu/"));
        let headers = ours().map(|(_, text)| *text);
        let names = ours().map(|(name, _)| *name);
        Ok(Self {
            unit: c_texts([unit::text(jobs).as_str()])?.remove(0),
            headers: c_texts(headers.chain(others().map(|(_, text)| text.as_str())))?,
            names: c_texts(names.chain(others().map(|(name, _)| name.as_str())))?,
            entries: c_texts(unit::entries(jobs).iter().map(String::as_str))?,
        })
    }
}

/// The options of jobs that are compiled together. All of these jobs have the same options.
pub(crate) fn options_of<'a>(jobs: &[&'a CompileJob]) -> &'a [String] {
    jobs.first().map_or(&[][..], |job| job.options.as_slice())
}

pub(crate) fn c_texts<'a>(
    texts: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<CString>, CompileFault> {
    let texts: Result<Vec<CString>, NulError> = texts.into_iter().map(CString::new).collect();
    texts.map_err(|_| {
        CompileFault::Failed("a source or macro holds a character of value zero".to_owned())
    })
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).collect()
}

fn length<T>(of: &[T]) -> c_int {
    c_int::try_from(of.len()).unwrap_or(c_int::MAX)
}

pub(crate) struct RtcProgram<'a> {
    tool: Tool<'a>,
    texts: &'a Texts,
    handle: Handle,
}

/// Functions that return the size of an output, and that copy the output.
type SizeOf = unsafe extern "C" fn(Handle, *mut usize) -> u32;
type CopyOf = unsafe extern "C" fn(Handle, *mut c_char) -> u32;

impl<'a> RtcProgram<'a> {
    pub(crate) fn new(tool: Tool<'a>, texts: &'a Texts) -> Result<Self, CompileFault> {
        let mut handle: Handle = std::ptr::null_mut();
        let (headers, names) = (pointers(&texts.headers), pointers(&texts.names));
        let (create, call) = tool.calls.create;
        // SAFETY: there are as many headers as names; the compiler copies all texts.
        let code = unsafe {
            let (unit, name) = (texts.unit.as_ptr(), c"autobench-unit".as_ptr());
            create(&raw mut handle, unit, name, length(&headers), headers.as_ptr(), names.as_ptr())
        };
        tool.check(code, call)?;
        let program = Self { tool, texts, handle };
        let (add_name, call) = tool.calls.add_name;
        for entry in &texts.entries {
            // SAFETY: the program is not compiled yet; the compiler copies the text.
            tool.check(unsafe { add_name(handle, entry.as_ptr()) }, call)?;
        }
        Ok(program)
    }

    /// Compiles and returns the log: inner `Ok` if the compilation succeeded, else inner `Err`.
    pub(crate) fn compile(
        &self,
        options: &[CString],
    ) -> Result<Result<String, String>, CompileFault> {
        let options = pointers(options);
        let (compile, call) = self.tool.calls.compile;
        // SAFETY: there are as many options as pointers, and their texts outlive the call.
        let code = unsafe { compile(self.handle, length(&options), options.as_ptr()) };
        let log = self.log()?;
        if code == DOES_NOT_COMPILE {
            return Ok(Err(log));
        }
        if code == INVALID_OPTION {
            let told = log.lines().find(|line| !line.trim().is_empty());
            let told = told.map_or(String::new(), |line| format!(": {}", line.trim()));
            let name = self.tool.name;
            return Err(CompileFault::Failed(format!("{name} does not take an option{told}")));
        }
        self.tool.check(code, call)?;
        Ok(Ok(log))
    }

    pub(crate) fn code(&self) -> Result<Vec<u8>, CompileFault> {
        self.copied(self.tool.calls.code_bytes.0, self.tool.calls.code.0)
    }

    pub(crate) fn copied(&self, size_of: SizeOf, copy_of: CopyOf) -> Result<Vec<u8>, CompileFault> {
        let mut size = 0;
        // SAFETY: the program is compiled, and the number lives until the call ends.
        let code = unsafe { size_of(self.handle, &raw mut size) };
        self.tool.check(code, "the size of its output")?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: there is room for as many bytes as were reported.
        let code = unsafe { copy_of(self.handle, bytes.as_mut_ptr().cast()) };
        self.tool.check(code, "copying its output")?;
        Ok(bytes)
    }

    fn log(&self) -> Result<String, CompileFault> {
        let mut bytes = self.copied(self.tool.calls.log_bytes.0, self.tool.calls.log.0)?;
        bytes.truncate(bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len()));
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(crate) fn lowered(&self) -> Result<Vec<String>, CompileFault> {
        self.texts.entries.iter().map(|entry| self.lowered_name(entry)).collect()
    }

    fn lowered_name(&self, entry: &CStr) -> Result<String, CompileFault> {
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: the name was added before the program was compiled.
        let code =
            unsafe { (self.tool.calls.lowered_name.0)(self.handle, entry.as_ptr(), &raw mut name) };
        if code != 0 || name.is_null() {
            return Err(CompileFault::Failed(no_entry(&entry.to_string_lossy())));
        }
        // SAFETY: not null, and alive as long as the program.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }
}

pub(crate) fn no_entry(what: &str) -> String {
    format!("an entry is not a `__global__` function of the sources: `{what}`")
}

impl Drop for RtcProgram<'_> {
    fn drop(&mut self) {
        // SAFETY: created once in `new`, and used by nobody else.
        unsafe { (self.tool.calls.destroy.0)(&raw mut self.handle) };
    }
}

impl Tool<'_> {
    fn check(&self, code: u32, call: &str) -> Result<(), CompileFault> {
        let name = self.name;
        match code {
            0 => Ok(()),
            1 => Err(CompileFault::Failed(format!("{call}: {name} ran out of memory"))),
            code => Err(CompileFault::Failed(format!("{call} failed with {name}'s error {code}"))),
        }
    }

    pub(crate) fn version(&self) -> Result<(u32, u32), String> {
        let (mut major, mut minor) = (0, 0);
        let (ask, call) = self.calls.version;
        // SAFETY: the numbers live until the call ends.
        let code = unsafe { ask(&raw mut major, &raw mut minor) };
        if code != 0 {
            return Err(format!("{call} gave {code}"));
        }
        let natural = |number: c_int| u32::try_from(number).unwrap_or(0);
        Ok((natural(major), natural(minor)))
    }
}
