//! Contract of every strategy, run for each entry of the registry and for each example of a script.
#![expect(clippy::print_stdout, reason = "a failure shows which strategy it belongs to")]

use std::{cell::RefCell, sync::Arc};

use registry::Knobs;
use search_api::{Analytic, Budget, Evaluation, STRATEGIES, Stop, Strategy};
use space::{ConfigurationId, Parameter, Space};

use crate::every_strategy;

pub(crate) fn space(parameters: Vec<Parameter>, restrictions: &[&str]) -> Arc<Space> {
    Arc::new(Space::build(parameters, restrictions, &[]).expect("space"))
}

/// A space with 340 valid configurations of 512.
pub(crate) fn bowl() -> Arc<Space> {
    let values = || (0_i64..8).collect::<Vec<_>>();
    let parameters =
        ["a", "b", "c"].map(|name| Parameter::new(name, values()).with_default(4_i64)).to_vec();
    space(parameters, &["(a + b + c) % 3 != 0"])
}

pub(crate) fn height(space: &Space, id: ConfigurationId) -> Evaluation {
    let values = space.values(id);
    let term = |i: usize, low: f64| (values[i].as_f64().expect("number") - low).powi(2);
    Evaluation::scored(1.0 + term(0, 5.0) + 2.0 * term(1, 2.0) + 0.5 * term(2, 6.0))
}

fn knobs(strategy: &Strategy) -> Knobs {
    let none: [&str; 0] = [];
    Knobs::parse(strategy.knobs, &none).expect("the defaults are allowed")
}

/// Runs a strategy and returns how it ended with the order of its evaluations.
fn run(
    strategy: &Strategy,
    space: &Arc<Space>,
    budget: Budget,
    seed: u64,
    function: impl FnMut(&Space, ConfigurationId) -> Evaluation,
) -> (Result<(), Stop>, Vec<ConfigurationId>) {
    let mut problem = Analytic::new(Arc::clone(space), budget, seed, function);
    let end = (strategy.search)(&mut problem, &knobs(strategy));
    (end, problem.ledger().order().to_vec())
}

fn each(check: impl Fn(&Strategy)) {
    for strategy in every_strategy() {
        println!("{}", strategy.name);
        check(strategy);
    }
}

#[test]
fn every_strategy_stops_at_the_budget() {
    let space = bowl();
    each(|strategy| {
        for limit in [1, 2, 7, 40] {
            let (end, order) = run(strategy, &space, Budget::evaluations(limit), 1, height);
            assert_eq!(end, Err(Stop::Budget));
            assert_eq!(order.len() as u64, limit);
        }
    });
}

#[test]
fn every_strategy_stops_when_the_cost_is_spent() {
    let space = bowl();
    let budget = Budget { cost_seconds: Some(12.5), ..Budget::default() };
    each(|strategy| {
        let (end, order) = run(strategy, &space, budget, 1, height);
        assert_eq!(end, Err(Stop::Budget));
        assert_eq!(order.len(), 13);
    });
}

#[test]
fn every_strategy_proposes_valid_configurations_only() {
    let space = bowl();
    each(|strategy| {
        let seen = RefCell::new(0);
        let (end, _) = run(strategy, &space, Budget::evaluations(60), 2, |space, id| {
            let configuration = space.configuration(id);
            assert_eq!(space.explain(&configuration), None);
            assert_eq!(space.id_of(&configuration), Some(id));
            *seen.borrow_mut() += 1;
            height(space, id)
        });
        assert_eq!((end, *seen.borrow()), (Err(Stop::Budget), 60));
    });
}

#[test]
fn every_strategy_repeats_exactly_for_a_seed() {
    let space = bowl();
    each(|strategy| {
        let order = |seed| run(strategy, &space, Budget::evaluations(50), seed, height).1;
        assert_eq!(order(7), order(7));
        if strategy.name != "exhaustive" {
            assert_ne!(order(7), order(8));
        }
    });
}

#[test]
fn every_strategy_ignores_the_scale_of_the_score() {
    let space = bowl();
    each(|strategy| {
        let order = |factor: f64| {
            run(strategy, &space, Budget::evaluations(50), 3, |space, id| {
                Evaluation::scored(height(space, id).cost() * factor)
            })
            .1
        };
        // Factors that are powers of two do not round.
        assert_eq!(order(1.0), order(2.0_f64.powi(40)));
        assert_eq!(order(1.0), order(2.0_f64.powi(-40)));
    });
}

#[test]
fn every_strategy_finishes_on_a_constant_space() {
    let space = bowl();
    each(|strategy| {
        let (end, order) =
            run(strategy, &space, Budget::evaluations(100), 4, |_, _| Evaluation::scored(1.0));
        assert_eq!((end, order.len()), (Err(Stop::Budget), 100));
    });
}

#[test]
fn every_strategy_survives_when_everything_fails() {
    let space = bowl();
    each(|strategy| {
        let (end, order) =
            run(strategy, &space, Budget::evaluations(100), 4, |_, _| Evaluation::failed());
        assert_eq!((end, order.len()), (Err(Stop::Budget), 100));
    });
}

#[test]
fn every_strategy_survives_failures_and_infinite_scores_among_good_ones() {
    let space = bowl();
    each(|strategy| {
        let (end, _) =
            run(strategy, &space, Budget::evaluations(200), 5, |space, id| match id.0 % 3 {
                0 => Evaluation::failed(),
                1 => Evaluation::scored(f64::INFINITY),
                _ => height(space, id),
            });
        assert_eq!(end, Err(Stop::Budget));
    });
}

#[test]
fn every_strategy_ends_on_degenerate_spaces() {
    let one_value = space(vec![Parameter::new("a", [1_i64]), Parameter::new("b", [2_i64])], &[]);
    let one_left = space(vec![Parameter::new("a", [1_i64, 2, 3])], &["a == 2"]);
    let no_parameters = space(Vec::new(), &[]);
    let empty = space(vec![Parameter::new("a", [1_i64, 2, 3])], &["a > 3"]);
    each(|strategy| {
        for (space, valid) in [(&one_value, 1), (&one_left, 1), (&no_parameters, 1), (&empty, 0)] {
            let (end, order) = run(strategy, space, Budget::default(), 6, height_or_flat);
            assert!(matches!(end, Ok(()) | Err(Stop::Exhausted)), "{end:?}");
            assert_eq!(order.len(), valid);
        }
    });
}

fn height_or_flat(space: &Space, id: ConfigurationId) -> Evaluation {
    Evaluation::scored(space.values(id).len() as f64)
}

#[test]
fn every_strategy_sees_the_whole_space_when_the_budget_allows() {
    let space = bowl();
    for budget in [Budget::default(), Budget::evaluations(10_000)] {
        each(|strategy| {
            let (end, order) = run(strategy, &space, budget, 9, height);
            assert!(matches!(end, Ok(()) | Err(Stop::Exhausted)), "{end:?}");
            assert_eq!(order.len() as u64, space.len(), "{}", strategy.name);
        });
    }
}

#[test]
fn every_strategy_begins_with_the_starts() {
    let space = bowl();
    let starts = vec![ConfigurationId(111), ConfigurationId(222)];
    each(|strategy| {
        let mut problem = Analytic::new(Arc::clone(&space), Budget::evaluations(20), 1, height)
            .starting_at(starts.clone());
        let _ = (strategy.search)(&mut problem, &knobs(strategy));
        assert_eq!(problem.ledger().order()[..2], starts[..]);
    });
}

#[test]
fn every_strategy_tells_its_reference_and_refuses_unknown_settings() {
    each(|strategy| {
        assert!(!strategy.reference.is_empty());
        assert!(Knobs::parse(strategy.knobs, &["no_such_setting=1"]).is_err());
        for knob in strategy.knobs {
            assert!(!knob.about.is_empty() && !knob.allowed.shown().is_empty());
        }
    });
}

#[test]
fn strategies_are_found_by_either_spelling() {
    assert!(STRATEGIES.find("local-search").is_some());
    assert!(STRATEGIES.find("local_search").is_some());
    assert!(STRATEGIES.find("no-such-strategy").is_none());
}

/// Asks for the same configuration forever.
const STUBBORN: Strategy = Strategy {
    presets: &[],
    name: "stubborn",
    aliases: &[],
    about: "revisits",
    reference: "none",
    knobs: &[],
    search: &|problem, _| {
        loop {
            problem.evaluate(ConfigurationId(0))?;
        }
    },
};

#[test]
fn a_strategy_that_only_revisits_comes_to_an_end() {
    let (end, order) = run(&STUBBORN, &bowl(), Budget::evaluations(20), 1, height);
    assert_eq!(end, Err(Stop::Exhausted));
    assert_eq!(order, [ConfigurationId(0)]);
}

#[test]
fn local_search_finds_the_bottom_of_a_bowl_far_sooner_than_random() {
    let space = bowl();
    let best = |name: &str, seed| {
        let strategy = every_strategy().find(|strategy| strategy.name == name).expect("strategy");
        let mut problem = Analytic::new(Arc::clone(&space), Budget::evaluations(40), seed, height);
        let _ = (strategy.search)(&mut problem, &knobs(strategy));
        problem.ledger().best().expect("a score").1
    };
    // The lowest cost is 1; the result is the distance above it.
    let above = |name| (0..40).map(|seed| best(name, seed) - 1.0).sum::<f64>() / 40.0;
    let pairs = [("local_search", "random"), ("local_search.luau", "random.luau")];
    let known = |local: &str| every_strategy().any(|strategy| strategy.name == local);
    for (local, random) in pairs.into_iter().filter(|(local, _)| known(local)) {
        let (near, far) = (above(local), above(random));
        assert!(near < 0.2, "{local} ends {near} above the bottom, {random} {far}");
        assert!(far > 5.0 * near, "{local} ends {near} above the bottom, {random} {far}");
    }
}
