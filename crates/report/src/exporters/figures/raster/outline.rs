//! Outlines of rectangles, circles and lines. All have the same direction, so that areas do not
//! cancel where they overlap.

/// Pixels to the right and pixels down.
pub(super) type Point = (f32, f32);

/// Corners of a circle. With a radius of 10 pixels, the arc is 0.02 pixels off.
const CORNERS: u8 = 48;
/// A corner of a line is cut off if its point would be longer than this many widths, as in SVG.
const LONGEST_POINT: f32 = 4.0;

pub(super) fn rectangle((x, y): Point, (width, height): Point) -> Vec<Point> {
    vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
}

pub(super) fn circle((x, y): Point, radius: f32) -> Vec<Point> {
    let corner = |n| {
        let (sine, cosine) = (f32::from(n) / f32::from(CORNERS) * std::f32::consts::TAU).sin_cos();
        (x + radius * cosine, y + radius * sine)
    };
    (0..CORNERS).map(corner).collect()
}

/// Returns a rectangle around each piece of a line, and the wedges that fill the gaps at corners.
pub(super) fn line(points: &[Point], width: f32) -> Vec<Vec<Point>> {
    let half = width / 2.0;
    let mut areas = Vec::new();
    let mut before: Option<Point> = None;
    for pair in points.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        let length = x.hypot(y);
        if length > 0.0 {
            // From the middle of the line to its side.
            let side = (-y / length * half, x / length * half);
            let other = (-side.0, -side.1);
            areas.push(vec![add(to, side), add(from, side), add(from, other), add(to, other)]);
            if let Some(before) = before.replace(side) {
                areas.push(wedge(from, before, side, half));
            }
        }
    }
    areas
}

/// Returns the gap that two pieces of a line leave at the outside of their corner.
fn wedge(corner: Point, before: Point, after: Point, half: f32) -> Vec<Point> {
    let turns_to_side = before.0 * after.1 > before.1 * after.0;
    let out = if turns_to_side { -1.0 } else { 1.0 };
    let [first, second] = if turns_to_side { [before, after] } else { [after, before] };
    let mut area = vec![corner, add(corner, (first.0 * out, first.1 * out))];
    // 1 plus the cosine of the turn. It is small where the line turns back.
    let open = 1.0 + (before.0 * after.0 + before.1 * after.1) / (half * half);
    if open * LONGEST_POINT * LONGEST_POINT >= 2.0 {
        let point = |a: f32, b: f32| (a + b) * out / open;
        area.push(add(corner, (point(before.0, after.0), point(before.1, after.1))));
    }
    area.push(add(corner, (second.0 * out, second.1 * out)));
    area
}

fn add(a: Point, b: Point) -> Point {
    (a.0 + b.0, a.1 + b.1)
}
