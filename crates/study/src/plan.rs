//! The checked settings of a study, with names resolved and defaults replaced by values.

use std::sync::Arc;

use knees::{DETECTORS, Detector, DetectorSettings, Preparation};
use records::{
    Named,
    settings::{Goal, Objective, Sense, StudySettings},
};
use registry::{KnobError, Knobs, Unknown, expanded};
use search_api::{Memory, Strategy};

use super::{
    objectives::{Threshold, max_error, objective, objectives, ranking, sources, thresholds},
    subject_facts::{PlanFault, SubjectFacts},
};
use crate::{scaling::Rounding, tuning::Ranking};

/// A study that can be run.
pub struct Plan {
    /// The user's choices; objectives have the metrics' own names.
    pub settings: StudySettings,
    /// The strategy that proposes configurations.
    pub strategy: &'static Strategy,
    /// Knobs of the strategy.
    pub knobs: Knobs,
    /// The ranking of outcomes.
    pub ranking: Ranking,
    /// Detectors except the confirming ones. The first one decides; if others must confirm, it only
    /// proposes the knee.
    pub detectors: Vec<&'static Detector>,
    /// Detectors that must confirm the proposed knee.
    pub confirming: Vec<&'static Detector>,
    /// Settings of the detectors.
    pub detector_settings: DetectorSettings,
    /// Whether detectors see the curve prepared or raw.
    pub preparation: Preparation,
    /// Metrics that a user wants observed over a span of time, where the device can.
    pub wished: Vec<String>,
    /// Seconds for which observers need each configuration to be sampled.
    pub window: f64,
    /// The metric whose saturation is sought.
    pub secondary: Objective,
    /// How sizes are rounded.
    pub rounding: Rounding,
    /// Bounds on the error for which the study reports the best configurations.
    pub thresholds: Vec<Threshold>,
    /// The prior from other studies; empty unless set. Searches also use the study's own sizes.
    pub memory: Arc<Memory>,
    /// Configurations of other studies with which every size begins; empty unless a front is sought.
    pub starts: Vec<Named>,
}

impl Plan {
    /// Checks settings and resolves their names.
    pub fn resolve(mut settings: StudySettings, facts: &SubjectFacts) -> Result<Self, PlanFault> {
        Self::check(&settings)?;
        let found = search_api::strategy(&settings.strategy, &settings.script)?;
        let strategy = found.strategy;
        settings.script = found.text;
        let value = |fault: KnobError| PlanFault::Value(fault.to_string());
        let knobs = strategy.settings(&settings.knobs).map_err(value)?;
        // Records hold a preset's name and its values, so that a later version cannot change them.
        settings.knobs.extend(expanded(strategy.presets, &settings.knobs).map_err(value)?);
        let named = |names: &[String]| -> Result<Vec<&'static Detector>, Unknown> {
            names.iter().map(|name| DETECTORS.named(name)).collect()
        };
        let confirming = named(&settings.knee.confirm_by)?;
        let mut detectors = named(&settings.detectors)?;
        detectors.retain(|asked| confirming.iter().all(|other| other.name != asked.name));
        let (first, further) = objectives(&settings, facts)?;
        // Records hold the metric's own name, so that a resumed study does not resolve an alias.
        settings.objective.clone_from(&first);
        settings.further_objectives.clone_from(&further);
        settings.max_error = max_error(&settings, facts)?;
        settings.keep_outputs.iter().try_for_each(|name| facts.output(name))?;
        let ranking = ranking(&settings, (first, further), facts)?;
        let secondary = objective(&facts.secondary, facts)?;
        if settings.goal == Goal::Saturate && secondary.sense != Sense::Maximise {
            let secondary = secondary.metric;
            return Err(PlanFault::Value(format!(
                "`{secondary}` does not saturate, since less of it is better: name a metric of \
                 which more is better as the benchmark's `secondary` (or give its `bytes` or \
                 `flops`), or use `autobench tune`"
            )));
        }
        let detector_settings =
            DetectorSettings { seed: settings.seed, ..DetectorSettings::default() }
                .with_knobs(&settings.knee.knobs)
                .map_err(value)?;
        let preparation = match settings.knee.raw_curve {
            true => Preparation::Raw,
            false => Preparation::Prepared,
        };
        Ok(Self {
            strategy,
            knobs,
            ranking,
            detectors,
            confirming,
            detector_settings,
            preparation,
            secondary,
            rounding: facts.rounding,
            thresholds: thresholds(&settings, facts)?,
            wished: sources(&settings.observe, facts),
            window: 0.0,
            memory: Arc::default(),
            starts: Vec::new(),
            settings,
        })
    }

    /// Checks values and names that can be checked before any process is started.
    pub fn check(settings: &StudySettings) -> Result<(), PlanFault> {
        settings.check().map_err(|fault| PlanFault::Value(fault.to_string()))?;
        let strategy = search_api::strategy(&settings.strategy, &settings.script)?.strategy;
        for name in settings.detectors.iter().chain(&settings.knee.confirm_by) {
            DETECTORS.named(name)?;
        }
        settings
            .knee
            .check(settings.detectors.first())
            .map_err(|fault| PlanFault::Value(fault.to_string()))?;
        let value = |fault: KnobError| PlanFault::Value(fault.to_string());
        strategy.settings(&settings.knobs).map_err(value)?;
        DetectorSettings::default().with_knobs(&settings.knee.knobs).map(drop).map_err(value)
    }

    /// Returns all detectors, the deciding one first.
    pub(super) fn all_detectors(&self) -> impl Iterator<Item = &'static Detector> {
        self.detectors.iter().chain(&self.confirming).copied()
    }

    /// Whether the study measures further sizes around the knee.
    #[must_use]
    pub fn refines(&self) -> bool {
        self.settings.goal == Goal::Saturate && !self.settings.without.refinement
    }

    /// Returns the share of the study's seconds for growth; the rest is for rounds.
    pub(super) fn growth_share(&self) -> f64 {
        match self.settings.goal {
            Goal::Saturate => self.settings.policy.growth_share,
            Goal::Tune => 1.0 - self.settings.policy.single_size_share,
        }
    }

    /// Whether a size starts with the best configurations of earlier sizes and learns from their
    /// trials.
    #[must_use]
    pub fn inherits(&self) -> bool {
        !self.settings.without.warm_start
    }
}

#[cfg(test)]
pub(super) mod tests {
    use records::settings::Objective;

    use super::*;

    pub(crate) fn facts() -> SubjectFacts {
        let named = |name: &str, better| (name.to_owned(), better);
        SubjectFacts {
            primary: "cost".to_owned(),
            secondary: "speed".to_owned(),
            metrics: vec![
                named("speed", Sense::Maximise),
                named("cost", Sense::Minimise),
                named("seconds", Sense::Minimise),
                named("energy", Sense::Minimise),
                named("error", Sense::Minimise),
                named("digits", Sense::Maximise),
            ],
            undirected: Vec::new(),
            errors: vec!["mae".to_owned(), "mre".to_owned()],
            outputs: vec!["labels".to_owned()],
            observed: [("energy".to_owned(), vec!["energy".to_owned()])].into(),
            bound: Some(1e-6),
            levels: [("high".to_owned(), 1e-8), ("low".to_owned(), 1e-2)].into(),
            wrong_line: Some(0.5),
            rounding: Rounding::Multiple(1),
        }
    }

    fn resolved(goal: Goal, metric: &str, facts: &SubjectFacts) -> Result<Plan, PlanFault> {
        let objective = Objective { metric: metric.to_owned(), sense: Sense::Minimise };
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
    fn an_output_to_keep_exists() {
        let kept = |name: &str, facts: &SubjectFacts| {
            let strategy = "random".to_owned();
            let keep_outputs = vec![name.to_owned()];
            let settings = StudySettings { strategy, keep_outputs, ..StudySettings::default() };
            Plan::resolve(settings, facts).map(drop).map_err(|fault| fault.to_string())
        };
        assert_eq!(kept("labels", &facts()), Ok(()));
        let misspelt = kept("lables", &facts()).expect_err("refused");
        assert!(misspelt.contains("no output named `lables` (known: labels; did"), "{misspelt}");
        let replayed = SubjectFacts { outputs: Vec::new(), ..facts() };
        let why = kept("labels", &replayed).expect_err("refused");
        assert_eq!(why, "a recorded space has no output `labels`; leave out --keep-output");
    }

    #[test]
    fn only_a_metric_of_which_more_is_better_saturates() {
        for secondary in ["seconds", "energy"] {
            let facts = SubjectFacts { secondary: secondary.to_owned(), ..facts() };
            let fault = resolved(Goal::Saturate, "", &facts).err().expect("refused").to_string();
            assert!(fault.contains(secondary) && fault.contains("autobench tune"), "{fault}");
            let plan = planned(resolved(Goal::Tune, "", &facts));
            assert_eq!(
                (plan.secondary.metric.as_str(), plan.secondary.sense),
                (secondary, Sense::Minimise)
            );
        }
    }
}
