//! PNG files (ISO/IEC 15948).

use std::io::{self, Write as _};

use flate2::{Compression, Crc, write::ZlibEncoder};

/// Returns a PNG file of rows of `width` pixels, three bytes each.
pub(super) fn png(width: usize, pixels: &[u8]) -> io::Result<Vec<u8>> {
    let height = pixels.len() / 3 / width;
    let mut head = [width as u32, height as u32].map(u32::to_be_bytes).concat();
    // Eight bits per channel, RGB, standard compression and filters, not interlaced.
    head.extend([8, 2, 0, 0, 0]);
    let mut body = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in pixels.chunks_exact(3 * width) {
        // Rows are unfiltered: flat colours compress best this way.
        body.write_all(&[0])?;
        body.write_all(row)?;
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, bytes) in [(b"IHDR", head), (b"IDAT", body.finish()?), (b"IEND", Vec::new())] {
        file.extend((bytes.len() as u32).to_be_bytes());
        let checked = [&kind[..], &bytes].concat();
        let mut check = Crc::new();
        check.update(&checked);
        file.extend(checked);
        file.extend(check.sum().to_be_bytes());
    }
    Ok(file)
}
