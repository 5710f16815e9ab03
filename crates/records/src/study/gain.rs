//! Gain of a size's best configuration over the default, and whether it is significant.

use crate::SizeClosed;

/// Gain of the best configuration of a size over the default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gain {
    /// The default could not be measured, or there is no best configuration.
    Unknown,
    /// The default is the best configuration.
    Default,
    /// The interval contains 1: the samples do not distinguish the two.
    Insignificant {
        /// Speed-up.
        factor: f64,
        /// 95 % interval of the speed-up.
        interval: (f64, f64),
    },
    /// The two differ.
    Significant {
        /// Speed-up.
        factor: f64,
        /// 95 % interval of the speed-up, if known.
        interval: Option<(f64, f64)>,
    },
}

impl Gain {
    /// The speed-up, significant or not; 1 if the default is the best.
    #[must_use]
    pub const fn factor(&self) -> Option<f64> {
        match self {
            Self::Unknown => None,
            Self::Default => Some(1.0),
            Self::Insignificant { factor, .. } | Self::Significant { factor, .. } => Some(*factor),
        }
    }
}

impl SizeClosed {
    /// Gain of the best over the default.
    #[must_use]
    pub fn gained(&self) -> Gain {
        let Some(factor) = self.gain else { return Gain::Unknown };
        let same = self.best.as_ref().zip(self.default.as_ref());
        if same.is_some_and(|(best, default)| best.configuration == default.configuration) {
            return Gain::Default;
        }
        match self.gain_interval {
            Some(interval) if interval.0 <= 1.0 && interval.1 >= 1.0 => {
                Gain::Insignificant { factor, interval }
            }
            interval => Gain::Significant { factor, interval },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Figure, Named, Summary};

    #[test]
    fn only_an_interval_without_1_is_a_difference() {
        let closed = |gain, gain_interval| SizeClosed {
            gain: Some(gain),
            gain_interval,
            ..SizeClosed::default()
        };
        let interval = (0.195, 13.5);
        let chance = Gain::Insignificant { factor: 4.27, interval };
        assert_eq!(closed(4.27, Some(interval)).gained(), chance);
        let interval = Some((1.1, 1.3));
        assert_eq!(closed(1.2, interval).gained(), Gain::Significant { factor: 1.2, interval });
        assert_eq!(SizeClosed::default().gained(), Gain::Unknown);
        let figure = Figure {
            configuration: Named::default(),
            seconds: Summary::of(&[1.0]).expect("a sample"),
            metric: None,
            error: None,
            unsettled: false,
            metrics: [].into(),
        };
        let (best, default) = (Some(figure.clone()), Some(figure));
        let same = SizeClosed { best, default, ..closed(1.0, Some((0.96, 1.04))) };
        assert_eq!(same.gained(), Gain::Default);
    }
}
