//! Clocks and power limits as parameters. Restores those that killed studies did not reset.

use std::time::Duration;

use device::control::Note;
use records::Named;
use space::{Parameter, Value};
use worker::CONTROLS;

use super::{PrepareFault, start};

const RESTORE_TIMEOUT: Duration = Duration::from_secs(60);

/// Parses parameters such as `sm_clock=1200,1980`. The default is the highest value, as on an
/// uncontrolled device.
pub fn parameters(controls: &[String]) -> Result<Vec<Parameter>, PrepareFault> {
    let mut found: Vec<Parameter> = Vec::new();
    for text in controls {
        let wrong = |why: &str| PrepareFault::Control { text: text.clone(), why: why.to_owned() };
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

/// Returns the default values. A study sets these first, to find out whether that is permitted.
pub(super) fn usual(parameters: &[Parameter]) -> Named {
    let value = |parameter: &Parameter| -> (String, Value) {
        (parameter.name.clone(), parameter.values[parameter.default_index()].clone())
    };
    Named(parameters.iter().map(value).collect())
}

/// Restores clocks and power limits that killed studies left set, and notes each.
pub(super) fn restore_abandoned(note: &dyn Fn(&str)) -> Result<(), PrepareFault> {
    if Note::all().iter().any(Note::is_abandoned) {
        restored()?.iter().for_each(|said| note(said));
    }
    Ok(())
}

/// Restores clocks and power limits that killed studies left set. Returns a sentence on each.
pub fn restored() -> Result<Vec<String>, PrepareFault> {
    start(None)?.restore(None, RESTORE_TIMEOUT).map_err(PrepareFault::NotRestored)
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
