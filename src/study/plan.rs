//! A study's settings, checked and resolved: names to things, defaults to values.

use autobench_sdk::document::Better;

use super::{
    Survey,
    objectives::{named, objectives, ranking},
};
use crate::{
    knees::{self, DETECTORS, Detector, Preparation},
    records::{Goal, Sense, StudySettings},
    registry::Unknown,
    scaling::{Rounding, Schedule},
    strategies::{Knobs, STRATEGIES, Strategy},
    tuning::Ranking,
};

/// What a plan needs to know of its subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The metric that is tuned by default.
    pub primary: String,
    /// The metric whose saturation is sought.
    pub secondary: String,
    /// All metrics that a study can name, with their better direction.
    pub metrics: Vec<(String, Better)>,
    /// The benchmark's error bound.
    pub bound: f64,
    /// How sizes are rounded.
    pub rounding: Rounding,
}

impl From<Better> for Sense {
    fn from(better: Better) -> Self {
        match better {
            Better::Higher => Self::Maximise,
            Better::Lower => Self::Minimise,
        }
    }
}

impl Facts {
    /// Which direction of a metric is better; nothing for names that are no metric.
    #[must_use]
    pub fn direction(&self, metric: &str) -> Option<Better> {
        self.metrics.iter().find(|(name, _)| name == metric).map(|(_, better)| *better)
    }
}

/// A study that can be run.
pub struct Plan {
    /// What the user chose, with the objective by its own name.
    pub settings: StudySettings,
    /// Proposes configurations.
    pub strategy: &'static dyn Strategy,
    /// Its knobs.
    pub knobs: Knobs,
    /// Ranks outcomes.
    pub ranking: Ranking,
    /// The first one decides.
    pub detectors: Vec<&'static dyn Detector>,
    /// How detectors see the curve.
    pub knee_settings: knees::Settings,
    /// Whether the curve is prepared first.
    pub preparation: Preparation,
    /// The metric whose saturation is sought.
    pub secondary: String,
    /// Its better direction.
    pub better: Better,
    /// How sizes are rounded.
    pub rounding: Rounding,
}

/// Why settings make no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    /// A name nobody has.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A value that makes no sense; one sentence.
    #[error("{0}")]
    Value(String),
}

impl Plan {
    /// Checks settings against what exists.
    pub fn resolve(mut settings: StudySettings, facts: &Facts) -> Result<Self, PlanFault> {
        let strategy = STRATEGIES.named(&settings.strategy)?;
        let knobs: Vec<String> =
            settings.knobs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let knobs =
            Knobs::parse(strategy.knobs(), &knobs).map_err(|e| PlanFault::Value(e.to_string()))?;
        let detectors = settings
            .detectors
            .iter()
            .map(|name| DETECTORS.named(name))
            .collect::<Result<_, _>>()?;
        let (first, further) = objectives(&settings, facts)?;
        // Records and resumed studies see what was searched for, whatever it was called.
        settings.objective = named(&first);
        settings.further_objectives = further.iter().map(named).collect();
        let ranking = ranking(&settings, (first, further), facts)?;
        let secondary = facts.secondary.clone();
        let better = facts.direction(&secondary).ok_or_else(|| unknown(&secondary, facts))?;
        if settings.goal == Goal::Saturate && better != Better::Higher {
            return Err(PlanFault::Value(format!(
                "`{secondary}` does not saturate, since less of it is better: name a metric of \
                 which more is better as the benchmark's `secondary` (or give its `bytes` or \
                 `flops`), or use `autobench tune`"
            )));
        }
        let knee_settings = knees::Settings {
            seed: settings.seed,
            sensitivity: option(&settings, "sensitivity")?.unwrap_or(1.0),
            ..knees::Settings::default()
        };
        let preparation = match settings.detector_options.contains_key("raw-curve") {
            true => Preparation::Raw,
            false => Preparation::Prepared,
        };
        Ok(Self {
            strategy,
            knobs,
            ranking,
            detectors,
            knee_settings,
            preparation,
            secondary,
            better,
            rounding: facts.rounding,
            settings,
        })
    }

    /// Checks the names in settings alone: before any process is started.
    pub fn check_names(settings: &StudySettings) -> Result<(), PlanFault> {
        STRATEGIES.named(&settings.strategy)?;
        for name in &settings.detectors {
            DETECTORS.named(name)?;
        }
        Ok(())
    }

    /// The first size, if the user chose one.
    #[must_use]
    pub fn start(&self) -> Option<u64> {
        let listed = self.settings.sizes.list.as_ref().and_then(|list| list.iter().min().copied());
        listed.or(self.settings.sizes.start)
    }

    /// The sizes of the study, ascending.
    #[must_use]
    pub fn sizes(&self, survey: &Survey) -> Vec<u64> {
        let sizes = &self.settings.sizes;
        let schedule = match &sizes.list {
            Some(list) => Schedule::List(list.clone()),
            None => Schedule::Factor { start: sizes.start, factor: sizes.factor },
        };
        schedule.sizes(survey.first, survey.largest, self.rounding)
    }

    /// The share of the study's seconds that sizes may grow for: rounds follow, if there is a
    /// device.
    #[must_use]
    pub fn growth_share(&self) -> f64 {
        match self.settings.goal {
            Goal::Saturate => super::growth::SHARE,
            Goal::Tune => 1.0 - super::rounds::OF_ONE.0,
        }
    }

    /// Half the width of an interval, relative to its middle, that is precise enough.
    #[must_use]
    pub fn precision(&self) -> f64 {
        let asked = self.settings.measuring.get("precision").and_then(serde_json::Value::as_f64);
        asked.unwrap_or(0.01)
    }

    /// Whether sizes are measured around the knee.
    #[must_use]
    pub fn refines(&self) -> bool {
        self.settings.goal == Goal::Saturate && !self.settings.more.contains_key("no_refine")
    }

    /// Whether the best of sizes before are tried first.
    #[must_use]
    pub fn inherits(&self) -> bool {
        !self.settings.more.contains_key("no_warm_start")
    }
}

fn option(settings: &StudySettings, name: &str) -> Result<Option<f64>, PlanFault> {
    settings
        .detector_options
        .get(name)
        .map(|text| {
            text.parse()
                .map_err(|_| PlanFault::Value(format!("`{name}` is a number, not `{text}`")))
        })
        .transpose()
}

pub(super) fn unknown(metric: &str, facts: &Facts) -> PlanFault {
    let known: Vec<&str> = facts.metrics.iter().map(|(name, _)| name.as_str()).collect();
    Unknown { what: "metric", name: metric.to_owned(), known: known.join(", ") }.into()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::records::ObjectiveSettings;

    pub(in crate::study) fn facts() -> Facts {
        let named = |name: &str, better| (name.to_owned(), better);
        Facts {
            primary: "cost".to_owned(),
            secondary: "speed".to_owned(),
            metrics: vec![
                named("speed", Better::Higher),
                named("cost", Better::Lower),
                named("seconds", Better::Lower),
                named("energy", Better::Lower),
                named("error", Better::Lower),
            ],
            bound: 1e-6,
            rounding: Rounding::Multiple(1),
        }
    }

    fn resolved(goal: Goal, metric: &str, facts: &Facts) -> Result<Plan, PlanFault> {
        let objective = ObjectiveSettings { metric: metric.to_owned(), sense: Sense::Minimise };
        let strategy = "random".to_owned();
        let settings = StudySettings { goal, strategy, objective, ..StudySettings::default() };
        Plan::resolve(settings, facts)
    }

    fn planned(plan: Result<Plan, PlanFault>) -> Plan {
        plan.unwrap_or_else(|fault| panic!("{fault}"))
    }

    #[test]
    fn the_objective_is_recorded_by_its_own_name_and_resolves_to_itself() {
        for (asked, metric, sense) in [
            ("", "cost", Sense::Minimise),
            ("primary", "cost", Sense::Minimise),
            ("time", "seconds", Sense::Minimise),
            ("seconds", "seconds", Sense::Minimise),
            ("speed", "speed", Sense::Maximise),
            ("energy", "energy", Sense::Minimise),
        ] {
            let plan = planned(resolved(Goal::Saturate, asked, &facts()));
            let objective = plan.settings.objective.clone();
            assert_eq!((objective.metric.as_str(), objective.sense), (metric, sense), "{asked}");
            let again = planned(Plan::resolve(plan.settings, &facts()));
            assert_eq!(again.settings.objective, objective, "{asked}");
            assert_eq!(again.ranking, plan.ranking, "{asked}");
        }
        let fault = resolved(Goal::Saturate, "beauty", &facts()).err().expect("unknown");
        assert!(fault.to_string().contains("no metric named `beauty` (known: speed"), "{fault}");
    }

    #[test]
    fn only_a_metric_of_which_more_is_better_saturates() {
        for secondary in ["seconds", "energy"] {
            let facts = Facts { secondary: secondary.to_owned(), ..facts() };
            let fault = resolved(Goal::Saturate, "", &facts).err().expect("refused").to_string();
            assert!(fault.contains(secondary) && fault.contains("autobench tune"), "{fault}");
            let plan = planned(resolved(Goal::Tune, "", &facts));
            assert_eq!((plan.secondary.as_str(), plan.better), (secondary, Better::Lower));
        }
    }
}
