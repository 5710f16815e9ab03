//! Presets: the settings of a paper under one name.

use super::{Knob, KnobError, Knobs, offered};

/// The knob that names a preset; no entry has a knob of its own with this name.
pub const PRESET: &str = "preset";

/// Settings that a paper used. Knobs that the user gives win over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Name, as in `preset=name`.
    pub name: &'static str,
    /// The paper, and the place in it.
    pub reference: &'static str,
    /// Names and values of the knobs that it sets.
    pub knobs: &'static [(&'static str, &'static str)],
}

impl Preset {
    /// The knobs of the preset as users would write them, joined by `:`.
    #[must_use]
    pub fn written(&self) -> String {
        let knob = |(name, value): &(&str, &str)| format!("{name}={value}");
        self.knobs.iter().map(knob).collect::<Vec<_>>().join(":")
    }
}

/// Replaces the knob `preset` in `given` by the values of that preset. The other knobs in `given`
/// come after these values, so they win.
///
/// # Errors
/// If there is no such preset.
pub fn expanded<'a>(
    presets: &[Preset],
    given: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Result<Vec<(String, String)>, KnobError> {
    let (named, others): (Vec<_>, Vec<_>) =
        given.into_iter().partition(|(name, _)| *name == PRESET);
    let mut all = Vec::new();
    if let Some((_, name)) = named.last() {
        let found = presets.iter().find(|preset| preset.name == *name);
        let preset = found.ok_or_else(|| unknown(name, presets))?;
        all.extend(preset.knobs.iter().map(|(name, value)| ((*name).into(), (*value).into())));
    }
    all.extend(others.into_iter().map(|(name, value)| (name.clone(), value.clone())));
    Ok(all)
}

fn unknown(name: &str, presets: &[Preset]) -> KnobError {
    let known = match presets {
        [] => "there are none".to_owned(),
        _ => format!("known: {}", offered(name, presets.iter().map(|preset| preset.name))),
    };
    KnobError::Preset { name: name.to_owned(), known }
}

impl Knobs {
    /// Settings of an entry with these `knobs` and `presets`: the values of the given preset, and
    /// the other given knobs, which win.
    ///
    /// # Errors
    /// For an unknown name or preset, or a value that is not allowed.
    pub fn with_presets<'a>(
        knobs: &[Knob],
        presets: &[Preset],
        given: impl IntoIterator<Item = (&'a String, &'a String)>,
    ) -> Result<Self, KnobError> {
        let all = expanded(presets, given)?;
        let pairs = all.iter().map(|(name, value)| (name, value));
        Self::of(knobs, pairs).map_err(|error| match error {
            KnobError::Unknown { name, .. } if !presets.is_empty() => {
                let names = knobs.iter().map(|knob| knob.name).chain([PRESET]);
                let known = format!("known: {}", offered(&name, names));
                KnobError::Unknown { name, known }
            }
            error => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Allowed, Written};

    const KNOBS: &[Knob] = &[
        Knob { name: "size", about: "How many", default: "8", allowed: Allowed::Integer(1, 64) },
        Knob { name: "kind", about: "Which", default: "a", allowed: Allowed::Choice(&["a", "b"]) },
    ];
    const PRESETS: &[Preset] =
        &[Preset { name: "paper", reference: "Table 1", knobs: &[("size", "3"), ("kind", "b")] }];

    fn set(text: &str) -> Result<Knobs, KnobError> {
        Knobs::with_presets(KNOBS, PRESETS, Written::parse(text)?.pairs())
    }

    #[test]
    fn what_is_given_wins_over_a_preset_wherever_it_stands() {
        let paper = set("x:preset=paper").expect("known");
        assert_eq!((paper.integer("size"), paper.choice("kind")), (3, "b"));
        assert!(paper.given("size") && paper.given("kind"));
        for text in ["x:preset=paper:size=5", "x:size=5:preset=paper"] {
            let knobs = set(text).expect("known");
            assert_eq!((knobs.integer("size"), knobs.choice("kind")), (5, "b"), "{text}");
        }
        assert_eq!(set("x").expect("known").integer("size"), 8);
        assert_eq!(PRESETS[0].written(), "size=3:kind=b");
    }

    #[test]
    fn who_asks_for_no_preset_or_knob_hears_what_was_meant() {
        let refused = |text: &str| set(text).expect_err(text).to_string();
        assert_eq!(
            refused("x:preset=papr"),
            "no preset named `papr` (known: paper; did you mean `paper`?)"
        );
        assert_eq!(
            refused("x:preste=paper"),
            "no knob named `preste` (known: size, kind, preset; did you mean `preset`?)"
        );
        let given = [(PRESET.to_owned(), "paper".to_owned())];
        let given = given.iter().map(|(name, value)| (name, value));
        let none = Knobs::with_presets(KNOBS, &[], given).expect_err("none").to_string();
        assert_eq!(none, "no preset named `paper` (there are none)");
    }
}
