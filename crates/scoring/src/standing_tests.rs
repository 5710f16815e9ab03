use exchange::RecordedSpace;
use records::{Named, RecordedTrial, Status};
use search_api::Budget;
use space::Value;

use super::*;
use crate::{ScoredStrategy, Simulated, Thinking, Watch, beats, deviation_factors, simulate};

fn trial(ms: Option<f64>) -> RecordedTrial {
    RecordedTrial {
        status: if ms.is_some() { Status::Measured } else { Status::RunFailed },
        time_ms: ms,
        times_ms: ms.map(|ms| vec![ms, ms]).unwrap_or_default(),
        compile_ms: 1000.0,
        benchmark_ms: 10.0,
        ..RecordedTrial::default()
    }
}

/// 400 configurations with times 1, 2, … ms, of which every tenth fails.
fn landscape() -> Landscape {
    let values: Vec<Value> = (0..20_i64).map(Value::from).collect();
    let mut recorded =
        RecordedSpace::new(vec![("a".to_owned(), values.clone()), ("b".to_owned(), values)]);
    for a in 0..20_i64 {
        for b in 0..20_i64 {
            let at = (a * 20 + b) * 7 % 400;
            let named =
                Named(vec![("a".to_owned(), Value::from(a)), ("b".to_owned(), Value::from(b))]);
            recorded.insert(named, trial((at % 10 != 9).then_some(1.0 + at as f64)));
        }
    }
    Landscape::new("made", &recorded).expect("valid")
}

fn searched(landscape: &Landscape, strategy: &str, seed: u64) -> Simulated {
    let scored_strategy = ScoredStrategy::parse(strategy).expect("known");
    let budget = Budget { evaluations: Some(60), ..Budget::default() };
    let searcher = scored_strategy.searcher();
    simulate(landscape, searcher, budget, seed, Thinking::Free)
}

#[test]
fn the_clock_adds_what_was_recorded_and_runs_repeat() {
    let landscape = landscape();
    let once = searched(&landscape, "random", 5);
    assert_eq!(once, searched(&landscape, "random", 5));
    assert_ne!(once.order, searched(&landscape, "random", 6).order);
    let costs = once.order.iter().map(|id| landscape.cell(*id).stages.total()).sum::<f64>();
    assert!((once.run.times[59] - costs).abs() < 1e-9);
    let first = landscape.cell(once.order[0]);
    let (seconds, stages) = (first.value.unwrap_or(0.0), first.stages);
    assert!((stages.runs - 2.0 * seconds).abs() < 1e-12);
    assert!((stages.total() - 1.0 - stages.runs).abs() < 1e-12);
}

#[test]
fn a_better_searcher_has_the_higher_score_the_smaller_deviation_and_wins() {
    let landscapes = [landscape()];
    let strategies = ["default", "random"].map(|name| ScoredStrategy::parse(name).expect("known"));
    let comparison = StrategyComparison {
        landscapes: &landscapes,
        strategies: &strategies,
        repeats: 8,
        seed: 1,
        thinking: Thinking::Free,
        budget: None,
    };
    let runs = comparison.hold(Watch::NOBODY);
    let all = standings(&comparison, &runs, &[2, 6]);
    let (model, random) = (&all[0], &all[1]);
    assert!(total(model).0 > total(random).0);
    let factors = deviation_factors(&all);
    assert!(
        factors[0].mean < factors[1].mean && (factors[0].mean + factors[1].mean - 2.0).abs() < 1e-9
    );
    let won = beats(model, random);
    assert!(won > 0.5 && (won + beats(random, model) - 1.0).abs() < 1e-9);
    assert!((beats(model, model) - 0.5).abs() < 1e-9);
    let fractions = &model[0].fractions;
    assert!(fractions[0] <= fractions[1] && fractions[1] <= Some(1.0));
    let (performance, errors) = overall(model);
    assert_eq!((performance.len(), errors.len()), (1000, 1000));
}

#[test]
fn who_finds_nothing_has_the_median() {
    let landscape = landscape();
    let nothing = vec![Simulated::default(); 3];
    let found = standing(&landscape, &nothing, &[10]);
    assert!(found.score < 0.0 && found.fractions == [None]);
    assert!(found.finals.iter().all(|value| value.is_infinite()));
}
