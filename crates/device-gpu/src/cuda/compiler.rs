//! NVRTC: finding its library, reading its version, and compiling for one device.
#![expect(unsafe_code, reason = "calls NVRTC's library")]

use std::{
    ffi::{CStr, CString, c_char, c_int},
    sync::Arc,
};

use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};
use device::{CompileFault, CompileJob, Missing};

use super::{
    compiler_report,
    image::Cubin,
    library_search,
    options::{Target, VERBOSE},
};
use crate::gpu::{
    api::{functions, table},
    builder::{Compiler, Made},
    calls::Handle,
    library_search::FoundLibrary,
    loaded::{ImageEntry, ImagePart},
    program::{self, Calls, RtcProgram, Texts, Tool, c_texts},
    unit,
};

functions! {
    Calls gives nvrtcResult, bound as (unsafe fn);
    version = nvrtcVersion(*mut c_int, *mut c_int);
    create = nvrtcCreateProgram(
        *mut nvrtcProgram, *const c_char, *const c_char, c_int, *const *const c_char,
        *const *const c_char
    );
    destroy = nvrtcDestroyProgram(*mut nvrtcProgram);
    add_name = nvrtcAddNameExpression(nvrtcProgram, *const c_char);
    compile = nvrtcCompileProgram(nvrtcProgram, c_int, *const *const c_char);
    log_bytes = nvrtcGetProgramLogSize(nvrtcProgram, *mut usize);
    log = nvrtcGetProgramLog(nvrtcProgram, *mut c_char);
    lowered_name = nvrtcGetLoweredName(nvrtcProgram, *const c_char, *mut *const c_char);
    code_bytes = nvrtcGetCUBINSize(nvrtcProgram, *mut usize);
    code = nvrtcGetCUBIN(nvrtcProgram, *mut c_char);
}

/// Functions that only NVRTC has, since CUDA 11.2.
mod own {
    use super::{Handle, c_char, c_int, functions, nvrtcProgram, nvrtcResult, sys, table};

    table! {
        /// Lists architectures, and returns PTX for the driver to compile.
        struct Own;
        fn count(*mut c_int);
        fn list(*mut c_int);
        fn text_bytes(Handle, *mut usize);
        fn text(Handle, *mut c_char);
        optional
    }

    functions! {
        Own gives nvrtcResult, bound as (unsafe fn);
        count = nvrtcGetNumSupportedArchs(*mut c_int);
        list = nvrtcGetSupportedArchs(*mut c_int);
        text_bytes = nvrtcGetPTXSize(nvrtcProgram, *mut usize);
        text = nvrtcGetPTX(nvrtcProgram, *mut c_char);
    }
}

/// The compiler. Several threads may compile at once.
pub(super) struct Nvrtc {
    calls: Calls,
    own: own::Own,
    version: (u32, u32),
    architectures: Vec<u32>,
    path: String,
}

impl Nvrtc {
    /// Opens the first NVRTC whose code the driver can run. `driver` is the driver's CUDA version:
    /// 12040 for 12.4.
    pub(super) fn find(driver: i32) -> Result<Arc<Self>, Missing> {
        let accept = |found: FoundLibrary| {
            let nvrtc = Self::take(found)?;
            let (major, minor) = nvrtc.version;
            // Within a major version, older drivers run code of newer compilers.
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
        library_search::NVRTC.find(&library_search::nvrtc_folders(), accept)
    }

    fn take(found: FoundLibrary) -> Result<Self, String> {
        let FoundLibrary { library, path } = found;
        let lacks = |name| format!("`{path}` is no usable NVRTC: it has no function `{name}`");
        let calls = load(&library).map_err(lacks)?;
        let own = own::load(&library).map_err(lacks)?;
        // NVRTC keeps its own threads and memory, so it is never unloaded.
        std::mem::forget(library);
        let refused = |why: String| format!("`{path}` does not work: {why}");
        let version = Tool { calls: &calls, name: NAME }.version().map_err(refused)?;
        let mut count = 0;
        let ((ask, count_call), (list, list_call)) = (own.count, own.list);
        // SAFETY: the number lives until the call ends.
        let code = unsafe { ask(&raw mut count) };
        if code != 0 {
            return Err(refused(format!("{count_call} gave {code}")));
        }
        let mut known: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: there is room for as many as were counted.
        let code = unsafe { list(known.as_mut_ptr()) };
        if code != 0 {
            return Err(refused(format!("{list_call} gave {code}")));
        }
        let architectures = known.into_iter().map(|number| u32::try_from(number).unwrap_or(0));
        Ok(Self { calls, own, version, architectures: architectures.collect(), path })
    }

    pub(super) fn target(&self, compute: (u32, u32)) -> Result<Target, String> {
        Target::of(compute, &self.architectures, self.version)
    }

    /// The name or path by which the library was opened.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn name(&self) -> String {
        format!("{NAME} {}.{}", self.version.0, self.version.1)
    }
}

const NAME: &str = "NVRTC";
/// Option that leaves out parts of the language, available since NVRTC 12.4.
const MINIMAL: &CStr = c"--minimal";
const SINCE_MINIMAL: (u32, u32) = (12, 4);

pub(super) struct Aimed {
    pub(super) nvrtc: Arc<Nvrtc>,
    pub(super) target: Target,
}

impl Aimed {
    /// Compiles without rarely used features (textures, launches from kernels), which takes a tenth
    /// less. A single job that fails this way is compiled with all features. The machine code is
    /// the same.
    fn attempt<'a>(
        &self,
        tool: Tool<'a>,
        texts: &'a Texts,
        options: &[CString],
        is_alone: bool,
    ) -> Result<(RtcProgram<'a>, Compiled), CompileFault> {
        if self.nvrtc.version >= SINCE_MINIMAL {
            let program = RtcProgram::new(tool, texts)?;
            let options: Vec<CString> =
                options.iter().cloned().chain([MINIMAL.to_owned()]).collect();
            match program.compile(&options) {
                Ok(Ok(log)) => return Ok((program, Ok(log))),
                Ok(Err(log)) if !is_alone => return Ok((program, Err(log))),
                _ => {}
            }
        }
        let program = RtcProgram::new(tool, texts)?;
        let compiled = program.compile(options)?;
        Ok((program, compiled))
    }
}

/// The log of a compilation that succeeded (`Ok`) or failed (`Err`).
type Compiled = Result<String, String>;

impl Compiler for Aimed {
    fn backend(&self) -> &'static str {
        "cuda"
    }

    fn command_line(&self) -> String {
        format!("{}: {}", self.nvrtc.name(), self.target.options().join(" "))
    }

    fn kinds(&self) -> &'static [&'static str] {
        &["cubin", "ptx"]
    }

    fn may_share(&self, job: &CompileJob) -> bool {
        // With PTX, the driver would compile the text of all jobs for each job.
        self.target.is_machine_code && unit::may_share(job)
    }

    fn compile(&self, jobs: &[&CompileJob]) -> Result<Made, CompileFault> {
        let tool = Tool { calls: &self.nvrtc.calls, name: NAME };
        let texts = Texts::of(jobs)?;
        let (ours, theirs) = (self.target.options(), program::options_of(jobs));
        let options = ours.iter().chain(theirs).map(String::as_str).chain([VERBOSE]);
        let options = c_texts(options)?;
        let (program, compiled) = self.attempt(tool, &texts, &options, jobs.len() == 1)?;
        if compiled.is_err() && jobs.len() > 1 {
            return Err(CompileFault::Failed("one of several does not compile".to_owned()));
        }
        let log = match compiled {
            Ok(log) => log,
            Err(log) if compiler_report::error(&log).is_some() => {
                return Err(compiler_report::fault(&log));
            }
            // With `VERBOSE`, ptxas omits why it refuses a kernel.
            Err(_) => {
                let again = RtcProgram::new(tool, &texts)?;
                let log = again.compile(&options[..options.len() - 1])?.err().unwrap_or_default();
                return Err(compiler_report::fault(&log));
            }
        };
        let (kind, bytes) = if self.target.is_machine_code {
            ("cubin", program.code()?)
        } else {
            ("ptx", program.copied(self.nvrtc.own.text_bytes.0, self.nvrtc.own.text.0)?)
        };
        let cubin = Cubin::read(&bytes);
        let entry = |name: String| {
            let parameters = cubin.as_ref().and_then(|cubin| cubin.parameters(&name));
            ImageEntry { name, parameters }
        };
        let mut lowered = program.lowered()?.into_iter();
        let part = |job: &&CompileJob| {
            let names: Vec<String> = lowered.by_ref().take(job.entries.len()).collect();
            let facts = compiler_report::facts(&compiler_report::of_entries(&log, &names));
            ImagePart { entries: names.into_iter().map(entry).collect(), facts }
        };
        let parts = jobs.iter().map(part).collect();
        Ok(Made { bytes, kind, parts })
    }
}
