//! The font of all pictures, and the width of its text.

/// Font families that the SVG names: the bundled one, similar ones, and any sans-serif.
pub(super) const FAMILY: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

/// DejaVu Sans, reduced to Latin, Greek and a few signs. Its licence is in the same folder.
pub(super) const FILE: &[u8] = include_bytes!("fonts/DejaVuSans-subset.ttf");

/// Advance widths of the printable ASCII characters, in thousandths of the font size.
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

pub(super) fn width(text: &str, size: f64) -> f64 {
    let thousandths = text.chars().map(|c| match (c as usize).checked_sub(32) {
        Some(at) if at < WIDTHS.len() => f64::from(WIDTHS[at]),
        _ => 640.0,
    });
    thousandths.sum::<f64>() * size / 1000.0
}

/// Returns the text, or its beginning and an ellipsis if it is too wide.
pub(super) fn fit(text: &str, size: f64, available: f64) -> String {
    if width(text, size) <= available {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if width(&kept, size) + size > available {
            kept.pop();
            break;
        }
    }
    kept.trim_end().to_owned() + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_to_the_width_they_have() {
        assert_eq!(fit("short", 10.0, 100.0), "short");
        let cut = fit("a rather long title of a figure", 10.0, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 10.0) <= 100.0, "{cut}");
    }
}
