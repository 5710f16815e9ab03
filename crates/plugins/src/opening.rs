//! Opens a benchmark of any kind, and connects it with its plugin and its device.

use std::path::{Path, PathBuf};

use autobench_sdk::document::{Document, Fill, Made, Reference};

use super::{Benchmark, DocumentFault, Locator, Plugin, PluginFault, declarative};

/// Loads a benchmark: its checked document, and its plugin if it has one. This runs the plugin's
/// code, so only a worker may call it.
///
/// # Errors
/// One sentence for each way that a file can fail to be a benchmark.
pub fn open(locator: &Locator) -> Result<(Benchmark, Option<Plugin>), PluginFault> {
    let (benchmark, plugin) = match locator {
        Locator::Declarative(path) => (declarative::read(path)?, None),
        Locator::Library(path) => described(Plugin::load(path, None)?)?,
        Locator::OneOf(path, name) => described(Plugin::load(path, Some(name))?)?,
        Locator::BuiltIn(name) => described(Plugin::built_in(name)?)?,
        Locator::Guest(path) => return Err(PluginFault::Guest(path.clone())),
    };
    let folder = locator.path().and_then(Path::parent).unwrap_or(Path::new("."));
    Ok((benchmark.with_files_in(folder), plugin))
}

fn described(plugin: Plugin) -> Result<(Benchmark, Option<Plugin>), PluginFault> {
    let benchmark = Benchmark::new(plugin.describe()?)
        .map_err(|fault| PluginFault::Document { path: plugin.path().to_owned(), fault })?;
    if benchmark.document().reference == Reference::Guest {
        let fault = DocumentFault::new("reference", "a plugin is no guest");
        return Err(PluginFault::Document { path: plugin.path().to_owned(), fault });
    }
    if benchmark.has_made_sources() && !plugin.makes_sources() {
        return Err(PluginFault::Lacks { path: plugin.path().to_owned(), function: "source" });
    }
    Ok((benchmark.made_by(&plugin), Some(plugin)))
}

impl Benchmark {
    /// The benchmark on a kind of device (such as `cpu`), whose compiler gets the document's
    /// options for it. Without this call, only the options for all devices apply.
    #[must_use]
    pub fn for_device(mut self, kind: &str) -> Self {
        self.device = Some(kind.to_owned());
        self
    }

    /// The benchmark with the plugin that makes its sources.
    #[must_use]
    pub(super) fn made_by(mut self, plugin: &Plugin) -> Self {
        self.sources.iter_mut().for_each(|source| source.made_by(plugin));
        self
    }

    /// The benchmark with the device and source makers of `other`, which has the same sources.
    #[must_use]
    pub(super) fn made_as(mut self, other: &Self) -> Self {
        let count = self.document.sources.len();
        self.sources[..count].clone_from_slice(&other.sources[..count]);
        self.device.clone_from(&other.device);
        self
    }

    /// Whether the benchmark's plugin makes any of its sources.
    #[must_use]
    pub fn has_made_sources(&self) -> bool {
        self.document.sources.iter().any(|source| source.made == Made::Plugin)
    }

    #[must_use]
    fn with_files_in(mut self, folder: &Path) -> Self {
        let absolute = |name: &mut String| {
            let path: PathBuf = folder.join(&*name);
            *name = std::path::absolute(&path).unwrap_or(path).to_string_lossy().into_owned();
        };
        let Document { arguments, reference, stages, .. } = &mut self.document;
        let fills = arguments.iter_mut().map(|argument| &mut argument.fill);
        for fill in fills.chain(stages.iter_mut().flat_map(|stage| stage.fills.values_mut())) {
            if let Fill::File(name) = fill {
                absolute(name);
            }
        }
        let references = stages.iter_mut().filter_map(|stage| stage.reference.as_mut());
        for reference in references.chain([reference]) {
            if let Reference::Files(files) = reference {
                files.values_mut().for_each(absolute);
            }
        }
        self
    }
}
