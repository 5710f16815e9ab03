//! The sources of a configuration at a size: fixed texts, templates, or texts from the plugin.

use autobench_sdk::document::{Made, Source};
use records::Named;
use space::{Parameter, Value};

use super::{
    fault::DocumentFault,
    formula::{FormulaFault, TextFormula},
    library::Plugin,
};

#[derive(Debug, Clone)]
enum SourceText {
    AsWritten(String),
    Template(TextFormula),
    /// Only a worker has the plugin; elsewhere the text stays empty.
    Plugin(Option<Plugin>),
}

/// A source of a document.
#[derive(Debug, Clone)]
pub(super) struct SourceFormula {
    name: String,
    text: SourceText,
}

impl SourceFormula {
    pub(super) fn compile(
        place: &str,
        source: &Source,
        names: &[&str],
    ) -> Result<Self, DocumentFault> {
        let text = match source.made {
            Made::AsWritten => SourceText::AsWritten(source.text.clone()),
            Made::Template => {
                let place = format!("{place}.text");
                SourceText::Template(TextFormula::compile(place, &source.text, names)?)
            }
            Made::Plugin => SourceText::Plugin(None),
        };
        Ok(Self { name: source.name.clone(), text })
    }

    /// Lets the plugin make the source, if the document says so.
    pub(super) fn made_by(&mut self, plugin: &Plugin) {
        if let SourceText::Plugin(maker) = &mut self.text {
            *maker = Some(plugin.clone());
        }
    }

    /// Name and text for a size and a configuration; `slots` holds the configuration's values.
    pub(super) fn source(
        &self,
        (size, configuration): (u64, &Named),
        slots: &[Value],
        parameters: &[Parameter],
    ) -> Result<(String, String), FormulaFault> {
        let text = match &self.text {
            SourceText::AsWritten(text) => text.clone(),
            SourceText::Template(template) => template.text(slots, parameters)?,
            SourceText::Plugin(None) => String::new(),
            SourceText::Plugin(Some(plugin)) => {
                plugin.source(&self.name, size, configuration).map_err(|fault| {
                    FormulaFault::Source { name: self.name.clone(), why: fault.to_string() }
                })?
            }
        };
        Ok((self.name.clone(), text))
    }
}

#[cfg(test)]
mod tests {
    use autobench_sdk::prelude::*;

    use crate::{
        Benchmark,
        sample::{configuration, document},
    };

    #[test]
    fn templates_are_made_for_each_size_and_configuration() {
        let text =
            "__global__ void sample() { {{ precision }} tile[{{ 2 * items }}][{{ size }}]; }";
        let document = Document { sources: Vec::new(), ..document() }
            .template("sample.cu", text)
            .source("plain.h", "int a[1][1] = {{1}};");
        let benchmark = Benchmark::new(document).expect("a benchmark");
        let job = |size| benchmark.workload(size, &configuration(64, 8, "f16")).unwrap().job;
        assert_eq!(job(1000).sources[0].1, "__global__ void sample() { ab::f16 tile[16][1000]; }");
        assert_eq!(job(1000).sources[1].1, "int a[1][1] = {{1}};");
        assert_ne!(job(1000), job(2000));
    }

    #[test]
    fn faults_of_templates_say_where() {
        let refused = |text: &str| {
            let document = Document { sources: Vec::new(), ..document() }.template("k.cu", text);
            Benchmark::new(document).expect_err("a fault").to_string()
        };
        assert!(refused("\n  {{ itms }}").starts_with("sources[0].text: line 2, column 3: "));
        let mut document = document();
        let source = Source { made: Made::Template, ..Source::new("r.cu", "{{ + }}") };
        document.reference = Reference::Kernel(source, Launch::new("r", ["size"]));
        let fault = Benchmark::new(document).expect_err("a fault").to_string();
        assert!(fault.starts_with("reference.kernel[0].text: line 1, column 1: "), "{fault}");
    }

    #[test]
    fn a_size_macro_makes_a_job_of_each_size() {
        let benchmark = Benchmark::new(document().size_macro("N")).expect("a benchmark");
        let job = |size| benchmark.workload(size, &configuration(64, 8, "f16")).unwrap().job;
        assert!(job(1000).macros.contains(&("N".to_owned(), "1000".to_owned())));
        assert_ne!(job(1000), job(2000));
        for name in ["items", "size", "3", "for", ""] {
            let fault = Benchmark::new(document().size_macro(name)).expect_err("a fault");
            assert!(fault.to_string().starts_with("size_macro: "), "{name}: {fault}");
        }
    }
}
