//! Parameters that nothing uses: they make the space larger and change nothing.

use std::collections::BTreeSet;

use autobench_sdk::document::{Made, Reference};
use device::compilation::variants::includes;
use serde_json::Value;
use space::BLOCK_SIZES;

use super::Benchmark;

impl Benchmark {
    /// Returns a warning for each parameter that no source, option or expression names.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let values = |name: &str| {
            let parameter = self.parameters.iter().find(|one| one.name == name);
            parameter.map_or(0, |parameter| parameter.values.len())
        };
        let warning = |name: &str| {
            format!(
                "no source, option or expression uses the parameter `{name}`: it makes the space {} \
                 times as large and changes nothing",
                values(name)
            )
        };
        self.unused_parameters().into_iter().map(warning).collect()
    }

    /// Returns the parameters that nothing names. Empty if a source is not known here: the plugin
    /// or a guest makes it, or it is a file of the machine.
    fn unused_parameters(&self) -> Vec<&str> {
        let document = self.document();
        let known = |name: &str| {
            name.starts_with("autobench/") || document.sources.iter().any(|own| own.name == name)
        };
        let all_known = document.sources.iter().all(|source| {
            // A standard header, such as `cmath`, has no slash and no ending.
            let foreign = |name: &str| !known(name) && name.contains(['/', '.']);
            source.made != Made::Plugin && !includes(&source.text).any(foreign)
        });
        if !all_known || document.reference == Reference::Guest {
            return Vec::new();
        }
        let mut words = BTreeSet::new();
        if let Ok(Value::Object(mut rest)) = serde_json::to_value(document) {
            for field in ["name", "about", "parameters"] {
                rest.remove(field);
            }
            gather(&Value::Object(rest), &mut words);
        }
        let names = document.parameters.iter().map(|parameter| parameter.name.as_str());
        let used = |name: &str| words.contains(name) || words.contains(&format!("{name}_bytes"));
        names.filter(|name| !BLOCK_SIZES.contains(name) && !used(name)).collect()
    }
}

/// All words of all texts.
fn gather(value: &Value, words: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let split = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.extend(split.filter(|word| !word.is_empty()).map(str::to_owned));
        }
        Value::Array(values) => values.iter().for_each(|value| gather(value, words)),
        Value::Object(object) => object.values().for_each(|value| gather(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use autobench_sdk::prelude::*;

    use crate::{Benchmark, sample::document};

    fn unused(document: Document) -> Vec<String> {
        let benchmark = Benchmark::new(document).expect("a benchmark");
        benchmark.unused_parameters().into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_parameter_that_nothing_names_is_told() {
        let plain = || document().source("more.h", "// items, precision\n");
        let with = || plain().parameter(Parameter::new("padding", [0, 1, 2]));
        let none = unused(plain());
        assert_eq!(none, Vec::<String>::new());
        assert_eq!(unused(with()), ["padding"]);
        for used in [
            with().source("own.h", "float tile[64 + padding];"),
            with().restriction("padding <= 1"),
            with().source("other.h", "#include \"of_the_machine.h\"\n"),
        ] {
            assert_eq!(unused(used), none);
        }
    }
}
