//! Reads a file, plain or gzipped, up to a limit: a small gzipped file may unpack to more than all
//! memory.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Content of a file, unpacked if gzipped; `None` if it is more than `largest` bytes.
pub(crate) fn content(path: &Path, largest: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = read_up_to(File::open(path)?, largest)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        bytes = read_up_to(flate2::read::MultiGzDecoder::new(&*bytes), largest)?;
    }
    Ok((bytes.len() as u64 <= largest).then_some(bytes))
}

/// Reads at most one byte more than the limit.
fn read_up_to(from: impl Read, largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(largest + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_whole_up_to_the_limit_also_those_without_a_length() {
        for length in [0, 10, (1 << 20) + 5] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let file = tempfile::NamedTempFile::new().expect("a file");
            std::fs::write(file.path(), &bytes).expect("written");
            let read = |largest| content(file.path(), largest).expect("read");
            assert_eq!(read(length), Some(bytes));
            assert!(length == 0 || read(length - 1).is_none());
        }
        let told = content(Path::new("/proc/self/status"), 1 << 20).expect("read");
        assert!(told.expect("allowed").starts_with(b"Name:"));
    }
}
