//! A curve measured in rounds; each round has one value for every x, or for some.

use math::{Rng, core_of_sorted, mad, median, row_effects};
use rand::RngExt;

use crate::{Curve, CurveError};

/// Stretches of a study.
const STRETCHES: usize = 8;
/// Undisturbed values, and share of them, below which all values of a point count.
const LEAST_CLEAN: (usize, f64) = (6, 0.1);

/// One value of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveValue {
    /// Position.
    pub x: f64,
    /// Value.
    pub y: f64,
    /// Number of the round.
    pub round: u64,
    /// Whether it is known to be disturbed.
    pub disturbed: bool,
}

/// Values by round and by x, strictly rising.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatedCurve {
    x: Vec<f64>,
    /// Mean of all readings of each x that count.
    means: Vec<f64>,
    /// By rounds, NaN where an x is missing; logarithms if all are positive: noise is relative.
    values: Vec<Vec<f64>>,
    logarithms: bool,
    /// By x: the values less what those of a round have in common, the smallest first, with their
    /// rounds. Sorted once, for all the curves that are drawn.
    columns: Vec<Vec<(usize, f64)>>,
    disturbed: f64,
    /// Median of the points' relative standard errors.
    precision: f64,
}

impl RepeatedCurve {
    /// Takes readings in any order; those of the same x and round are averaged.
    ///
    /// # Errors
    /// If there are none, or one is NaN or infinite.
    pub fn new(readings: &[CurveValue]) -> Result<Self, CurveError> {
        if readings.is_empty() {
            return Err(CurveError::Empty);
        }
        for (at, reading) in readings.iter().enumerate() {
            let what = match (reading.x.is_finite(), reading.y.is_finite()) {
                (false, _) => "x",
                (true, false) => "y",
                (true, true) => continue,
            };
            return Err(CurveError::NotFinite { at: at + 1, what });
        }
        let mut x: Vec<f64> = readings.iter().map(|reading| reading.x).collect();
        x.sort_by(f64::total_cmp);
        x.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let mut rounds: Vec<u64> = readings.iter().map(|reading| reading.round).collect();
        rounds.sort_unstable();
        rounds.dedup();
        let logarithms = readings.iter().all(|reading| reading.y > 0.0);
        let mut sums = vec![vec![(0.0, 0_u32); x.len()]; rounds.len()];
        let counted = counted(&x, readings);
        for (reading, counts) in readings.iter().zip(&counted) {
            let row = rounds.binary_search(&reading.round);
            let column = x.binary_search_by(|other| other.total_cmp(&reading.x));
            if let (Ok(row), Ok(column), true) = (row, column, *counts) {
                let cell = &mut sums[row][column];
                cell.0 += reading.y;
                cell.1 += 1;
            }
        }
        let mean = |(sum, count): (f64, u32)| match (count, logarithms) {
            (0, _) => f64::NAN,
            (_, true) => (sum / f64::from(count)).ln(),
            (_, false) => sum / f64::from(count),
        };
        let means = (0..x.len())
            .map(|at| {
                let all = sums.iter().map(|row| row[at]);
                let (sum, count) = all.fold((0.0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
                sum / f64::from(count)
            })
            .collect();
        let values: Vec<Vec<f64>> =
            sums.into_iter().map(|row| row.into_iter().map(mean).collect()).collect();
        let columns = columns(&values, &row_effects(&values), x.len());
        let disturbed = readings.iter().filter(|reading| reading.disturbed).count();
        let disturbed = disturbed as f64 / readings.len() as f64;
        let mut repeated =
            Self { x, means, values, columns, logarithms, disturbed, precision: f64::NAN };
        repeated.precision = repeated.standard_error();
        Ok(repeated)
    }

    /// Sizes, strictly rising.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// Number of rounds.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.values.len()
    }

    /// Share of the readings that are known to be disturbed.
    #[must_use]
    pub fn disturbed(&self) -> f64 {
        self.disturbed
    }

    /// Whether any x was measured more than once.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        (0..self.x.len()).any(|at| self.values.iter().filter(|row| !row[at].is_nan()).count() > 1)
    }

    /// The curve: the core of each x's values, less what rounds have in common.
    #[must_use]
    pub fn curve(&self) -> Curve {
        if !self.is_repeated() {
            return Curve::ordered(self.x.clone(), self.means.clone());
        }
        let all: Vec<usize> = (0..self.values.len()).collect();
        self.curve_of(&all)
    }

    /// Standard deviation of each x less what rounds share; relative if all values are positive.
    #[must_use]
    pub fn spread(&self) -> Vec<f64> {
        self.columns.iter().map(|column| mad(&values_of(column))).collect()
    }

    /// Relative standard error of its middle point; NaN if not all values are positive.
    fn standard_error(&self) -> f64 {
        if !self.logarithms {
            return f64::NAN;
        }
        let of =
            |column: &Vec<(usize, f64)>| mad(&values_of(column)) / (column.len() as f64).sqrt();
        median(&self.columns.iter().map(of).collect::<Vec<_>>())
    }

    pub(crate) fn curve_of(&self, rounds: &[usize]) -> Curve {
        let mut times = vec![0; self.values.len()];
        for round in rounds {
            times[*round] += 1;
        }
        let mut drawn = Vec::with_capacity(rounds.len());
        let y = self.columns.iter().map(|column| {
            drawn.clear();
            for (round, value) in column {
                drawn.extend(std::iter::repeat_n(*value, times[*round]));
            }
            // If none of these rounds has this x, all rounds count.
            let level = match drawn.is_empty() {
                true => core_of_sorted(&values_of(column)),
                false => core_of_sorted(&drawn),
            };
            if self.logarithms { level.exp() } else { level }
        });
        let curve = Curve::ordered(self.x.clone(), y.collect());
        if self.precision.is_finite() { curve.known_to(self.precision) } else { curve }
    }

    /// As many rounds as there are, drawn with replacement in blocks of neighbours, so that what
    /// lasts several rounds stays together (Künsch 1989, circular).
    pub(crate) fn redraw(&self, rng: &mut Rng, block: usize) -> Vec<usize> {
        let count = self.values.len();
        let mut drawn = Vec::with_capacity(count + block);
        while drawn.len() < count {
            let start = rng.random_range(0..count);
            drawn.extend((0..block).map(|step| (start + step) % count));
        }
        drawn.truncate(count);
        drawn
    }

    /// Rounds of a stretch, an eighth of them all: drawn as blocks, whatever differs between stretches
    /// of a study, however slowly, is drawn with them.
    pub(crate) fn stretch(&self) -> usize {
        (self.values.len() / STRETCHES).max(1)
    }
}

fn columns(values: &[Vec<f64>], effects: &[f64], width: usize) -> Vec<Vec<(usize, f64)>> {
    let column = |at: usize| {
        let rows = values.iter().zip(effects).enumerate();
        let own = rows.map(|(round, (row, effect))| (round, row[at] - effect));
        let mut column: Vec<(usize, f64)> = own.filter(|(_, value)| !value.is_nan()).collect();
        column.sort_by(|a, b| a.1.total_cmp(&b.1));
        column
    };
    (0..width).map(column).collect()
}

fn values_of(column: &[(usize, f64)]) -> Vec<f64> {
    column.iter().map(|(_, value)| *value).collect()
}

/// Which readings count: the undisturbed ones, where an x has enough of them.
fn counted(x: &[f64], readings: &[CurveValue]) -> Vec<bool> {
    let mut clean = vec![(0_usize, 0_usize); x.len()];
    let column = |reading: &CurveValue| x.binary_search_by(|other| other.total_cmp(&reading.x));
    for reading in readings {
        if let Ok(at) = column(reading) {
            clean[at].0 += usize::from(!reading.disturbed);
            clean[at].1 += 1;
        }
    }
    let (least, share) = LEAST_CLEAN;
    let counts = |reading: &CurveValue| {
        !reading.disturbed
            || column(reading).is_ok_and(|at| {
                let (clean, all) = clean[at];
                clean < least || (clean as f64) < share * all as f64
            })
    };
    readings.iter().map(counts).collect()
}

#[cfg(test)]
mod tests {
    use math::seeded;

    use super::*;

    fn reading(x: f64, y: f64, round: u64) -> CurveValue {
        CurveValue { x, y, round, disturbed: false }
    }

    #[test]
    fn readings_become_a_table_whatever_their_order() {
        let readings = [
            reading(2.0, 20.0, 7),
            reading(1.0, 10.0, 3),
            reading(2.0, 22.0, 3),
            reading(2.0, 22.0, 3),
        ];
        let repeated = RepeatedCurve::new(&readings).expect("readings");
        assert_eq!((repeated.x(), repeated.rounds()), (&[1.0, 2.0][..], 2));
        assert!(repeated.is_repeated());
        assert!(repeated.values[1][0].is_nan());
        assert!((repeated.values[0][1] - 22f64.ln()).abs() < 1e-12);
        assert!(!RepeatedCurve::new(&readings[..2]).expect("readings").is_repeated());
        assert!(RepeatedCurve::new(&[]).is_err());
        let nan = [reading(1.0, 1.0, 1), reading(1.0, f64::NAN, 2)];
        assert_eq!(RepeatedCurve::new(&nan), Err(CurveError::NotFinite { at: 2, what: "y" }));
    }

    #[test]
    fn what_slows_a_whole_round_down_is_not_in_the_curve() {
        let mut readings = Vec::new();
        for round in 0..20 {
            let pace = if round % 3 == 0 { 0.5 } else { 1.0 };
            for at in 1..=6 {
                readings.push(reading(f64::from(at), f64::from(at) * pace, round));
            }
        }
        let curve = RepeatedCurve::new(&readings).expect("readings").curve();
        for (x, y) in curve.x().iter().zip(curve.y()) {
            assert!((x / y - curve.x()[0] / curve.y()[0]).abs() < 1e-9);
        }
    }

    #[test]
    fn disturbed_readings_count_only_where_there_are_few_others() {
        let mut readings = Vec::new();
        for round in 0..40 {
            readings.push(reading(1.0, 10.0, round));
            let disturbed = round % 2 == 0;
            let y = if disturbed { 5.0 } else { 20.0 };
            readings.push(CurveValue { disturbed, ..reading(2.0, y, round) });
            readings.push(CurveValue { disturbed: true, ..reading(3.0, 7.0, round) });
        }
        let repeated = RepeatedCurve::new(&readings).expect("readings");
        let curve = repeated.curve();
        assert!((curve.y()[1] - 20.0).abs() < 1e-9 && (curve.y()[2] - 7.0).abs() < 1e-9);
        assert!((repeated.disturbed() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn stretches_are_drawn_together() {
        let readings: Vec<CurveValue> = (0..120)
            .flat_map(|round| (1..8).map(move |at| reading(f64::from(at), f64::from(at), round)))
            .collect();
        let repeated = RepeatedCurve::new(&readings).expect("readings");
        assert_eq!(repeated.stretch(), 15);
        let drawn = repeated.redraw(&mut seeded(1, 0), 15);
        assert_eq!(drawn.len(), 120);
        assert!(drawn[..15].windows(2).all(|pair| pair[1] == (pair[0] + 1) % 120));
        let few = RepeatedCurve::new(&readings[..21]).expect("readings");
        assert_eq!(few.stretch(), 1);
    }

    #[test]
    fn slow_change_of_shape_widens_what_redrawn_rounds_say() {
        let mut rng = seeded(3, 0);
        let mut table = |slow: f64| {
            let mut readings = Vec::new();
            for round in 0..160_u64 {
                let tilt = slow * (std::f64::consts::TAU * round as f64 / 160.0).sin();
                for at in 0..6 {
                    let x = f64::from(at);
                    let noise = 0.02 * math::normal(&mut rng);
                    readings.push(reading(x, 10.0 * (tilt * (x - 2.5) + noise).exp(), round));
                }
            }
            RepeatedCurve::new(&readings).expect("readings")
        };
        let spread = |repeated: &RepeatedCurve| {
            let mut rng = seeded(4, 0);
            let tilt = |drawn: Curve| (drawn.y()[5] / drawn.y()[0]).ln();
            let tilts: Vec<f64> = (0..200)
                .map(|_| tilt(repeated.curve_of(&repeated.redraw(&mut rng, repeated.stretch()))))
                .collect();
            math::standard_deviation(&tilts)
        };
        let (still, slow) = (spread(&table(0.0)), spread(&table(0.02)));
        assert!(slow > 4.0 * still, "{still} {slow}");
    }
}
