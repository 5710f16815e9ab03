//! The published and the mended form, with their settings.

use math::Rng;
use registry::Knobs;
use search_api::Spent;
use space::{ConfigurationId, Space};

use super::hypercube::{latin_hypercube, maximin};
use crate::surrogate::{CorrelationFunction, DistanceMetric, Hyperparameters, Portfolio};

/// Defaults of a form for settings that are not given.
struct FormDefaults {
    shape: CorrelationFunction,
    length: f64,
    noise: f64,
    ln_odds: f64,
}

const PUBLISHED: FormDefaults = FormDefaults {
    shape: CorrelationFunction::Matern32,
    length: 1.5,
    noise: 1e-10,
    ln_odds: f64::INFINITY,
};
/// Best in measurements on recorded spaces.
const MENDED: FormDefaults = FormDefaults {
    shape: CorrelationFunction::Matern52,
    length: 2.5,
    noise: 1e-4,
    ln_odds: f64::INFINITY,
};
/// Lower limit of lengths; with shorter ones nothing can be learnt.
const LEAST_LENGTH: f64 = 0.01;

pub(super) struct BayesOptSettings {
    pub(super) mended: bool,
    pub(super) metric: DistanceMetric,
    pub(super) shape: CorrelationFunction,
    pub(super) settings: Hyperparameters,
    /// Exploration factor, if it is constant.
    pub(super) exploration: Option<f64>,
    /// Factor of all costs.
    pub(super) unit: f64,
    /// Whether the contextual variance compares variances, not deviations.
    pub(super) variances: bool,
    /// ζ of Srinivas' bound: factor of the squared number of deviations.
    pub(super) zeta: f64,
    /// How many deviations below the best the mended form aims, for an exploration factor of 1.
    pub(super) margin: f64,
    /// Most candidates of a model.
    pub(super) candidates: usize,
    portfolio: Portfolio,
    design: u64,
    /// One in this many evaluations may belong to the mended form's initial sample.
    design_share: u64,
    sampling: &'static str,
    /// Known points for every round that the mended form makes from one prediction.
    points_per_round: usize,
}

impl BayesOptSettings {
    /// Published settings are compared with costs times `unit`.
    pub(super) fn new(space: &Space, knobs: &Knobs, unit: f64) -> Self {
        let mended = knobs.choice("form") == "mended";
        let metric = if mended { DistanceMetric::new(space) } else { DistanceMetric::grid(space) };
        let own = if mended { MENDED } else { PUBLISHED };
        let shape = CorrelationFunction::named(knobs.choice("covariance")).unwrap_or(own.shape);
        let given = |name: &str| Some(knobs.number(name)).filter(|number| *number > 0.0);
        let length = given("lengthscale").unwrap_or(own.length).max(LEAST_LENGTH);
        let noise = given("noise").unwrap_or(own.noise).max(shape.least_noise());
        Self {
            mended,
            shape,
            settings: Hyperparameters {
                ln_lengths: vec![length.ln(); metric.axes()],
                ln_noise: noise.ln(),
                ln_odds: own.ln_odds,
            },
            metric,
            exploration: given("exploration"),
            unit: if mended { 1.0 } else { unit },
            variances: knobs.choice("contextual") == "variance",
            zeta: knobs.number("zeta"),
            margin: knobs.number("margin"),
            candidates: knobs.integer("candidates") as usize,
            portfolio: portfolio(knobs),
            design: knobs.integer("design"),
            design_share: knobs.integer("design_share"),
            sampling: knobs.choice("samplingmethod"),
            points_per_round: knobs.integer("points_per_round") as usize,
        }
    }

    pub(super) fn portfolio(&self) -> Portfolio {
        self.portfolio.clone()
    }

    /// Size of the initial sample in addition to the starts.
    pub(super) fn design(&self, starts: usize) -> usize {
        self.design.saturating_sub(starts as u64) as usize
    }

    /// Whether the mended form has spent its share of the budget on the sample.
    pub(super) fn has_sampled_enough(&self, spent: Spent) -> bool {
        let left = spent.evaluations_left().filter(|_| self.mended && spent.evaluations >= 2);
        left.is_some_and(|left| {
            spent.evaluations.saturating_mul(self.design_share) >= spent.evaluations + left
        })
    }

    /// Draws the initial sample; configurations that it lacks are later drawn at random.
    pub(super) fn sample(
        &self,
        space: &Space,
        count: usize,
        rng: &mut Rng,
    ) -> Vec<ConfigurationId> {
        match (self.sampling, self.mended) {
            ("maximin", _) => maximin(space, count, rng),
            ("lhs", false) => latin_hypercube(space, count, rng),
            ("lhs", true) => space.latin_hypercube(count, rng),
            _ => space.sample(count, rng),
        }
    }

    /// Rounds per prediction. While few points are known, each new one matters and predicting is
    /// cheap.
    pub(super) fn rounds(&self, most: usize, known: usize) -> usize {
        if self.mended { (known / self.points_per_round).clamp(1, most) } else { most }
    }

    /// Whether the initial sample goes on. The published form needs as many valid results as the
    /// setting says. The mended form needs two, since it also learns from failures.
    pub(super) fn wants_more(&self, costs: &[f64]) -> bool {
        let valid = costs.iter().filter(|cost| cost.is_finite()).count() as u64;
        valid < if self.mended { self.design.min(2) } else { self.design }
    }
}

/// The functions of the chosen acquisition, with the given settings in place of its own.
fn portfolio(knobs: &Knobs) -> Portfolio {
    let mut portfolio = Portfolio::named(knobs.choice("acquisition"))
        .expect("every choice of the setting has a portfolio, which a test checks");
    portfolio.patience = u32::try_from(knobs.integer("patience")).unwrap_or(u32::MAX);
    portfolio.improvement = knobs.number("improvement");
    let (discount, rounds) = (knobs.number("discount"), knobs.integer("rounds") as usize);
    if discount > 0.0 {
        portfolio.discount = discount;
    }
    if rounds > 0 {
        portfolio.rounds = rounds;
    }
    portfolio
}

#[cfg(test)]
mod tests {
    use registry::Allowed;
    use space::Parameter;

    use super::*;
    use crate::bayes_opt::knobs::KNOBS;

    fn form(given: &[&str]) -> BayesOptSettings {
        let parameters = vec![Parameter::new("a", [1, 2, 3]), Parameter::new("b", [7])];
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        BayesOptSettings::new(&space, &Knobs::parse(KNOBS, given).unwrap(), 1e3)
    }

    fn choices(name: &str) -> &'static [&'static str] {
        let knob = KNOBS.iter().find(|knob| knob.name == name).unwrap();
        let Allowed::Choice(choices) = knob.allowed else { panic!("{name} is a choice") };
        choices
    }

    #[test]
    fn every_choice_is_known_to_those_who_make_it() {
        for choice in choices("acquisition") {
            let form = form(&[&format!("acquisition={choice}")]);
            assert!(!form.portfolio().active().is_empty(), "{choice}");
        }
        for choice in choices("covariance").iter().filter(|choice| **choice != "own") {
            assert!(CorrelationFunction::named(choice).is_some(), "{choice}");
        }
    }

    #[test]
    fn settings_left_open_are_the_forms_own() {
        let (published, mended) = (form(&["form=published"]), form(&[]));
        assert_eq!(published.shape, CorrelationFunction::Matern32);
        assert_eq!(mended.shape, CorrelationFunction::Matern52);
        assert_eq!((published.unit, mended.unit), (1e3, 1.0));
        assert!((published.settings.ln_lengths[0] - 1.5_f64.ln()).abs() < 1e-12);
        let given = form(&["form=published", "covariance=rbf", "noise=1e-9", "lengthscale=0.5"]);
        assert_eq!(given.shape, CorrelationFunction::SquaredExponential);
        assert!((given.settings.ln_noise - 1e-6_f64.ln()).abs() < 1e-12);
        assert!((given.settings.ln_lengths[0] - 0.5_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn only_the_mended_form_ends_a_sample_early() {
        let spent = |evaluations, limit| Spent { evaluations, limit, ..Spent::default() };
        let (mended, published) = (form(&[]), form(&["form=published"]));
        assert_eq!((mended.design(2), published.design(30)), (18, 0));
        assert!(!mended.has_sampled_enough(spent(3, Some(24))));
        assert!(mended.has_sampled_enough(spent(4, Some(24))));
        assert!(!published.has_sampled_enough(spent(4, Some(24))));
        assert!(!mended.has_sampled_enough(spent(19, None)));
    }
}
