//! Content of a file, plain or gzipped, up to a limit: a small file may unpack beyond all memory.

use std::{
    fs::File,
    io::{self, Read},
    ops::Deref,
    path::Path,
};

use memmap2::{Advice, MmapMut};

/// Size from which files are read into large pages: getting small ones is half the time.
const LARGE: u64 = 2 << 20;

#[derive(Debug)]
pub(in crate::records) enum FileContent {
    /// Memory, and the number of bytes of content at its beginning.
    Large(MmapMut, usize),
    Small(Vec<u8>),
}

impl Deref for FileContent {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Large(memory, length) => &memory[..*length],
            Self::Small(bytes) => bytes,
        }
    }
}

/// Content of a file, unpacked if it is gzipped; `None` if it has more than `largest` bytes.
pub(in crate::records) fn content(path: &Path, largest: u64) -> io::Result<Option<FileContent>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let content = match usize::try_from(length) {
        Ok(length) if (LARGE..=largest).contains(&(length as u64)) => {
            large(&mut file, length, largest)?
        }
        // Pipes have no length.
        _ => small(&mut file, Vec::new(), largest)?,
    };
    let content = if content.starts_with(&[0x1f, 0x8b]) {
        small(&mut flate2::read::MultiGzDecoder::new(&*content), Vec::new(), largest)?
    } else {
        content
    };
    Ok((content.len() as u64 <= largest).then_some(content))
}

fn large(file: &mut File, length: usize, largest: u64) -> io::Result<FileContent> {
    // One byte more shows whether the file has grown.
    let mut memory = MmapMut::map_anon(length + 1)?;
    // Without large pages, small ones do.
    let _ = memory.advise(Advice::HugePage);
    let mut filled = 0;
    while filled <= length {
        match file.read(&mut memory[filled..]) {
            Ok(0) => return Ok(FileContent::Large(memory, filled)),
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    small(file, memory.to_vec(), largest)
}

/// The rest of a stream, up to one byte more than the limit.
fn small(from: &mut impl Read, mut before: Vec<u8>, largest: u64) -> io::Result<FileContent> {
    let rest = (largest + 1).saturating_sub(before.len() as u64);
    from.take(rest).read_to_end(&mut before)?;
    Ok(FileContent::Small(before))
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use super::*;

    #[test]
    fn large_files_small_ones_and_those_without_a_length_are_read_whole() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        for length in [0, 10, LARGE - 1, LARGE, LARGE + 5] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            file.as_file().set_len(0).expect("emptied");
            file.rewind().expect("rewound");
            file.write_all(&bytes).expect("written");
            let read = |largest| content(file.path(), largest).expect("read");
            assert_eq!(&*read(length).expect("allowed"), bytes.as_slice());
            assert!(length == 0 || read(length - 1).is_none());
        }
        let told = content(Path::new("/proc/self/status"), 1 << 20).expect("read");
        assert!(told.expect("allowed").starts_with(b"Name:"));
    }

    #[test]
    fn what_a_file_gains_while_it_is_read_is_read_too() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&[7; 100]).expect("written");
        for (length, expected) in [(100, 100), (60, 100), (150, 100)] {
            file.rewind().expect("rewound");
            let read = large(&mut file, length, 1 << 20).expect("read");
            assert_eq!(&*read, [7; 100].as_slice(), "{length}");
            assert_eq!(read.len(), expected);
        }
        file.rewind().expect("rewound");
        assert_eq!(large(&mut file, 60, 80).expect("read").len(), 81);
    }
}
