//! Values of arguments where a launch can read them.

/// Bytes at an aligned address.
pub(super) fn aligned(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    };
    let mut words: Vec<u64> = bytes.chunks(8).map(word).collect();
    // An empty vector has no address to read even nothing from.
    words.push(0);
    words
}
