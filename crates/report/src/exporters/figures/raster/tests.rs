use std::io::Read as _;

use super::png;
use crate::exporters::figures::{
    canvas::{Anchor, Canvas, Stroke, Turn, draw},
    palette::{BLUE, Dash, INK, Mark},
};

/// Columns of a drawing of 40 by 40 units.
const COLUMNS: usize = 80;
const WHITE: u8 = 255;

/// Returns the red of each pixel of a drawing, row by row.
fn reds(drawing: impl FnOnce(&mut Canvas<'_>)) -> Vec<Vec<u8>> {
    let svg = draw((40.0, 40.0), "a & b", drawing).expect("drawn");
    let file = png(&svg).expect("pixels");
    assert!(file.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x50\0\0\0\x50\x08\x02"));
    assert!(file.ends_with(b"IEND\xae\x42\x60\x82"));
    let mut rows = Vec::new();
    let body = &file[8 + 25 + 8..];
    flate2::read::ZlibDecoder::new(body).read_to_end(&mut rows).expect("a body");
    let rows = rows.chunks(1 + 3 * COLUMNS);
    rows.map(|row| row[1..].iter().step_by(3).copied().collect()).collect()
}

/// Returns the first and last of the columns and of the rows that are not white.
fn extent(reds: &[Vec<u8>]) -> ((usize, usize), (usize, usize)) {
    let ends = |inked: Vec<usize>| (inked[0], inked[inked.len() - 1]);
    let column = |x: &usize| reds.iter().any(|row| row[*x] < WHITE);
    let row = |y: &usize| reds[*y].iter().any(|red| *red < WHITE);
    let (columns, rows) = ((0..COLUMNS).filter(column), (0..COLUMNS).filter(row));
    (ends(columns.collect()), ends(rows.collect()))
}

#[test]
fn areas_cover_their_pixels_and_parts_of_those_at_their_edges() {
    let reds = reds(|canvas| canvas.area(10.0, 10.25, 20.0, 20.0, BLUE, 0.5));
    // `BLUE` has no red and covers half of the white; at the upper edge it covers a quarter.
    assert_eq!((reds[30][20], reds[30][39], reds[39][39]), (128, 128, 128));
    assert_eq!(reds[20][30], 191);
    assert_eq!(extent(&reds), ((20, 39), (20, 39)));
}

#[test]
fn lines_have_sharp_corners_gaps_and_no_darker_places_where_pieces_overlap() {
    let corner = [(5.0, 30.0), (20.0, 30.0), (20.0, 5.0)];
    let drawn = reds(|canvas| canvas.line(&corner, Stroke::solid(BLUE, 2.0)));
    assert_eq!(extent(&drawn), ((10, 41), (10, 61)));
    assert_eq!((drawn[61][41], drawn[58][38], drawn[57][37]), (0, 0, WHITE));
    let dashed = Stroke::new(BLUE, 2.0, Dash::Long);
    let dashed = reds(|canvas| canvas.line(&[(5.0, 5.0), (40.0, 5.0)], dashed));
    assert_eq!((dashed[10][24], dashed[10][29], dashed[10][35]), (0, WHITE, 0));
}

#[test]
fn circles_are_round_and_rings_are_hollow() {
    let reds = reds(|canvas| canvas.mark((20.0, 20.0), Mark::Circle, 8.0, BLUE));
    assert_eq!(extent(&reds), ((22, 57), (22, 57)));
    assert_eq!((reds[40][40], reds[40][24], reds[28][28]), (WHITE, 0, 0));
}

#[test]
fn texts_have_their_width_and_turn() {
    let text = |turn| {
        extent(&reds(|canvas| {
            canvas.text((20.0, 20.0), "<HH>", 10.0, INK, Anchor::Middle, turn);
        }))
    };
    let (across, down) = text(Turn::Level);
    assert!(across.1 - across.0 > 55 && down.1 - down.0 < 18, "{across:?} {down:?}");
    let (across, down) = text(Turn::Upwards);
    assert!(across.1 - across.0 < 18 && down.1 - down.0 > 55, "{across:?} {down:?}");
}

#[test]
fn what_sticks_out_is_cut_off() {
    let reds = reds(|canvas| {
        canvas.area(-30.0, 20.0, 90.0, 95.0, BLUE, 1.0);
        canvas.line(&[(-50.0, -50.0), (90.0, 90.0)], Stroke::solid(BLUE, 2.0));
        canvas.text((40.0, 1.0), "a long text", 12.0, INK, Anchor::Middle, Turn::Level);
    });
    assert_eq!((reds[79][0], reds[79][79], reds[20][20], reds[30][5]), (0, 0, 0, WHITE));
}

#[test]
fn what_is_no_figure_is_refused() {
    for (svg, why) in [
        ("<html>", "does not begin"),
        ("<svg width=\"1e9\" height=\"1e9\">", "too many"),
        ("<svg>", "none"),
        ("<svg width=\"4\" height=\"4\"><path d=\"M0\"/></svg>", "`<path d"),
    ] {
        let error = png(svg).expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    }
}
