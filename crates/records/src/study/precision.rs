//! Parameters of precision: they choose a number format or a policy of mathematics.

use space::{Value, accuracy::Element};

use crate::are_formats;

/// Policies of mathematics, the most accurate first.
const POLICIES: [&str; 3] = ["accurate", "fast", "approximate"];

/// The most precise value of a parameter that chooses a format or a policy. `None` for other
/// parameters, and for a parameter with a single value.
#[must_use]
pub fn most_precise(values: &[Value]) -> Option<&Value> {
    if values.len() < 2 {
        return None;
    }
    let place = |value: &&Value| -> usize {
        let name = value.as_text().unwrap_or_default();
        match name.parse::<Element>() {
            Ok(element) => Element::ALL.iter().position(|known| *known == element),
            Err(_) => POLICIES.iter().position(|known| *known == name),
        }
        .unwrap_or(usize::MAX)
    };
    (are_formats(values) || are_policies(values)).then(|| values.iter().min_by_key(place))?
}

fn are_policies(values: &[Value]) -> bool {
    values.iter().all(|value| value.as_text().is_some_and(|name| POLICIES.contains(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_and_policies_have_a_most_precise_value() {
        let of = |names: &[&str]| {
            let values: Vec<Value> = names.iter().map(|name| Value::from(*name)).collect();
            most_precise(&values).cloned()
        };
        assert_eq!(of(&["f16", "f64", "f32"]), Some(Value::from("f64")));
        assert_eq!(of(&["bf16", "f32"]), Some(Value::from("f32")));
        assert_eq!(of(&["fast", "accurate"]), Some(Value::from("accurate")));
        assert_eq!(of(&["f32"]), None);
        assert_eq!(of(&["fast", "f32"]), None);
        assert_eq!(most_precise(&[Value::Int(1), Value::Int(2)]), None);
    }
}
