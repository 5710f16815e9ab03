//! A curve measured in rounds: each round has one value for every x, or for some.

use math::{Rng, median, normal, quantile, seeded, standard_deviation};

use super::{
    fit::Fit,
    own_scatter::own_scatter,
    table::{Cell, Table},
};
use crate::{Curve, CurveError};

/// Resamples that tell the errors of the points.
const RESAMPLES: usize = 100;
/// The most that others can take of a sample.
const MOST_LOST: f64 = 0.95;

/// One value of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveValue {
    /// Position.
    pub x: f64,
    /// Value.
    pub y: f64,
    /// Number of the round.
    pub round: u64,
    /// Share of the sample's time that other programs took.
    pub lost: f64,
    /// How often positions had exchanged their memory before the round.
    pub placement: u64,
}

/// Which values of a curve are those of a faster machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Faster {
    /// The higher ones: rates.
    Higher,
    /// The lower ones: times.
    Lower,
}

/// What a curve's rounds say about the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineInRounds {
    /// Number of rounds.
    pub rounds: usize,
    /// States of the machine with curves of their own.
    pub states: usize,
    /// Share of the rounds in the state that gives the curve.
    pub share: f64,
    /// Standard deviation of what points have of their own, relative to their values.
    pub own_scatter: f64,
    /// Relative standard error of the median point.
    pub error: f64,
    /// Share of the time that other programs took.
    pub lost: f64,
}

/// Values by round and by x; x strictly ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatedCurve {
    x: Vec<f64>,
    /// Mean of the values of each x.
    means: Vec<f64>,
    /// The model, if any x was measured more than once.
    fit: Option<Fit>,
    scale: Scale,
    machine: MachineInRounds,
}

impl RepeatedCurve {
    /// Takes readings in any order; readings of the same x and round are averaged.
    ///
    /// # Errors
    /// If there are no readings, or a value is NaN or infinite.
    pub fn new(readings: &[CurveValue], faster: Faster) -> Result<Self, CurveError> {
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
        let scale = Scale::of(readings, faster);
        let mut order: Vec<&CurveValue> = readings.iter().collect();
        order.sort_by(|a, b| a.round.cmp(&b.round).then(a.x.total_cmp(&b.x)));
        let mut x: Vec<f64> = readings.iter().map(|reading| reading.x).collect();
        x.sort_by(f64::total_cmp);
        x.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let (mut rows, mut placements) = (Vec::new(), Vec::new());
        let mut own = vec![(0.0, 0.0); x.len()];
        for round in order.chunk_by(|a, b| a.round == b.round) {
            let mut row = Vec::with_capacity(x.len());
            for same in round.chunk_by(|a, b| a.x.total_cmp(&b.x).is_eq()) {
                let column = x.partition_point(|other| other.total_cmp(&same[0].x).is_lt());
                let mean = |of: &dyn Fn(&CurveValue) -> f64| {
                    same.iter().map(|reading| of(reading)).sum::<f64>() / same.len() as f64
                };
                let (y, lost) = (mean(&|reading| reading.y), mean(&|reading| reading.lost));
                own[column].0 += y;
                own[column].1 += 1.0;
                let z = scale.scaled(y);
                // Lost time makes a sample longer by up to this much.
                let lost = (1.0 - lost.clamp(0.0, MOST_LOST)).ln().powi(2);
                row.push(Cell { column, z, lost });
            }
            rows.push(row);
            placements.push(round[0].placement);
        }
        let is_repeated = own.iter().any(|(_, count)| *count > 1.0);
        let means = own.iter().map(|(sum, count)| sum / count).collect();
        let table = Table { rows, columns: x.len(), placements };
        let fit = is_repeated.then(|| Fit::of(&table));
        let lost = readings.iter().map(|reading| reading.lost).sum::<f64>() / readings.len() as f64;
        let machine = MachineInRounds {
            rounds: table.rows.len(),
            states: fit.as_ref().map_or(1, |fit| fit.states),
            share: fit.as_ref().map_or(1.0, |fit| fit.share),
            own_scatter: 0.0,
            error: f64::NAN,
            lost,
        };
        let mut curve = Self { x, means, fit, scale, machine };
        (curve.machine.error, curve.machine.own_scatter) = curve.errors();
        Ok(curve)
    }

    /// Sizes, strictly ascending.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// Number of rounds.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.machine.rounds
    }

    /// What the rounds say about the machine.
    #[must_use]
    pub fn machine(&self) -> MachineInRounds {
        self.machine
    }

    /// Whether any x was measured more than once.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        self.fit.is_some()
    }

    /// The curve of the machine in its fastest state that lasted.
    #[must_use]
    pub fn curve(&self) -> Curve {
        match &self.fit {
            None => Curve::ordered(self.x.clone(), self.means.clone()),
            Some(fit) => self.curve_of(fit.columns.iter().copied()),
        }
    }

    /// The 95 % interval of each point, as the rounds say; what a point has of its own is not in it.
    #[must_use]
    pub fn intervals(&self) -> Vec<(f64, f64)> {
        let Some(fit) = &self.fit else { return self.means.iter().map(|y| (*y, *y)).collect() };
        let (mut rng, widening) = (seeded(0, 0x1E7E), fit.widening());
        let drawn: Vec<Vec<f64>> =
            (0..2 * RESAMPLES).map(|_| fit.resample_with_level(&mut rng)).collect();
        let interval = |(column, own): (usize, &f64)| {
            let apart = drawn.iter().map(|one| one[column] * widening);
            let apart = math::sorted(&apart.collect::<Vec<f64>>());
            let (low, high) = (quantile(&apart, 0.025).min(0.0), quantile(&apart, 0.975).max(0.0));
            let ends = [own + low, own + high].map(|z| self.scale.unscaled(z));
            (ends[0].min(ends[1]), ends[0].max(ends[1]))
        };
        fit.columns.iter().enumerate().map(interval).collect()
    }

    /// A curve of resampled rounds, as noisy as the curve itself.
    pub(crate) fn redrawn(&self, rng: &mut Rng) -> Curve {
        self.drawn(rng, 1.0, 0.0)
    }

    /// A curve as far from the curve as it may be off: by the noise of few blocks of rounds, and,
    /// if asked, by what points have of their own.
    pub(crate) fn redrawn_widely(&self, rng: &mut Rng, with_scatter: bool) -> Curve {
        let widening = self.fit.as_ref().map_or(1.0, Fit::widening);
        self.drawn(rng, widening, if with_scatter { self.machine.own_scatter } else { 0.0 })
    }

    fn drawn(&self, rng: &mut Rng, widening: f64, scatter: f64) -> Curve {
        let Some(fit) = &self.fit else { return self.curve() };
        let apart = fit.resample(rng);
        let z: Vec<f64> = (fit.columns.iter().zip(apart))
            .map(|(own, apart)| own + widening * apart + scatter * normal(rng))
            .collect();
        self.curve_of(z.into_iter())
    }

    fn curve_of(&self, z: impl Iterator<Item = f64>) -> Curve {
        let y = z.map(|z| self.scale.unscaled(z)).collect();
        let curve = Curve::ordered(self.x.clone(), y);
        let is_known = self.scale.is_logarithmic() && self.machine.error.is_finite();
        if is_known { curve.known_to(self.machine.error) } else { curve }
    }

    /// The standard error of the median point, and what points have of their own beyond it.
    fn errors(&self) -> (f64, f64) {
        let Some(fit) = &self.fit else { return (f64::NAN, 0.0) };
        let mut rng = seeded(0, 0xE220);
        let drawn: Vec<Vec<f64>> = (0..RESAMPLES).map(|_| fit.resample(&mut rng)).collect();
        let error = |column: usize| {
            standard_deviation(&drawn.iter().map(|one| one[column]).collect::<Vec<f64>>())
        };
        let errors: Vec<f64> = (0..self.x.len()).map(error).collect();
        let is_ratio = self.x.iter().all(|x| *x > 0.0);
        let position: Vec<f64> =
            self.x.iter().map(|x| if is_ratio { x.ln() } else { *x }).collect();
        (median(&errors), own_scatter(&position, &fit.columns, &errors))
    }
}

/// How values become those of the model, in which lower is faster.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    /// What values are divided by, if some are not positive; logarithms are taken otherwise, since
    /// noise is relative.
    unit: Option<f64>,
    sign: f64,
}

impl Scale {
    fn of(readings: &[CurveValue], faster: Faster) -> Self {
        let sizes: Vec<f64> = readings.iter().map(|reading| reading.y.abs()).collect();
        let usual = median(&sizes);
        let unit = if usual > 0.0 { usual } else { 1.0 };
        let is_positive = readings.iter().all(|reading| reading.y > 0.0);
        let sign = if faster == Faster::Higher { -1.0 } else { 1.0 };
        Self { unit: (!is_positive).then_some(unit), sign }
    }

    fn is_logarithmic(self) -> bool {
        self.unit.is_none()
    }

    fn scaled(self, y: f64) -> f64 {
        self.sign * self.unit.map_or_else(|| y.ln(), |unit| y / unit)
    }

    fn unscaled(self, z: f64) -> f64 {
        let z = self.sign * z;
        self.unit.map_or_else(|| z.exp(), |unit| z * unit)
    }
}
