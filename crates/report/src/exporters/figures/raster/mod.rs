//! PNG from the SVG of a figure. Only the few elements that plotters writes for a canvas are known.
//! Text has the bundled font, so that figures look alike on machines without fonts.

mod file;
mod glyphs;
mod outline;
mod sheet;

use super::canvas::FigureError;
use outline::{Point, circle, line, rectangle};
use sheet::Sheet;

/// Pixels per unit of the SVG. Enough for print at column width.
const DENSITY: f32 = 2.0;
/// Most pixels of a picture. They take 700 MB while it is drawn.
const MOST_PIXELS: f32 = 1e8;

/// Renders the SVG of a figure as PNG.
///
/// # Errors
/// If the SVG is not a figure, or has too many pixels.
pub fn png(svg: &str) -> Result<Vec<u8>, FigureError> {
    let failed = |why: String| FigureError::Raster(why);
    let mut elements = svg.split('<').skip(1).filter(|part| !part.starts_with('/')).map(Element);
    let head = elements.next().filter(|first| first.name() == "svg");
    let head = head.ok_or_else(|| failed("it does not begin with `<svg`".to_owned()))?;
    let (width, height) = head.number("width").zip(head.number("height")).unwrap_or_default();
    let (columns, rows) = ((width * DENSITY).ceil(), (height * DENSITY).ceil());
    if !(columns > 0.0 && rows > 0.0 && columns * rows <= MOST_PIXELS) {
        return Err(failed(format!("{columns} by {rows} pixels are none, or too many")));
    }
    let mut sheet = Sheet::white(columns as usize, rows as usize);
    let scale = head.numbers("viewBox").nth(2).map_or(DENSITY, |units| width * DENSITY / units);
    for element in elements.filter(|element| element.name() != "title") {
        let drawn = element.draw(&mut sheet, scale);
        drawn.ok_or_else(|| failed(format!("no figure has `<{}`", element.0.trim_end())))?;
    }
    file::png(sheet.width, &sheet.pixels).map_err(|e| failed(e.to_string()))
}

/// An element, from its name to the next `<`. Plotters escapes `<`, `>` and quotes in texts.
#[derive(Clone, Copy)]
struct Element<'a>(&'a str);

impl<'a> Element<'a> {
    fn name(self) -> &'a str {
        self.0.split([' ', '>']).next().unwrap_or_default()
    }

    fn value(self, attribute: &str) -> Option<&'a str> {
        let (_, after) = self.0.split_once(&format!(" {attribute}=\""))?;
        Some(after.split_once('"')?.0)
    }

    fn numbers(self, attribute: &str) -> impl Iterator<Item = f32> {
        let words = self.value(attribute).unwrap_or_default().split([',', ' ', '(', ')']);
        words.filter_map(|word| word.parse().ok())
    }

    fn number(self, attribute: &str) -> Option<f32> {
        self.value(attribute)?.parse().ok()
    }

    /// Returns a colour; `None` if it is `none`.
    fn colour(self, attribute: &str) -> Option<[u8; 3]> {
        let digits = self.value(attribute)?.strip_prefix('#')?;
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some([red, green, blue])
    }

    /// Paints the element with `scale` pixels per unit; `None` for a kind of element that figures do not use.
    fn draw(self, sheet: &mut Sheet, scale: f32) -> Option<()> {
        let length = |attribute| Some(self.number(attribute)? * scale);
        let at = |x, y| length(x).zip(length(y));
        let stroke = self.colour("stroke");
        let outlines = match (self.name(), stroke) {
            ("polyline", Some(_)) => line(&self.points(scale), length("stroke-width")?),
            ("polygon", None) => vec![self.points(scale)],
            ("rect", None) => vec![rectangle(at("x", "y")?, at("width", "height")?)],
            ("circle", None) => vec![circle(at("cx", "cy")?, length("r")?)],
            ("circle", Some(_)) => {
                let (centre, radius) = (at("cx", "cy")?, length("r")?);
                let half = length("stroke-width")? / 2.0;
                let mut hole = circle(centre, (radius - half).max(0.0));
                hole.reverse();
                vec![circle(centre, radius + half), hole]
            }
            ("text", None) => self.text(at("x", "y")?, length("font-size")?)?,
            _ => return None,
        };
        sheet.paint(&outlines, stroke.or_else(|| self.colour("fill"))?, self.number("opacity")?);
        Some(())
    }

    fn points(self, scale: f32) -> Vec<Point> {
        let numbers: Vec<f32> = self.numbers("points").map(|number| number * scale).collect();
        numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
    }

    /// Returns the outlines of the element's text. The point `at` is in the middle of its height.
    fn text(self, at: Point, size: f32) -> Option<Vec<Vec<Point>>> {
        let (_, text) = self.0.split_once('>')?;
        let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let signs =
            [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
        let text = signs.iter().fold(text, |text, (escaped, sign)| text.replace(escaped, sign));
        let (mut outlines, width) = glyphs::outlines(&text, size)?;
        let start = match self.value("text-anchor")? {
            "middle" => width / 2.0,
            "end" => width,
            _ => 0.0,
        };
        // Lower-case letters are about half as high as the font size.
        let middle = size / 4.0;
        let turn = self.numbers("transform").next().unwrap_or(0.0);
        let (sine, cosine) = turn.to_radians().sin_cos();
        for point in outlines.iter_mut().flatten() {
            let (x, y) = (point.0 - start, middle - point.1);
            *point = (at.0 + x * cosine - y * sine, at.1 + x * sine + y * cosine);
        }
        Some(outlines)
    }
}

#[cfg(test)]
mod tests;
