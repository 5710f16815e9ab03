//! Tuning in two steps: precision parameters first, or all others first. Each step searches the
//! part of the space where the other parameters keep their values. The budget is divided in
//! proportion to the numbers of parameters.

use std::sync::Arc;

use math::Rng;
use records::{most_precise, settings::Order};
use registry::Knobs;
use search_api::{Evaluation, Memory, Problem, Search, Spent, Stop};
use space::{Configuration, ConfigurationId, Parameter, Space};

/// A strategy, its knobs, and the order in which it tunes parameters.
#[derive(Clone, Copy)]
pub struct Searcher<'a> {
    /// The strategy's search function.
    pub search: &'a Search,
    /// The strategy's knobs.
    pub knobs: &'a Knobs,
    /// Which kind of parameters is tuned first.
    pub order: Order,
}

impl Searcher<'_> {
    /// Searches until the problem ends the search, or until nothing is left to propose.
    ///
    /// # Errors
    /// Why the search ended. Only [`Stop::Fault`] is a failure.
    pub fn search(&self, problem: &mut dyn Problem) -> Result<(), Stop> {
        let space = problem.space();
        let precise: Vec<Option<u32>> = space.parameters().iter().map(precise).collect();
        let tunable = |p: &Parameter| p.values.len() > 1;
        let chosen = precise.iter().flatten().count();
        let all = space.parameters().iter().filter(|parameter| tunable(parameter)).count();
        // With only one kind of parameters there is nothing to order.
        if self.order.is_unified() || chosen == 0 || chosen == all {
            return (self.search)(problem, self.knobs);
        }
        let of_precision = chosen as f64 / all as f64;
        let default = problem.starts().first().copied().or_else(|| space.default_id());
        let Some(default) = default.map(|id| space.configuration(id)) else {
            return (self.search)(problem, self.knobs);
        };
        let first = match self.order {
            Order::PrecisionFirst => Step {
                kept: kept(&precise, |at, of| of.is_none().then_some(default.0[at])),
                share: of_precision,
            },
            _ => Step { kept: kept(&precise, |_, of| of), share: 1.0 - of_precision },
        };
        let best = self.step(problem, &first, default)?;
        let is_precision_next = self.order == Order::PerformanceFirst;
        let next = Step {
            kept: kept(&precise, |at, of| {
                (of.is_some() != is_precision_next).then_some(best.0[at])
            }),
            share: 1.0,
        };
        self.step(problem, &next, best).map(drop)
    }

    /// Searches a part of the space. Returns its best configuration, or `start` if all failed.
    fn step(
        &self,
        problem: &mut dyn Problem,
        step: &Step,
        start: Configuration,
    ) -> Result<Configuration, Stop> {
        let whole = problem.space();
        let Some(space) = part(&whole, &step.kept) else { return Ok(start) };
        let until = (problem.spent().fraction + step.share).min(1.0);
        let begun = problem.spent();
        let mut part = Part {
            whole: problem,
            space: Arc::new(space),
            kept: &step.kept,
            start: start.clone(),
            begun,
            until,
            best: None,
        };
        let ended = (self.search)(&mut part, self.knobs);
        let best = part.best.map_or(start, |(id, _)| whole.configuration(id));
        match ended {
            Err(stop @ (Stop::Interrupted | Stop::Fault(_))) => Err(stop),
            Ok(()) | Err(Stop::Budget | Stop::Exhausted) => Ok(best),
        }
    }
}

/// A step: the index of the value that each parameter keeps, if any, and the share of the budget.
struct Step {
    kept: Vec<Option<u32>>,
    share: f64,
}

fn kept(
    precise: &[Option<u32>],
    keep: impl Fn(usize, Option<u32>) -> Option<u32>,
) -> Vec<Option<u32>> {
    precise.iter().enumerate().map(|(at, of)| keep(at, *of)).collect()
}

/// Returns the index of a parameter's most precise value, if it is a precision parameter.
fn precise(parameter: &Parameter) -> Option<u32> {
    let value = most_precise(&parameter.values)?;
    parameter.index_of(value).and_then(|at| u32::try_from(at).ok())
}

/// Returns the part of a space where the kept parameters have these values; `None` if it is empty.
fn part(whole: &Space, kept: &[Option<u32>]) -> Option<Space> {
    let parameters = whole.parameters().iter().zip(kept).map(|(parameter, kept)| {
        let mut parameter = parameter.clone();
        if let Some(at) = kept {
            let value = parameter.values[*at as usize].clone();
            parameter = Parameter::new(&parameter.name, [value]);
        }
        parameter
    });
    let inside = whole.ids().filter_map(|id| {
        let mut places = whole.configuration(id).0.to_vec();
        for (place, kept) in places.iter_mut().zip(kept) {
            match kept {
                Some(kept) if place == kept => *place = 0,
                Some(_) => return None,
                None => {}
            }
        }
        Some(places)
    });
    let part = Space::of_configurations(parameters.collect(), inside).ok()?;
    (!part.is_empty()).then_some(part)
}

/// The problem of one step: a part of the space, with a part of the budget.
struct Part<'a> {
    whole: &'a mut dyn Problem,
    space: Arc<Space>,
    kept: &'a [Option<u32>],
    start: Configuration,
    /// What was spent before the step.
    begun: Spent,
    /// Share of the whole budget at which the step ends.
    until: f64,
    /// The best configuration so far, by its number in the whole space, and its score.
    best: Option<(ConfigurationId, f64)>,
}

impl Part<'_> {
    /// Converts a number of this part to the number in the whole space.
    fn outside(&self, id: ConfigurationId) -> Option<ConfigurationId> {
        let mut places = self.space.configuration(id);
        for (place, kept) in places.0.iter_mut().zip(self.kept) {
            *place = kept.unwrap_or(*place);
        }
        self.whole.space().id_of(&places)
    }

    /// Returns the number that a configuration of the whole space has in this part, if it is there.
    fn inside(&self, configuration: &Configuration) -> Option<ConfigurationId> {
        let mut places = configuration.clone();
        for (place, kept) in places.0.iter_mut().zip(self.kept) {
            match kept {
                Some(kept) if place == kept => *place = 0,
                Some(_) => return None,
                None => {}
            }
        }
        self.space.id_of(&places)
    }
}

impl Problem for Part<'_> {
    fn space(&self) -> Arc<Space> {
        Arc::clone(&self.space)
    }

    fn evaluate(&mut self, id: ConfigurationId) -> Result<Evaluation, Stop> {
        self.check()?;
        let outside = self.outside(id).ok_or(Stop::Exhausted)?;
        let evaluation = self.whole.evaluate(outside)?;
        if let Some(score) = evaluation.score
            && self.best.is_none_or(|(_, best)| score < best)
        {
            self.best = Some((outside, score));
        }
        Ok(evaluation)
    }

    fn may_try(&mut self, ids: &[ConfigurationId]) {
        let outside: Vec<ConfigurationId> = ids.iter().filter_map(|id| self.outside(*id)).collect();
        self.whole.may_try(&outside);
    }

    fn starts(&self) -> Vec<ConfigurationId> {
        let space = self.whole.space();
        let others = self.whole.starts().into_iter().map(|id| space.configuration(id));
        let mut starts: Vec<ConfigurationId> = Vec::new();
        for start in std::iter::once(self.start.clone()).chain(others) {
            if let Some(id) = self.inside(&start).filter(|id| !starts.contains(id)) {
                starts.push(id);
            }
        }
        starts
    }

    fn memory(&self) -> &Memory {
        self.whole.memory()
    }

    fn scores_are_seconds(&self) -> bool {
        self.whole.scores_are_seconds()
    }

    fn times_gpu_blocks(&self) -> bool {
        self.whole.times_gpu_blocks()
    }

    fn rng(&mut self) -> &mut Rng {
        self.whole.rng()
    }

    fn spent(&self) -> Spent {
        let spent = self.whole.spent();
        let share = self.until - self.begun.fraction;
        let fraction = match share > 0.0 {
            true => ((spent.fraction - self.begun.fraction) / share).clamp(0.0, 1.0),
            false => 1.0,
        };
        let evaluations = spent.evaluations - self.begun.evaluations;
        let limit = spent.limit.map(|limit| (limit as f64 * share).ceil() as u64);
        Spent {
            evaluations,
            limit: limit.map(|limit| limit.min(self.space.len())),
            fraction,
            cost_seconds: spent.cost_seconds - self.begun.cost_seconds,
        }
    }

    fn check(&self) -> Result<(), Stop> {
        self.whole.check()?;
        let spent = self.spent();
        if spent.evaluations >= self.space.len() {
            return Err(Stop::Exhausted);
        }
        if spent.fraction >= 1.0 { Err(Stop::Budget) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use search_api::{Analytic, Budget, STRATEGIES};

    use super::*;

    fn space() -> Arc<Space> {
        let parameters = vec![
            Parameter::new("block", [16, 32, 64, 128]),
            Parameter::new("tile", [1, 2, 4, 8]),
            Parameter::new("a_type", ["f32", "f64", "f16"]),
            Parameter::new("policy", ["fast", "accurate"]),
        ];
        Arc::new(Space::build(parameters, &[] as &[&str], &[]).expect("a space"))
    }

    fn tried(order: Order, budget: u64) -> Vec<Vec<String>> {
        let space = space();
        let score = |_: &Space, id: ConfigurationId| Evaluation::scored(id.0 as f64);
        let mut problem = Analytic::new(Arc::clone(&space), Budget::evaluations(budget), 3, score);
        let strategy = STRATEGIES.named("random").expect("known");
        let knobs = strategy.settings([]).expect("defaults");
        let _ = Searcher { search: strategy.search, knobs: &knobs, order }.search(&mut problem);
        let words =
            |id: &ConfigurationId| space.values(*id).iter().map(ToString::to_string).collect();
        problem.ledger().order().iter().map(words).collect()
    }

    #[test]
    fn performance_first_keeps_full_precision_and_then_the_best_of_the_others() {
        let tried = tried(Order::PerformanceFirst, 12);
        // Six per step, but the second step begins with a configuration of the first one.
        assert_eq!(tried.len(), 11);
        let (first, then) = tried.split_at(6);
        assert!(first.iter().all(|c| c[2..] == ["f64", "accurate"]), "{first:?}");
        let best = &first
            .iter()
            .min_by_key(|c| (c[0].parse::<u32>().ok(), c[1].parse::<u32>().ok()))
            .expect("some")[..2];
        assert!(then.iter().skip(1).any(|c| c[2..] != ["f64", "accurate"]), "{then:?}");
        assert!(then.iter().all(|c| &c[..2] == best), "{best:?}: {then:?}");
    }

    #[test]
    fn precision_first_keeps_the_defaults_and_then_the_best_precision() {
        let tried = tried(Order::PrecisionFirst, 12);
        let precise: Vec<_> = tried.iter().take_while(|c| c[..2] == ["16", "1"]).collect();
        assert!(precise.len() >= 6, "{tried:?}");
        let later = &tried[precise.len()..];
        assert!(!later.is_empty() && later.iter().all(|c| c[2..] == later[0][2..]), "{later:?}");
    }

    #[test]
    fn a_space_with_one_kind_of_parameters_and_a_unified_order_are_searched_as_ever() {
        assert_eq!(tried(Order::Unified, 96).len(), 96);
        // A step that has tried its whole part leaves the rest of its budget to the next step.
        assert_eq!(tried(Order::PerformanceFirst, 90).len(), 16 + 5);
    }
}
