//! An axis: positions of values, and ticks.

/// Scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisScale {
    /// Linear: equal differences are equally long.
    Linear,
    /// Logarithmic: equal ratios are equally long.
    Log,
}

impl AxisScale {
    fn position(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.max(f64::MIN_POSITIVE).log10(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Margin {
    /// A little on both sides.
    Both,
    /// From zero on a linear axis, with a little room above.
    FromZero,
}

/// Pixels between the place of 0 and the values of a logarithmic axis, and from there to the end.
const ZERO: (f64, f64) = (44.0, 20.0);

/// An axis between two pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    scale: AxisScale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    /// The pixel of the value 0, if it has a place of its own.
    zero: Option<f64>,
}

impl Axis {
    /// Returns an axis that shows all values. Without usable values it shows 1 to 10.
    pub(super) fn over(
        values: impl IntoIterator<Item = f64>,
        scale: AxisScale,
        margin: Margin,
        pixels: (f64, f64),
    ) -> Self {
        let usable = |v: &f64| v.is_finite() && (scale == AxisScale::Linear || *v > 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(usable) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        let (low, high) = match (scale, margin) {
            (AxisScale::Log, _) => {
                let room = (high / low).powf(0.04).max(1.06);
                (low / room, high * room)
            }
            (AxisScale::Linear, Margin::FromZero) if low >= 0.0 => {
                (0.0, if high > 0.0 { high * 1.06 } else { 1.0 })
            }
            (AxisScale::Linear, _) => {
                let room = 0.04 * (high - low);
                let room = if room > 0.0 { room } else { 0.5 * high.abs().max(1.0) };
                (low - room, high + room)
            }
        };
        Self { scale, low, high, from: pixels.0, to: pixels.1, zero: None }
    }

    /// Returns a logarithmic axis on which 0, if it is a value, has its own place before all
    /// others. The axis is linear if there are negative values.
    pub(super) fn beside_zero(values: &[f64], pixels: (f64, f64)) -> Self {
        if values.iter().any(|value| *value < 0.0) {
            return Self::over(values.iter().copied(), AxisScale::Linear, Margin::Both, pixels);
        }
        let log = |pixels| Self::over(values.iter().copied(), AxisScale::Log, Margin::Both, pixels);
        if !values.iter().any(|value| is_zero(*value)) {
            return log(pixels);
        }
        let (from, to) = pixels;
        let way = (to - from).signum();
        if !values.iter().any(|value| *value > 0.0) {
            return Self { low: f64::NAN, zero: Some((from + to) / 2.0), ..log(pixels) };
        }
        let axis = log((from + way * (ZERO.0 + ZERO.1), to));
        Self { zero: Some(from + way * ZERO.1), ..axis }
    }

    /// Returns the pixel of 0, if it has a place of its own.
    pub(super) fn zero(&self) -> Option<f64> {
        self.zero
    }

    /// Returns the pixel at which the values of the axis begin. `None` if all of them are 0.
    pub(super) fn begin(&self) -> Option<f64> {
        (!self.low.is_nan()).then_some(self.from)
    }

    /// Returns the position of a value, clamped to the axis.
    pub(super) fn at(&self, value: f64) -> f64 {
        if let Some(zero) = self.zero.filter(|_| is_zero(value)) {
            return zero;
        }
        let place = |v: f64| self.scale.position(v);
        let share = (place(value) - place(self.low)) / (place(self.high) - place(self.low));
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        self.from + share * (self.to - self.from)
    }

    pub(super) fn shows(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Returns values to label, about `gap` pixels apart or more, and values for small ticks
    /// between them.
    pub(super) fn ticks(&self, gap: f64) -> (Vec<f64>, Vec<f64>) {
        if self.begin().is_none() {
            return (Vec::new(), Vec::new());
        }
        let most = ((self.to - self.from).abs() / gap).floor().max(2.0);
        match self.scale {
            AxisScale::Linear => self.linear(most),
            AxisScale::Log => self.logarithmic(most),
        }
    }

    /// Like [`Axis::ticks`], with whole numbers only.
    pub(super) fn whole_ticks(&self, gap: f64) -> (Vec<f64>, Vec<f64>) {
        let whole = |mut values: Vec<f64>| {
            values.retain(|v| (v - v.round()).abs() < 1e-6);
            values
        };
        let (major, minor) = self.ticks(gap);
        (whole(major), whole(minor))
    }

    fn linear(&self, most: f64) -> (Vec<f64>, Vec<f64>) {
        let rough = (self.high - self.low) / most;
        let power = 10_f64.powf(rough.log10().floor());
        let (step, parts) = [(1.0, 5.0), (2.0, 4.0), (2.5, 5.0), (5.0, 5.0), (10.0, 5.0)]
            .into_iter()
            .map(|(m, parts)| (m * power, parts))
            .find(|(step, _)| *step >= rough * 0.999)
            .unwrap_or((10.0 * power, 5.0));
        (self.multiples(step), self.multiples(step / parts))
    }

    fn multiples(&self, step: f64) -> Vec<f64> {
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (first..=last).take(1000).map(|n| n as f64 * step).collect()
    }

    fn logarithmic(&self, most: f64) -> (Vec<f64>, Vec<f64>) {
        let decades = (self.high / self.low).log10();
        let all = self.digits(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 1);
        let minor = if decades < 10.0 { all.clone() } else { Vec::new() };
        // Labels must not touch where they are closest: between 8 and 9 if all digits are labelled,
        // between 1 and 2 or 5 and 10 if only 1, 2 and 5 are.
        let fits = |closest: f64| closest.log10() / decades * most >= 1.0;
        let major = if decades < 0.9 && fits(9.0 / 8.0) {
            all
        } else if fits(2.0) {
            self.digits(&[1.0, 2.0, 5.0], 1)
        } else {
            let every = (decades / most).ceil().max(1.0) as i32;
            self.digits(&[1.0], every)
        };
        if major.len() < 2 {
            return self.linear((most / 2.0).clamp(2.0, 4.0));
        }
        (major, minor)
    }

    fn digits(&self, digits: &[f64], every: i32) -> Vec<f64> {
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let decades = (first..=last).filter(|d| d.rem_euclid(every) == 0);
        let values = decades.flat_map(|d| digits.iter().map(move |m| m * 10_f64.powi(d)));
        values.filter(|v| self.shows(*v)).collect()
    }
}

fn is_zero(value: f64) -> bool {
    value.abs() < f64::MIN_POSITIVE
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;
    use crate::exporters::words::quantities::significant;

    fn over(low: f64, high: f64, scale: AxisScale) -> Axis {
        Axis::over([low, high], scale, Margin::Both, (0.0, 600.0))
    }

    #[test]
    fn a_log_axis_over_decades_ticks_decades() {
        let (major, minor) = over(1e3, 1e8, AxisScale::Log).ticks(70.0);
        assert_eq!(major, [1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);
        assert!(minor.len() > 40);
    }

    #[test]
    fn a_short_log_axis_still_has_labels() {
        // With its margins the axis runs from 54 to 4837.
        let expected = [100.0, 200.0, 500.0, 1000.0, 2000.0];
        assert_eq!(over(64.0, 4096.0, AxisScale::Log).ticks(60.0).0, expected);
        assert!(over(100.0, 110.0, AxisScale::Log).ticks(60.0).0.len() >= 2);
    }

    #[test]
    fn a_linear_axis_ticks_round_numbers() {
        let axis = Axis::over([3.0, 97.0], AxisScale::Linear, Margin::FromZero, (400.0, 0.0));
        // 400 pixels have room for five labels 70 apart; 102.8 in five steps needs steps of 25.
        assert_eq!(axis.ticks(70.0).0, [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert!((axis.at(0.0) - 400.0).abs() < 1e-9);
    }

    #[test]
    fn labels_keep_their_distance() {
        for (low, high) in [(1.0, 2.0), (1.0, 30.0), (0.1, 5e3), (1e-6, 1e6), (1e2, 1e12)] {
            for scale in [AxisScale::Linear, AxisScale::Log] {
                let axis = over(low, high, scale);
                let (major, _) = axis.ticks(60.0);
                assert!(major.len() >= 2, "{low} {high} {scale:?}: {major:?}");
                for pair in major.windows(2) {
                    let distance = axis.at(pair[1]) - axis.at(pair[0]);
                    assert!(distance > 40.0, "{low} {high} {scale:?}: {major:?}");
                }
            }
        }
    }

    #[test]
    fn labels_of_ticks_are_different_and_round() {
        let mut rng = math::seeded(5, 0);
        for _ in 0..2000 {
            let low = 10_f64.powf(rng.random_range(-12.0..6.0));
            let high = low * 10_f64.powf(rng.random_range(0.0..9.0));
            for (scale, margin) in
                [(AxisScale::Linear, Margin::FromZero), (AxisScale::Log, Margin::Both)]
            {
                let axis = Axis::over([low, high], scale, margin, (0.0, 600.0));
                let (major, _) = axis.ticks(rng.random_range(30.0..120.0));
                let labels: Vec<String> = major.iter().map(|v| significant(*v, 3)).collect();
                let mut different = labels.clone();
                different.dedup();
                assert_eq!(different, labels, "{low} to {high}, {scale:?}");
                for (label, value) in labels.iter().zip(&major) {
                    let said: f64 = label.parse().expect("a number");
                    assert!((said - value).abs() <= 1e-9 * high, "{label} for {value}, {scale:?}");
                }
            }
        }
    }

    #[test]
    fn zero_has_a_place_of_its_own_before_all_other_values() {
        for pixels in [(80.0, 700.0), (400.0, 30.0)] {
            let way = |at: f64| (at - pixels.0) / (pixels.1 - pixels.0);
            let axis = Axis::beside_zero(&[0.0, 3e-9, 0.2], pixels);
            let zero = way(axis.at(0.0));
            let begin = way(axis.begin().expect("values"));
            assert!(0.0 < zero && zero < begin && begin < way(axis.at(3e-9)), "{axis:?}");
            assert!(way(axis.at(0.2)) > 0.9 && axis.ticks(40.0).0.len() > 3);
            assert_eq!(Axis::beside_zero(&[3e-9, 0.2], pixels).zero(), None);
            let alone = Axis::beside_zero(&[0.0, 0.0], pixels);
            assert_eq!((alone.begin(), alone.ticks(40.0).0.len()), (None, 0));
            assert!((way(alone.at(0.0)) - 0.5).abs() < 1e-9);
            assert_eq!(Axis::beside_zero(&[-1.0, 0.0, 4.0], pixels).zero(), None);
        }
    }

    #[test]
    fn an_axis_without_values_is_still_an_axis() {
        for scale in [AxisScale::Linear, AxisScale::Log] {
            let axis = Axis::over([f64::NAN], scale, Margin::Both, (0.0, 100.0));
            assert!(axis.at(f64::NAN).is_finite() && axis.at(5.0).is_finite());
            let one = Axis::over([7.0], scale, Margin::Both, (0.0, 100.0));
            assert!((one.at(7.0) - 50.0).abs() < 1.0);
        }
    }
}
