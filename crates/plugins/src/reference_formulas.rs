//! Expressions of a benchmark's reference.

use std::collections::BTreeMap;

use autobench_sdk::document::{Document, Made, Reference, Role};
use space::Parameter;

use super::{
    checks::{self, fault},
    fault::DocumentFault,
    input_expression::InputExpression,
    launches::LaunchFormulas,
};

#[derive(Debug, Clone)]
pub(super) enum ReferenceFormulas {
    /// No expressions: a plugin, files or the benchmark itself give the results.
    Elsewhere,
    /// Expressions over the inputs, by output.
    Expressions(BTreeMap<String, InputExpression>),
    /// The launch of a second kernel, written plainly.
    Kernel(Box<LaunchFormulas>),
}

/// Checks that the reference fits the benchmark's outputs, and compiles its expressions.
pub(super) fn compile(
    document: &Document,
    parameters: &[Parameter],
    names: &[&str],
) -> Result<ReferenceFormulas, DocumentFault> {
    let outputs: Vec<&str> = document
        .arguments
        .iter()
        .filter(|a| matches!(a.role, Role::Out | Role::Inout))
        .map(|a| a.name.as_str())
        .collect();
    let complete = |kind: &str, given: &mut dyn Iterator<Item = &String>| {
        let mut missing = outputs.clone();
        for name in given {
            if !outputs.contains(&name.as_str()) {
                return fault(
                    format!("reference.{kind}.{name}"),
                    format!("`{name}` is no output (outputs: {})", outputs.join(", ")),
                );
            }
            missing.retain(|output| output != name);
        }
        match missing.first() {
            Some(output) => {
                fault(format!("reference.{kind}"), format!("output `{output}` has no reference"))
            }
            None => Ok(()),
        }
    };
    match &document.reference {
        Reference::Plugin | Reference::Itself | Reference::Guest => {
            Ok(ReferenceFormulas::Elsewhere)
        }
        Reference::Expressions(expressions) => {
            complete("expressions", &mut expressions.keys())?;
            let compile = |(output, text): (&String, &String)| {
                let place = format!("reference.expressions.{output}");
                Ok((output.clone(), InputExpression::compile(&place, text, document)?))
            };
            expressions
                .iter()
                .map(compile)
                .collect::<Result<_, _>>()
                .map(ReferenceFormulas::Expressions)
        }
        Reference::Files(files) => {
            complete("files", &mut files.keys()).map(|()| ReferenceFormulas::Elsewhere)
        }
        Reference::Kernel(source, launch) => {
            if source.made == Made::Plugin {
                let why = "the plugin makes no reference kernels; write one, or a `template`";
                return fault("reference.kernel[0].made", why);
            }
            if source.text.trim().is_empty() {
                return fault("reference.kernel[0].text", "the reference kernel is empty");
            }
            let place = "reference.kernel[1]";
            checks::launch(place, launch, document)?;
            LaunchFormulas::compile(place, launch, document, parameters, names)
                .map(|launch| ReferenceFormulas::Kernel(Box::new(launch)))
        }
    }
}
