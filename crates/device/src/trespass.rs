//! Words for a write outside a buffer, which devices find and workers explain.

/// Words for the bytes between a buffer's end and the first byte that was written behind it, that byte
/// included.
#[must_use]
pub fn past_end(bytes: usize) -> String {
    format!("{} past its end", counted(bytes))
}

/// Words for the bytes between the last byte that was written before a buffer and its start.
#[must_use]
pub fn before_start(bytes: usize) -> String {
    format!("{} before its start", counted(bytes))
}

/// Returns the index in elements at which such a write was, for a buffer of `count` elements of `size`
/// bytes.
#[must_use]
pub fn index(words: &str, count: u64, size: u64) -> Option<i128> {
    let bytes = |behind: &str| -> Option<u64> {
        let before = words.find(behind).map(|at| &words[..at])?;
        before.rsplit(' ').nth(1)?.parse().ok()
    };
    let size = size.max(1);
    let past =
        bytes(" past its end").map(|bytes| i128::from(count + bytes.max(1).div_ceil(size) - 1));
    past.or_else(|| bytes(" before its start").map(|bytes| -i128::from(bytes.div_ceil(size))))
}

fn counted(bytes: usize) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_told_by_its_distance_and_its_index() {
        for (bytes, words, at) in [
            (1, "1 byte past its end", 1000),
            (4, "4 bytes past its end", 1000),
            (5, "5 bytes past its end", 1001),
            (4001, "4001 bytes past its end", 2000),
        ] {
            assert_eq!(past_end(bytes), words);
            assert_eq!(index(&format!("argument `c` was written {words}"), 1000, 4), Some(at));
        }
        for (bytes, words, at) in
            [(1, "1 byte before its start", -1), (8, "8 bytes before its start", -2)]
        {
            assert_eq!(before_start(bytes), words);
            assert_eq!(index(words, 1000, 4), Some(at));
        }
        assert_eq!(index("the driver failed", 1000, 4), None);
    }
}
