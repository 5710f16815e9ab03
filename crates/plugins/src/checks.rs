//! Checks of a document that come before its expressions are compiled.

use std::collections::{BTreeSet, HashSet};

use autobench_sdk::document::{Document, ErrorBound, Launch, Made, Reference, Role};
use space::{Parameter, accuracy::ErrorMetric};

use super::{
    fault::DocumentFault,
    formula::{Names, is_identifier},
    reserved::no_macro,
};

pub(super) fn fault<T>(
    path: impl Into<String>,
    message: impl Into<String>,
) -> Result<T, DocumentFault> {
    Err(DocumentFault::new(path, message))
}

/// Checks everything that needs no expression: names, sizes, bounds.
pub(super) fn plain(document: &Document) -> Result<(), DocumentFault> {
    if !is_name(&document.name) {
        return fault(
            "name",
            format!(
                "`{}` is no name: use lower-case letters, digits, `-` and `_`, a letter first",
                document.name
            ),
        );
    }
    size(document)?;
    error_bound(&document.error, document.reference == Reference::Guest)?;
    unique("sources", document.sources.iter().map(|s| s.name.as_str()))?;
    if document.reference == Reference::Guest {
        return Ok(());
    }
    match document.sources.first() {
        None => return fault("sources", "there is no kernel source"),
        Some(source) if source.made != Made::Plugin && source.text.trim().is_empty() => {
            return fault("sources[0].text", format!("the source `{}` is empty", source.name));
        }
        Some(_) => {}
    }
    unique("arguments", document.arguments.iter().map(|a| a.name.as_str()))?;
    for (at, argument) in document.arguments.iter().enumerate() {
        if !is_identifier(&argument.name) {
            return fault(
                format!("arguments[{at}].name"),
                format!("`{}` is no identifier", argument.name),
            );
        }
    }
    if !document.arguments.iter().any(|a| matches!(a.role, Role::Out | Role::Inout)) {
        return fault("arguments", "no argument is `out` or `inout`, so nothing can be checked");
    }
    if document.launches.is_empty() {
        return fault("launches", "there is no launch");
    }
    for (at, launch) in document.launches.iter().enumerate() {
        self::launch(&format!("launches[{at}]"), launch, document)?;
    }
    Ok(())
}

/// How the name of an error begins that a guest computes itself.
const OWN: &str = "own_";

/// Checks the bound of the error.
fn error_bound(error: &ErrorBound, of_guest: bool) -> Result<(), DocumentFault> {
    if let Err(unknown) = error.metric.parse::<ErrorMetric>()
        && !(of_guest && error.metric.starts_with(OWN) && is_identifier(&error.metric))
    {
        return fault("error.metric", unknown.to_string());
    }
    let positive = |bound: f64| bound > 0.0 && bound.is_finite();
    if !positive(error.bound) {
        return fault("error.bound", "the bound must be a positive number");
    }
    let wrong = error.wrong_line();
    if !positive(wrong) || wrong < error.bound {
        let why = format!("results are wrong above a number from the bound {} on", error.bound);
        return fault("error.wrong_above", why);
    }
    for (name, bound) in &error.levels {
        let place = format!("error.levels.{name}");
        if !is_name(name) {
            return fault(place, "a level's name is lower-case letters, digits, `-` and `_`");
        }
        if !positive(*bound) || *bound > wrong {
            return fault(place, format!("a level is a positive number up to {wrong}"));
        }
    }
    Ok(())
}

pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c))
}

/// Whether a text names a function, such as `add` or `add<float, 4>`.
fn is_function(text: &str) -> bool {
    let Some((name, arguments)) = text.split_once('<') else { return is_identifier(text) };
    let word = |c: char| c.is_ascii_alphanumeric() || "_:<>,* ".contains(c);
    is_identifier(name) && arguments.ends_with('>') && arguments.chars().all(word)
}

pub(super) fn unique<'a>(
    list: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), DocumentFault> {
    let mut seen = BTreeSet::new();
    for (at, name) in names.enumerate() {
        if !seen.insert(name) {
            return fault(format!("{list}[{at}].name"), format!("`{name}` names two of them"));
        }
    }
    Ok(())
}

pub(super) fn launch(
    place: &str,
    launch: &Launch,
    document: &Document,
) -> Result<(), DocumentFault> {
    if !is_function(&launch.entry) {
        return fault(format!("{place}.entry"), format!("`{}` is no function name", launch.entry));
    }
    for (at, name) in launch.arguments.iter().enumerate() {
        if !document.arguments.iter().any(|a| a.name == *name) {
            return fault(
                format!("{place}.arguments[{at}]"),
                format!("there is no argument named `{name}`"),
            );
        }
    }
    for (list, what) in [(launch.problem.len(), "problem"), (launch.block.len(), "block")] {
        if list > 3 {
            return fault(format!("{place}.{what}"), "there are only three axes");
        }
    }
    if launch.problem.is_empty() {
        return fault(format!("{place}.problem"), "the launch covers nothing: give its extents");
    }
    if launch.grid_divisors.len() > 3 {
        return fault(format!("{place}.grid_divisors"), "there are only three axes");
    }
    Ok(())
}

fn size(document: &Document) -> Result<(), DocumentFault> {
    let rule = &document.size;
    if rule.start == 0 {
        return fault("size.start", "the first size must be at least 1");
    }
    if rule.multiple_of == Some(0) {
        return fault("size.multiple_of", "sizes cannot be multiples of 0");
    }
    if rule.powers_of.is_some_and(|base| base < 2) {
        return fault("size.powers_of", "sizes can be powers of 2 or more");
    }
    if rule.multiple_of.is_some() && rule.powers_of.is_some() {
        return fault("size.powers_of", "give either `multiple_of` or `powers_of`");
    }
    if rule.tile.is_some_and(|tile| !tile.is_power_of_two()) {
        return fault("size.tile", "a tile is a power of two");
    }
    if rule.largest.is_some_and(|largest| largest < rule.start) {
        return fault("size.largest", "the largest size is below the first");
    }
    Ok(())
}

/// Checks parameter names, and that each parameter has values without repeats.
pub(super) fn parameters(parameters: &[Parameter], names: &Names) -> Result<(), DocumentFault> {
    unique("parameters", parameters.iter().map(|p| p.name.as_str()))?;
    for (at, parameter) in parameters.iter().enumerate() {
        let place = format!("parameters[{at}]");
        let name = &parameter.name;
        if let Some(why) = no_macro(name) {
            let why = format!("a parameter cannot be called `{name}`: {why}");
            return fault(format!("{place}.name"), why);
        }
        if names.texts().iter().filter(|n| **n == name).count() > 1 {
            return fault(
                format!("{place}.name"),
                format!("`{name}` already means the bytes of a parameter's format"),
            );
        }
        if parameter.values.is_empty() {
            return fault(format!("{place}.values"), format!("`{name}` has no values"));
        }
        // Equal values have equal keys, but different large whole numbers may share a key.
        let mut seen = HashSet::with_capacity(parameter.values.len());
        for (second, value) in parameter.values.iter().enumerate() {
            let number = value.as_f64();
            let key = number.map_or_else(|| value.to_string(), |number| (number + 0.0).to_string());
            if !seen.insert((number.is_some(), key))
                && parameter.index_of(value).is_some_and(|first| first < second)
            {
                return fault(
                    format!("{place}.values"),
                    format!("`{name}` lists the value {value} twice"),
                );
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use autobench_sdk::document::{Reference, Source, Values};

    use super::*;
    use crate::{Benchmark, sample::document};

    fn refused(change: impl FnOnce(&mut Document)) -> String {
        let mut document = document();
        change(&mut document);
        Benchmark::new(document).expect_err("a fault").to_string()
    }

    #[test]
    fn an_entry_may_be_a_template_with_its_arguments() {
        for entry in ["sample", "sample<float, 4>", "sample<ab::vec<float, items>>"] {
            let mut document = document();
            document.launches[0].entry = entry.to_owned();
            assert!(Benchmark::new(document).is_ok(), "{entry}");
        }
    }

    #[test]
    fn every_fault_says_where_it_is() {
        let faults = [
            (refused(|d| d.name = "Vec Add".into()), "name: `Vec Add` is no name"),
            (refused(|d| d.sources.clear()), "sources: there is no kernel source"),
            (refused(|d| d.launches.clear()), "launches: there is no launch"),
            (
                refused(|d| d.launches[0].entry = "sample<4>; f<4>".into()),
                "launches[0].entry: `sample<4>; f<4>` is no function name",
            ),
            (refused(|d| d.size.start = 0), "size.start: "),
            (refused(|d| d.size.multiple_of = Some(0)), "size.multiple_of: "),
            (refused(|d| d.size.largest = Some(1)), "size.largest: "),
            (refused(|d| d.error.metric = "feeling".into()), "error.metric: no error metric"),
            (refused(|d| d.error.bound = f64::NAN), "error.bound: "),
            (refused(|d| d.error.metric = "rms".into()), "error.metric: "),
            (refused(|d| d.error.metric = "own_error".into()), "error.metric: "),
            (refused(|d| d.error.wrong_above = Some(1e-9)), "error.wrong_above: "),
            (refused(|d| d.error.levels = [("high".into(), -1.0)].into()), "error.levels.high: "),
            (refused(|d| d.error.levels = [("1e-3".into(), 1e-3)].into()), "error.levels.1e-3: "),
            (refused(|d| d.arguments.truncate(0)), "arguments: no argument is `out`"),
            (refused(|d| d.parameters[1].name = "size".into()), "parameters[1].name: "),
            (refused(|d| d.parameters[1].name = "precision_bytes".into()), "parameters[1].name: "),
            (
                refused(|d| d.parameters[1].name = "unroll".into()),
                "parameters[1].name: a parameter cannot be called `unroll`: kernels and their",
            ),
            (
                refused(|d| d.parameters[1].name = "while".into()),
                "parameters[1].name: a parameter cannot be called `while`: it is a word of C++",
            ),
            (
                refused(|d| d.parameters[1].values = Values::List(vec![1.into(), 1.into()])),
                "parameters[1].values: `items` lists the value 1 twice",
            ),
            (
                refused(|d| d.parameters[1].values = Values::Expression("[".into())),
                "parameters[1].values: ",
            ),
            (
                refused(|d| d.parameters[0].default = Some(5.into())),
                "parameters[0].default: 5 is not one of the values of `block_size_x`",
            ),
            (refused(|d| d.restrictions.push("itms > 1".into())), "restrictions[1]: "),
            (refused(|d| d.launches[0].problem[1] = "size +".into()), "launches[0].problem[1]: "),
            (
                refused(|d| d.launches[0].arguments = vec!["x".into()]),
                "launches[0].arguments[0]: there is no argument named `x`",
            ),
            (
                refused(|d| d.reference = Reference::expressions([("c", "a[i]")])),
                "reference.expressions: output `state` has no reference",
            ),
            (
                refused(|d| {
                    d.reference = Reference::expressions([("c", "a[i"), ("state", "0")]);
                }),
                "reference.expressions.c: ",
            ),
            (
                refused(|d| {
                    let source = Source::new("r.cu", "void r");
                    let launch = autobench_sdk::prelude::Launch::new("r", ["sise"]);
                    d.reference = Reference::Kernel(source, launch);
                }),
                "reference.kernel[1].problem[0]: ",
            ),
        ];
        for (found, expected) in faults {
            assert!(
                found.starts_with(expected) || found.contains(expected),
                "{found} / {expected}"
            );
        }
    }
}
