//! Power by readings of sensors: of a counter of energy, or of power itself.

use std::time::{Duration, Instant};

use super::TimedReading;

/// Shortest time between two renewals of a counter from which power is computed. Each renewal's
/// time is known to the 10 ms between two readings, so the power is then known to 5 %.
const LEAST_SPAN: Duration = Duration::from_millis(90);

/// A mean power, and its standard error where that is known.
#[derive(Debug, Clone, Copy)]
pub(in crate::observers) struct Power {
    pub(in crate::observers) watts: f64,
    pub(in crate::observers) error: Option<f64>,
}

/// A change of a counter, between two readings.
struct Renewal {
    after: Instant,
    by: Instant,
    joules: f64,
}

impl Renewal {
    fn seconds(&self) -> f64 {
        self.by.duration_since(self.after).as_secs_f64()
    }

    fn middle(&self) -> Instant {
        self.after + self.by.duration_since(self.after) / 2
    }
}

/// Power between the first and the last renewal of the counter. Between the first and the last
/// reading, a counter that is renewed every 100 ms would be off by 18 % in half a second (H200).
/// A renewal may have been at any time between two readings, which gives the error.
pub(in crate::observers) fn counted_power(readings: &[TimedReading]) -> Option<Power> {
    let counts = readings.iter().filter_map(|(at, reading)| Some((*at, reading.joules?)));
    let counts: Vec<(Instant, f64)> = counts.collect();
    let renewed = counts.windows(2).filter(|pair| pair[0].1 < pair[1].1);
    let renewed: Vec<Renewal> = renewed
        .map(|pair| Renewal { after: pair[0].0, by: pair[1].0, joules: pair[1].1 })
        .collect();
    let (first, last) = (renewed.first()?, renewed.last()?);
    let span = last.middle().duration_since(first.middle());
    let watts = (last.joules - first.joules) / span.as_secs_f64();
    // The variance of a uniform distribution is a twelfth of its squared width.
    let variance = (first.seconds().powi(2) + last.seconds().powi(2)) / 12.0;
    let error = watts * variance.sqrt() / span.as_secs_f64();
    (span >= LEAST_SPAN).then_some(Power { watts, error: Some(error) })
}

/// Power readings, integrated over time. A reading holds until the next. Readings before the
/// sensor's first renewal are left out: they tell of the time before the samples. The error comes
/// from the scatter of the values between renewals.
pub(in crate::observers) fn sampled_power(readings: &[TimedReading]) -> Option<Power> {
    let read = readings.iter().filter_map(|(at, reading)| Some((*at, reading.watts?)));
    let read: Vec<(Instant, f64)> = read.collect();
    let differ = |pair: &[(Instant, f64)]| (pair[0].1 - pair[1].1).abs() > 0.0;
    let first = read.windows(2).position(differ).map_or(0, |at| at + 1);
    // Each value of the sensor, with the seconds for which it was read.
    let mut held: Vec<(f64, f64)> = Vec::new();
    for pair in read[first.min(read.len())..].windows(2) {
        let seconds = pair[1].0.duration_since(pair[0].0).as_secs_f64();
        match held.last_mut() {
            Some((watts, known)) if (*watts - pair[0].1).abs() <= 0.0 => *known += seconds,
            _ => held.push((pair[0].1, seconds)),
        }
    }
    let all: f64 = held.iter().map(|(_, seconds)| seconds).sum();
    if all <= 0.0 {
        return read.last().map(|(_, watts)| Power { watts: *watts, error: None });
    }
    let watts = held.iter().map(|(watts, seconds)| watts * seconds).sum::<f64>() / all;
    let count = held.len() as f64;
    let squares = held.iter().map(|(value, seconds)| (seconds * (value - watts)).powi(2));
    // One value says nothing of its scatter.
    let error =
        (held.len() > 1).then(|| (squares.sum::<f64>() * count / (count - 1.0)).sqrt() / all);
    Some(Power { watts, error })
}

#[cfg(test)]
mod tests {
    use device::SensorReading;

    use super::*;

    #[test]
    fn sampled_power_is_integrated_from_the_first_renewal_and_scatters() {
        let start = Instant::now();
        let read = |(at, watts): (u64, f64)| {
            let reading = SensorReading { watts: Some(watts), ..SensorReading::default() };
            (start + Duration::from_millis(at), reading)
        };
        // 80 W tell of the time before the samples. Then 300 W for 100 ms and 400 W for 200 ms.
        let steps = [(0, 80.0), (50, 80.0), (60, 300.0), (100, 300.0), (160, 400.0), (360, 400.0)];
        let power = sampled_power(&steps.map(read)).expect("readings");
        assert!((power.watts - 1100.0 / 3.0).abs() < 1e-9, "{power:?}");
        assert!(power.error.is_some_and(|error| (20.0..80.0).contains(&error)), "{power:?}");
        let constant = [(0, 250.0), (150, 250.0), (300, 250.0)].map(read);
        let power = sampled_power(&constant).expect("readings");
        assert!((power.watts - 250.0).abs() < 1e-9 && power.error.is_none(), "{power:?}");
        let late = [(0, 250.0), (300, 260.0)].map(read);
        assert_eq!(sampled_power(&late).map(|power| power.watts.round()), Some(260.0));
        assert!(sampled_power(&[]).is_none());
    }
}
