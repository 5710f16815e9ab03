//! Knobs: settings that registered entries declare and read; unknown ones are refused.

use super::offered;

/// A setting of a strategy, of a detector, or of the confirmation of knees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knob {
    /// Name, as in `name=value`.
    pub name: &'static str,
    /// One sentence for help.
    pub about: &'static str,
    /// Default, written as a user would.
    pub default: &'static str,
    /// Allowed values.
    pub allowed: Allowed,
}

/// The values a setting may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// A whole number between two bounds, inclusive.
    Integer(u64, u64),
    /// A number between two bounds, inclusive.
    Number(f64, f64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `none`, or points whose coordinates are at least 0 and not all 0: `1/0+0.5/0.5`.
    Points,
}

/// Why a knob is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KnobError {
    /// The text has no `=`.
    #[error("a knob is written NAME=VALUE, not `{0}`")]
    Form(String),
    /// No knob has this name.
    #[error("no knob named `{name}` ({known})")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The known names.
        known: String,
    },
    /// The entry has no such preset.
    #[error("no preset named `{name}` ({known})")]
    Preset {
        /// The name asked for.
        name: String,
        /// The known names.
        known: String,
    },
    /// The value is not allowed.
    #[error("the knob `{name}` must be {allowed}, not `{value}`")]
    Value {
        /// The knob.
        name: String,
        /// The value given.
        value: String,
        /// What is allowed, in words.
        allowed: String,
    },
}

/// The settings of one entry: the values that were given, and defaults for the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knobs(Vec<Chosen>);

#[derive(Clone, Debug, PartialEq)]
struct Chosen {
    name: &'static str,
    setting: Setting,
    given: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Setting {
    Integer(u64),
    Number(f64),
    Choice(&'static str),
    Points(Vec<Vec<f64>>),
}

/// Parses `name=value`.
///
/// # Errors
/// For a text without `=`.
pub fn parse_knob(text: &str) -> Result<(String, String), KnobError> {
    let (name, value) = text.split_once('=').ok_or_else(|| KnobError::Form(text.to_owned()))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

impl Knobs {
    /// Reads `name=value` texts as settings of an entry with these `knobs`.
    ///
    /// # Errors
    /// For a text without `=`, an unknown name, or a value that is not allowed.
    pub fn parse(knobs: &[Knob], given: &[impl AsRef<str>]) -> Result<Self, KnobError> {
        let pairs: Vec<(String, String)> =
            given.iter().map(|text| parse_knob(text.as_ref())).collect::<Result<_, _>>()?;
        Self::of(knobs, pairs.iter().map(|(name, value)| (name, value)))
    }

    /// Reads names and values as settings of an entry with these `knobs`.
    ///
    /// # Errors
    /// For an unknown name, or a value that is not allowed.
    pub fn of<'a>(
        knobs: &[Knob],
        given: impl IntoIterator<Item = (&'a String, &'a String)>,
    ) -> Result<Self, KnobError> {
        let mut settings = Vec::with_capacity(knobs.len());
        for knob in knobs {
            let setting = knob.read(knob.default)?;
            settings.push(Chosen { name: knob.name, setting, given: false });
        }
        for (name, value) in given {
            let at = knobs.iter().position(|k| k.name == name).ok_or_else(|| {
                KnobError::Unknown { name: name.to_owned(), known: known(name, knobs) }
            })?;
            settings[at].setting = knobs[at].read(value)?;
            settings[at].given = true;
        }
        Ok(Self(settings))
    }

    fn chosen(&self, name: &str) -> &Chosen {
        let found = self.0.iter().find(|chosen| chosen.name == name);
        found.expect("a setting is declared before it is read, and every one has a default")
    }

    fn get(&self, name: &str) -> &Setting {
        &self.chosen(name).setting
    }

    /// Whether the user gave the setting a value, even if that is the default.
    ///
    /// # Panics
    /// If no knob of this name was declared.
    #[must_use]
    pub fn given(&self, name: &str) -> bool {
        self.chosen(name).given
    }

    /// Value of a declared whole number.
    ///
    /// # Panics
    /// If no knob of this name was declared.
    #[must_use]
    pub fn integer(&self, name: &str) -> u64 {
        match self.get(name) {
            Setting::Integer(i) => *i,
            Setting::Number(x) => *x as u64,
            Setting::Choice(_) | Setting::Points(_) => 0,
        }
    }

    /// Value of a declared number.
    ///
    /// # Panics
    /// If no knob of this name was declared.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Setting::Number(x) => *x,
            Setting::Integer(i) => *i as f64,
            Setting::Choice(_) | Setting::Points(_) => 0.0,
        }
    }

    /// Value of a declared choice.
    ///
    /// # Panics
    /// If no knob of this name was declared.
    #[must_use]
    pub fn choice(&self, name: &str) -> &'static str {
        match self.get(name) {
            Setting::Choice(choice) => choice,
            _ => "",
        }
    }

    /// Value of declared points.
    ///
    /// # Panics
    /// If no knob of this name was declared.
    #[must_use]
    pub fn points(&self, name: &str) -> &[Vec<f64>] {
        match self.get(name) {
            Setting::Points(points) => points,
            _ => &[],
        }
    }
}

impl Knob {
    fn read(&self, value: &str) -> Result<Setting, KnobError> {
        let setting = match self.allowed {
            Allowed::Integer(low, high) => {
                value.parse().ok().filter(|i| (low..=high).contains(i)).map(Setting::Integer)
            }
            Allowed::Number(low, high) => {
                value.parse().ok().filter(|x| (low..=high).contains(x)).map(Setting::Number)
            }
            Allowed::Choice(choices) => {
                choices.iter().find(|c| **c == value).map(|c| Setting::Choice(c))
            }
            Allowed::Points if value == "none" => Some(Setting::Points(Vec::new())),
            Allowed::Points => points(value).map(Setting::Points),
        };
        setting.ok_or_else(|| KnobError::Value {
            name: self.name.to_owned(),
            value: value.to_owned(),
            allowed: self.allowed.shown(),
        })
    }
}

impl Allowed {
    /// What is allowed, in words.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Integer(low, high) => format!("a whole number from {low} to {high}"),
            Self::Number(low, high) => format!("a number from {low} to {high}"),
            Self::Choice(choices) => format!("one of {}", choices.join(", ")),
            Self::Points => "`none`, or points of equally many numbers from 0 up, not all 0, such \
                             as `1/0+0.5/0.5`"
                .to_owned(),
        }
    }
}

fn points(text: &str) -> Option<Vec<Vec<f64>>> {
    let number = |text: &str| text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
    let point = |text: &str| text.split('/').map(number).collect::<Option<Vec<f64>>>();
    let points = text.split('+').map(point).collect::<Option<Vec<_>>>()?;
    let sound = |point: &Vec<f64>| point.len() == points[0].len() && point.iter().any(|x| *x > 0.0);
    points.iter().all(sound).then_some(points)
}

fn known(name: &str, knobs: &[Knob]) -> String {
    if knobs.is_empty() {
        return "there are none".to_owned();
    }
    format!("known: {}", offered(name, knobs.iter().map(|knob| knob.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOBS: &[Knob] = &[
        Knob { name: "size", about: "How many", default: "8", allowed: Allowed::Integer(1, 64) },
        Knob {
            name: "share",
            about: "How much",
            default: "0.5",
            allowed: Allowed::Number(0.0, 1.0),
        },
        Knob { name: "kind", about: "Which", default: "a", allowed: Allowed::Choice(&["a", "b"]) },
        Knob { name: "at", about: "Where", default: "none", allowed: Allowed::Points },
    ];

    #[test]
    fn settings_are_read_and_the_others_have_their_default() {
        let knobs = Knobs::parse(KNOBS, &["size=12", " kind = b", "at=1/0+0.5/2"]).expect("valid");
        assert_eq!(knobs.points("at"), [[1.0, 0.0], [0.5, 2.0]]);
        assert_eq!(knobs.integer("size"), 12);
        assert!((knobs.number("share") - 0.5).abs() < 1e-12);
        assert_eq!(knobs.choice("kind"), "b");
        assert!(knobs.given("size") && !knobs.given("share"));
    }

    #[test]
    fn what_is_not_allowed_is_refused_with_what_is() {
        let refused = |text: &str| Knobs::parse(KNOBS, &[text]).expect_err(text).to_string();
        assert_eq!(
            refused("sise=1"),
            "no knob named `sise` (known: size, share, kind, at; did you mean `size`?)"
        );
        assert!(refused("size=65").contains("a whole number from 1 to 64"));
        assert!(refused("share=nan").contains("a number from 0 to 1"));
        assert!(refused("kind=c").contains("one of a, b"));
        for points in ["1/0+1", "0/0", "1/-1", "1/x", ""] {
            assert!(refused(&format!("at={points}")).contains("such as `1/0+0.5/0.5`"), "{points}");
        }
        assert!(refused("size").contains("NAME=VALUE"));
    }
}
