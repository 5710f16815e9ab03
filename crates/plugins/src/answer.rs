//! Parameters that change what is computed, not only how: the reference result depends on their
//! values.

use autobench_sdk::document::{Document, Reference};
use records::Named;

use super::{checks::fault, fault::DocumentFault};

/// Checks the parameters that the reference result depends on.
pub(super) fn check(document: &Document) -> Result<(), DocumentFault> {
    for (at, name) in document.answer_depends_on.iter().enumerate() {
        let place = format!("answer_depends_on[{at}]");
        if !document.parameters.iter().any(|parameter| parameter.name == *name) {
            return fault(place, format!("there is no parameter named `{name}`"));
        }
        if document.answer_depends_on[..at].contains(name) {
            return fault(place, format!("`{name}` stands there twice"));
        }
    }
    if matches!(document.reference, Reference::Files(_)) && !document.answer_depends_on.is_empty() {
        return fault("answer_depends_on", "files hold one answer, whatever the parameters are");
    }
    Ok(())
}

/// The values that the reference result depends on, as workloads store them: a JSON object, or an
/// empty text.
pub(super) fn of_configuration(document: &Document, configuration: &Named) -> String {
    let named = &document.answer_depends_on;
    if named.is_empty() {
        return String::new();
    }
    let value = |name: &String| Some((name.clone(), configuration.get(name)?.clone()));
    let values = Named(named.iter().filter_map(value).collect());
    serde_json::to_string(&values).unwrap_or_default()
}

/// The configuration with the values of a workload's `answer`.
#[must_use]
pub fn with_answer(mut configuration: Named, answer: &str) -> Named {
    let values: Named = serde_json::from_str(answer).unwrap_or_default();
    for (name, value) in values.0 {
        if let Some((_, known)) = configuration.0.iter_mut().find(|(known, _)| *known == name) {
            *known = value;
        }
    }
    configuration
}
