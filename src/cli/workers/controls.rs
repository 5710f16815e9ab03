//! Clocks and power limits as parameters, and restoring what earlier studies left set.

use std::time::Duration;

use super::start;
use crate::{
    backends::control::Note,
    cli::terminal::{Failure, output},
    records::Named,
    space::{Parameter, Value},
    worker::CONTROLS,
};

/// Limit of restoring.
const PATIENCE: Duration = Duration::from_secs(60);

/// Parameters from `sm_clock=1200,1980`. The default is the highest value, as devices usually run.
pub(in crate::cli) fn parameters(controls: &[String]) -> Result<Vec<Parameter>, Failure> {
    let mut found: Vec<Parameter> = Vec::new();
    for text in controls {
        let wrong = |why: &str| {
            Failure::settings(format!("--control {text}: {why}"))
                .hint("write `sm_clock=1200,1980` (MHz) or `power_limit=400,700` (W)")
        };
        let (name, values) = text.split_once('=').ok_or_else(|| wrong("it has no values"))?;
        let name = name.trim();
        if !CONTROLS.contains(&name) {
            return Err(wrong(&format!("`{name}` is none of {}", CONTROLS.join(", "))));
        }
        if found.iter().any(|known| known.name == name) {
            return Err(wrong("it was given before"));
        }
        let number = |value: &str| value.trim().parse::<u32>().ok().filter(|value| *value > 0);
        let numbers: Option<Vec<u32>> = values.split(',').map(number).collect();
        let numbers = numbers.ok_or_else(|| wrong("its values are whole numbers above 0"))?;
        let highest = numbers.iter().copied().max().unwrap_or_default();
        let values = numbers.into_iter().map(i64::from);
        found.push(Parameter::new(name, values).with_default(i64::from(highest)));
    }
    Ok(found)
}

/// Default values, which are set first to see whether that is permitted.
pub(in crate::cli) fn usual(parameters: &[Parameter]) -> Named {
    let value = |parameter: &Parameter| -> (String, Value) {
        (parameter.name.clone(), parameter.values[parameter.default_index()].clone())
    };
    Named(parameters.iter().map(value).collect())
}

/// Restores what killed studies have left set, and prints it.
pub(in crate::cli) fn restore_abandoned() -> Result<(), Failure> {
    if Note::all().iter().any(Note::is_abandoned) {
        restored()?.iter().for_each(|said| output::note(said));
    }
    Ok(())
}

/// Restores what killed studies have left set, and returns a sentence on each.
pub(in crate::cli) fn restored() -> Result<Vec<String>, Failure> {
    start(None)?
        .restore(None, PATIENCE)
        .map_err(|fault| Failure::device(fault).hint("`autobench devices --restore` tries again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_parameters_whose_highest_value_is_the_default() {
        let found = parameters(&["sm_clock=1980,1200".to_owned()]).expect("valid");
        assert_eq!(found[0].values, [Value::Int(1980), Value::Int(1200)]);
        assert_eq!(usual(&found), Named(vec![("sm_clock".to_owned(), Value::Int(1980))]));
        for wrong in ["clock=3", "sm_clock", "sm_clock=", "sm_clock=fast", "power_limit=0"] {
            assert!(parameters(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
