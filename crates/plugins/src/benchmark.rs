//! A described benchmark with compiled expressions. Pure, and the same in the program and in its
//! worker.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use autobench_sdk::document::{Better, Document, Reference};
use device::workload::{Argument, CompileJob, Launch, Workload};
use records::{Named, macro_text};
use serde_json::json;
use space::{Parameter, Value, accuracy::Element};

use super::{
    answer,
    arguments::ArgumentFormulas,
    checks,
    errors::{self, NamedError},
    fault::DocumentFault,
    flags::is_about_text,
    formula::{Formula, FormulaFault, Names, element_of, holds_formats, parameters},
    launches::LaunchFormulas,
    metrics::{self, MetricFormulas},
    options::OptionFormulas,
    reference_formulas::{self, ReferenceFormulas},
    reserved,
    sources::SourceFormula,
    stage_checks,
};

/// Upper limit of the launches of one run.
const MOST_LAUNCHES: usize = 100_000;

/// A benchmark that gives its space, workloads and metrics.
#[derive(Debug, Clone)]
pub struct Benchmark {
    pub(super) document: Document,
    pub(super) parameters: Vec<Parameter>,
    pub(super) names: Names,
    /// Sources of the document, then the source of its reference kernel if it has one.
    pub(super) sources: Vec<SourceFormula>,
    options: OptionFormulas,
    /// The kind of device whose compiler options are used.
    pub(super) device: Option<String>,
    pub(super) arguments: Vec<ArgumentFormulas>,
    launches: Vec<LaunchFormulas>,
    /// Number of times that a run performs all launches.
    iterations: Option<Formula>,
    metrics: MetricFormulas,
    errors: Vec<NamedError>,
    pub(super) reference: ReferenceFormulas,
    /// Sources that stand in a YAML file, with its path and the line of their first line.
    pub(super) embedded: Vec<(String, PathBuf, u64)>,
}

impl Benchmark {
    /// Checks a document, chooses a secondary metric if the document names none, and compiles its
    /// expressions.
    ///
    /// # Errors
    /// A fault with its place in the document.
    pub fn new(mut document: Document) -> Result<Self, DocumentFault> {
        metrics::choose_secondary(&mut document);
        checks::plain(&document)?;
        stage_checks::check(&document)?;
        let parameters = parameters(&document)?;
        let names = Names::new(&parameters);
        checks::parameters(&parameters, &names)?;
        reserved::size_macro(&document)?;
        answer::check(&document)?;
        let texts = names.texts();
        // Restrictions become part of the space, which knows only the parameters and `size`.
        let plain: Vec<&str> = texts[..=parameters.len()].to_vec();
        for (at, text) in document.restrictions.iter().enumerate() {
            Formula::compile(format!("restrictions[{at}]"), text, &plain)?;
        }
        let mut sources = Vec::new();
        for (at, source) in document.sources.iter().enumerate() {
            sources.push(SourceFormula::compile(&format!("sources[{at}]"), source, &texts)?);
        }
        if let Reference::Kernel(source, _) = &document.reference {
            sources.push(SourceFormula::compile("reference.kernel[0]", source, &texts)?);
        }
        let options = OptionFormulas::compile(&document, &parameters, &texts)?;
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
                let place = format!("launches[{at}]");
                LaunchFormulas::compile(&place, launch, &document, &parameters, &texts)
            })
            .collect::<Result<_, _>>()?;
        let iterations = document.iterations.as_ref();
        let iterations =
            iterations.map(|text| Formula::compile("iterations", text, &texts)).transpose()?;
        let metrics = MetricFormulas::compile(&document, &texts)?;
        let errors = errors::compile(&document)?;
        let reference = reference_formulas::compile(&document, &parameters, &texts)?;
        let benchmark = Self {
            document,
            parameters,
            names,
            sources,
            options,
            device: None,
            arguments,
            launches,
            iterations,
            metrics,
            errors,
            reference,
            embedded: Vec::new(),
        };
        for (at, stage) in benchmark.document.stages.iter().enumerate() {
            let inner = Self::new(stage.document(&benchmark.document));
            inner.map_err(|fault| {
                DocumentFault::new(format!("stages[{at}].{}", fault.path), fault.message)
            })?;
        }
        Ok(benchmark)
    }

    /// The document that the benchmark was made from.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Where the line that a compiler's error names stands in the benchmark's YAML file, as
    /// `FILE:LINE`; `None` if it does not stand there.
    #[must_use]
    pub fn place_in_document(&self, error: &str) -> Option<String> {
        self.embedded.iter().find_map(|(source, path, first)| {
            let rest = error.strip_prefix(source.as_str())?.strip_prefix([':', '('])?;
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let line: u64 = rest[..digits].parse().ok()?;
            let line = first.checked_add(line)?.checked_sub(1)?;
            Some(format!("{}:{line}", path.file_name()?.to_string_lossy()))
        })
    }

    /// The benchmark's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.document.name
    }

    /// The tunable parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        self.parameters.clone()
    }

    /// The expressions that hold for every valid configuration; they may name `size`.
    #[must_use]
    pub fn restrictions(&self) -> &[String] {
        &self.document.restrictions
    }

    /// The configuration of default values, which may be invalid at a size.
    #[must_use]
    pub fn defaults(&self) -> Named {
        let value = |p: &Parameter| p.values[p.default_index()].clone();
        Named(self.parameters.iter().map(|p| (p.name.clone(), value(p))).collect())
    }

    /// The better direction of a metric; `None` if there is no such metric.
    #[must_use]
    pub fn direction(&self, metric: &str) -> Option<Better> {
        metrics::direction(&self.document, metric)
    }

    /// All metrics that a measurement may have, with their better directions: the document's, those
    /// that are always known, and those of observers.
    #[must_use]
    pub fn directions(&self) -> Vec<(String, Better)> {
        metrics::directions(&self.document).map(|(name, b)| (name.to_owned(), b)).collect()
    }

    /// The metrics and quantities of which a metric is made: itself, or those in its formula.
    #[must_use]
    pub fn sources<'a>(&'a self, metric: &'a str) -> BTreeSet<&'a str> {
        self.metrics.sources(metric)
    }

    /// Names of the outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        errors::outputs(&self.document)
    }

    /// Names of all errors that a study can ask for, apart from `error` itself.
    #[must_use]
    pub fn error_names(&self) -> Vec<String> {
        errors::names(&self.document)
    }

    /// The errors to compute: those of the document, and those with the `asked` names.
    ///
    /// # Errors
    /// The first name that is not an error.
    pub fn errors(&self, asked: &[String]) -> Result<Vec<NamedError>, String> {
        let mut taken = self.errors.clone();
        for name in asked {
            if !taken.iter().any(|error| error.name() == name) {
                let error = errors::named(&self.document, &self.errors, name);
                taken.push(error.ok_or_else(|| format!("no error is named `{name}`"))?);
            }
        }
        Ok(taken)
    }

    /// The device's input for a configuration at a size.
    ///
    /// # Errors
    /// An expression has no value, or an invalid one.
    pub fn workload(&self, size: u64, configuration: &Named) -> Result<Workload, FormulaFault> {
        if self.document.reference == Reference::Guest {
            return Ok(guest_workload(size, configuration));
        }
        let launches = self.launches(size, configuration)?;
        let sources = &self.sources[..self.document.sources.len()];
        let slots = self.slots(size, configuration)?;
        let job = CompileJob {
            sources: self.texts(sources, size, configuration)?,
            macros: self.macros(size, configuration)?,
            options: self.options.options(self.device.as_deref(), &slots, &self.parameters)?,
            entries: self.document.launches.iter().map(|l| l.entry.clone()).collect(),
            blocks: launches.iter().map(|launch| launch.block).collect(),
        };
        let arguments = self.arguments(size, configuration)?;
        let launches = self.repeated(launches, size, configuration)?;
        let answer = answer::of_configuration(&self.document, configuration);
        Ok(Workload { size, job, arguments, launches, answer })
    }

    /// All launches of a run.
    fn repeated(
        &self,
        launches: Vec<Launch>,
        size: u64,
        configuration: &Named,
    ) -> Result<Vec<Launch>, FormulaFault> {
        let Some(formula) = &self.iterations else { return Ok(launches) };
        let times = formula.count(&self.slots(size, configuration)?)?;
        let most = MOST_LAUNCHES / launches.len().max(1);
        match usize::try_from(times).ok().filter(|times| (1..=most).contains(times)) {
            Some(times) => Ok(std::iter::repeat_n(launches, times).flatten().collect()),
            None => Err(FormulaFault::Iterations { times, most }),
        }
    }

    /// The workload of the document's reference kernel, with the same arguments; `None` if there is
    /// no reference kernel.
    ///
    /// # Errors
    /// As [`Self::workload`].
    pub fn reference_workload(
        &self,
        size: u64,
        configuration: &Named,
    ) -> Result<Option<Workload>, FormulaFault> {
        let (Reference::Kernel(_, described), ReferenceFormulas::Kernel(formulas), Some(source)) =
            (&self.document.reference, &self.reference, self.sources.last())
        else {
            return Ok(None);
        };
        let launch = formulas.launch(0, &self.slots(size, configuration)?)?;
        let mut workload = self.workload(size, configuration)?;
        let mut sources = self.texts(std::slice::from_ref(source), size, configuration)?;
        sources.append(&mut workload.job.sources);
        workload.job.sources = sources;
        // The reference result does not depend on how well kernels are optimised.
        workload.job.options.retain(|option| is_about_text(option));
        workload.job.entries = vec![described.entry.clone()];
        workload.job.blocks = vec![launch.block];
        workload.launches = vec![launch];
        Ok(Some(workload))
    }

    /// The default configuration with every format as precise as its parameter allows. It is the
    /// reference of a benchmark that has no other reference.
    #[must_use]
    pub fn most_precise(&self) -> Named {
        let mut configuration = self.defaults();
        for (parameter, (_, value)) in self.parameters.iter().zip(&mut configuration.0) {
            let rank = |value: &&Value| {
                let element = element_of(&parameter.name, value).ok();
                Element::ALL.iter().position(|known| Some(*known) == element).unwrap_or(usize::MAX)
            };
            if holds_formats(parameter)
                && let Some(best) = parameter.values.iter().min_by_key(rank)
            {
                *value = best.clone();
            }
        }
        configuration
    }

    /// The arguments for a size and a configuration, in the document's order.
    ///
    /// # Errors
    /// As [`Self::workload`].
    pub fn arguments(
        &self,
        size: u64,
        configuration: &Named,
    ) -> Result<Vec<Argument>, FormulaFault> {
        let slots = self.slots(size, configuration)?;
        let both = self.document.arguments.iter().zip(&self.arguments);
        both.map(|(described, f)| f.argument(described, &self.parameters, &slots)).collect()
    }

    /// The launches of one iteration, in the document's order.
    ///
    /// # Errors
    /// As [`Self::workload`].
    pub fn launches(&self, size: u64, configuration: &Named) -> Result<Vec<Launch>, FormulaFault> {
        let slots = self.slots(size, configuration)?;
        let all = self.launches.iter().enumerate();
        all.map(|(entry, formulas)| formulas.launch(entry, &slots)).collect()
    }

    /// Names and texts of sources.
    fn texts(
        &self,
        sources: &[SourceFormula],
        size: u64,
        configuration: &Named,
    ) -> Result<Vec<(String, String)>, FormulaFault> {
        let slots = self.slots(size, configuration)?;
        let made =
            |source: &SourceFormula| source.source((size, configuration), &slots, &self.parameters);
        sources.iter().map(made).collect()
    }

    /// Macros of a configuration: all parameters by name (formats as types, truth values as 1 and
    /// 0, other texts unchanged), `autobench` as 1, and the size if the document names a macro for
    /// it.
    fn macros(
        &self,
        size: u64,
        configuration: &Named,
    ) -> Result<Vec<(String, String)>, FormulaFault> {
        let mut macros = vec![("autobench".to_owned(), "1".to_owned())];
        macros.extend(self.document.size_macro.iter().map(|name| (name.clone(), size.to_string())));
        for parameter in &self.parameters {
            let name = &parameter.name;
            let value = configuration
                .get(name)
                .ok_or_else(|| FormulaFault::MissingParameter(name.clone()))?;
            if holds_formats(parameter) {
                element_of(name, value)?;
            }
            macros.push((name.clone(), macro_text(value, &parameter.values)));
        }
        Ok(macros)
    }

    /// Arithmetic operations of one run, if the document states them.
    ///
    /// # Errors
    /// The expression has no value.
    pub fn flops(&self, size: u64, configuration: &Named) -> Result<Option<f64>, FormulaFault> {
        self.metrics.flops(&self.slots(size, configuration)?)
    }

    /// Bytes that one run must move, if the document states them.
    ///
    /// # Errors
    /// The expression has no value.
    pub fn bytes(&self, size: u64, configuration: &Named) -> Result<Option<f64>, FormulaFault> {
        self.metrics.bytes(&self.slots(size, configuration)?)
    }

    /// The document's metrics for a run of `seconds`. `extra` holds the observers' values. Metrics
    /// without a finite value are left out.
    #[must_use]
    pub fn metrics(
        &self,
        seconds: f64,
        size: u64,
        configuration: &Named,
        extra: &BTreeMap<String, f64>,
    ) -> BTreeMap<String, f64> {
        let slots = self.slots(size, configuration);
        slots.map_or_else(|_| BTreeMap::new(), |slots| self.metrics.values(slots, seconds, extra))
    }

    fn slots(&self, size: u64, configuration: &Named) -> Result<Vec<Value>, FormulaFault> {
        self.names.slots(size, configuration)
    }
}

/// The workload of a guest, which is asked for a configuration at a size and keeps all else.
fn guest_workload(size: u64, configuration: &Named) -> Workload {
    let asked = json!({"size": size, "configuration": configuration}).to_string();
    let sources = vec![("configuration.json".to_owned(), asked)];
    let (macros, options, entries, blocks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let job = CompileJob { sources, macros, options, entries, blocks };
    let (arguments, launches, answer) = (Vec::new(), Vec::new(), String::new());
    Workload { size, job, arguments, launches, answer }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{configuration, document};

    #[test]
    fn formats_become_types_and_numbers_stay() {
        let benchmark = Benchmark::new(document()).unwrap();
        let job = benchmark.workload(1000, &configuration(64, 8, "f16")).unwrap().job;
        let pairs: Vec<String> = job.macros.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(pairs, ["autobench=1", "block_size_x=64", "items=8", "precision=ab::f16"]);
        assert_eq!((job.entries, job.blocks), (vec!["sample".to_owned()], vec![[64, 1, 1]]));
    }

    #[test]
    fn a_configuration_of_another_space_is_a_fault() {
        let benchmark = Benchmark::new(document()).unwrap();
        let fault = benchmark.macros(1000, &Named(vec![])).unwrap_err();
        assert_eq!(fault, FormulaFault::MissingParameter("block_size_x".to_owned()));
    }
}
