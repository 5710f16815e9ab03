//! Contract of every strategy with several objectives, run for each entry of the registry, and what
//! strategies that seek fronts must reach.
#![expect(clippy::print_stdout, reason = "a failure shows which strategy it belongs to")]

use std::sync::Arc;

use math::front;
use registry::{Knobs, Written};
use scoring::igd_plus;
use search_api::{Analytic, Budget, Evaluation, STRATEGIES, Stop, Strategy};
use space::{ConfigurationId, Parameter, Space};

/// 340 valid configurations of 512.
fn space() -> Arc<Space> {
    let values = || (0_i64..8).collect::<Vec<_>>();
    let parameters =
        ["a", "b", "c"].map(|name| Parameter::new(name, values()).with_default(4_i64)).to_vec();
    Arc::new(Space::build(parameters, &["(a + b + c) % 3 != 0"], &[]).expect("space"))
}

/// Distances from two or three corners of a triangle, whose inside is the front.
fn distances(space: &Space, id: ConfigurationId, objectives: usize) -> Vec<f64> {
    let values: Vec<f64> =
        space.values(id).iter().map(|value| value.as_f64().expect("number")).collect();
    let corners = [[6.0, 1.0, 6.0], [1.0, 5.0, 2.0], [2.0, 7.0, 7.0]];
    let from = |corner: &[f64; 3]| -> f64 {
        1.0 + values.iter().zip(corner).map(|(x, at)| (x - at).powi(2)).sum::<f64>()
    };
    corners[..objectives].iter().map(from).collect()
}

fn knobs(strategy: &Strategy) -> Knobs {
    let none: [&str; 0] = [];
    Knobs::parse(strategy.knobs, &none).expect("the defaults are allowed")
}

/// A strategy with the knobs that follow its name.
fn written(text: &str) -> (&'static Strategy, Knobs) {
    let written = Written::parse(text).expect("knobs");
    let strategy = STRATEGIES.find(&written.name).expect("strategy");
    (strategy, strategy.settings(written.pairs()).expect("allowed"))
}

fn run(
    strategy: &Strategy,
    (limit, seed): (u64, u64),
    function: impl FnMut(&Space, ConfigurationId) -> Evaluation,
) -> (Result<(), Stop>, Vec<ConfigurationId>) {
    let mut problem = Analytic::new(space(), Budget::evaluations(limit), seed, function);
    let end = (strategy.search)(&mut problem, &knobs(strategy));
    (end, problem.ledger().order().to_vec())
}

fn each(check: impl Fn(&Strategy, usize)) {
    for strategy in STRATEGIES.iter() {
        for objectives in [2, 3] {
            println!("{} with {objectives} objectives", strategy.name);
            check(strategy, objectives);
        }
    }
}

#[test]
fn every_strategy_stops_at_the_budget_and_repeats_for_a_seed() {
    each(|strategy, objectives| {
        let search = |seed| {
            run(strategy, (70, seed), |space, id| Evaluation::of(distances(space, id, objectives)))
        };
        let (end, order) = search(7);
        assert_eq!((end, order.len()), (Err(Stop::Budget), 70));
        assert_eq!(search(7).1, order);
        if strategy.name != "exhaustive" {
            assert_ne!(search(8).1, order);
        }
    });
}

#[test]
fn every_strategy_ignores_the_scale_of_each_objective() {
    each(|strategy, objectives| {
        let order = |factors: [i32; 3]| {
            run(strategy, (70, 3), |space, id| {
                let scaled = distances(space, id, objectives).into_iter().zip(factors);
                // Factors that are powers of two do not round.
                Evaluation::of(
                    scaled.map(|(value, power)| value * 2.0_f64.powi(power)).collect::<Vec<_>>(),
                )
            })
            .1
        };
        assert_eq!(order([0, 0, 0]), order([30, -20, 5]));
    });
}

#[test]
fn every_strategy_survives_failures_and_objectives_without_end() {
    each(|strategy, objectives| {
        let (end, order) = run(strategy, (150, 5), |space, id| {
            let mut values = distances(space, id, objectives);
            match id.0 % 5 {
                0 => return Evaluation::failed(),
                1 => values[0] = f64::INFINITY,
                2 => values[objectives - 1] = f64::INFINITY,
                3 => values[1] = f64::NAN,
                _ => {}
            }
            Evaluation::of(values)
        });
        assert_eq!((end, order.len()), (Err(Stop::Budget), 150));
    });
}

#[test]
fn every_strategy_survives_when_everything_fails_or_nothing_differs() {
    each(|strategy, objectives| {
        for evaluation in [Evaluation::failed(), Evaluation::of(vec![1.0; objectives])] {
            let (end, order) = run(strategy, (90, 4), |_, _| evaluation.clone());
            assert_eq!((end, order.len()), (Err(Stop::Budget), 90));
        }
    });
}

#[test]
fn every_strategy_sees_the_whole_space_when_the_budget_allows() {
    each(|strategy, objectives| {
        let (end, order) = run(strategy, (10_000, 9), |space, id| {
            Evaluation::of(distances(space, id, objectives))
        });
        assert!(matches!(end, Ok(()) | Err(Stop::Exhausted)), "{end:?}");
        assert_eq!(order.len() as u64, space().len());
    });
}

/// Distance of the true front from what searches evaluate, on average over seeds.
fn distance_left(strategy: &str, objectives: usize) -> f64 {
    let (strategy, knobs) = written(strategy);
    let whole = space();
    let all: Vec<Vec<f64>> = whole.ids().map(|id| distances(&whole, id, objectives)).collect();
    let truth: Vec<Vec<f64>> = front(&all).into_iter().map(|at| all[at].clone()).collect();
    let seeds = 12;
    let left = (0..seeds).map(|seed| {
        let function = |space: &Space, id| Evaluation::of(distances(space, id, objectives));
        let mut problem = Analytic::new(space(), Budget::evaluations(70), seed, function);
        let _ended = (strategy.search)(&mut problem, &knobs);
        let order = problem.ledger().order();
        let found: Vec<Vec<f64>> = order.iter().map(|id| all[id.0 as usize].clone()).collect();
        igd_plus(&truth, &found)
    });
    left.sum::<f64>() / f64::from(seeds as u32)
}

#[test]
fn strategies_that_seek_fronts_come_far_nearer_to_them_than_random_search() {
    let random = distance_left("random", 2);
    for strategy in ["nsga2", "nsga3", "default"] {
        let left = distance_left(strategy, 2);
        assert!(left < 0.6 * random, "{strategy} ends {left} from the front, random {random}");
    }
}

#[test]
fn other_operators_directions_and_papers_settings_come_nearer_than_random_search_too() {
    let random = distance_left("random", 2);
    for strategy in [
        "nsga2:crossover_operator=single_point",
        "nsga2:crossover_operator=uniform",
        "nsga2:crossover_operator=disruptive_uniform",
        "nsga2:preset=moo2025-50",
        "nsga3:directions=1/0+3/1+1/1+1/3+0/1",
        "nsga3:preset=moo2025-100",
    ] {
        let left = distance_left(strategy, 2);
        assert!(left < 0.9 * random, "{strategy} ends {left} from the front, random {random}");
    }
}

#[test]
fn directions_for_other_objectives_are_refused() {
    let (strategy, knobs) = written("nsga3:directions=1/0+0/1");
    let function = |space: &Space, id| Evaluation::of(distances(space, id, 3));
    let mut problem = Analytic::new(space(), Budget::evaluations(40), 1, function);
    let Err(Stop::Fault(why)) = (strategy.search)(&mut problem, &knobs) else { panic!("no fault") };
    assert!(why.contains("2 numbers for 3 objectives"), "{why}");
}
