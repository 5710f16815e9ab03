//! NVRTC: its library, its version, and one compilation.
#![expect(unsafe_code, reason = "calls NVRTC's library")]

use std::{
    ffi::{CStr, CString, NulError, c_char, c_int},
    sync::Arc,
};

use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};

use super::{
    finding::{self, Found},
    loaded::Image,
    options::{Target, VERBOSE},
    report, unit,
};
use crate::backends::{CompileFault, CompileJob, Missing, headers::HEADERS};

super::api::functions! {
    /// NVRTC's functions, all of them since CUDA 11.2.
    struct Calls gives nvrtcResult;
    fn nvrtcVersion(*mut c_int, *mut c_int);
    fn nvrtcGetNumSupportedArchs(*mut c_int);
    fn nvrtcGetSupportedArchs(*mut c_int);
    fn nvrtcCreateProgram(
        *mut nvrtcProgram, *const c_char, *const c_char, c_int, *const *const c_char,
        *const *const c_char
    );
    fn nvrtcDestroyProgram(*mut nvrtcProgram);
    fn nvrtcAddNameExpression(nvrtcProgram, *const c_char);
    fn nvrtcCompileProgram(nvrtcProgram, c_int, *const *const c_char);
    fn nvrtcGetProgramLogSize(nvrtcProgram, *mut usize);
    fn nvrtcGetProgramLog(nvrtcProgram, *mut c_char);
    fn nvrtcGetLoweredName(nvrtcProgram, *const c_char, *mut *const c_char);
    fn nvrtcGetCUBINSize(nvrtcProgram, *mut usize);
    fn nvrtcGetCUBIN(nvrtcProgram, *mut c_char);
    fn nvrtcGetPTXSize(nvrtcProgram, *mut usize);
    fn nvrtcGetPTX(nvrtcProgram, *mut c_char);
    optional
}

/// Leaves parts of the language out, for those who know of it.
const MINIMAL: &CStr = c"--minimal";
const SINCE_MINIMAL: (u32, u32) = (12, 4);

/// The compiler. Several threads may compile at once.
pub(super) struct Nvrtc {
    calls: Calls,
    version: (u32, u32),
    architectures: Vec<u32>,
    path: String,
}

impl Nvrtc {
    /// Opens the first that the driver can run the code of; `driver` is its newest CUDA, 12040
    /// for 12.4.
    pub(super) fn find(driver: i32) -> Result<Arc<Self>, Missing> {
        let accept = |found: Found| {
            let nvrtc = Self::take(found)?;
            let (major, minor) = nvrtc.version;
            // Within a major version code of newer compilers runs on older drivers.
            if i64::from(major) > i64::from(driver / 1000) {
                return Err(format!(
                    "`{}` is NVRTC {major}.{minor} and the driver runs CUDA {}.{} at most",
                    nvrtc.path,
                    driver / 1000,
                    driver % 1000 / 10
                ));
            }
            Ok(Arc::new(nvrtc))
        };
        finding::NVRTC.find(&finding::nvrtc_folders(), accept)
    }

    fn take(found: Found) -> Result<Self, String> {
        let Found { library, path } = found;
        let calls = Calls::load(&library)
            .map_err(|name| format!("`{path}` is no usable NVRTC: it has no function `{name}`"))?;
        // It keeps threads and memory of its own.
        std::mem::forget(library);
        let refused = |call: &str, code: u32| format!("`{path}` does not work: {call} gave {code}");
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the numbers live until the calls end.
        let (code, counted) = unsafe {
            (
                (calls.nvrtcVersion)(&raw mut major, &raw mut minor),
                (calls.nvrtcGetNumSupportedArchs)(&raw mut count),
            )
        };
        if code != 0 || counted != 0 {
            return Err(refused("nvrtcVersion", code.max(counted)));
        }
        let mut known: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: there is room for as many as were counted.
        let code = unsafe { (calls.nvrtcGetSupportedArchs)(known.as_mut_ptr()) };
        if code != 0 {
            return Err(refused("nvrtcGetSupportedArchs", code));
        }
        let natural = |number: c_int| u32::try_from(number).unwrap_or(0);
        Ok(Self {
            calls,
            version: (natural(major), natural(minor)),
            architectures: known.into_iter().map(natural).collect(),
            path,
        })
    }

    /// Major and minor.
    pub(super) fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Compute capabilities that it knows, 90 for 9.0.
    pub(super) fn architectures(&self) -> &[u32] {
        &self.architectures
    }

    /// The name or path it was opened by.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// As records name it.
    pub(super) fn name(&self) -> String {
        format!("NVRTC {}.{}", self.version.0, self.version.1)
    }

    /// Compiles a job.
    pub(super) fn compile(&self, job: &CompileJob, target: &Target) -> Result<Image, CompileFault> {
        let texts = Texts::of(job, target).map_err(|_| {
            CompileFault::Failed("a source or macro holds a character of value zero".to_owned())
        })?;
        let (program, compiled) = self.attempt(&texts)?;
        let log = match compiled {
            Ok(log) => log,
            Err(log) if report::error(&log).is_some() => return Err(report::fault(&log)),
            // Asked what kernels use, ptxas forgets to say why it refuses one.
            Err(_) => {
                let again = Program::new(self, &texts)?;
                let quiet = &texts.options[..texts.options.len() - 1];
                let log = again.compile(quiet)?.err().unwrap_or_default();
                return Err(report::fault(&log));
            }
        };
        let entries = texts
            .entries
            .iter()
            .map(|entry| program.lowered(entry))
            .collect::<Result<Vec<String>, CompileFault>>()?;
        let bytes = if target.is_machine_code {
            program.image(self.calls.nvrtcGetCUBINSize, self.calls.nvrtcGetCUBIN)?
        } else {
            program.image(self.calls.nvrtcGetPTXSize, self.calls.nvrtcGetPTX)?
        };
        Ok(Image { bytes, entries, facts: report::facts(&log) })
    }

    /// Compiles without what few kernels use (textures, launches from kernels), which takes a tenth
    /// less; whatever fails so is compiled in full. The machine code is the same.
    fn attempt(&self, texts: &Texts) -> Result<(Program<'_>, Compiled), CompileFault> {
        if self.version >= SINCE_MINIMAL {
            let program = Program::new(self, texts)?;
            let options: Vec<CString> =
                texts.options.iter().cloned().chain([MINIMAL.to_owned()]).collect();
            if let Ok(Ok(log)) = program.compile(&options) {
                return Ok((program, Ok(log)));
            }
        }
        let program = Program::new(self, texts)?;
        let compiled = program.compile(&texts.options)?;
        Ok((program, compiled))
    }
}

/// The log, of a compilation that worked or of one that did not.
type Compiled = Result<String, String>;

/// Everything a compilation is given, as C wants it.
struct Texts {
    unit: CString,
    headers: Vec<CString>,
    names: Vec<CString>,
    /// The last asks what kernels use.
    options: Vec<CString>,
    entries: Vec<CString>,
}

impl Texts {
    fn of(job: &CompileJob, target: &Target) -> Result<Self, NulError> {
        fn texts<'a>(of: impl Iterator<Item = &'a str>) -> Result<Vec<CString>, NulError> {
            of.map(CString::new).collect()
        }
        let others = || job.sources.iter().skip(1);
        // The cpu device has headers in the place of the vendor's.
        let ours = || HEADERS.iter().filter(|(name, _)| !name.starts_with("autobench/cpu/"));
        let headers = ours().map(|(_, text)| *text);
        let names = ours().map(|(name, _)| *name);
        Ok(Self {
            unit: CString::new(unit::text(job))?,
            headers: texts(headers.chain(others().map(|(_, text)| text.as_str())))?,
            names: texts(names.chain(others().map(|(name, _)| name.as_str())))?,
            options: texts(target.options().iter().map(String::as_str).chain([VERBOSE]))?,
            entries: texts(job.entries.iter().map(String::as_str))?,
        })
    }
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).collect()
}

fn length<T>(of: &[T]) -> c_int {
    c_int::try_from(of.len()).unwrap_or(c_int::MAX)
}

fn check(code: u32, call: &str) -> Result<(), CompileFault> {
    match code {
        0 => Ok(()),
        1 => Err(CompileFault::Failed(format!("{call}: NVRTC ran out of memory"))),
        code => Err(CompileFault::Failed(format!("{call} failed with NVRTC's error {code}"))),
    }
}

/// A program, destroyed when dropped.
struct Program<'a> {
    nvrtc: &'a Nvrtc,
    handle: nvrtcProgram,
}

/// Functions that say how long something is, and that copy it.
type SizeOf = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> u32;
type CopyOf = unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> u32;

impl<'a> Program<'a> {
    fn new(nvrtc: &'a Nvrtc, texts: &Texts) -> Result<Self, CompileFault> {
        let mut handle: nvrtcProgram = std::ptr::null_mut();
        let (headers, names) = (pointers(&texts.headers), pointers(&texts.names));
        // SAFETY: as many headers as names; NVRTC copies all texts.
        let code = unsafe {
            (nvrtc.calls.nvrtcCreateProgram)(
                &raw mut handle,
                texts.unit.as_ptr(),
                c"autobench-unit".as_ptr(),
                length(&headers),
                headers.as_ptr(),
                names.as_ptr(),
            )
        };
        check(code, "nvrtcCreateProgram")?;
        let program = Self { nvrtc, handle };
        for entry in &texts.entries {
            // SAFETY: the program is not compiled yet; NVRTC copies the text.
            let code = unsafe { (nvrtc.calls.nvrtcAddNameExpression)(handle, entry.as_ptr()) };
            check(code, "nvrtcAddNameExpression")?;
        }
        Ok(program)
    }

    fn compile(&self, options: &[CString]) -> Result<Compiled, CompileFault> {
        let options = pointers(options);
        // SAFETY: as many options as there are pointers, to texts that outlive the call.
        let code = unsafe {
            (self.nvrtc.calls.nvrtcCompileProgram)(self.handle, length(&options), options.as_ptr())
        };
        let log = self.log()?;
        if code == nvrtcResult::NVRTC_ERROR_COMPILATION as u32 {
            return Ok(Err(log));
        }
        check(code, "nvrtcCompileProgram")?;
        Ok(Ok(log))
    }

    fn image(&self, size_of: SizeOf, copy_of: CopyOf) -> Result<Vec<u8>, CompileFault> {
        let mut size = 0;
        // SAFETY: the program is compiled, and the number lives until the call ends.
        check(unsafe { size_of(self.handle, &raw mut size) }, "the size of NVRTC's output")?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: there is room for what was said.
        check(unsafe { copy_of(self.handle, bytes.as_mut_ptr().cast()) }, "NVRTC's output")?;
        Ok(bytes)
    }

    fn log(&self) -> Result<String, CompileFault> {
        let calls = &self.nvrtc.calls;
        let mut bytes = self.image(calls.nvrtcGetProgramLogSize, calls.nvrtcGetProgramLog)?;
        bytes.truncate(bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len()));
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn lowered(&self, entry: &CStr) -> Result<String, CompileFault> {
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: the name was added before the program was compiled.
        let code = unsafe {
            (self.nvrtc.calls.nvrtcGetLoweredName)(self.handle, entry.as_ptr(), &raw mut name)
        };
        if code != 0 || name.is_null() {
            return Err(CompileFault::Failed(format!(
                "an entry is not a `__global__` function of the sources: `{}`",
                entry.to_string_lossy()
            )));
        }
        // SAFETY: not null, and alive as long as the program.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: created once in `new`, used by nobody else.
        unsafe { (self.nvrtc.calls.nvrtcDestroyProgram)(&raw mut self.handle) };
    }
}
