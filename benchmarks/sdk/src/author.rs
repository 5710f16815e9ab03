//! The trait that the author of a Rust benchmark implements, and the arguments of its functions.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{
    document::{Argument, Document, Fill},
    inputs,
};

/// Why a function of a plugin failed: any error, or a text converted by `.into()`.
pub type Fault = Box<dyn std::error::Error>;

/// A benchmark. Only [`describe`](Self::describe) is required. Each call of `describe`, `footprint`
/// and `source` uses a fresh value. The value of [`build`](Self::build) is kept for `reference`,
/// `fill` and `analyze_results`.
pub trait BenchmarkConfig: 'static {
    /// The document of the benchmark.
    fn describe(&self) -> Document;

    /// Bytes of device memory for a size. By default the host adds up the shapes.
    fn footprint(&self, _size: u64, _configuration: &Configuration) -> Result<Option<u64>, Fault> {
        Ok(None)
    }

    /// The text of a source that `Document::made_source` names, for a size and a configuration.
    /// Equal texts are compiled once.
    fn source(
        &self,
        name: &str,
        _size: u64,
        _configuration: &Configuration,
    ) -> Result<String, Fault> {
        Err(format!("the benchmark makes no source `{name}`").into())
    }

    /// Prepares this value for one size and seed.
    fn build(&mut self, _problem: &Problem) -> Result<(), Fault> {
        Ok(())
    }

    /// The exact elements of an output at `indices`, from the unrounded inputs. Called if the
    /// document's reference is `Reference::Plugin`.
    fn reference(
        &self,
        _problem: &Problem,
        output: &str,
        _indices: &[u64],
        _out: &mut [f64],
    ) -> Result<(), Fault> {
        Err(format!("the benchmark has no reference for `{output}`").into())
    }

    /// The elements from `first` on of an argument whose fill is `Fill::Plugin`.
    fn fill(
        &self,
        _problem: &Problem,
        argument: &str,
        _first: u64,
        _out: &mut [f64],
    ) -> Result<(), Fault> {
        Err(format!("the benchmark has no fill for `{argument}`").into())
    }

    /// The primary and the secondary metric of a measurement, if expressions do not suffice.
    fn analyze_results(&self, _problem: &Problem, _measured: &Measured) -> Option<(f64, f64)> {
        None
    }
}

/// One problem: a size, a seed, and the inputs that follow from them.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The problem size.
    pub size: u64,
    /// The seed of the inputs.
    pub seed: u64,
    /// The stage, if a single stage is tuned.
    pub stage: Option<String>,
    /// In `reference`: the values of the parameters that the document's `answer_depends_on` names.
    /// Empty elsewhere.
    pub answer: Configuration,
    arguments: Vec<Argument>,
}

impl Problem {
    /// The problem of a document at a size and a seed.
    #[must_use]
    pub fn new(document: Document, size: u64, seed: u64) -> Self {
        let answer = Configuration::default();
        Self { size, seed, stage: None, answer, arguments: document.arguments }
    }

    /// The problem of one stage of a document, with the stage's fills.
    ///
    /// # Errors
    /// If the document has no such stage.
    pub fn of_stage(document: &Document, stage: &str, size: u64, seed: u64) -> Result<Self, Fault> {
        let known = document.stage_named(stage);
        let known = known.ok_or_else(|| format!("there is no stage named `{stage}`"))?;
        let arguments = known.document(document).arguments;
        let answer = Configuration::default();
        Ok(Self { size, seed, stage: Some(stage.to_owned()), answer, arguments })
    }

    /// The problem with values for the parameters that `answer_depends_on` names.
    #[must_use]
    pub fn answering(&self, answer: Configuration) -> Self {
        Self { answer, ..self.clone() }
    }

    /// Element `index` of the input named `argument`, not yet rounded to the argument's format.
    ///
    /// # Panics
    /// If [`Self::generator`] panics; the host then shows the message.
    #[must_use]
    pub fn input(&self, argument: &str, index: u64) -> f64 {
        self.generator(argument).at(index)
    }

    /// The generator of an input. Get it once, then read many elements.
    ///
    /// # Panics
    /// If there is no such argument, or if its elements are not generated (`plugin`, `file`) or
    /// need a count (`permutation`: use [`inputs::Permutation`]).
    #[must_use]
    pub fn generator(&self, argument: &str) -> Generator<'_> {
        let (position, fill) = self
            .arguments
            .iter()
            .position(|a| a.name == argument)
            .map(|at| (at, &self.arguments[at].fill))
            .unwrap_or_else(|| panic!("the document has no argument named `{argument}`"));
        assert!(
            !matches!(fill, Fill::Plugin | Fill::File(_) | Fill::Permutation),
            "the elements of `{argument}` are not a function of their index alone"
        );
        Generator { fill, seed: self.seed, argument: position as u32 }
    }

    pub(crate) fn name(&self, argument: u32) -> Option<&str> {
        self.arguments.get(argument as usize).map(|a| a.name.as_str())
    }
}

/// The elements of one input.
#[derive(Debug, Clone, Copy)]
pub struct Generator<'a> {
    fill: &'a Fill,
    seed: u64,
    argument: u32,
}

impl Generator<'_> {
    /// Element `index`, not yet rounded to the argument's format.
    #[must_use]
    #[inline]
    pub fn at(&self, index: u64) -> f64 {
        inputs::element(self.fill, self.seed, self.argument, index, 0)
    }
}

/// The values of the parameters, by name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Configuration(pub serde_json::Map<String, serde_json::Value>);

impl Configuration {
    /// The value of a whole-number parameter.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.0.get(name)?.as_i64()
    }

    /// The value of a numeric parameter.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64()
    }

    /// The value of a parameter that is true or false.
    #[must_use]
    pub fn truth(&self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    /// The value of a text parameter.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }
}

/// A measurement of one configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Measured {
    /// The problem size.
    pub size: u64,
    /// The median time of a run, in seconds.
    pub seconds: f64,
    /// The configuration.
    pub configuration: Configuration,
    /// Observers' values and the document's metrics, by name.
    #[serde(default)]
    pub metrics: BTreeMap<String, f64>,
}
