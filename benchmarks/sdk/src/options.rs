//! Compiler options of a benchmark, by kind of device or for all.
//!
//! ```yaml
//! options:
//!   cpu:
//!     - "-fno-tree-vectorize"
//!     - {flag: "-ffast-math", when: fast}
//!   cuda:
//!     - {flag: "--use_fast_math", when: fast}
//!     - "--maxrregcount={{ registers }}"
//! ```

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
    ser::SerializeStruct as _,
};

/// Key of the options for the compilers of all devices.
pub const ALL: &str = "all";

/// Options by kind of device (`cpu`, `cuda`, `hip`), and under `all` the options for every kind. A
/// plain list in a document means `all`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct CompilerOptions(pub BTreeMap<String, Vec<CompilerOption>>);

/// An option: a text, or a text with a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompilerOption {
    /// The text. Each `{{ expression }}` in it is replaced by its value. Every word is an option of
    /// its own; a text without words is no option.
    pub flag: String,
    /// Expression: the option applies where it is true; always if left out.
    pub when: Option<String>,
}

impl CompilerOptions {
    /// Whether there are no options.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.values().all(Vec::is_empty)
    }

    pub(crate) fn add(&mut self, device: String, option: CompilerOption) {
        self.0.entry(device).or_default().push(option);
    }
}

impl<'de> Deserialize<'de> for CompilerOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OptionsVisitor;

        impl<'de> Visitor<'de> for OptionsVisitor {
            type Value = CompilerOptions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of compiler options, or such lists by device (`cpu: […]`)")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut options = CompilerOptions::default();
                while let Some(option) = list.next_element()? {
                    options.add(ALL.to_owned(), option);
                }
                Ok(options)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                BTreeMap::deserialize(MapAccessDeserializer::new(map)).map(CompilerOptions)
            }
        }

        deserializer.deserialize_any(OptionsVisitor)
    }
}

impl Serialize for CompilerOption {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(when) = &self.when else { return serializer.serialize_str(&self.flag) };
        let mut option = serializer.serialize_struct("CompilerOption", 2)?;
        option.serialize_field("flag", &self.flag)?;
        option.serialize_field("when", when)?;
        option.end()
    }
}

impl<'de> Deserialize<'de> for CompilerOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Conditional {
            flag: String,
            #[serde(default)]
            when: Option<String>,
        }

        struct OptionVisitor;

        impl<'de> Visitor<'de> for OptionVisitor {
            type Value = CompilerOption;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a compiler option, as a text or as `{flag: …, when: …}`")
            }

            fn visit_str<E: de::Error>(self, flag: &str) -> Result<Self::Value, E> {
                Ok(CompilerOption { flag: flag.to_owned(), when: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let Conditional { flag, when } =
                    Conditional::deserialize(MapAccessDeserializer::new(map))?;
                Ok(CompilerOption { flag, when })
            }
        }

        deserializer.deserialize_any(OptionVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: serde_json::Value) -> Result<CompilerOptions, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn a_list_is_for_all_devices_and_a_map_for_each() {
        let list = read(serde_json::json!(["-DA", { "flag": "-DB", "when": "b" }])).unwrap();
        assert_eq!(list.0[ALL].len(), 2);
        assert_eq!(list.0[ALL][1].when.as_deref(), Some("b"));
        let each = serde_json::json!({ "all": ["-DA"], "cpu": [{ "flag": "-DB", "when": "b" }] });
        let options = read(each.clone()).unwrap();
        assert_eq!((options.0.len(), options.is_empty()), (2, false));
        assert_eq!(serde_json::to_value(&options).unwrap(), each);
        assert!(read(serde_json::json!({ "cpu": [] })).unwrap().is_empty());
    }

    #[test]
    fn anything_else_is_refused_in_words() {
        for (value, part) in [
            (serde_json::json!("-O2"), "a list of compiler options"),
            (serde_json::json!([3]), "a compiler option"),
            (serde_json::json!([{ "flag": "-O2", "if": "a" }]), "unknown field `if`"),
            (serde_json::json!([{ "when": "a" }]), "missing field `flag`"),
        ] {
            let fault = read(value.clone()).unwrap_err();
            assert!(fault.contains(part), "{value}: {fault}");
        }
    }
}
