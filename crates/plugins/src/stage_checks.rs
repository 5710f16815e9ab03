//! Checks of a document's stages that come before its expressions are compiled.

use autobench_sdk::{
    document::{Document, Role},
    stage::{LaunchName, Stage},
};
use registry::did_you_mean;

use super::{
    checks::{fault, is_name, unique},
    fault::DocumentFault,
};

/// Checks that stages only name things that exist. The content of a stage is checked later, like
/// any document.
pub(super) fn check(document: &Document) -> Result<(), DocumentFault> {
    unique("stages", document.stages.iter().map(|stage| stage.name.as_str()))?;
    for (at, stage) in document.stages.iter().enumerate() {
        let place = format!("stages[{at}]");
        if !is_name(&stage.name) {
            let why = "a stage's name is lower-case letters, digits, `-` and `_`, a letter first";
            return fault(format!("{place}.name"), why);
        }
        launches(&place, stage, document)?;
        names(&place, stage, document)?;
        roles(&place, stage, document)?;
    }
    Ok(())
}

fn launches(place: &str, stage: &Stage, document: &Document) -> Result<(), DocumentFault> {
    let place = format!("{place}.launches");
    if stage.launches.is_empty() {
        return fault(place, format!("the stage `{}` has no launch", stage.name));
    }
    for (at, name) in stage.launches.iter().enumerate() {
        let mut all = document.launches.iter().enumerate();
        if all.any(|(position, launch)| name.means(position, launch)) {
            continue;
        }
        let why = match name {
            LaunchName::Entry(entry) => {
                no_such("launch", entry, document.launches.iter().map(|l| l.entry.as_str()))
            }
            LaunchName::Position(position) => {
                format!("there is no launch {position}; positions begin with 0")
            }
        };
        return fault(format!("{place}[{at}]"), why);
    }
    Ok(())
}

fn names(place: &str, stage: &Stage, document: &Document) -> Result<(), DocumentFault> {
    let arguments = || document.arguments.iter().map(|a| a.name.as_str());
    for (at, name) in stage.parameters.iter().enumerate() {
        let mut known = document.parameters.iter().map(|p| p.name.as_str());
        if !known.any(|other| other == name) {
            let known = document.parameters.iter().map(|p| p.name.as_str());
            return fault(format!("{place}.parameters[{at}]"), no_such("parameter", name, known));
        }
    }
    if stage.outputs.is_empty() {
        let why = format!("the stage `{}` has no output, so nothing can be checked", stage.name);
        return fault(format!("{place}.outputs"), why);
    }
    for (list, all) in [("outputs", &stage.outputs), ("scratch", &stage.scratch)] {
        for (at, name) in all.iter().enumerate() {
            let place = format!("{place}.{list}[{at}]");
            if !arguments().any(|other| other == name) {
                return fault(place, no_such("argument", name, arguments()));
            }
            if !stage.takes(document, name) {
                let why = format!("no launch of the stage `{}` takes `{name}`", stage.name);
                return fault(place, why);
            }
            if list == "scratch" && stage.outputs.contains(name) {
                return fault(place, format!("`{name}` is an output of the stage"));
            }
        }
    }
    for name in stage.fills.keys() {
        let place = format!("{place}.fills.{name}");
        if !arguments().any(|other| other == name) {
            return fault(place, no_such("argument", name, arguments()));
        }
        if stage.scratch.contains(name) {
            return fault(place, format!("`{name}` is scratch of the stage, which nothing fills"));
        }
    }
    Ok(())
}

/// Checks that every argument that the stage takes has a content or is written by the stage.
fn roles(place: &str, stage: &Stage, document: &Document) -> Result<(), DocumentFault> {
    for argument in &document.arguments {
        let name = &argument.name;
        let known = stage.outputs.contains(name)
            || stage.scratch.contains(name)
            || stage.fills.contains_key(name);
        if argument.role == Role::Out && !known && stage.takes(document, name) {
            let why = format!(
                "the stage `{}` takes `{name}`, which other launches write: say under `fills` what \
                 it holds, or name it under `outputs` or `scratch`",
                stage.name
            );
            return fault(place, why);
        }
    }
    Ok(())
}

fn no_such<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    format!("there is no {what} named `{name}`{}", did_you_mean(name, known))
}
