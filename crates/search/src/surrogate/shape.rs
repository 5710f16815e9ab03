//! Correlation by squared distance: the covariance functions of Rasmussen and Williams, Gaussian
//! Processes for Machine Learning, 2006, chapter 4, with variance 1.

use math::exponential;

/// A correlation that falls with distance, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CorrelationFunction {
    /// Matérn of smoothness 3/2: once differentiable.
    Matern32,
    /// Matérn of smoothness 5/2: twice differentiable.
    Matern52,
    /// Squared exponential, or radial basis function: infinitely differentiable.
    SquaredExponential,
}

impl CorrelationFunction {
    /// The function of this name, as Kernel Tuner spells it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "matern32" => Some(Self::Matern32),
            "matern52" => Some(Self::Matern52),
            "rbf" => Some(Self::SquaredExponential),
            _ => None,
        }
    }

    /// Least noise with which points can be told apart in floating point.
    pub(crate) fn least_noise(self) -> f64 {
        match self {
            Self::Matern32 | Self::Matern52 => 1e-10,
            Self::SquaredExponential => 1e-6,
        }
    }

    pub(super) fn at(self, squared: f64) -> f64 {
        match self {
            Self::Matern32 => {
                let r = (3.0 * squared).sqrt();
                (1.0 + r) * (-r).exp()
            }
            Self::Matern52 => {
                let r = (5.0 * squared).sqrt();
                (1.0 + r + r * r / 3.0) * (-r).exp()
            }
            Self::SquaredExponential => (-0.5 * squared).exp(),
        }
    }

    pub(super) fn of_each<const N: usize>(self, squared: &mut [f32; N]) {
        match self {
            Self::Matern32 => squared.iter_mut().for_each(|x| {
                let r = (3.0 * *x).sqrt();
                *x = (1.0 + r) * exponential(-r);
            }),
            Self::Matern52 => squared.iter_mut().for_each(|x| {
                let r = (5.0 * *x).sqrt();
                *x = (1.0 + r + r * r * (1.0 / 3.0)) * exponential(-r);
            }),
            Self::SquaredExponential => {
                squared.iter_mut().for_each(|x| *x = exponential(-0.5 * *x));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [CorrelationFunction; 3] = [
        CorrelationFunction::Matern32,
        CorrelationFunction::Matern52,
        CorrelationFunction::SquaredExponential,
    ];

    #[test]
    fn both_precisions_agree() {
        for shape in ALL {
            let squared: [f32; 64] = std::array::from_fn(|i| (i as f32 / 10.0).powi(2));
            let mut single = squared;
            shape.of_each(&mut single);
            for (squared, single) in squared.iter().zip(single) {
                let exact = shape.at(f64::from(*squared));
                assert!((f64::from(single) - exact).abs() < 1e-6, "{shape:?} at {squared}");
            }
        }
    }

    #[test]
    fn correlations_equal_those_of_scikit_learn() {
        // sklearn.gaussian_process.kernels 1.9: Matern(1.5, nu=1.5), nu=2.5, RBF(1.5) at [0],
        // [0.75].
        let expected = [0.784_887_653_957_450_6, 0.828_649_142_418_125_5, 0.882_496_902_584_595_3];
        for (shape, expected) in ALL.into_iter().zip(expected) {
            assert!((shape.at((0.75_f64 / 1.5).powi(2)) - expected).abs() < 1e-12);
        }
    }
}
