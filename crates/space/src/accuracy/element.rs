//! Number formats of the elements of a buffer.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The format of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// IEEE double.
    F64,
    /// IEEE single.
    F32,
    /// A float with 10 bits of fraction, in four bytes.
    Tf32,
    /// IEEE half.
    F16,
    /// bfloat16.
    Bf16,
    /// 8-bit float with 3 bits of fraction; saturates.
    E4m3,
    /// 8-bit float with 2 bits of fraction.
    E5m2,
    /// Signed 64 bits.
    I64,
    /// Unsigned 64 bits.
    U64,
    /// Signed 32 bits.
    I32,
    /// Unsigned 32 bits.
    U32,
    /// Signed 8 bits.
    I8,
    /// Unsigned 8 bits.
    U8,
}

impl Element {
    /// All formats: floats first, most precise first.
    pub const ALL: [Self; 13] = [
        Self::F64,
        Self::F32,
        Self::Tf32,
        Self::F16,
        Self::Bf16,
        Self::E4m3,
        Self::E5m2,
        Self::I64,
        Self::U64,
        Self::I32,
        Self::U32,
        Self::I8,
        Self::U8,
    ];

    /// Bytes of one element.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::F64 | Self::I64 | Self::U64 => 8,
            Self::F32 | Self::Tf32 | Self::I32 | Self::U32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::E4m3 | Self::E5m2 | Self::I8 | Self::U8 => 1,
        }
    }

    /// Name in documents, flags and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::Tf32 => "tf32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I8 => "i8",
            Self::U8 => "u8",
        }
    }

    /// Type name in kernel sources; the `ab::` types come from `kernels/include`.
    #[must_use]
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::F64 => "double",
            Self::F32 => "float",
            Self::Tf32 => "ab::tf32",
            Self::F16 => "ab::f16",
            Self::Bf16 => "ab::bf16",
            Self::E4m3 => "ab::e4m3",
            Self::E5m2 => "ab::e5m2",
            Self::I64 => "long long",
            Self::U64 => "unsigned long long",
            Self::I32 => "int",
            Self::U32 => "unsigned int",
            Self::I8 => "signed char",
            Self::U8 => "unsigned char",
        }
    }

    /// Whether the format holds fractions.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::F64 | Self::F32 | Self::Tf32 | Self::F16 | Self::Bf16 | Self::E4m3 | Self::E5m2
        )
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No format has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no format named `{0}` (known: f64, f32, tf32, f16, bf16, e4m3, e5m2, i64, u64, i32, u32, i8, u8)"
)]
pub struct UnknownElement(String);

impl FromStr for Element {
    type Err = UnknownElement;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|element| element.name() == name)
            .ok_or_else(|| UnknownElement(name.to_owned()))
    }
}
