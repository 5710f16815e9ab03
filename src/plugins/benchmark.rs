//! A described benchmark with all its expressions compiled: pure, the same in the program and in
//! its worker.

use autobench_sdk::document::{Better, Document};

use super::{
    checks,
    formula::{Formula, Names, parameters},
    geometry::LaunchFormulas,
    metrics::{self, MetricFormulas},
    shapes::ArgumentFormulas,
};
use crate::{
    records::Named,
    space::{Parameter, Value},
};

/// What is wrong with a document, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct DocumentFault {
    /// The place, like `restrictions[2]` or `arguments[0].shape[1]`.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}

impl DocumentFault {
    /// A fault at a place.
    pub(super) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

/// A benchmark that can be asked for its space, shapes, geometry, macros and metrics.
#[derive(Debug, Clone)]
pub struct Benchmark {
    pub(super) document: Document,
    pub(super) parameters: Vec<Parameter>,
    pub(super) names: Names,
    pub(super) arguments: Vec<ArgumentFormulas>,
    pub(super) launches: Vec<LaunchFormulas>,
    pub(super) metrics: MetricFormulas,
}

impl Benchmark {
    /// Checks a document, chooses a secondary metric where it names none, and compiles its
    /// expressions.
    ///
    /// # Errors
    /// Says what is wrong and where in the document.
    pub fn new(mut document: Document) -> Result<Self, DocumentFault> {
        metrics::choose_secondary(&mut document);
        checks::plain(&document)?;
        let parameters = parameters(&document)?;
        let names = Names::new(&parameters);
        checks::parameters(&parameters, &names)?;
        let texts = names.texts();
        // Restrictions become part of the space, which knows the parameters and `size` alone.
        let plain: Vec<&str> = texts[..=parameters.len()].to_vec();
        for (at, text) in document.restrictions.iter().enumerate() {
            Formula::compile(format!("restrictions[{at}]"), text, &plain)?;
        }
        let arguments = document
            .arguments
            .iter()
            .enumerate()
            .map(|(at, argument)| ArgumentFormulas::compile(at, argument, &parameters, &texts))
            .collect::<Result<_, _>>()?;
        let launches = document
            .launches
            .iter()
            .enumerate()
            .map(|(at, launch)| {
                LaunchFormulas::compile(&format!("launches[{at}]"), launch, &parameters, &texts)
            })
            .collect::<Result<_, _>>()?;
        let metrics = MetricFormulas::compile(&document, &texts)?;
        checks::reference(&document, &parameters, &texts)?;
        Ok(Self { document, parameters, names, arguments, launches, metrics })
    }

    /// The document it was made from.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.document.name
    }

    /// The tunable parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        self.parameters.clone()
    }

    /// The expressions that every valid configuration makes true; they may name `size`.
    #[must_use]
    pub fn restrictions(&self) -> &[String] {
        &self.document.restrictions
    }

    /// The configuration of default values, whether or not it is valid at a size.
    #[must_use]
    pub fn defaults(&self) -> Named {
        let value = |p: &Parameter| p.values[p.default_index()].clone();
        Named(self.parameters.iter().map(|p| (p.name.clone(), value(p))).collect())
    }

    /// Which direction of a metric is better; nothing for names that are no metric.
    #[must_use]
    pub fn direction(&self, metric: &str) -> Option<Better> {
        metrics::direction(&self.document, metric)
    }

    /// Every metric that a measurement may have, with its better direction: the document's, then
    /// what is always known, then what observers see.
    #[must_use]
    pub fn directions(&self) -> Vec<(String, Better)> {
        metrics::directions(&self.document).map(|(name, b)| (name.to_owned(), b)).collect()
    }

    pub(super) fn slots(
        &self,
        size: u64,
        configuration: &Named,
    ) -> Result<Vec<Value>, super::FormulaFault> {
        self.names.slots(size, configuration)
    }
}
