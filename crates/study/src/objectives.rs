//! Objectives of a study, resolved to metrics with directions, and the ranking of outcomes.

use std::collections::BTreeSet;

use records::{
    LOGARITHM, Metric,
    settings::{Bound, Goal, Objective, Sense, Side, StudySettings, Verification},
};
use registry::offered;

use super::subject_facts::{PlanFault, SubjectFacts};
use crate::tuning::Ranking;

pub(super) fn objectives(
    settings: &StudySettings,
    facts: &SubjectFacts,
) -> Result<(Objective, Vec<Objective>), PlanFault> {
    let first = objective(&settings.objective.metric, facts)?;
    let mut further: Vec<Objective> = Vec::new();
    for asked in &settings.further_objectives {
        let next = objective(&asked.metric, facts)?;
        if next == first || further.contains(&next) {
            let metric = &next.metric;
            let why = format!("the objective `{metric}` is named twice; name each once");
            return Err(PlanFault::Value(why));
        }
        further.push(next);
    }
    Ok((first, further))
}

/// Resolves the name of a metric; `max:NAME` and `min:NAME` state which direction is better.
pub(super) fn objective(asked: &str, facts: &SubjectFacts) -> Result<Objective, PlanFault> {
    let directions = [("max:", Sense::Maximise), ("min:", Sense::Minimise)];
    let given =
        directions.into_iter().find_map(|(word, sense)| Some((asked.strip_prefix(word)?, sense)));
    let name = given.map_or(asked, |(name, _)| name);
    let metric = match name {
        "" | "primary" => facts.primary.as_str(),
        "time" => "seconds",
        name => name,
    };
    if !facts.knows(metric) {
        return Err(facts.unknown(metric));
    }
    let sense = given.map(|(_, sense)| sense).or_else(|| facts.sense(metric)).ok_or_else(|| {
        PlanFault::Value(format!(
            "which direction of `{metric}` is better? say `max:{metric}` or `min:{metric}`"
        ))
    })?;
    Ok(Objective { metric: metric.to_owned(), sense })
}

/// Returns the error bound of `--max-error`: a number, or one of the benchmark's levels. Also
/// checks a bound on the error that `--bound` set.
pub(super) fn max_error(
    settings: &StudySettings,
    facts: &SubjectFacts,
) -> Result<Option<f64>, PlanFault> {
    let level = settings.max_error_level.as_str();
    let asked = match level {
        "" => settings.max_error,
        _ => Some(level_of("--max-error", level, facts)?),
    };
    let is_bound = |bound: &&Bound| bound.metric == "error" && bound.side == Side::AtMost;
    let further = settings.bounds.iter().find(is_bound).map(|bound| bound.limit);
    let Some(bound) = asked.or(further) else { return Ok(None) };
    allowed(bound, settings, facts)?;
    Ok(asked)
}

/// A bound on the error for which the study reports the best configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The level's name, or the number as the user wrote it.
    pub name: String,
    /// The bound.
    pub bound: f64,
}

/// Resolves the bounds on the error for which the study reports the best configurations.
pub(super) fn thresholds(
    settings: &StudySettings,
    facts: &SubjectFacts,
) -> Result<Vec<Threshold>, PlanFault> {
    let mut thresholds: Vec<Threshold> = Vec::new();
    for name in settings.thresholds.iter().map(|name| name.trim()) {
        let bound = match name.parse() {
            Ok(bound) => bound,
            Err(_) => level_of("--thresholds", name, facts)?,
        };
        allowed(bound, settings, facts)?;
        let name = name.to_owned();
        if thresholds.iter().any(|known| known.name == name) {
            return Err(PlanFault::Value(format!("the threshold `{name}` is named twice")));
        }
        thresholds.push(Threshold { name, bound });
    }
    Ok(thresholds)
}

/// Returns the bound of a level of accuracy.
fn level_of(flag: &str, level: &str, facts: &SubjectFacts) -> Result<f64, PlanFault> {
    facts.levels.get(level).copied().ok_or_else(|| {
        let known = offered(level, facts.levels.keys().map(String::as_str));
        PlanFault::Value(if known.is_empty() {
            format!("{flag} takes a number, since there are no levels such as `{level}` here")
        } else {
            format!("no level of accuracy named `{level}` (known: {known})")
        })
    })
}

/// Refuses a bound on the error that cannot be checked, or that wrong results would satisfy.
fn allowed(bound: f64, settings: &StudySettings, facts: &SubjectFacts) -> Result<(), PlanFault> {
    if settings.verification == Verification::Off {
        return Err(PlanFault::Value(
            "--verify off computes no error to compare with a bound: leave out --verify off, or the bound"
                .to_owned(),
        ));
    }
    if !(bound >= 0.0 && bound.is_finite()) {
        return Err(PlanFault::Value(format!("the error bound is a number from 0, not {bound}")));
    }
    if !facts.knows("error") {
        let metrics: Vec<&str> = facts.metrics.iter().map(|(name, _)| name.as_str()).collect();
        return Err(PlanFault::Value(format!(
            "the recorded space has no `error` to bound; it has {}: bound one of these with --bound",
            metrics
                .iter()
                .copied()
                .chain(facts.undirected.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join(", ")
        )));
    }
    match facts.wrong_line {
        Some(line) if bound > line => Err(PlanFault::Value(format!(
            "an error bound of {bound:e} allows wrong results: above {line:e} they count as wrong here, which \
             `error.wrong_above` of the benchmark says"
        ))),
        _ => Ok(()),
    }
}

pub(super) fn ranking(
    settings: &StudySettings,
    (objective, further): (Objective, Vec<Objective>),
    facts: &SubjectFacts,
) -> Result<Ranking, PlanFault> {
    let own = facts.bound.filter(|_| facts.knows("error"));
    let bounds = settings.all_bounds(own);
    for (at, bound) in bounds.0.iter().enumerate() {
        if !facts.knows(&bound.metric) {
            return Err(facts.unknown(&bound.metric));
        }
        if bounds.0[..at]
            .iter()
            .any(|other| (&other.metric, other.side) == (&bound.metric, bound.side))
        {
            let metric = &bound.metric;
            return Err(PlanFault::Value(format!("`{metric}` has two bounds; give it one")));
        }
    }
    let (errors, observed) = (Vec::new(), Vec::new());
    let ranking =
        Ranking { objective, further, bounds, penalty: settings.penalty, errors, observed };
    let mut needed = needed(&ranking);
    let errors = needed.iter().filter(|name| facts.errors.contains(name)).cloned().collect();
    // A recorded space need not have what a device has.
    let is_known = |name: &&String| facts.knows(name) || Metric::named(name).is_some();
    if let Some(unknown) = settings.observe.iter().find(|name| !is_known(name)) {
        return Err(facts.unknown(unknown));
    }
    if settings.goal == Goal::Saturate {
        needed.push(facts.secondary.clone());
    }
    let observed = sources(&needed, facts);
    Ok(Ranking { errors, observed, ..ranking })
}

/// Returns what is observed over a span of time for these metrics, each once.
pub(super) fn sources(metrics: &[String], facts: &SubjectFacts) -> Vec<String> {
    let observed = metrics.iter().filter_map(|name| facts.observed.get(name)).flatten();
    observed.cloned().collect::<BTreeSet<String>>().into_iter().collect()
}

/// Returns the metrics of the objectives and bounds, each once. A logarithm needs its argument.
fn needed(ranking: &Ranking) -> Vec<String> {
    let objectives = ranking.objectives().map(|objective| objective.metric.as_str());
    let bounded = ranking.bounds.0.iter().map(|bound| bound.metric.as_str());
    let mut needed: Vec<String> = Vec::new();
    for name in objectives.chain(bounded) {
        let name = name.strip_prefix(LOGARITHM).unwrap_or(name);
        if !needed.iter().any(|known| known == name) {
            needed.push(name.to_owned());
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Plan, plan::tests::facts};

    #[test]
    fn several_objectives_are_named_once_each_and_resolve_to_themselves() {
        let asked = |names: &[&str], max_error| {
            let named =
                |metric: &&str| Objective { metric: (*metric).to_owned(), ..Objective::default() };
            let settings = StudySettings {
                goal: Goal::Tune,
                strategy: "nsga2".to_owned(),
                objective: named(&names[0]),
                further_objectives: names[1..].iter().map(named).collect(),
                max_error,
                ..StudySettings::default()
            };
            Plan::resolve(settings, &facts())
        };
        let plan = resolved(asked(&["time", "speed", "error"], None));
        let metrics: Vec<&str> = plan.settings.objectives().map(|o| o.metric.as_str()).collect();
        assert_eq!(metrics, ["seconds", "speed", "error"]);
        assert_eq!(plan.settings.further_objectives[0].sense, Sense::Maximise);
        let bound = |plan: Plan| plan.ranking.bounds.of_error();
        assert_eq!(plan.ranking.bounds.of_error(), None, "the front shows what accuracy costs");
        assert_eq!(bound(resolved(asked(&["seconds", "digits"], None))), None);
        assert_eq!(bound(resolved(asked(&["seconds", "error"], Some(1e-7)))), Some(1e-7));
        assert_eq!(bound(resolved(asked(&["seconds", "energy"], None))), Some(1e-6));
        assert_eq!(bound(resolved(asked(&["error"], None))), Some(1e-6));
        let again = resolved(Plan::resolve(plan.settings.clone(), &facts()));
        assert_eq!((again.settings, again.ranking), (plan.settings, plan.ranking));
        let fault = asked(&["time", "speed", "seconds"], None).err().expect("refused").to_string();
        assert!(fault.contains("`seconds` is named twice"), "{fault}");
    }

    #[test]
    fn bounds_are_on_known_metrics_and_levels_are_the_benchmark_s() {
        let bounded = |texts: &[&str], level: &str, max_error| {
            let settings = StudySettings {
                goal: Goal::Tune,
                strategy: "random".to_owned(),
                max_error,
                max_error_level: level.to_owned(),
                bounds: texts.iter().map(|text| text.parse::<Bound>().expect(text)).collect(),
                objective: Objective::asked("log10_mae"),
                ..StudySettings::default()
            };
            Plan::resolve(settings, &facts())
        };
        let refused = |plan: Result<Plan, PlanFault>| plan.err().expect("refused").to_string();
        let plan = resolved(bounded(&["energy<=0.7", "log10_mre<=-4"], "high", None));
        assert_eq!(
            plan.ranking.bounds.to_string(),
            "error <= 1e-8 and energy <= 0.7 and log10_mre <= -4.0"
        );
        assert_eq!(plan.ranking.errors, ["mae", "mre"]);
        assert_eq!(plan.settings.max_error, Some(1e-8));
        let plan = resolved(bounded(&["error<=1e-3"], "", None));
        assert_eq!(plan.ranking.bounds.to_string(), "error <= 0.001");
        for (fault, words) in [
            (refused(bounded(&["energi<=0.7"], "", None)), "did you mean `energy`"),
            (refused(bounded(&["energy<=1", "energy<=2"], "", None)), "`energy` has two bounds"),
            (refused(bounded(&["error<=1e-3"], "high", None)), "`error` has two bounds"),
            (refused(bounded(&["error<=1"], "", None)), "allows wrong results"),
            (refused(bounded(&[], "hihg", None)), "did you mean `high`"),
            (refused(bounded(&[], "", Some(1.0))), "allows wrong results"),
            (refused(bounded(&[], "", Some(-1.0))), "a number from 0"),
        ] {
            assert!(fault.contains(words), "{fault}");
        }
    }

    #[test]
    fn what_is_observed_over_a_span_is_known_from_objectives_bounds_and_wishes() {
        let mut facts = facts();
        let sources = vec!["energy".to_owned(), "power".to_owned()];
        facts.observed.insert("speed".to_owned(), sources);
        let observed = |goal, metric: &str, bounds: &[&str], observe: &[&str]| {
            let settings = StudySettings {
                goal,
                strategy: "random".to_owned(),
                objective: Objective::asked(metric),
                bounds: bounds.iter().map(|text| text.parse::<Bound>().expect(text)).collect(),
                observe: observe.iter().map(|name| (*name).to_owned()).collect(),
                ..StudySettings::default()
            };
            Plan::resolve(settings, &facts).map(|plan| (plan.ranking.observed, plan.wished))
        };
        let tuned = |metric, bounds, observe| observed(Goal::Tune, metric, bounds, observe);
        let names =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for ((metric, bounds, observe), (needed, wished)) in [
            (("seconds", &[][..], &[][..]), (&[][..], &[][..])),
            (("energy", &[], &[]), (&["energy"], &[])),
            (("seconds", &["log10_energy<=1"], &[]), (&["energy"], &[])),
            (("speed", &[], &["energy"]), (&["energy", "power"], &["energy"])),
            (("error", &[], &["energy"]), (&[], &["energy"])),
        ] {
            let known = tuned(metric, bounds, observe).expect("known");
            assert_eq!(known, (names(needed), names(wished)), "{metric}, {bounds:?}, {observe:?}");
        }
        let saturates = observed(Goal::Saturate, "seconds", &[], &[]).expect("known");
        assert_eq!(saturates.0, ["energy", "power"], "the metric whose saturation is sought");
        let fault = tuned("error", &[], &["energi"]).expect_err("unknown").to_string();
        assert!(fault.contains("did you mean `energy`"), "{fault}");
    }

    #[test]
    fn a_metric_without_a_direction_is_an_objective_once_it_is_given_one() {
        let mut facts = facts();
        facts.undirected.push("beauty".to_owned());
        let named = |name: &str| objective(name, &facts).map_err(|fault| fault.to_string());
        assert_eq!(named("max:beauty").expect("known").sense, Sense::Maximise);
        assert_eq!(named("min:speed").expect("known").sense, Sense::Minimise);
        assert!(named("beauty").expect_err("no direction").contains("`max:beauty`"));
        assert!(named("max:ugliness").is_err());
    }

    fn resolved(plan: Result<Plan, PlanFault>) -> Plan {
        plan.unwrap_or_else(|fault| panic!("{fault}"))
    }
}
