//! Numbers of JSON, read as fast as they can be scanned.
//!
//! A decimal whose digits make a whole number up to 2^53, and whose power of ten is at most 1e22,
//! is the quotient or product of two exact floats and so rounded once, correctly (Clinger, "How to
//! Read Floating Point Numbers Accurately", 1990). Most recorded times are such; all others are left
//! to the standard library.

/// Powers of ten that are exact as floats.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The number that `bytes` begin with and how many bytes it takes, where it is of the easy kind
/// (`-12`, `73.68498992919922`) and something follows that ends it.
#[inline]
pub(super) fn easy(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut digits, mut at) = singly(bytes, 0, start);
    let whole = at - start;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        let point = at + 1;
        at = point;
        while let Some(next) = bytes[at..].first_chunk().copied().and_then(eight) {
            (digits, at) = (digits.wrapping_mul(100_000_000).wrapping_add(next), at + 8);
        }
        (digits, at) = singly(bytes, digits, at);
        fraction = at - point;
        if fraction == 0 {
            return None;
        }
    }
    let ends = matches!(bytes.get(at)?, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
    // Nineteen digits cannot overflow.
    if !ends || whole == 0 || whole + fraction > 19 || digits > 1 << 53 {
        return None;
    }
    let number = digits as f64 / EXACT[fraction];
    Some((if negative { -number } else { number }, at))
}

/// Goes on with a whole number by the digits from `at` on; where they end.
#[inline]
fn singly(bytes: &[u8], mut digits: u64, mut at: usize) -> (u64, usize) {
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        at += 1;
    }
    (digits, at)
}

/// The number that eight digits make, all at once: pairs, then fours, then all of them are added
/// up within one word (Lemire, "Number Parsing at a Gigabyte per Second", 2021).
#[inline]
fn eight(bytes: [u8; 8]) -> Option<u64> {
    let word = u64::from_le_bytes(bytes);
    let high = word & 0xf0f0_f0f0_f0f0_f0f0;
    let carried = word.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0;
    if high != 0x3030_3030_3030_3030 || carried != 0x3030_3030_3030_3030 {
        return None;
    }
    let digits = word & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours * 10_000 + (fours >> 32)) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn easy_numbers_are_those_of_the_standard_library(
            text in "-?[0-9]{1,12}(\\.[0-9]{1,16})?(e-?[0-9]{1,2})?", end in "[,\\] \n]",
        ) {
            if let Some((number, length)) = easy(format!("{text}{end}").as_bytes()) {
                prop_assert_eq!(length, text.len());
                let expected: f64 = text.parse().expect("a number");
                prop_assert_eq!(number.to_bits(), expected.to_bits(), "{}", text);
            }
        }

        #[test]
        fn times_are_read_bit_for_bit(time in 0.001_f32..1000.0) {
            let text = format!("{:?}", f64::from(time));
            if let Some((number, _)) = easy(format!("{text},").as_bytes()) {
                prop_assert_eq!(number.to_bits(), f64::from(time).to_bits());
            }
        }
    }

    #[test]
    fn eight_digits_are_read_at_once_and_nothing_else_is() {
        assert_eq!(eight(*b"12345678"), Some(12_345_678));
        assert_eq!(eight(*b"00000000"), Some(0));
        assert_eq!(eight(*b"99999999"), Some(99_999_999));
        for text in [b"1234567.", b"/2345678", b":2345678", b"1234567e", b"-1234567", b"1234 678"] {
            assert_eq!(eight(*text), None);
        }
    }

    #[test]
    fn what_is_not_easy_is_left_alone() {
        for text in ["", "-", "1", "1e5,", "12345678901234567890,", ".5,", "1.,", "1.2.3,", "--1,"]
        {
            assert_eq!(easy(text.as_bytes()), None, "{text}");
        }
        assert_eq!(easy(b"-0,").map(|(n, _)| n.to_bits()), Some((-0.0_f64).to_bits()));
        assert_eq!(easy(b"73.68498992919922, "), Some((73.68498992919922, 17)));
        assert_eq!(easy(b"9007199254740993 "), None);
    }
}
