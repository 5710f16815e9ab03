//! Front of a size: the configurations that no other configuration beats in one objective without
//! losing in another. The front is computed from the trials, so older records have one as well.

use serde::Serialize;

use crate::{
    Measurement, Named, Phase, Status, StudyRecord, StudyView, Summary, Trial,
    settings::{Bounds, Objective},
    uncertainty,
};

/// A configuration with the values of its objectives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrontPoint {
    /// Configuration.
    pub configuration: Named,
    /// Values of the objectives, in their order.
    pub values: Vec<f64>,
    /// Standard errors of the values that have one; empty if none has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncertainties: Vec<Option<f64>>,
    /// Statistics of the run time.
    pub seconds: Summary,
    /// Error, if it was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// The front of a size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Front {
    /// The size.
    pub size: u64,
    /// Objectives of the search.
    pub objectives: Vec<Objective>,
    /// Whether members were sampled again and passed on fresh inputs; `false` while the size is
    /// open.
    pub fresh: bool,
    /// Members of the front, best by the first objective first.
    pub members: Vec<FrontPoint>,
    /// All configurations of the search that are within the bounds, in the order of trials; members
    /// included.
    #[serde(skip)]
    pub tried: Vec<FrontPoint>,
}

impl StudyView {
    /// Fronts of all sizes that have one, smallest size first; empty with only one objective.
    #[must_use]
    pub fn fronts(&self, record: &StudyRecord) -> Vec<Front> {
        if !record.settings.seeks_front() {
            return Vec::new();
        }
        let fronts = self.sizes.iter().map(|point| self.front(record, point.size));
        fronts.filter(|front| !front.members.is_empty()).collect()
    }

    /// Front of the size that the study answers with; otherwise of the largest size that has a
    /// front.
    #[must_use]
    pub fn answering_front(&self, record: &StudyRecord) -> Option<Front> {
        let answer = self.winner().map(|(point, _)| point.size);
        let mut fronts = self.fronts(record);
        let at = fronts.iter().position(|front| Some(front.size) == answer);
        let at = at.or_else(|| fronts.len().checked_sub(1))?;
        Some(fronts.swap_remove(at))
    }

    fn front(&self, record: &StudyRecord, size: u64) -> Front {
        let admission = Admission::of(record);
        let trials = || {
            let all = self.trials.iter().map(|row| &row.event.trial);
            all.filter(move |trial| trial.size == size)
        };
        let tried: Vec<FrontPoint> = trials()
            .filter(|t| t.phase == Phase::Search)
            .filter_map(|t| admission.point(t))
            .collect();
        let checked = |named: &Named| {
            trials()
                .any(|t| t.phase == Phase::Check && t.configuration == *named && admission.holds(t))
        };
        let again = trials().filter(|t| t.phase.is_contest());
        let fresh = best_looks(again.filter_map(|trial| admission.point(trial)));
        let fresh: Vec<FrontPoint> =
            fresh.into_iter().filter(|point| checked(&point.configuration)).collect();
        let closed = !fresh.is_empty();
        let members = admission.front(if closed { fresh } else { tried.clone() });
        let objectives = admission.objectives.into_iter().cloned().collect();
        Front { size, objectives, fresh: closed, members, tried }
    }
}

/// The fastest measurement of each configuration, because disturbances only slow down.
fn best_looks(points: impl Iterator<Item = FrontPoint>) -> Vec<FrontPoint> {
    let mut best: Vec<FrontPoint> = Vec::new();
    for point in points {
        match best.iter_mut().find(|known| known.configuration == point.configuration) {
            Some(known) if point.seconds.median < known.seconds.median => *known = point,
            Some(_) => {}
            None => best.push(point),
        }
    }
    best
}

struct Admission<'a> {
    objectives: Vec<&'a Objective>,
    bounds: Bounds,
    /// Names of the benchmark's own errors.
    errors: Vec<String>,
}

impl<'a> Admission<'a> {
    fn of(record: &'a StudyRecord) -> Self {
        let objectives = record.settings.objectives().collect();
        Self { objectives, bounds: record.bounds(), errors: record.benchmark.own_errors() }
    }

    fn within<'t>(&self, trial: &'t Trial) -> Option<&'t Measurement> {
        let measurement = trial.outcome.measurement.as_ref()?;
        let holds = self.bounds.hold(|metric| measurement.value(metric));
        (trial.outcome.status == Status::Measured && holds).then_some(measurement)
    }

    /// Whether a trial on fresh inputs passed the bounds on errors.
    fn holds(&self, trial: &Trial) -> bool {
        let of_errors = self.bounds.on_errors(&self.errors);
        let measurement = trial.outcome.measurement.as_ref();
        trial.outcome.status == Status::Measured
            && measurement.is_some_and(|m| of_errors.hold(|metric| m.value(metric)))
    }

    fn point(&self, trial: &Trial) -> Option<FrontPoint> {
        let measurement = self.within(trial)?;
        let values = self.objectives.iter().map(|objective| measurement.value(&objective.metric));
        let uncertainties = self.objectives.iter();
        let mut uncertainties: Vec<Option<f64>> =
            uncertainties.map(|o| uncertainty(&measurement.metrics, &o.metric)).collect();
        if uncertainties.iter().all(Option::is_none) {
            uncertainties.clear();
        }
        Some(FrontPoint {
            uncertainties,
            configuration: trial.configuration.clone(),
            values: values.collect::<Option<_>>()?,
            seconds: measurement.seconds.clone(),
            error: measurement.error,
        })
    }

    fn costs(&self, point: &FrontPoint) -> Vec<f64> {
        let pairs = self.objectives.iter().zip(&point.values);
        pairs.map(|(objective, value)| objective.cost(*value)).collect()
    }

    fn front(&self, points: Vec<FrontPoint>) -> Vec<FrontPoint> {
        let costs: Vec<Vec<f64>> = points.iter().map(|point| self.costs(point)).collect();
        let mut members: Vec<(f64, FrontPoint)> =
            math::front(&costs).into_iter().map(|at| (costs[at][0], points[at].clone())).collect();
        members.sort_by(|a, b| a.0.total_cmp(&b.0));
        members.into_iter().map(|(_, point)| point).collect()
    }
}
