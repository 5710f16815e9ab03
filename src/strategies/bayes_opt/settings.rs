//! The published and the mended form, with their settings.

use rand::{RngExt, seq::SliceRandom};
use rustc_hash::FxHashSet;

use crate::{
    space::{Configuration, ConfigurationId, Rng, Space},
    strategies::{
        Allowed, Knob, Knobs, Spent,
        surrogate::{CorrelationFunction, DistanceMetric, Hyperparameters, Portfolio},
    },
};

/// The mended form's initial sample takes at most one in this many evaluations.
const DESIGN_SHARE: u64 = 6;

/// Known points for each further round that the mended form makes from one prediction.
const POINTS_PER_ROUND: usize = 20;

/// A form's values of settings that are not given.
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
/// Best by measurement on recorded spaces.
const MENDED: FormDefaults = FormDefaults {
    shape: CorrelationFunction::Matern52,
    length: 2.5,
    noise: 1e-4,
    ln_odds: f64::INFINITY,
};
/// Lower limit of lengths; shorter ones leave nothing to learn from.
const LEAST_LENGTH: f64 = 0.01;

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        name: "form",
        about: "as published, or with its faults mended",
        default: "mended",
        allowed: Allowed::Choice(&["mended", "published"]),
    },
    Knob {
        name: "covariance",
        about: "how the correlation of two configurations falls with their distance; \
                `own` is the form's: matern32 as published, matern52 mended",
        default: "own",
        allowed: Allowed::Choice(&["own", "matern32", "matern52", "rbf"]),
    },
    Knob {
        name: "lengthscale",
        about: "the distance over which it falls, in widths of the space; \
                0 for the form's own: 1.5 as published, 2.5 mended",
        default: "0",
        allowed: Allowed::Number(0.0, 100.0),
    },
    Knob {
        name: "noise",
        about: "the share of the variance that is noise; \
                0 for the form's own: 1e-10 as published, 1e-4 mended",
        default: "0",
        allowed: Allowed::Number(0.0, 1.0),
    },
    Knob {
        name: "acquisition",
        about: "what a choice is made by; `multi` forms let several functions share the budget",
        default: "multi-ultrafast",
        allowed: Allowed::Choice(&[
            "ei",
            "pi",
            "lcb",
            "lcb-srinivas",
            "multi",
            "multi-advanced",
            "multi-fast",
            "multi-ultrafast",
        ]),
    },
    Knob {
        name: "exploration",
        about: "the exploration factor; 0 for the contextual variance",
        default: "0",
        allowed: Allowed::Number(0.0, 1e9),
    },
    Knob {
        name: "design",
        about: "valid results to begin with; for the mended form at most a sixth of the budget",
        default: "20",
        allowed: Allowed::Integer(1, 10_000),
    },
    Knob {
        name: "samplingmethod",
        about: "how these are drawn: a Latin hypercube, or at random",
        default: "lhs",
        allowed: Allowed::Choice(&["lhs", "random"]),
    },
    Knob {
        name: "unit",
        about: "what the published form multiplies costs with: it was made for milliseconds",
        default: "1000",
        allowed: Allowed::Number(1e-12, 1e12),
    },
];

pub(super) struct BayesOptSettings {
    pub(super) mended: bool,
    pub(super) metric: DistanceMetric,
    pub(super) shape: CorrelationFunction,
    pub(super) settings: Hyperparameters,
    /// Exploration factor, if it is constant.
    pub(super) exploration: Option<f64>,
    /// Factor of all costs.
    pub(super) unit: f64,
    acquisition: &'static str,
    design: u64,
    hypercube: bool,
}

impl BayesOptSettings {
    pub(super) fn new(space: &Space, knobs: &Knobs) -> Self {
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
            unit: if mended { 1.0 } else { knobs.number("unit") },
            acquisition: knobs.choice("acquisition"),
            design: knobs.integer("design"),
            hypercube: knobs.choice("samplingmethod") == "lhs",
        }
    }

    pub(super) fn portfolio(&self) -> Portfolio {
        Portfolio::named(self.acquisition)
            .expect("every choice of the setting has a portfolio, which a test checks")
    }

    /// Size of the initial sample beside the starts.
    pub(super) fn design(&self, starts: usize) -> usize {
        self.design.saturating_sub(starts as u64) as usize
    }

    /// Whether the mended form has spent its share of the budget on the sample.
    pub(super) fn has_sampled_enough(&self, spent: Spent) -> bool {
        let left = spent.evaluations_left().filter(|_| self.mended && spent.evaluations >= 2);
        left.is_some_and(|left| spent.evaluations * DESIGN_SHARE >= spent.evaluations + left)
    }

    /// The initial sample; missing configurations will be drawn at random.
    pub(super) fn sample(
        &self,
        space: &Space,
        count: usize,
        rng: &mut Rng,
    ) -> Vec<ConfigurationId> {
        match (self.hypercube, self.mended) {
            (true, false) => latin_hypercube(space, count, rng),
            (true, true) => space.latin_hypercube(count, rng),
            (false, _) => space.sample(count, rng),
        }
    }

    /// Rounds per prediction: with few points known, a new one tells much and predicting is cheap.
    pub(super) fn rounds(&self, most: usize, known: usize) -> usize {
        if self.mended { (known / POINTS_PER_ROUND).clamp(1, most) } else { most }
    }

    /// Whether the initial sample goes on: until the published form has as many valid results as
    /// the setting says, the mended one, which also learns from failures, two.
    pub(super) fn wants_more(&self, costs: &[f64]) -> bool {
        let valid = costs.iter().filter(|cost| cost.is_finite()).count() as u64;
        valid < if self.mended { self.design.min(2) } else { self.design }
    }
}

/// A Latin hypercube over the lists of values, without invalid points and repetitions: McKay,
/// Beckman and Conover 1979, as SciPy draws whole numbers.
fn latin_hypercube(space: &Space, count: usize, rng: &mut Rng) -> Vec<ConfigurationId> {
    let mut points = vec![Configuration(Vec::new()); count];
    let mut strata: Vec<usize> = (0..count).collect();
    for parameter in space.parameters() {
        strata.shuffle(rng);
        for (point, stratum) in points.iter_mut().zip(&strata) {
            let place = (*stratum as f64 + rng.random::<f64>()) / count as f64;
            let last = parameter.values.len().saturating_sub(1);
            point.0.push(((place * parameter.values.len() as f64) as usize).min(last) as u32);
        }
    }
    let mut seen = FxHashSet::default();
    points.iter().filter_map(|p| space.id_of(p)).filter(|id| seen.insert(*id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Parameter, seeded};

    fn form(given: &[&str]) -> BayesOptSettings {
        let parameters = vec![Parameter::new("a", [1, 2, 3]), Parameter::new("b", [7])];
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        BayesOptSettings::new(&space, &Knobs::parse(KNOBS, given).unwrap())
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

    #[test]
    fn every_value_is_drawn_equally_often_and_what_is_not_valid_is_left_out() {
        let list = (0..10_i64).collect::<Vec<_>>();
        let parameters = ["a", "b"].map(|name| Parameter::new(name, list.clone())).to_vec();
        let space = Space::build(parameters.clone(), &[] as &[&str], &[]).unwrap();
        let drawn = latin_hypercube(&space, 10, &mut seeded(3, 0));
        for axis in 0..2 {
            let mut values: Vec<u32> =
                drawn.iter().map(|id| space.configuration(*id).0[axis]).collect();
            values.sort_unstable();
            assert_eq!(values, (0..10).collect::<Vec<_>>());
        }
        let half = Space::build(parameters, &["a < b"], &[]).unwrap();
        let drawn = latin_hypercube(&half, 40, &mut seeded(3, 0));
        assert!(!drawn.is_empty() && drawn.len() < 40);
        assert_eq!(drawn.iter().collect::<FxHashSet<_>>().len(), drawn.len());
    }
}
