//! Encodes f64 values as the little-endian bytes of an element format.

use half::{bf16, f16};

use super::{E4m3, E5m2, Element, Tf32, to_odd};

impl Element {
    /// Appends `values`: floats rounded to nearest even, integers truncated and saturated.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturating conversion is what is documented"
    )]
    pub fn encode(self, values: &[f64], bytes: &mut Vec<u8>) {
        match self {
            Self::F64 => append(values, bytes, f64::to_le_bytes),
            Self::F32 => append(values, bytes, |v| (v as f32).to_le_bytes()),
            Self::F16 => append(values, bytes, |v| f16::from_f32(to_odd(v)).to_le_bytes()),
            Self::Bf16 => append(values, bytes, |v| bf16::from_f32(to_odd(v)).to_le_bytes()),
            Self::Tf32 => append(values, bytes, |v| Tf32::from_f64(v).to_bits().to_le_bytes()),
            Self::E4m3 => append(values, bytes, |v| [E4m3::from_f64(v).to_bits()]),
            Self::E5m2 => append(values, bytes, |v| [E5m2::from_f64(v).to_bits()]),
            Self::I64 => append(values, bytes, |v| (v as i64).to_le_bytes()),
            Self::U64 => append(values, bytes, |v| (v as u64).to_le_bytes()),
            Self::I32 => append(values, bytes, |v| (v as i32).to_le_bytes()),
            Self::U32 => append(values, bytes, |v| (v as u32).to_le_bytes()),
            Self::I8 => append(values, bytes, |v| (v as i8).to_le_bytes()),
            Self::U8 => append(values, bytes, |v| (v as u8).to_le_bytes()),
        }
    }
}

fn append<const N: usize>(values: &[f64], bytes: &mut Vec<u8>, one: impl Fn(f64) -> [u8; N]) {
    bytes.reserve(values.len() * N);
    for value in values {
        bytes.extend_from_slice(&one(*value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_bytes_of_their_format() {
        for element in Element::ALL {
            let mut bytes = Vec::new();
            element.encode(&[1.0, 2.0, 3.0], &mut bytes);
            assert_eq!(bytes.len() as u64, 3 * element.bytes(), "{element}");
        }
        let mut bytes = Vec::new();
        Element::F16.encode(&[1.0], &mut bytes);
        Element::Bf16.encode(&[1.0], &mut bytes);
        Element::I8.encode(&[-300.0, -1.9], &mut bytes);
        Element::F32.encode(&[0.1], &mut bytes);
        assert_eq!(bytes[..6], [0x00, 0x3c, 0x80, 0x3f, 0x80, 0xff]);
        assert_eq!(bytes[6..], 0.1f32.to_le_bytes());
        // Just above the midpoint of two halves, by less than an f32 can represent.
        bytes.clear();
        Element::F16.encode(&[1.0 + 2_f64.powi(-11) + 2_f64.powi(-40)], &mut bytes);
        assert_eq!(bytes, [0x01, 0x3c]);
    }
}
