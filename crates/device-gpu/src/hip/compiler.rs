//! hiprtc: finding its library, reading its version, and compiling for one device, in this worker
//! process.
//!
//! Two known crashes are avoided. hiprtc ends the process for an unknown architecture, so the known
//! ones are read from the code object manager, the library with which hiprtc compiles. hiprtc also
//! crashes sooner or later if several threads use it (5.2.3 within seconds), so only one thread
//! compiles at a time.
#![expect(unsafe_code, reason = "calls hiprtc's library")]

use std::{
    ffi::{CStr, c_char, c_int},
    sync::{Arc, Mutex, PoisonError},
};

use device::{CompileFault, CompileJob, Missing};

use super::{
    compiler_report,
    driver::Runtime,
    image::CodeObject,
    library_search,
    options::{Target, block_limit},
};
use crate::gpu::{
    api::{functions, symbol},
    builder::{Compiler, Made},
    calls::Handle as hiprtcProgram,
    library_search::{FoundLibrary, open},
    loaded::{ImageEntry, ImagePart},
    program::{Calls, RtcProgram, Texts, Tool, c_texts},
};

functions! {
    // No crate has bindings of hiprtc to compare with.
    #[cfg(any())]
    Calls gives u32, bound as (unsafe extern "C" fn);
    version = hiprtcVersion(*mut c_int, *mut c_int);
    create = hiprtcCreateProgram(
        *mut hiprtcProgram, *const c_char, *const c_char, c_int, *const *const c_char,
        *const *const c_char
    );
    destroy = hiprtcDestroyProgram(*mut hiprtcProgram);
    add_name = hiprtcAddNameExpression(hiprtcProgram, *const c_char);
    compile = hiprtcCompileProgram(hiprtcProgram, c_int, *const *const c_char);
    log_bytes = hiprtcGetProgramLogSize(hiprtcProgram, *mut usize);
    log = hiprtcGetProgramLog(hiprtcProgram, *mut c_char);
    lowered_name = hiprtcGetLoweredName(hiprtcProgram, *const c_char, *mut *const c_char);
    code_bytes = hiprtcGetCodeSize(hiprtcProgram, *mut usize);
    code = hiprtcGetCode(hiprtcProgram, *mut c_char);
}

const NAME: &str = "hiprtc";

/// Locked by the thread that compiles.
static TURN: Mutex<()> = Mutex::new(());

pub(super) struct Hiprtc {
    calls: Calls,
    name: String,
    architectures: Option<Vec<String>>,
    path: String,
}

impl Hiprtc {
    /// Opens the compiler for a runtime: hiprtc's own library, or else the runtime's library.
    pub(super) fn find(runtime: &Runtime) -> Result<Arc<Self>, Missing> {
        let accept = |found: FoundLibrary| {
            // The linker's plain name (`.so`) has no version.
            let end = found.path.rsplit_once(".so.").map(|(_, version)| version);
            let other = end.and_then(|end| end.split('.').next()?.parse::<i32>().ok());
            if let (Some(major), Some(other)) = (runtime.major(), other)
                && major != other
            {
                return Err(format!(
                    "`{}` is of ROCm {other} and the runtime of ROCm {major}",
                    found.path
                ));
            }
            Self::take(found, runtime)
        };
        let apart = library_search::HIPRTC.find(&library_search::folders(), accept).map(Arc::new);
        if apart.is_ok() || library_search::HIPRTC.is_named() {
            return apart;
        }
        let inside = open(runtime.driver.path().as_ref());
        inside.and_then(|found| Self::take(found, runtime)).map(Arc::new).or(apart)
    }

    fn take(found: FoundLibrary, runtime: &Runtime) -> Result<Self, String> {
        let FoundLibrary { library, path } = found;
        let calls = load(&library)
            .map_err(|name| format!("`{path}` is no usable hiprtc: it has no function `{name}`"))?;
        // hiprtc keeps its own threads and memory, so it is never unloaded.
        std::mem::forget(library);
        let (major, minor) = Tool { calls: &calls, name: NAME }
            .version()
            .map_err(|why| format!("`{path}` does not work: {why}"))?;
        // hiprtc's own version number did not change for years, so the name includes HIP's.
        let hip = runtime.version().map_or(String::new(), |hip| format!(" of HIP {hip}"));
        let name = format!("{NAME} {major}.{minor}{hip}");
        let architectures = architectures(runtime.major());
        Ok(Self { calls, name, architectures, path })
    }

    pub(super) fn target(&self, architecture: &str) -> Result<Target, String> {
        Target::of(architecture, self.architectures.as_deref(), &self.name)
    }

    /// The name or path by which the library was opened.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// Architectures known to the code object manager that hiprtc has loaded, or will load.
fn architectures(rocm: Option<i32>) -> Option<Vec<String>> {
    type Count = unsafe extern "C" fn(*mut usize) -> u32;
    type Name = unsafe extern "C" fn(usize, *mut *const c_char) -> u32;
    let library = library_search::comgr(rocm).loaded_or_found(&library_search::folders())?.library;
    // SAFETY: the types are those of `amd_comgr.h`, with enumerations as numbers.
    let ((count, _), (name, _)) = unsafe {
        (
            symbol::<Count>(&library, "amd_comgr_get_isa_count").ok()?,
            symbol::<Name>(&library, "amd_comgr_get_isa_name").ok()?,
        )
    };
    std::mem::forget(library);
    let mut total = 0;
    // SAFETY: the number lives until the call ends.
    if unsafe { count(&raw mut total) } != 0 {
        return None;
    }
    let known = (0..total).filter_map(|at| {
        let mut text = std::ptr::null();
        // SAFETY: the pointer lives until the call ends, and `at` is less than the count.
        let answered = unsafe { name(at, &raw mut text) } == 0 && !text.is_null();
        // SAFETY: static text of the library: `amdgcn-amd-amdhsa--gfx90a`.
        let text = answered.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy())?;
        text.rsplit('-').next().map(str::to_owned)
    });
    Some(known.collect())
}

pub(super) struct Aimed {
    pub(super) hiprtc: Arc<Hiprtc>,
    pub(super) target: Target,
}

impl Compiler for Aimed {
    fn backend(&self) -> &'static str {
        "hip"
    }

    fn command_line(&self) -> String {
        format!("{}: {}", self.hiprtc.name(), self.target.options().join(" "))
    }

    fn kinds(&self) -> &'static [&'static str] {
        &["hsaco"]
    }

    fn most_threads(&self) -> usize {
        // One thread compiles; the other one works only while a kernel is awaited.
        2
    }

    fn compile(&self, jobs: &[&CompileJob]) -> Result<Made, CompileFault> {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let [job] = jobs else {
            return Err(CompileFault::Failed("hiprtc compiles one job at a time".to_owned()));
        };
        let texts = Texts::of(jobs)?;
        let (options, limit) = (self.target.options(), block_limit(job));
        let options = options.iter().chain(&limit).chain(&job.options);
        let options = c_texts(options.map(String::as_str))?;
        let program = RtcProgram::new(Tool { calls: &self.hiprtc.calls, name: NAME }, &texts)?;
        program.compile(&options)?.map_err(|log| compiler_report::fault(&log))?;
        let bytes = program.code()?;
        let object = CodeObject::read(&bytes);
        let entry = |name: String| {
            let parameters = object.as_ref().and_then(|object| object.parameters(&name));
            ImageEntry { name, parameters }
        };
        let entries = program.lowered()?.into_iter().map(entry).collect();
        let facts = object.as_ref().map(CodeObject::facts).unwrap_or_default();
        Ok(Made { bytes, kind: "hsaco", parts: vec![ImagePart { entries, facts }] })
    }
}
