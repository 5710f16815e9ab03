//! Contract of every strategy under extreme settings, run for each entry of the registry.

use std::{collections::HashSet, sync::Arc};

use registry::{Allowed, Knobs, PRESET};
use search_api::{Analytic, Budget, Evaluation, STRATEGIES, Stop, Strategy};
use space::{ConfigurationId, Parameter, Space};

use crate::every_strategy;

fn space(parameters: Vec<Parameter>, restrictions: &[&str]) -> Arc<Space> {
    Arc::new(Space::build(parameters, restrictions, &[]).expect("space"))
}

/// A space with 1,365 valid configurations of 4,096.
fn bowl() -> Arc<Space> {
    let parameters = ["a", "b", "c", "d"].map(|name| Parameter::new(name, 0_i64..8)).to_vec();
    space(parameters, &["(a + b + c + 2 * d) % 3 == 0"])
}

fn height(space: &Space, id: ConfigurationId) -> Evaluation {
    let at = space.configuration(id).0;
    let term = |d: usize, low: f64| (f64::from(at[d]) - low).powi(2);
    Evaluation::scored(1.0 + term(0, 5.0) + 2.0 * term(1, 2.0) + 0.5 * term(2, 6.0) + term(3, 1.0))
}

/// The settings to try: every knob at each of its limits, or at each of its words.
fn extremes(strategy: &Strategy) -> Vec<Vec<String>> {
    let mut settings = vec![Vec::new()];
    for knob in strategy.knobs {
        let values: Vec<String> = match knob.allowed {
            Allowed::Integer(low, high) => vec![low.to_string(), high.to_string()],
            Allowed::Number(low, high) => vec![low.to_string(), high.to_string()],
            Allowed::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Allowed::Points => vec!["none".to_owned(), "1".to_owned()],
        };
        settings.extend(values.iter().map(|value| vec![format!("{}={value}", knob.name)]));
    }
    if strategy.knobs.iter().any(|knob| knob.name == "form") {
        let published = |mut setting: Vec<String>| {
            setting.push("form=published".to_owned());
            setting
        };
        settings.extend(settings.clone().into_iter().map(published));
    }
    settings
}

fn run(
    strategy: &Strategy,
    settings: &[String],
    space: &Arc<Space>,
    budget: Budget,
    seed: u64,
    function: fn(&Space, ConfigurationId) -> Evaluation,
) -> (Result<(), Stop>, Vec<ConfigurationId>, Option<f64>) {
    let knobs = Knobs::parse(strategy.knobs, settings).expect("allowed");
    let mut problem = Analytic::new(Arc::clone(space), budget, seed, function);
    let end = (strategy.search)(&mut problem, &knobs);
    let ledger = problem.ledger();
    (end, ledger.order().to_vec(), ledger.best().map(|(_, score)| score))
}

#[test]
fn every_setting_runs_at_its_limits() {
    let space = bowl();
    for strategy in every_strategy() {
        for settings in extremes(strategy) {
            println!("{} {settings:?}", strategy.name);
            let (end, order, _) =
                run(strategy, &settings, &space, Budget::evaluations(40), 3, height);
            let published = settings.iter().any(|setting| setting == "form=published");
            assert!(published || end == Err(Stop::Budget), "{end:?}");
            assert!(!order.is_empty() && order.len() <= 40);
            let again = run(strategy, &settings, &space, Budget::evaluations(40), 3, height);
            assert_eq!((again.0, again.1), (end, order));
        }
    }
}

#[test]
fn every_preset_is_allowed_and_runs() {
    let space = bowl();
    for strategy in STRATEGIES.iter() {
        assert!(strategy.knobs.iter().all(|knob| knob.name != PRESET), "{}", strategy.name);
        let mut names = HashSet::new();
        for preset in strategy.presets {
            println!("{} {}", strategy.name, preset.name);
            assert!(names.insert(preset.name), "`{}` is twice", preset.name);
            let named = (PRESET.to_owned(), preset.name.to_owned());
            let knobs = strategy.settings([(&named.0, &named.1)]).expect("allowed");
            let written: Vec<String> = preset.written().split(':').map(str::to_owned).collect();
            assert_eq!(knobs, Knobs::parse(strategy.knobs, &written).expect("allowed"));
            let (end, order, _) =
                run(strategy, &written, &space, Budget::evaluations(60), 3, height);
            assert!(matches!(end, Ok(()) | Err(Stop::Budget)), "{end:?}");
            assert!((20..=60).contains(&order.len()), "{}", order.len());
        }
    }
}

/// By a count of 300, the search ends after 300 visits; by the budget, it ends with the budget.
#[test]
fn the_published_wolves_cool_by_their_own_count_or_by_the_budget() {
    let space = bowl();
    let wolves = STRATEGIES.find("grey_wolf").expect("there is one");
    let end = |schedule: &str| {
        let settings = ["form=published", "budget=300", schedule].map(str::to_owned);
        run(wolves, &settings, &space, Budget::evaluations(900), 3, height)
    };
    let (counted, own, whole) =
        (end("schedule=count"), end("schedule=own"), end("schedule=budget"));
    assert_eq!(counted, own);
    assert_eq!(counted.0, Ok(()));
    assert!(counted.1.len() <= 310, "{}", counted.1.len());
    assert!(whole.0.is_err() && whole.1.len() > 310, "{:?} {}", whole.0, whole.1.len());
}

#[test]
fn a_population_that_is_given_is_as_large_as_that() {
    let space = bowl();
    for name in ["nsga2", "nsga3"] {
        let strategy = STRATEGIES.find(name).expect("there is one");
        let order = |settings: &[&str], evaluations| {
            let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
            run(strategy, &settings, &space, Budget::evaluations(evaluations), 3, height).1
        };
        // The first generation is the same random sample, whatever is bred from it.
        for (given, wanted) in [(&["population=30"][..], 30), (&[][..], 10)] {
            let one = order(given, 40);
            let mut other = given.to_vec();
            other.extend(["crossover=0", "mutation=1"]);
            let other = order(&other, 40);
            assert_eq!(one[..wanted], other[..wanted], "{name}");
            assert_ne!(one[wanted..wanted + 5], other[wanted..wanted + 5], "{name}");
        }
    }
}

#[test]
fn every_form_ends_on_degenerate_spaces() {
    let spaces = [
        space(Vec::new(), &[]),
        space(vec![Parameter::new("a", [1_i64, 2, 3])], &["a > 3"]),
        space(vec![Parameter::new("a", [1_i64, 2, 3])], &["a == 2"]),
        space(vec![Parameter::new("a", [1_i64]), Parameter::new("b", [1_i64, 2])], &[]),
        space(vec![Parameter::new("a", [1_i64, 2, 3])], &[]),
        space(["a", "b"].map(|name| Parameter::new(name, 0_i64..20)).to_vec(), &["a == b"]),
    ];
    let flat: fn(&Space, ConfigurationId) -> Evaluation = |_, _| Evaluation::scored(1.0);
    let failing: fn(&Space, ConfigurationId) -> Evaluation = |_, _| Evaluation::failed();
    let mixed: fn(&Space, ConfigurationId) -> Evaluation = |_, id| match id.0 % 3 {
        0 => Evaluation::failed(),
        1 => Evaluation::scored(f64::INFINITY),
        _ => Evaluation::scored(-(id.0 as f64)),
    };
    for strategy in every_strategy() {
        let two = strategy.knobs.iter().any(|knob| knob.name == "form");
        let forms: &[&str] = if two { &["form=mended", "form=published"] } else { &[] };
        let mut settings: Vec<Vec<String>> = forms.iter().map(|f| vec![(*f).to_owned()]).collect();
        if settings.is_empty() {
            settings.push(Vec::new());
        }
        for settings in settings {
            for (at, space) in spaces.iter().enumerate() {
                for function in [flat, failing, mixed] {
                    println!("{} {settings:?} space {at}", strategy.name);
                    let published = settings.iter().any(|setting| setting == "form=published");
                    let (end, order, _) =
                        run(strategy, &settings, space, Budget::default(), 5, function);
                    assert!(matches!(end, Ok(()) | Err(Stop::Exhausted)), "{end:?}");
                    assert!(published || order.len() as u64 == space.len(), "{}", order.len());
                }
            }
        }
    }
}

#[test]
fn every_strategy_that_learns_ends_nearer_to_the_bottom_than_random() {
    let space = bowl();
    // The lowest cost is 1; the result is how far above it a search ends.
    let above = |strategy: &Strategy| {
        let best = |seed| {
            run(strategy, &[], &space, Budget::evaluations(80), seed, height).2.expect("a score")
        };
        (0..30).map(|seed| best(seed) - 1.0).sum::<f64>() / 30.0
    };
    let random = above(STRATEGIES.find("random").expect("there is one"));
    let learns = |strategy: &&'static Strategy| {
        !["random", "exhaustive", "random.luau"].contains(&strategy.name)
    };
    let reached: Vec<(&str, f64)> =
        every_strategy().filter(learns).map(|s| (s.name, above(s))).collect();
    let (_, bad): (Vec<_>, Vec<_>) =
        reached.iter().copied().partition(|(_, reached)| *reached < 0.7 * random);
    assert!(bad.is_empty(), "{bad:?}, random {random}, all {reached:?}");
}

#[test]
fn no_two_strategies_answer_to_one_name() {
    let mut names = HashSet::new();
    for strategy in STRATEGIES.iter() {
        for name in strategy.aliases.iter().chain([&strategy.name]) {
            assert!(names.insert(*name), "`{name}` is twice");
        }
    }
}
