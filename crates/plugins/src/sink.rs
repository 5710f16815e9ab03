//! Bounded buffers for texts from a plugin, behind the C table's `Sink`.
#![expect(unsafe_code, reason = "the callback is called from foreign code")]

use std::{ffi::c_void, slice};

use autobench_sdk::abi::Sink;

/// Longest document or source in bytes; usual ones have kilobytes.
const LONGEST_DOCUMENT: usize = 64 << 20;
/// Bytes of a message that are kept.
const LONGEST_MESSAGE: usize = 4 << 10;

#[derive(Debug)]
pub(super) struct Text {
    bytes: Vec<u8>,
    limit: usize,
    cut: bool,
}

impl Text {
    pub(super) fn document() -> Self {
        Self { bytes: Vec::new(), limit: LONGEST_DOCUMENT, cut: false }
    }

    pub(super) fn message() -> Self {
        Self { bytes: Vec::new(), limit: LONGEST_MESSAGE, cut: false }
    }

    /// The written bytes; `None` if there were too many.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        (!self.cut).then_some(&self.bytes)
    }

    pub(super) fn sentence(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() { "it did not say why".to_owned() } else { words.join(" ") }
    }

    fn append(&mut self, bytes: &[u8]) {
        let room = self.limit - self.bytes.len();
        self.cut |= bytes.len() > room;
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// The sink that fills a text. It is valid while the text is borrowed.
pub(super) fn of(text: &mut Text) -> Sink {
    Sink { context: (&raw mut *text).cast(), write: Some(write) }
}

unsafe extern "C" fn write(context: *mut c_void, bytes: *const u8, count: usize) {
    if context.is_null() || bytes.is_null() || count == 0 {
        return;
    }
    // SAFETY: the context is the text given to `of`; the caller guarantees `count` bytes.
    let (text, bytes) =
        unsafe { (&mut *context.cast::<Text>(), slice::from_raw_parts(bytes, count)) };
    text.append(bytes);
}
