//! A number, or the word `auto` for a number that follows from measurements.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::SettingFault;

/// A fixed number, or one that follows from measurements.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "Written", from = "Written")]
pub enum FixedOrAuto {
    /// This number.
    Fixed(f64),
    /// The number follows from measurements.
    Auto,
}

impl FixedOrAuto {
    /// The number, if it is fixed.
    #[must_use]
    pub fn fixed(self) -> Option<f64> {
        match self {
            Self::Fixed(number) => Some(number),
            Self::Auto => None,
        }
    }
}

impl fmt::Display for FixedOrAuto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(number) => write!(f, "{number}"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for FixedOrAuto {
    type Err = SettingFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let number = text.parse().map(Self::Fixed);
        number.map_err(|_| SettingFault(format!("`{text}` is neither a number nor `auto`")))
    }
}

/// The form in records: a number or a word.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Word(Word),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Auto,
}

impl From<FixedOrAuto> for Written {
    fn from(setting: FixedOrAuto) -> Self {
        setting.fixed().map_or(Self::Word(Word::Auto), Self::Number)
    }
}

impl From<Written> for FixedOrAuto {
    fn from(written: Written) -> Self {
        match written {
            Written::Number(number) => Self::Fixed(number),
            Written::Word(Word::Auto) => Self::Auto,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_auto_are_read_and_written_as_flags_and_in_records() {
        for (text, json, setting) in
            [("1.5", "1.5", FixedOrAuto::Fixed(1.5)), ("auto", "\"auto\"", FixedOrAuto::Auto)]
        {
            assert_eq!(text.parse(), Ok(setting));
            assert_eq!(setting.to_string(), text);
            assert_eq!(serde_json::to_string(&setting).expect("written"), json);
            assert_eq!(serde_json::from_str::<FixedOrAuto>(json).expect("read"), setting);
        }
        assert_eq!(
            serde_json::from_str::<FixedOrAuto>("2").expect("read"),
            FixedOrAuto::Fixed(2.0)
        );
        let fault = "often".parse::<FixedOrAuto>().expect_err("refused").to_string();
        assert!(fault.contains("`often`") && fault.contains("`auto`"), "{fault}");
        assert!(serde_json::from_str::<FixedOrAuto>("\"often\"").is_err());
    }
}
