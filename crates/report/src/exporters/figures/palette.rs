//! Colours that colour-blind people can distinguish, each with a mark and a dash for print.
//! Reference: Okabe and Ito, *Color Universal Design*, 2008.

use knees::DETECTORS;
use plotters::style::RGBColor;

pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
pub(super) const SOFT: RGBColor = RGBColor(0x66, 0x66, 0x66);
pub(super) const GRID: RGBColor = RGBColor(0xE6, 0xE6, 0xE6);
pub(super) const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xB2);
pub(super) const VERMILLION: RGBColor = RGBColor(0xD5, 0x5E, 0x00);
pub(super) const GREEN: RGBColor = RGBColor(0x00, 0x9E, 0x73);
pub(super) const ORANGE: RGBColor = RGBColor(0xE6, 0x9F, 0x00);
pub(super) const PURPLE: RGBColor = RGBColor(0xCC, 0x79, 0xA7);
pub(super) const SKY: RGBColor = RGBColor(0x56, 0xB4, 0xE9);

/// Alternating lengths of strokes and gaps, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Dash {
    Solid,
    Long,
    Short,
    Dotted,
    Chain,
}

impl Dash {
    pub(super) fn lengths(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Long => &[8.0, 4.0],
            Self::Short => &[4.0, 3.0],
            Self::Dotted => &[1.5, 2.5],
            Self::Chain => &[8.0, 3.0, 1.5, 3.0],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Mark {
    None,
    Disc,
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
    Plus,
    Bar,
}

/// Colour of the knee that a study answers with.
pub(super) const KNEE_COLOUR: RGBColor = GREEN;

/// Line styles of knees, in the order of the detectors' names.
const KNEES: [(RGBColor, Dash); 8] = [
    (PURPLE, Dash::Long),
    (ORANGE, Dash::Chain),
    (KNEE_COLOUR, Dash::Solid),
    (SKY, Dash::Short),
    (VERMILLION, Dash::Dotted),
    (BLUE, Dash::Chain),
    (INK, Dash::Long),
    (PURPLE, Dash::Dotted),
];

/// Returns the line style of a detector's knee, which is the same in every picture.
pub(super) fn knee(detector: &str) -> (RGBColor, Dash) {
    let at = DETECTORS.names().position(|name| name == detector).unwrap_or(KNEES.len() - 1);
    KNEES[at % KNEES.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_detector_has_a_line_of_its_own() {
        let mut lines: Vec<String> =
            DETECTORS.names().map(|name| format!("{:?}", knee(name))).collect();
        let all = lines.len();
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), all, "add a style to KNEES: {lines:#?}");
    }
}
