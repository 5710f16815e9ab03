//! The bytes of a file that somebody gave, plain or gzipped, up to a limit: a small file may unpack
//! to more than there is memory.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// What is in a file, unpacked where it is gzipped; `None` when that is more than `largest` bytes.
pub(super) fn content(path: &Path, largest: u64) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(largest)).unwrap_or(0));
    file.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        let packed = flate2::read::MultiGzDecoder::new(bytes.as_slice());
        packed.take(largest + 1).read_to_end(&mut plain)?;
        bytes = plain;
    }
    Ok((bytes.len() as u64 <= largest).then_some(bytes))
}
