//! What a prior does to searches, and what it must not do.

use std::{collections::BTreeSet, sync::Arc};

use registry::Knobs;
use search_api::{
    Analytic, Budget, Evaluation, Memory, PastTrial, Provenance, STRATEGIES, Source, Strategy,
};
use space::{ConfigurationId, Parameter, Space, Value, seeded};

const NAMES: [&str; 4] = ["block", "tile", "unroll", "padding"];

fn parameters() -> Vec<Parameter> {
    vec![
        Parameter::new("block", [16_i64, 32, 48, 64, 96, 128, 192, 256]),
        Parameter::new("tile", (1..=8_i64).collect::<Vec<_>>()),
        Parameter::new("unroll", [1_i64, 2, 4, 8]),
        Parameter::new("padding", [0_i64, 1]),
    ]
}

fn space_of(parameters: Vec<Parameter>) -> Arc<Space> {
    Arc::new(Space::build(parameters, &[] as &[&str], &[]).expect("space"))
}

/// A valley with its lowest point at these values, in units of octaves and steps.
fn valley(values: &[(String, f64)], bottom: [f64; 4]) -> f64 {
    let off = |name: &str, low: f64| {
        let value = values.iter().find(|(known, _)| known == name).map_or(low, |(_, value)| *value);
        let near = match name {
            "block" | "unroll" => (value / low).log2(),
            _ => value - low,
        };
        near * near
    };
    let away: f64 = NAMES.iter().zip(bottom).map(|(name, low)| off(name, low)).sum();
    1.0 + away * 0.4 + (away * 2.0).sin().abs() * 0.2
}

fn cost(space: &Space, id: ConfigurationId, bottom: [f64; 4]) -> f64 {
    let named: Vec<(String, f64)> = space
        .named(id)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.as_f64().expect("a number")))
        .collect();
    valley(&named, bottom)
}

/// A source with random configurations of a space and its 30 best.
fn source(space: &Space, name: &str, bottom: [f64; 4], seed: u64) -> Source {
    let mut ids: Vec<ConfigurationId> = space.ids().collect();
    ids.sort_by(|a, b| cost(space, *a, bottom).total_cmp(&cost(space, *b, bottom)));
    ids.truncate(30);
    ids.extend(space.sample(90, &mut seeded(seed, 0)));
    Source {
        name: name.to_owned(),
        from: Provenance::SameSize,
        other_vendor: None,
        parameters: space.parameters().iter().map(|p| p.name.clone()).collect(),
        trials: ids
            .into_iter()
            .map(|id| PastTrial { values: space.values(id), cost: 40.0 * cost(space, id, bottom) })
            .collect(),
    }
}

/// The same configurations with their costs exchanged.
fn shuffled(source: &Source) -> Source {
    let mut source = source.clone();
    let count = source.trials.len();
    let costs: Vec<f64> = source.trials.iter().map(|trial| trial.cost).collect();
    for (at, trial) in source.trials.iter_mut().enumerate() {
        trial.cost = costs[(at * 37 + 11) % count];
    }
    source
}

const HERE: [f64; 4] = [128.0, 4.0, 4.0, 1.0];
const THERE: [f64; 4] = [128.0, 5.0, 4.0, 1.0];
const ELSEWHERE: [f64; 4] = [96.0, 4.0, 2.0, 1.0];

fn good() -> Memory {
    let space = space_of(parameters());
    Memory {
        sources: vec![source(&space, "there", THERE, 1), source(&space, "else", ELSEWHERE, 2)],
    }
}

/// The good prior with rates in place of times.
fn opposite() -> Memory {
    let mut memory = good();
    for trial in memory.sources.iter_mut().flat_map(|source| &mut source.trials) {
        trial.cost = 1.0 / trial.cost;
    }
    memory
}

fn knobs(strategy: &Strategy) -> Knobs {
    Knobs::parse(strategy.knobs, &[] as &[&str]).expect("the defaults are allowed")
}

/// The order of a search's evaluations, and the best cost after each.
fn searched(
    name: &str,
    space: &Arc<Space>,
    memory: &Memory,
    evaluations: u64,
    seed: u64,
) -> (Vec<ConfigurationId>, Vec<f64>) {
    let strategy = STRATEGIES.find(name).expect("a strategy");
    let budget = Budget::evaluations(evaluations);
    let mut problem = Analytic::new(Arc::clone(space), budget, seed, |space, id| {
        Evaluation::scored(cost(space, id, HERE))
    })
    .remembering(Arc::new(memory.clone()));
    let _ = (strategy.search)(&mut problem, &knobs(strategy));
    let order = problem.ledger().order().to_vec();
    let best = order.iter().scan(f64::INFINITY, |best, id| {
        *best = best.min(cost(space, *id, HERE));
        Some(*best)
    });
    (order.clone(), best.collect())
}

/// Mean over some seeds of the best cost after `evaluations`.
fn after(space: &Arc<Space>, memory: &Memory, evaluations: u64) -> f64 {
    let last = |seed| searched("default", space, memory, evaluations, seed).1.pop().expect("one");
    (0..6).map(last).sum::<f64>() / 6.0
}

#[test]
fn a_memory_of_similar_devices_finds_the_bottom_far_sooner() {
    let space = space_of(parameters());
    let (cold, warm) = (after(&space, &Memory::default(), 12), after(&space, &good(), 12));
    assert!(warm < 1.3 && warm + 0.2 < cold, "after 12 of 512: {warm} with memory, {cold} without");
}

#[test]
fn a_search_with_a_memory_opens_with_nothing_but_what_is_expected_to_be_best() {
    let space = space_of(parameters());
    for seed in 0..6 {
        let (order, _) = searched("default", &space, &good(), 4, seed);
        let costs: Vec<f64> = order.iter().map(|id| cost(&space, *id, HERE)).collect();
        assert!(costs.iter().all(|cost| *cost < 2.5), "{costs:?}, seed {seed}");
    }
}

#[test]
fn a_search_whose_memory_looks_as_if_it_misled_opens_as_one_without() {
    let space = space_of(parameters());
    let mut rates = opposite();
    // Half of the rows are the best ones, as in the log of a search.
    rates.sources.iter_mut().for_each(|source| source.trials.truncate(60));
    let restricted =
        Space::build(parameters(), &["block <= 96", "tile <= 4"], &[]).expect("a space");
    let restricted = Arc::new(restricted);
    for (space, memory) in [(&space, &rates), (&restricted, &good())] {
        for name in ["default", "local_search"] {
            let opening = |memory: &Memory| searched(name, space, memory, 24, 3).0[..6].to_vec();
            assert_eq!(opening(memory), opening(&Memory::default()), "{name}");
        }
    }
}

#[test]
fn one_device_of_another_maker_is_heard_after_the_opening_and_two_before() {
    let space = space_of(parameters());
    let other_vendor = |made: [Option<&str>; 2]| {
        let mut memory = good();
        for (source, device) in memory.sources.iter_mut().zip(made) {
            source.other_vendor = device.map(str::to_owned);
        }
        memory
    };
    let opening = |memory: &Memory| searched("default", &space, memory, 30, 3).0[..10].to_vec();
    let (without, with) = (opening(&Memory::default()), opening(&good()));
    // Two sizes of one device count as one device.
    let one = other_vendor([Some("there"); 2]);
    assert_eq!(opening(&one), without);
    assert_eq!(opening(&other_vendor([Some("there"), Some("else")])), with);
    assert_eq!(opening(&other_vendor([Some("there"), None])), with);
    let (cold, warm) = (after(&space, &Memory::default(), 14), after(&space, &one, 14));
    assert!(warm + 0.1 < cold, "after 14 of 512: {warm} with memory, {cold} without");
    let first = |memory: &Memory| searched("local_search", &space, memory, 24, 3).0[0];
    assert_eq!(first(&one), first(&good()), "others begin with its best all the same");
}

#[test]
fn a_memory_that_waits_is_heard_though_nothing_is_valid() {
    let space = space_of(parameters());
    let mut memory = good();
    memory.sources.truncate(1);
    memory.sources[0].other_vendor = Some("there".to_owned());
    let strategy = STRATEGIES.find("default").expect("a strategy");
    // Few of 512 configurations are valid, and the prior knows them.
    let answer = |space: &Space, id| match cost(space, id, HERE) {
        cost if cost < 1.7 => Evaluation::scored(cost),
        _ => Evaluation::failed(),
    };
    let valid = space.ids().filter(|id| cost(&space, *id, HERE) < 1.7).count();
    let found = (0..10).filter(|seed| {
        let mut problem = Analytic::new(Arc::clone(&space), Budget::evaluations(14), *seed, answer)
            .remembering(Arc::new(memory.clone()));
        let _ = (strategy.search)(&mut problem, &knobs(strategy));
        problem.ledger().order().iter().any(|id| cost(&space, *id, HERE) < 1.7)
    });
    let found = found.count();
    assert!(
        valid <= 20 && found == 10,
        "{valid} of 512 are valid, {found} of ten searches found one"
    );
}

#[test]
fn a_memory_that_tells_the_opposite_is_soon_known_to() {
    let space = space_of(parameters());
    let memory = opposite();
    let mean = |memory: &Memory, evaluations| after(&space, memory, evaluations);
    let (cold, opposite) = (mean(&Memory::default(), 12), mean(&memory, 12));
    assert!(opposite < cold, "after 12 of 512: {opposite} with memory, {cold} without");
    assert!(mean(&memory, 20) < 1.3);
}

#[test]
fn a_search_with_a_memory_repeats_exactly_for_a_seed() {
    let space = space_of(parameters());
    let memory = good();
    for strategy in STRATEGIES.iter() {
        let once = searched(strategy.name, &space, &memory, 30, 7).0;
        assert_eq!(once, searched(strategy.name, &space, &memory, 30, 7).0, "{}", strategy.name);
    }
}

#[test]
fn a_memory_of_nothing_changes_nothing() {
    let space = space_of(parameters());
    let nothing = |sources| Memory { sources };
    let empty = Source { parameters: NAMES.map(str::to_owned).to_vec(), ..Source::default() };
    let unlike = Source { parameters: vec!["other".to_owned()], ..good().sources[0].clone() };
    let mut failed = good().sources[0].clone();
    failed.trials.iter_mut().for_each(|trial| trial.cost = f64::NAN);
    // Costs that depend on nothing: the rows do not predict each other.
    let noise = shuffled(&good().sources[0]);
    for strategy in STRATEGIES.iter() {
        let without = searched(strategy.name, &space, &Memory::default(), 25, 3).0;
        for source in [&empty, &unlike, &failed, &noise] {
            let with = searched(strategy.name, &space, &nothing(vec![source.clone()]), 25, 3).0;
            assert_eq!(with, without, "{}", strategy.name);
        }
    }
}

#[test]
fn strategies_without_models_of_sources_begin_with_the_best_on_average() {
    let space = space_of(parameters());
    let memory = good();
    let best =
        |id: &ConfigurationId| (cost(&space, *id, THERE) + cost(&space, *id, ELSEWHERE)) / 2.0;
    let mut all: Vec<f64> = space.ids().map(|id| best(&id)).collect();
    all.sort_by(f64::total_cmp);
    for name in ["genetic_algorithm", "pso", "local_search", "diff_evo", "mls", "nsga2"] {
        let (order, _) = searched(name, &space, &memory, 30, 5);
        let first = best(&order[0]);
        assert!(first <= all[20], "{name} begins with {first}, of {:?}", &all[..5]);
    }
    let (order, _) = searched("random", &space, &memory, 30, 5);
    assert_eq!(order, searched("random", &space, &Memory::default(), 30, 5).0);
}

#[test]
fn parameters_are_matched_by_name_and_values_by_what_they_are() {
    // Another order, one more parameter, values of which half are new, and floats for integers.
    let mut elsewhere = parameters();
    elsewhere.reverse();
    elsewhere.push(Parameter::new("stages", [1_i64, 2, 3]));
    elsewhere[3].values =
        [8.0, 16.0, 24.0, 64.0, 80.0, 112.0, 128.0, 512.0].map(Value::from).into();
    let other = space_of(elsewhere);
    let memory = Memory { sources: vec![source(&other, "renamed", THERE, 4)] };
    let space = space_of(parameters());
    let (cold, warm) = (after(&space, &Memory::default(), 12), after(&space, &memory, 12));
    assert!(warm < 1.5 && warm < cold, "with a source of other lists {warm}, without {cold}");
    // The target has one more parameter than the source, and can still vary it.
    let mut more = parameters();
    more.push(Parameter::new("stages", [1_i64, 2, 3]));
    let space = space_of(more);
    let warm = searched("default", &space, &good(), 40, 1);
    let stages: BTreeSet<u32> = warm.0.iter().map(|id| space.configuration(*id).0[4]).collect();
    assert!(stages.len() == 3 && warm.1[39] < 1.3, "{stages:?}, {:?}", warm.1.last());
}

#[test]
fn of_a_space_too_large_to_look_at_whole_the_best_of_a_memory_is_tried_first() {
    let mut large = parameters();
    let values: Vec<i64> = (1..=8).collect();
    large.extend(["u", "v", "w"].map(|name| Parameter::new(name, values.clone())));
    let space = space_of(large);
    assert!(space.len() > 200_000);
    let mut random = source(&space_of(parameters()), "there", THERE, 6);
    random.parameters = space.parameters().iter().map(|p| p.name.clone()).collect();
    for (at, trial) in random.trials.iter_mut().enumerate() {
        let further = [at, at / 8, at / 64].map(|at| (at % 8) as i64 + 1);
        trial.cost += further.iter().map(|off| (off - 3).pow(2) as f64).sum::<f64>();
        trial.values.extend(further.map(Value::from));
    }
    let mut costs: Vec<f64> = random.trials.iter().map(|trial| trial.cost).collect();
    costs.sort_by(f64::total_cmp);
    let memory = Memory { sources: vec![random] };
    let (order, _) = searched("default", &space, &memory, 10, 1);
    let further: f64 = space.values(order[0])[4..]
        .iter()
        .map(|value| (value.as_f64().expect("a number") - 3.0).powi(2))
        .sum();
    let first = 40.0 * cost(&space, order[0], THERE) + further;
    assert!(first <= costs[20], "the first is {first} there, where {:?} are the best", &costs[..5]);
}

#[test]
fn hostile_memories_are_held() {
    let space = space_of(parameters());
    let whole = || source(&space, "hostile", THERE, 5);
    let spoilt = |spoil: &dyn Fn(usize, &mut PastTrial)| {
        let mut source = whole();
        source.trials.iter_mut().enumerate().for_each(|(at, trial)| spoil(at, trial));
        source
    };
    let mut huge = whole();
    let (once, rows) = (huge.trials.clone(), 40_000);
    huge.trials = once.iter().cycle().take(rows).cloned().collect();
    let mut twice = whole();
    twice.parameters = vec!["block".to_owned(); 4];
    let sources = [
        spoilt(&|at, trial| trial.cost = [f64::NAN, f64::INFINITY, -1e300, 1e300, 0.0][at % 5]),
        spoilt(&|at, trial| trial.values.truncate(at % 4)),
        spoilt(&|_, trial| trial.values[0] = Value::from("text")),
        spoilt(&|_, trial| trial.values[1] = Value::from(f64::NAN)),
        spoilt(&|at, trial| {
            trial.values[1] = Value::from(1e308 * if at % 2 == 0 { 1.0 } else { -1.0 })
        }),
        spoilt(&|_, trial| trial.cost = 5.0),
        spoilt(&|at, trial| trial.cost = at as f64 * 1e-320),
        huge,
        twice,
        Source { trials: whole().trials, ..Source::default() },
    ];
    let all = Memory { sources: sources.to_vec() };
    let memories = sources.into_iter().map(|source| Memory { sources: vec![source] });
    for (at, memory) in memories.chain([all]).enumerate() {
        let (order, best) = searched("default", &space, &memory, 45, 1);
        assert_eq!(order.len(), 45, "memory {at}");
        assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 45, "memory {at}");
        assert!(best[44] < 2.5, "memory {at}: {}", best[44]);
    }
}

#[test]
fn shuffled_and_inverted_times_cost_little() {
    let space = space_of(parameters());
    // So few rows are used even if they do not predict each other.
    let few = |source: &Source| {
        let trials = source.trials.iter().step_by(4).cloned().collect();
        shuffled(&Source { trials, ..source.clone() })
    };
    let shuffled = Memory { sources: good().sources.iter().map(few).collect() };
    let heard = |memory: &Memory| searched("default", &space, memory, 12, 1).0;
    assert_ne!(heard(&shuffled), heard(&Memory::default()));
    let mut inverted = good();
    for trial in inverted.sources.iter_mut().flat_map(|source| &mut source.trials) {
        trial.cost = 1.0 / trial.cost;
    }
    let cold = after(&space, &Memory::default(), 40);
    for (memory, word) in [(shuffled, "shuffled"), (inverted, "inverted")] {
        let warm = after(&space, &memory, 40);
        assert!(warm < cold + 0.15, "after 40 of 512: {warm} with {word} times, {cold} without");
    }
}
