//! Devices as `--device` names them.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use serde::{Deserialize, Serialize};

/// What a study measures on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum DeviceSpec {
    /// Devices of a backend: `cpu`, `cuda:1`, `cuda:0,1` or `cuda:all`.
    Backend {
        /// Name of the backend.
        name: String,
        /// Which of its devices.
        ordinals: Ordinals,
    },
    /// A recorded space in place of a device: `replay:FILE`.
    Recorded(PathBuf),
}

/// Which devices of a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ordinals {
    /// The first, because none was named.
    First,
    /// The devices with these numbers; at least one.
    These(Vec<usize>),
    /// All devices of the backend.
    All,
}

/// Why a text is not a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceChoiceError {
    /// The text after the colon is not a device number.
    #[error("`{0}` is no device number; write `{1}:0`, `{1}:0,1` or `{1}:all`")]
    Number(String, String),
    /// A device named twice.
    #[error("`{0}` is named twice")]
    Twice(String),
    /// No file to replay.
    #[error("a replay needs a recorded space; name it: `replay:FILE`")]
    NoSpace,
}

/// Prefix of `replay:FILE`.
const REPLAY: &str = "replay";

impl DeviceSpec {
    /// The file, if this is a recorded space.
    #[must_use]
    pub fn recorded(&self) -> Option<&Path> {
        match self {
            Self::Recorded(file) => Some(file),
            Self::Backend { .. } => None,
        }
    }
}

impl Default for DeviceSpec {
    fn default() -> Self {
        Self::Backend { name: "cpu".to_owned(), ordinals: Ordinals::First }
    }
}

impl FromStr for DeviceSpec {
    type Err = DeviceChoiceError;

    fn from_str(text: &str) -> Result<Self, DeviceChoiceError> {
        let Some((name, rest)) = text.split_once(':') else {
            return match text {
                REPLAY => Err(DeviceChoiceError::NoSpace),
                // The first versions wrote an empty text for the default device.
                "" => Ok(Self::default()),
                name => Ok(Self::Backend { name: name.to_owned(), ordinals: Ordinals::First }),
            };
        };
        let ordinals = match (name, rest) {
            (REPLAY, "") => return Err(DeviceChoiceError::NoSpace),
            (REPLAY, file) => return Ok(Self::Recorded(file.into())),
            (_, "all") => Ordinals::All,
            _ => Ordinals::These(numbers(name, rest)?),
        };
        Ok(Self::Backend { name: name.to_owned(), ordinals })
    }
}

fn numbers(name: &str, list: &str) -> Result<Vec<usize>, DeviceChoiceError> {
    let mut found: Vec<usize> = Vec::new();
    for text in list.split(',') {
        let number = text.trim().parse();
        let number =
            number.map_err(|_| DeviceChoiceError::Number(text.to_owned(), name.to_owned()))?;
        if found.contains(&number) {
            return Err(DeviceChoiceError::Twice(format!("{name}:{number}")));
        }
        found.push(number);
    }
    Ok(found)
}

impl fmt::Display for DeviceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded(file) => write!(f, "{REPLAY}:{}", file.display()),
            Self::Backend { name, ordinals: Ordinals::First } => f.write_str(name),
            Self::Backend { name, ordinals: Ordinals::All } => write!(f, "{name}:all"),
            Self::Backend { name, ordinals: Ordinals::These(numbers) } => {
                let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
                write!(f, "{name}:{}", numbers.join(","))
            }
        }
    }
}

impl TryFrom<String> for DeviceSpec {
    type Error = DeviceChoiceError;

    fn try_from(text: String) -> Result<Self, DeviceChoiceError> {
        text.parse()
    }
}

impl From<DeviceSpec> for String {
    fn from(device: DeviceSpec) -> Self {
        device.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_by_a_number_several_all_or_a_file() {
        for text in ["cpu", "cuda:2", "cuda:2,0", "hip:all", "replay:out/a:b.json"] {
            let read: DeviceSpec = text.parse().unwrap_or_else(|fault| panic!("{text}: {fault}"));
            assert_eq!(read.to_string(), text);
        }
        for wrong in ["cuda:0,0", "cuda:x", "cuda:", "cuda:1,", "replay", "replay:"] {
            assert!(wrong.parse::<DeviceSpec>().is_err(), "{wrong}");
        }
    }
}
