//! Objectives of a study, resolved to metrics with directions, and the ranking of outcomes.

use super::subject_facts::{PlanFault, SubjectFacts};
use crate::{
    settings::{Objective, StudySettings},
    tuning::Ranking,
};

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

pub(super) fn objective(asked: &str, facts: &SubjectFacts) -> Result<Objective, PlanFault> {
    let metric = match asked {
        "" | "primary" => facts.primary.as_str(),
        "time" => "seconds",
        name => name,
    };
    let sense = facts.sense(metric).ok_or_else(|| facts.unknown(metric))?;
    Ok(Objective { metric: metric.to_owned(), sense })
}

pub(super) fn ranking(
    settings: &StudySettings,
    (objective, further): (Objective, Vec<Objective>),
    facts: &SubjectFacts,
) -> Result<Ranking, PlanFault> {
    let bound = settings.max_error.unwrap_or(facts.bound);
    if !(bound >= 0.0 && bound.is_finite()) {
        return Err(PlanFault::Value(format!("the error bound is a number from 0, not {bound}")));
    }
    Ok(Ranking {
        objective,
        further,
        bound,
        bounded: settings.bounded(),
        penalty: settings.penalty,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        settings::{Goal, Sense},
        study::{Plan, plan::tests::facts},
    };

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
        assert!(!plan.ranking.bounded, "the front shows what accuracy costs");
        assert!(resolved(asked(&["seconds", "error"], Some(1e-3))).ranking.bounded);
        assert!(resolved(asked(&["seconds", "energy"], None)).ranking.bounded);
        assert!(resolved(asked(&["error"], None)).ranking.bounded);
        let again = resolved(Plan::resolve(plan.settings.clone(), &facts()));
        assert_eq!((again.settings, again.ranking), (plan.settings, plan.ranking));
        let fault = asked(&["time", "speed", "seconds"], None).err().expect("refused").to_string();
        assert!(fault.contains("`seconds` is named twice"), "{fault}");
    }

    fn resolved(plan: Result<Plan, PlanFault>) -> Plan {
        plan.unwrap_or_else(|fault| panic!("{fault}"))
    }
}
