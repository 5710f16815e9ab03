//! PNG from SVG with the bundled font, so that it looks alike on machines without fonts.

use std::sync::Arc;

use resvg::{tiny_skia, usvg};

use super::{canvas::FigureError, font};

/// Pixels per unit of the SVG: enough for print at column width.
const DENSITY: f32 = 2.0;

/// Renders an SVG as PNG.
///
/// # Errors
/// If the SVG is not one, or has too many pixels.
pub fn png(svg: &str) -> Result<Vec<u8>, FigureError> {
    let failed = |why: String| FigureError::Raster(why);
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(font::FILE.to_vec());
    let options = usvg::Options {
        font_family: "DejaVu Sans".to_owned(),
        fontdb: Arc::new(fonts),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|e| failed(e.to_string()))?;
    let size = tree.size();
    let width = (size.width() * DENSITY).ceil() as u32;
    let height = (size.height() * DENSITY).ceil() as u32;
    let mut pixels = tiny_skia::Pixmap::new(width, height)
        .ok_or_else(|| failed(format!("{width} by {height} pixels are too many")))?;
    let scale = tiny_skia::Transform::from_scale(DENSITY, DENSITY);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| failed(e.to_string()))
}
