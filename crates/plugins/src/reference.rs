//! Computes reference results: by a plugin's function, expressions over the inputs, or files. A
//! second kernel and the benchmark itself need a device, so the worker runs them.

use std::{
    collections::BTreeMap,
    fs::File,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use autobench_sdk::document::Reference as Source;
use device::workload::Argument;
use space::Value;

use super::{
    Benchmark, FormulaFault, PluginFault, PluginInstance, answer::with_answer,
    input_expression::InputExpression, reference_formulas::ReferenceFormulas,
};

/// Why there is no reference result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReferenceFault {
    /// The plugin failed.
    #[error("{0}")]
    Plugin(#[from] PluginFault),
    /// The shapes have no value.
    #[error("{0}")]
    Formula(#[from] FormulaFault),
    /// An expression has no value at an index.
    #[error("the reference of `{output}` has no value at index {index}: {why}")]
    NoValue {
        /// The output.
        output: String,
        /// The index.
        index: u64,
        /// Why it has no value.
        why: String,
    },
    /// A file that is unreadable or too short.
    #[error("the reference file `{path}` has no element {index}: {why}", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The element.
        index: u64,
        /// The system's message.
        why: String,
    },
    /// Only a run on the device can give the result.
    #[error("output `{0}` has no reference outside the device")]
    OnDevice(String),
}

/// The reference results of one size and seed.
#[derive(Debug)]
pub struct Reference<'a> {
    arguments: Vec<Argument>,
    seed: u64,
    size: u64,
    /// The values of a workload's `answer`, in its form.
    answer: String,
    kind: ReferenceKind<'a>,
}

#[derive(Debug)]
enum ReferenceKind<'a> {
    Plugin(&'a PluginInstance),
    /// Expressions by output, with the values of the parameters that they may name.
    Expressions(&'a BTreeMap<String, InputExpression>, Vec<Value>),
    Files(&'a BTreeMap<String, String>),
    OnDevice,
}

impl<'a> Reference<'a> {
    /// The reference of a benchmark at a size and a seed, for a workload's `answer`. `instance` is
    /// the instance that its plugin built.
    ///
    /// # Errors
    /// If shapes have no value for the default configuration.
    pub fn new(
        benchmark: &'a Benchmark,
        instance: Option<&'a PluginInstance>,
        size: u64,
        seed: u64,
        answer: &str,
    ) -> Result<Self, ReferenceFault> {
        let configuration = with_answer(benchmark.defaults(), answer);
        let arguments = benchmark.arguments(size, &configuration)?;
        let kind = match (&benchmark.document.reference, &benchmark.reference, instance) {
            (Source::Plugin, _, Some(instance)) => ReferenceKind::Plugin(instance),
            (_, ReferenceFormulas::Expressions(all), _) => {
                let named = benchmark.document.answer_depends_on.iter();
                let values = named.filter_map(|name| configuration.get(name).cloned());
                ReferenceKind::Expressions(all, values.collect())
            }
            (Source::Files(files), ..) => ReferenceKind::Files(files),
            _ => ReferenceKind::OnDevice,
        };
        Ok(Self { arguments, seed, size, answer: answer.to_owned(), kind })
    }

    /// Whether a run on the device gives the results: a run of [`Benchmark::reference_workload`] if
    /// there is one, else of [`Benchmark::most_precise`].
    #[must_use]
    pub fn is_on_device(&self) -> bool {
        matches!(self.kind, ReferenceKind::OnDevice)
    }

    /// The exact elements of an output at `indices`.
    ///
    /// # Errors
    /// If the plugin fails, an expression has no value, or a file is too short.
    pub fn elements(&self, output: &str, indices: &[u64]) -> Result<Vec<f64>, ReferenceFault> {
        match &self.kind {
            ReferenceKind::Plugin(instance) => {
                let position = self.arguments.iter().position(|a| a.name == output);
                let position = position.and_then(|at| u32::try_from(at).ok());
                let position =
                    position.ok_or_else(|| ReferenceFault::OnDevice(output.to_owned()))?;
                Ok(instance.reference(position, indices, &self.answer)?)
            }
            ReferenceKind::Expressions(all, values) => {
                let expression =
                    all.get(output).ok_or_else(|| ReferenceFault::OnDevice(output.to_owned()))?;
                let value = |&index: &u64| {
                    let known = (index, self.size, values.as_slice());
                    expression.value(known, self.seed, &self.arguments).map_err(|why| {
                        ReferenceFault::NoValue { output: output.to_owned(), index, why }
                    })
                };
                indices.iter().map(value).collect()
            }
            ReferenceKind::Files(files) => {
                let path =
                    files.get(output).ok_or_else(|| ReferenceFault::OnDevice(output.to_owned()))?;
                read_elements(path.as_ref(), indices)
            }
            ReferenceKind::OnDevice => Err(ReferenceFault::OnDevice(output.to_owned())),
        }
    }
}

fn read_elements(path: &Path, indices: &[u64]) -> Result<Vec<f64>, ReferenceFault> {
    let fault = |index: u64, error: &std::io::Error| ReferenceFault::File {
        path: path.to_owned(),
        index,
        why: error.to_string(),
    };
    let file = File::open(path).map_err(|error| fault(0, &error))?;
    indices
        .iter()
        .map(|&index| {
            let mut bytes = [0; 8];
            let offset = index.saturating_mul(8);
            file.read_exact_at(&mut bytes, offset).map_err(|error| fault(index, &error))?;
            Ok(f64::from_le_bytes(bytes))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use autobench_sdk::document::Fill;

    use super::*;
    use crate::sample::document;

    fn benchmark(expression: &str) -> Benchmark {
        let mut document = document();
        document.arguments[1].fill = Fill::Ramp { start: 10.0, step: 1.0 };
        document.reference = Source::expressions([("c", expression), ("state", "0")]);
        Benchmark::new(document).unwrap()
    }

    #[test]
    fn expressions_see_the_index_the_size_and_inputs_at_any_index() {
        let benchmark = benchmark("2 * a[i // 2] + size + a[a[0] - 10]");
        let reference = Reference::new(&benchmark, None, 100, 7, "").unwrap();
        assert!(!reference.is_on_device());
        // a[k] = 10 + k.
        let found = reference.elements("c", &[0, 9, 199]).unwrap();
        assert_eq!(found, [20.0 + 100.0 + 10.0, 28.0 + 110.0, 2.0 * 109.0 + 110.0]);
    }

    #[test]
    fn expressions_see_the_parameters_on_which_the_answer_depends() {
        let mut document = document().answer_depends_on(["items"]);
        document.reference =
            Source::expressions([("c", "items * i + a[items] * 0"), ("state", "items")]);
        let benchmark = Benchmark::new(document.clone()).unwrap();
        let workload = |items| {
            benchmark.workload(1000, &crate::sample::configuration(64, items, "f32")).unwrap()
        };
        assert_eq!(workload(8).answer, "{\"items\":8}");
        for items in [2, 8] {
            let answer = workload(items).answer;
            let reference = Reference::new(&benchmark, None, 1000, 7, &answer).unwrap();
            let expected = [0.0, items as f64, 2.0 * items as f64];
            assert_eq!(reference.elements("c", &[0, 1, 2]).unwrap(), expected);
        }
        document.answer_depends_on = vec!["itms".to_owned()];
        let fault = Benchmark::new(document.clone()).unwrap_err().to_string();
        assert_eq!(fault, "answer_depends_on[0]: there is no parameter named `itms`");
        document.answer_depends_on.clear();
        let fault = Benchmark::new(document).unwrap_err().to_string();
        assert!(fault.starts_with("reference.expressions.c: "), "{fault}");
    }

    #[test]
    fn elements_outside_an_input_only_matter_where_they_count() {
        let benchmark = benchmark("a[i - 1] if i > 0 else 0");
        let reference = Reference::new(&benchmark, None, 100, 7, "").unwrap();
        assert_eq!(reference.elements("c", &[0, 1]).unwrap(), [0.0, 10.0]);
        let fault = reference.elements("c", &[150]).unwrap_err().to_string();
        assert!(fault.starts_with("the reference of `c` has no value at index 150"), "{fault}");
    }

    #[test]
    fn messages_point_into_the_text_as_it_was_written() {
        let mut document = document();
        document.reference = Source::expressions([("c", "a[i] + * 2"), ("state", "0")]);
        let fault = Benchmark::new(document).unwrap_err().to_string();
        assert!(fault.contains("`a[i] + * 2`, character 8"), "{fault}");
    }

    #[test]
    fn the_most_precise_configuration_has_the_widest_formats() {
        let benchmark = Benchmark::new(document()).unwrap();
        assert_eq!(benchmark.most_precise().to_string(), "block_size_x=128,items=1,precision=f64");
        let reference = Reference::new(&benchmark, None, 100, 7, "").unwrap();
        assert!(reference.is_on_device());
        assert!(reference.elements("c", &[0]).is_err());
    }

    #[test]
    fn files_are_read_at_the_index_and_not_beyond() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.f64");
        let bytes: Vec<u8> = [1.5_f64, 2.5].iter().flat_map(|x| x.to_le_bytes()).collect();
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read_elements(&path, &[1, 0]).unwrap(), [2.5, 1.5]);
        assert!(matches!(read_elements(&path, &[2]), Err(ReferenceFault::File { index: 2, .. })));
    }
}
