//! `menger`: the point where the circle through it and its neighbours is smallest, which is the
//! curvature of three points by Karl Menger (1930).

use super::{Curve, Detection, Detector, DetectorSettings, Preparation, View, curve::plane::plane};

inventory::submit!(Detector {
    name: "menger",
    about: "the point whose circle through its neighbours is the smallest",
    reference: "Menger: Untersuchungen über allgemeine Metrik (1930); Kneeliverse 1.0.1 on raw curves",
    knobs: &[],
    view: View::Rise,
    detect,
});

fn detect(curve: &Curve, settings: &DetectorSettings) -> Detection {
    let plane = match plane(curve, settings) {
        Ok(plane) => plane,
        Err(why) => return Detection::none(why),
    };
    let point = |at: usize| (plane.x[at], plane.y[at]);
    let bend = match settings.preparation {
        Preparation::Raw => published,
        Preparation::Prepared => downward,
    };
    let (mut knee, mut sharpest) = (0, 0.0);
    for at in 1..plane.x.len() - 1 {
        let curvature = bend(point(at), point(at - 1), point(at + 1));
        if curvature > sharpest {
            (knee, sharpest) = (at, curvature);
        }
    }
    if knee == 0 {
        return Detection::none("the curve bends nowhere");
    }
    Detection::at(curve, plane.original(knee), format!("curvature {sharpest:.3}"))
        .with("curvature", sharpest)
}

type Point = (f64, f64);

/// Curvature at a point: one over the radius of the circle through it and its neighbours; positive
/// where the curve bends down.
fn downward((x, y): Point, (xa, ya): Point, (xb, yb): Point) -> f64 {
    let twice_area = (x - xa) * (yb - ya) - (xb - xa) * (y - ya);
    -2.0 * twice_area / sides((x, y), (xa, ya), (xb, yb))
}

/// The curvature as Kneeliverse computes it: the area is a difference of two products, and only one
/// of them is taken absolute.
fn published((x, y): Point, (xa, ya): Point, (xb, yb): Point) -> f64 {
    let area = 2.0 * ((xa - x) * (yb - ya)).abs() - (ya - y) * (xb - xa);
    area / sides((x, y), (xa, ya), (xb, yb))
}

/// Product of the three distances between the points.
fn sides((x, y): Point, (xa, ya): Point, (xb, yb): Point) -> f64 {
    let square = |dx: f64, dy: f64| dx * dx + dy * dy;
    (square(xa - x, ya - y) * square(xb - xa, yb - ya) * square(x - xb, y - yb)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_circle_have_one_over_its_radius() {
        let on = |angle: f64| (3.0 * angle.cos(), 3.0 * angle.sin());
        // From left to right over the top, the circle bends down.
        let curvature = downward(on(1.5), on(2.0), on(0.7));
        assert!((curvature - 1.0 / 3.0).abs() < 1e-12, "{curvature}");
        assert!(downward(on(-1.5), on(-2.0), on(-0.7)) < 0.0);
    }

    #[test]
    fn a_straight_line_bends_nowhere() {
        let x = [1.0, 2.0, 4.0, 8.0];
        let settings =
            DetectorSettings { preparation: Preparation::Prepared, ..DetectorSettings::default() };
        let line = Curve::new(&x, &[0.0, 1.0, 2.0, 3.0]).expect("a curve");
        assert!(detect(&line, &settings).knee.is_none());
    }
}
