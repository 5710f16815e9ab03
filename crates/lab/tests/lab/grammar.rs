//! The generator `grammar`: whatever it is asked, its answers are strategies.

use std::sync::Arc;

use lab::evolution::{GENERATORS, Generator, Given, Mutation, Request, Shown};
use registry::Knobs;
use search_api::{Analytic, Budget, Evaluation, Stop, Strategy};
use space::{ConfigurationId, Parameter, Space};

use crate::contract::{bowl, height, space};

fn grammar() -> Box<dyn Generator> {
    let kind = GENERATORS.named("grammar").expect("it is registered");
    let knobs = Knobs::parse(kind.knobs, &[] as &[&str]).expect("defaults");
    (kind.make)(&knobs, &Given::default()).expect("it needs nothing")
}

fn shown(number: usize, code: &str) -> Shown<'_> {
    let number = number as u64;
    Shown { number, name: "made", about: "made", code, score: Some(0.5), fault: None }
}

/// The script in an answer.
fn asked(
    mutation: Mutation,
    (number, seed): (u64, u64),
    parent: Option<&str>,
    population: &[String],
) -> String {
    let request = Request {
        number,
        seed,
        mutation,
        parent: parent.map(|code| shown(1, code)),
        population: population.iter().enumerate().map(|(at, code)| shown(at, code)).collect(),
        message: "",
        stopped: &|| false,
    };
    let answer = grammar().answer(&request).expect("it always answers");
    let (told, rest) = answer.text.split_once("\n\n```luau\n").expect("words and a script");
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("Name: ") && lines[1].starts_with("Description: "), "{told}");
    rest.strip_suffix("```\n").expect("an end of the script").to_owned()
}

/// Scripts of a family: first ones, then children of the latest.
fn family(seed: u64, count: u64) -> Vec<String> {
    let mut scripts: Vec<String> = Vec::new();
    for number in 1..=count {
        let at = (seed.wrapping_mul(1_000) + number, number);
        let population = &scripts[scripts.len().saturating_sub(6)..];
        let parent = population.first().cloned();
        let mutation = match number {
            ..=12 => Mutation::Begin,
            _ => [Mutation::Refine, Mutation::New, Mutation::Simplify][number as usize % 3],
        };
        let parent = parent.filter(|_| mutation != Mutation::Begin);
        scripts.push(asked(mutation, (number, at.0), parent.as_deref(), population));
    }
    scripts
}

fn loaded(code: &str) -> &'static Strategy {
    let found = search_api::strategy("made.luau", code);
    found.unwrap_or_else(|why| panic!("{why}\n{code}")).strategy
}

fn run(
    code: &str,
    space: &Arc<Space>,
    budget: Budget,
    function: impl FnMut(&Space, ConfigurationId) -> Evaluation,
) -> (Result<(), Stop>, Vec<ConfigurationId>) {
    let strategy = loaded(code);
    let knobs = Knobs::parse(strategy.knobs, &[] as &[&str]).expect("defaults");
    let mut problem = Analytic::new(Arc::clone(space), budget, 1, function);
    let end = (strategy.search)(&mut problem, &knobs);
    (end, problem.ledger().order().to_vec())
}

fn ended_by_itself(code: &str, space: &Arc<Space>, cost: impl Fn(ConfigurationId) -> Evaluation) {
    let (end, order) = run(code, space, Budget::default(), |_, id| cost(id));
    assert!(matches!(end, Ok(()) | Err(Stop::Exhausted)), "{end:?}\n{code}");
    assert_eq!(order.len() as u64, space.len(), "{code}");
}

#[test]
fn six_hundred_scripts_load_and_stand_what_strategies_must_stand() {
    let one = space(vec![Parameter::new("a", [1_i64]), Parameter::new("b", [2_i64])], &[]);
    let two = space(vec![Parameter::new("a", [1_i64, 2]), Parameter::new("b", [2_i64])], &[]);
    let one_left = space(vec![Parameter::new("a", [1_i64, 2, 3])], &["a == 2"]);
    let none = space(Vec::new(), &[]);
    let empty = space(vec![Parameter::new("a", [1_i64, 2, 3])], &["a > 3"]);
    let tight = space(
        vec![Parameter::new("a", 0_i64..6), Parameter::new("b", 0_i64..6)],
        &["a == b or a + b == 5"],
    );
    let bowl = bowl();
    let scored = |id: ConfigurationId| Evaluation::scored(id.0 as f64);
    for seed in 0..6 {
        for code in family(seed, 100) {
            for space in [&one, &two, &one_left, &none, &empty, &tight] {
                ended_by_itself(&code, space, scored);
            }
            ended_by_itself(&code, &tight, |_| Evaluation::failed());
            ended_by_itself(&code, &tight, |_| Evaluation::scored(1.0));
            let (end, order) = run(&code, &bowl, Budget::evaluations(30), |space, id| {
                if id.0 % 3 == 0 { Evaluation::failed() } else { height(space, id) }
            });
            assert_eq!((end, order.len()), (Err(Stop::Budget), 30), "{code}");
        }
    }
}

#[test]
fn its_scripts_depend_on_no_unit_of_the_cost_and_repeat() {
    let bowl = bowl();
    for code in family(7, 60) {
        let order = |factor: f64| {
            run(&code, &bowl, Budget::evaluations(40), |space, id| {
                Evaluation::scored(height(space, id).cost() * factor)
            })
            .1
        };
        // Scaling by powers of two does not round.
        assert_eq!(order(1.0), order(2.0_f64.powi(40)), "{code}");
        assert_eq!(order(1.0), order(2.0_f64.powi(-40)), "{code}");
    }
}

#[test]
fn its_scripts_begin_with_the_starts_and_see_the_whole_space_in_the_end() {
    let bowl = bowl();
    let starts = vec![ConfigurationId(111), ConfigurationId(222)];
    for code in family(8, 40) {
        let strategy = loaded(&code);
        let knobs = Knobs::parse(strategy.knobs, &[] as &[&str]).expect("defaults");
        let mut problem = Analytic::new(Arc::clone(&bowl), Budget::evaluations(20), 1, height)
            .starting_at(starts.clone());
        let _ = (strategy.search)(&mut problem, &knobs);
        assert_eq!(problem.ledger().order()[..2], starts[..], "{code}");
        ended_by_itself(&code, &bowl, |id| Evaluation::scored((id.0 % 17) as f64));
    }
}

#[test]
fn equal_requests_have_equal_answers_and_other_seeds_others() {
    assert_eq!(family(3, 30), family(3, 30));
    assert_ne!(family(3, 30), family(4, 30));
}

#[test]
fn twelve_first_scripts_are_all_different_in_their_blocks() {
    let scripts = family(5, 12);
    for (at, one) in scripts.iter().enumerate() {
        for other in &scripts[at + 1..] {
            let about = |code: &str| loaded(code).about;
            assert_ne!(about(one), about(other));
        }
    }
}

#[test]
fn a_child_goes_on_from_the_genome_in_its_parents_script() {
    let parent = asked(Mutation::Begin, (1, 9), None, &[]);
    let genome = |code: &str| {
        let line = code.lines().find(|line| line.starts_with("-- genome: "));
        line.expect("a genome").to_owned()
    };
    for seed in 0..50 {
        for mutation in [Mutation::Refine, Mutation::Simplify] {
            let child = asked(mutation, (13, seed), Some(&parent), std::slice::from_ref(&parent));
            assert_ne!(genome(&child), genome(&parent));
        }
    }
}

#[test]
fn a_parent_without_a_genome_is_answered_with_something_new() {
    for broken in [
        "return {}",
        "-- genome: {}",
        "-- genome: nonsense",
        "-- genome: {\"design\":{\"is\":\"x\"}}",
    ] {
        let code = asked(Mutation::Refine, (13, 1), Some(broken), &[]);
        assert!(loaded(&code).about.len() > 20);
    }
}

#[test]
fn the_lines_of_a_script_are_no_wider_than_those_of_the_examples() {
    for code in family(6, 60) {
        for line in code.lines().filter(|line| !line.starts_with("-- genome: ")) {
            assert!(line.len() <= 120 || line.starts_with("    about"), "{line}");
        }
    }
}

mod shared {
    use std::{fs, time::Instant};

    use exchange::read_space_file;
    use scoring::{
        Landscape, ScoredStrategy, StrategyComparison, Thinking, Watch, standings, total,
    };

    use super::family;
    use crate::support::shared;

    /// `cargo test --release -p autobench-lab --test lab -- --ignored --nocapture first_scripts`
    /// prints the scores.
    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn most_first_scripts_are_above_random_search_and_some_far_above_a_genetic_algorithm() {
        let landscapes = ["convolution_MI250X", "dedispersion_A4000"].map(|name| {
            let file = shared("data/spaces").join(format!("{name}.json.gz"));
            Landscape::new(name, &read_space_file(&file).expect("a space")).expect("valid")
        });
        let score = |name: &str| {
            let began = Instant::now();
            let comparison = StrategyComparison {
                landscapes: &landscapes,
                strategies: &[ScoredStrategy::parse(name).expect("a strategy")],
                repeats: 3,
                seed: 1,
                thinking: Thinking::Free,
                budget: None,
            };
            let runs = comparison.hold(Watch::NOBODY);
            let (score, _) = total(&standings(&comparison, &runs, &[])[0]);
            eprintln!("{score:.3} in {:.1} s: {name}", began.elapsed().as_secs_f64());
            score
        };
        let folder = tempfile::tempdir().expect("a folder");
        let scores: Vec<f64> = family(5, 12)
            .iter()
            .enumerate()
            .map(|(at, code)| {
                let file = folder.path().join(format!("first{at}.luau"));
                fs::write(&file, code).expect("written");
                score(file.to_str().expect("plain letters"))
            })
            .collect();
        let above = scores.iter().filter(|score| **score > 0.2).count();
        assert!(above >= 8, "{scores:?}");
        let best = scores.iter().copied().fold(f64::MIN, f64::max);
        assert!(best > score("genetic_algorithm") + 0.2, "{scores:?}");
    }
}
