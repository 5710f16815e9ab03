//! A plugin as a shared library: loads it and calls its C table. This runs an author's code, so
//! only a worker may call it.
#![expect(unsafe_code, reason = "plugins are foreign libraries behind a C table")]

use std::{
    collections::BTreeMap,
    error::Error as _,
    ffi::{CString, c_void},
    mem::MaybeUninit,
    path::{Path, PathBuf},
    ptr,
    sync::Arc,
};

use autobench_sdk::{
    abi::{ABI_VERSION, SYMBOL, Status, Table},
    document::Document,
};
use records::Named;

use super::{
    discovery,
    fault::PluginFault,
    sink::{self, Text},
};

#[derive(Debug)]
struct LoadedPlugin {
    path: PathBuf,
    table: Table,
    /// Dropped last, since the table's functions are in the library. `None` for functions of the
    /// program itself.
    _library: Option<libloading::Library>,
}

/// A loaded plugin.
#[derive(Debug, Clone)]
pub struct Plugin(Arc<LoadedPlugin>);

/// A plugin's instance for one size and seed.
#[derive(Debug)]
pub struct PluginInstance {
    plugin: Plugin,
    made: *mut c_void,
}

impl Plugin {
    /// Loads a library's only benchmark, or the one named `one`. Checks the head of its table
    /// first.
    ///
    /// # Errors
    /// One sentence for each way that a file can fail to be a plugin of this version.
    pub fn load(path: &Path, one: Option<&str>) -> Result<Self, PluginFault> {
        let unloadable = |why: String| PluginFault::NotALibrary { path: path.to_owned(), why };
        let file = path.canonicalize().map_err(|error| unloadable(error.to_string()))?;
        // SAFETY: loading runs the library's initialisers. A plugin needs that, and it is why this
        // happens in a worker.
        let library = unsafe { libloading::Library::new(&file) }.map_err(|error| {
            unloadable(error.source().map_or_else(|| error.to_string(), ToString::to_string))
        })?;
        let symbol = one.map_or_else(|| SYMBOL.to_owned(), |one| format!("{SYMBOL}_{one}"));
        // SAFETY: only an address is taken here. `read_table` checks it before it reads the table.
        let head: *const u32 = *unsafe { library.get::<*const u32>(&symbol) }
            .map_err(|_| discovery::missing(path, one))?;
        let table = read_table(path, head)?;
        let path = path.to_owned();
        Ok(Self(Arc::new(LoadedPlugin { path, table, _library: Some(library) })))
    }

    /// The plugin with this name that is linked into the program.
    ///
    /// # Errors
    /// If no plugin has this name.
    pub fn built_in(name: &str) -> Result<Self, PluginFault> {
        let (name, table) =
            benchmarks::TABLES.iter().find(|(known, _)| *known == name).ok_or_else(|| {
                PluginFault::Unknown { name: name.to_owned(), known: "none is built in".to_owned() }
            })?;
        Ok(Self(Arc::new(LoadedPlugin { path: name.into(), table: **table, _library: None })))
    }

    /// The file that the plugin was loaded from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The document that describes the benchmark, parsed but not yet checked.
    ///
    /// # Errors
    /// If the plugin fails, or its output is not a document.
    pub fn describe(&self) -> Result<Document, PluginFault> {
        let describe = self.0.table.describe.ok_or_else(|| self.lacks("describe"))?;
        let (mut document, mut message) = (Text::document(), Text::message());
        // SAFETY: both sinks outlive the call, as the table asks.
        let status = unsafe { describe(sink::of(&mut document), sink::of(&mut message)) };
        self.answered("describe", status, &message)?;
        let bytes = document.bytes().ok_or_else(|| PluginFault::NotADocument {
            path: self.0.path.clone(),
            why: "it is longer than any document may be".to_owned(),
        })?;
        let text = std::str::from_utf8(bytes).map_err(|error| PluginFault::NotADocument {
            path: self.0.path.clone(),
            why: format!("it is not UTF-8 at byte {}", error.valid_up_to()),
        })?;
        serde_json::from_str(text).map_err(|error| PluginFault::NotADocument {
            path: self.0.path.clone(),
            why: error.to_string(),
        })
    }

    /// The plugin's own footprint in bytes for a size, if it computes one.
    ///
    /// # Errors
    /// If the plugin fails.
    pub fn footprint(&self, size: u64, configuration: &Named) -> Result<Option<u64>, PluginFault> {
        let Some(footprint) = self.0.table.footprint else { return Ok(None) };
        let configuration = self.json("footprint", configuration)?;
        let (mut bytes, mut message) = (0, Text::message());
        // SAFETY: text, number and sink outlive the call, as the table asks.
        let status = unsafe {
            footprint(size, configuration.as_ptr(), &raw mut bytes, sink::of(&mut message))
        };
        Ok(self.answered("footprint", status, &message)?.then_some(bytes))
    }

    /// Whether the plugin has a function that makes sources.
    pub(super) fn makes_sources(&self) -> bool {
        self.0.table.source.is_some()
    }

    /// The text of a source for a size and a configuration, made by the plugin.
    ///
    /// # Errors
    /// If the plugin fails, has no such function, or writes no text.
    pub fn source(
        &self,
        name: &str,
        size: u64,
        configuration: &Named,
    ) -> Result<String, PluginFault> {
        let source = self.0.table.source.ok_or_else(|| self.lacks("source"))?;
        let failed = |why: String| self.failed("source", why);
        let named = CString::new(name).map_err(|error| failed(error.to_string()))?;
        let configuration = self.json("source", configuration)?;
        let (mut text, mut message) = (Text::document(), Text::message());
        // SAFETY: texts and sinks outlive the call, as the table asks.
        let status = unsafe {
            source(
                named.as_ptr(),
                size,
                configuration.as_ptr(),
                sink::of(&mut text),
                sink::of(&mut message),
            )
        };
        if !self.answered("source", status, &message)? {
            return Err(self.lacks("source"));
        }
        let bytes =
            text.bytes().ok_or_else(|| failed("it is longer than any source".to_owned()))?;
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|error| failed(format!("it is not UTF-8: {error}")))?;
        if text.trim().is_empty() {
            return Err(failed(format!("the source `{name}` is empty")));
        }
        Ok(text.to_owned())
    }

    /// Builds the problem for a size and a seed; for a study of one stage, `stage` is its name.
    ///
    /// # Errors
    /// If the plugin fails.
    pub fn build(
        &self,
        size: u64,
        seed: u64,
        stage: Option<&str>,
    ) -> Result<PluginInstance, PluginFault> {
        let mut instance = PluginInstance { plugin: self.clone(), made: ptr::null_mut() };
        if let (Some(build), Some(stage)) = (self.0.table.build_stage, stage) {
            let failed = |why: std::ffi::NulError| self.failed("build_stage", why.to_string());
            let stage = CString::new(stage).map_err(failed)?;
            let mut message = Text::message();
            let mut made = ptr::null_mut();
            let sink = sink::of(&mut message);
            // SAFETY: the text, the place of the pointer and the sink outlive the call, as the
            // table asks.
            let status = unsafe { build(size, seed, stage.as_ptr(), &raw mut made, sink) };
            if self.answered("build_stage", status, &message)? {
                instance.made = made;
                return Ok(instance);
            }
        }
        if let Some(build) = self.0.table.build {
            let mut message = Text::message();
            let mut made = ptr::null_mut();
            // SAFETY: the place of the pointer and the sink outlive the call, as the table asks.
            let status = unsafe { build(size, seed, &raw mut made, sink::of(&mut message)) };
            if self.answered("build", status, &message)? {
                instance.made = made;
            }
        }
        Ok(instance)
    }

    /// Whether the plugin did what was asked. A function that it does not offer is not a fault.
    fn answered(
        &self,
        function: &'static str,
        status: Status,
        message: &Text,
    ) -> Result<bool, PluginFault> {
        match status {
            Status::OK => Ok(true),
            Status::UNSUPPORTED => Ok(false),
            Status::FAILED => Err(self.failed(function, message.sentence())),
            Status(other) => {
                Err(self.failed(function, format!("it answered {other}, which means nothing")))
            }
        }
    }

    fn failed(&self, function: &'static str, message: String) -> PluginFault {
        PluginFault::Failed { path: self.0.path.clone(), function, message }
    }

    fn lacks(&self, function: &'static str) -> PluginFault {
        PluginFault::Lacks { path: self.0.path.clone(), function }
    }

    fn json(
        &self,
        function: &'static str,
        value: &impl serde::Serialize,
    ) -> Result<CString, PluginFault> {
        let text = serde_json::to_string(value)
            .map_err(|error| self.failed(function, error.to_string()))?;
        CString::new(text).map_err(|error| self.failed(function, error.to_string()))
    }
}

impl PluginInstance {
    /// The exact elements of an output at `indices`, for a workload's `answer`. `output` is the
    /// position among all arguments.
    ///
    /// # Errors
    /// If the plugin fails or has no reference.
    pub fn reference(
        &self,
        output: u32,
        indices: &[u64],
        answer: &str,
    ) -> Result<Vec<f64>, PluginFault> {
        if !answer.is_empty() {
            return self.reference_for(output, indices, answer);
        }
        let plugin = &self.plugin;
        let reference = plugin.0.table.reference.ok_or_else(|| plugin.lacks("reference"))?;
        let mut elements = vec![f64::NAN; indices.len()];
        let mut message = Text::message();
        // SAFETY: indices and elements have `indices.len()` places and outlive the call; `made`
        // came from the same table's `build`.
        let status = unsafe {
            reference(
                self.made,
                output,
                indices.as_ptr(),
                indices.len() as u64,
                elements.as_mut_ptr(),
                sink::of(&mut message),
            )
        };
        match plugin.answered("reference", status, &message)? {
            true => Ok(elements),
            false => Err(plugin.lacks("reference")),
        }
    }

    fn reference_for(
        &self,
        output: u32,
        indices: &[u64],
        answer: &str,
    ) -> Result<Vec<f64>, PluginFault> {
        const NAME: &str = "reference_for";
        let plugin = &self.plugin;
        let reference = plugin.0.table.reference_for.ok_or_else(|| plugin.lacks(NAME))?;
        let answer = CString::new(answer).map_err(|why| plugin.failed(NAME, why.to_string()))?;
        let mut elements = vec![f64::NAN; indices.len()];
        let mut message = Text::message();
        // SAFETY: as in `reference`; the text also outlives the call.
        let status = unsafe {
            reference(
                self.made,
                answer.as_ptr(),
                output,
                indices.as_ptr(),
                indices.len() as u64,
                elements.as_mut_ptr(),
                sink::of(&mut message),
            )
        };
        match plugin.answered(NAME, status, &message)? {
            true => Ok(elements),
            false => Err(plugin.lacks(NAME)),
        }
    }

    /// Fills elements from `first` on of an argument that the plugin generates. `argument` is its
    /// position.
    ///
    /// # Errors
    /// If the plugin fails or fills nothing.
    pub fn fill(&self, argument: u32, first: u64, elements: &mut [f64]) -> Result<(), PluginFault> {
        let plugin = &self.plugin;
        let fill = plugin.0.table.fill.ok_or_else(|| plugin.lacks("fill"))?;
        let mut message = Text::message();
        // SAFETY: as in `reference`.
        let status = unsafe {
            fill(
                self.made,
                argument,
                first,
                elements.len() as u64,
                elements.as_mut_ptr(),
                sink::of(&mut message),
            )
        };
        match plugin.answered("fill", status, &message)? {
            true => Ok(()),
            false => Err(plugin.lacks("fill")),
        }
    }

    /// The primary and the secondary metric of a measurement, if the plugin computes them itself.
    ///
    /// # Errors
    /// If the plugin fails.
    pub fn analyze(
        &self,
        size: u64,
        seconds: f64,
        configuration: &Named,
        metrics: &BTreeMap<String, f64>,
    ) -> Result<Option<(f64, f64)>, PluginFault> {
        let plugin = &self.plugin;
        let Some(analyze) = plugin.0.table.analyze else { return Ok(None) };
        let measurement = plugin.json(
            "analyze",
            &serde_json::json!({
                "size": size,
                "seconds": seconds,
                "configuration": configuration,
                "metrics": metrics,
            }),
        )?;
        let (mut primary, mut secondary) = (f64::NAN, f64::NAN);
        let mut message = Text::message();
        // SAFETY: text, numbers and sink outlive the call; `made` came from `build`.
        let status = unsafe {
            analyze(
                self.made,
                measurement.as_ptr(),
                &raw mut primary,
                &raw mut secondary,
                sink::of(&mut message),
            )
        };
        Ok(plugin.answered("analyze", status, &message)?.then_some((primary, secondary)))
    }
}

impl Drop for PluginInstance {
    fn drop(&mut self) {
        if let (Some(free), false) = (self.plugin.0.table.free, self.made.is_null()) {
            // SAFETY: `made` came from this table's `build` and is given back once.
            unsafe { free(self.made) };
        }
    }
}

/// Reads a table, after checking the version and size at its head.
fn read_table(path: &Path, head: *const u32) -> Result<Table, PluginFault> {
    if head.is_null() || !head.cast::<Table>().is_aligned() {
        return Err(PluginFault::NoSymbol { path: path.to_owned() });
    }
    // SAFETY: every version starts with these two numbers. A library that lies crashes only its
    // worker.
    let (version, bytes) = unsafe { (head.read(), head.add(1).read()) };
    if version != ABI_VERSION {
        return Err(PluginFault::Version { path: path.to_owned(), theirs: version });
    }
    if (bytes as usize) < Table::SHORTEST {
        return Err(PluginFault::Truncated { path: path.to_owned(), theirs: bytes });
    }
    let bytes = size_of::<Table>().min(bytes as usize);
    // Fields that an older table lacks stay null, which means not offered.
    let mut table = MaybeUninit::<Table>::zeroed();
    // SAFETY: the table states that it has these bytes. Zeros and function pointers form a valid
    // table.
    unsafe {
        ptr::copy_nonoverlapping(head.cast::<u8>(), table.as_mut_ptr().cast::<u8>(), bytes);
        Ok(table.assume_init())
    }
}
