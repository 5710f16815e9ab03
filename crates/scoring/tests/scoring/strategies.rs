//! Scores of strategies on real recorded spaces.

use std::{path::Path, sync::Arc};

use exchange::{RecordedSpace, read_space_file};
use records::Named;
use scoring::{
    Landscape, Recollected, ScoredStrategy, StrategyComparison, Thinking, Watch, in_parallel,
    memory_of, simulate, standings, total,
};
use search_api::Budget;

use crate::support::{data, shared};

fn landscape(folder: &Path, name: &str) -> Landscape {
    let recorded = read_space_file(&folder.join(format!("{name}.json.gz")));
    Landscape::new(name, &recorded.expect("a recorded space")).expect("valid configurations")
}

fn landscapes(folder: &Path, names: &[&str]) -> Vec<Landscape> {
    names.iter().map(|name| landscape(folder, name)).collect()
}

fn score(landscapes: &[Landscape], strategy: &str, repeats: usize) -> (f64, f64) {
    let strategies = [ScoredStrategy::parse(strategy).expect("a strategy")];
    let (seed, thinking) = (1, Thinking::Free);
    let comparison = StrategyComparison {
        landscapes,
        strategies: &strategies,
        repeats,
        seed,
        thinking,
        budget: None,
    };
    let runs = comparison.hold(Watch::NOBODY);
    let (score, error) = total(&standings(&comparison, &runs, &[])[0]);
    (score, error.expect("several runs"))
}

#[test]
fn on_a_space_of_the_cpu_device_the_default_strategy_is_far_above_random_search() {
    let landscapes = landscapes(&data("spaces"), &["gemm_cpu"]);
    let (random, of_random) = score(&landscapes, "random", 100);
    assert!(random.abs() < 0.15 && of_random > 0.0 && of_random < 0.1, "{random} ± {of_random}");
    let (ours, of_ours) = score(&landscapes, "default", 25);
    assert!(ours > 0.4, "{ours} ± {of_ours}; random {random} ± {of_random}");
}

mod shared {
    use super::{landscapes, score};
    use crate::support::shared;

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn random_search_scores_about_zero() {
        let names = ["convolution_A100", "convolution_A4000", "convolution_MI250X"];
        let more = ["dedispersion_A100", "dedispersion_A4000", "dedispersion_MI250X"];
        let landscapes = landscapes(&shared("data/spaces"), &[names, more].concat());
        let (score, error) = score(&landscapes, "random", 100);
        assert!(score.abs() < 0.1, "{score} ± {error}");
        assert!(error > 0.0 && error < 0.1, "{error}");
    }

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn the_default_strategy_is_far_above_random_search_even_where_the_time_is_short() {
        let landscapes = landscapes(&shared("data/spaces"), &["convolution_MI250X"]);
        let (score, error) = score(&landscapes, "default", 25);
        assert!(score > 0.4, "{score} ± {error}");
    }
}

/// `cargo test --release -p autobench-scoring promises -- --ignored --nocapture`, some minutes.
#[test]
#[ignore = "needs ../shared and the release profile: hundreds of thousands of evaluations"]
fn the_default_strategy_keeps_its_promises() {
    let milo = [
        "convolution_A100",
        "convolution_A4000",
        "convolution_MI250X",
        "dedispersion_A100",
        "dedispersion_A4000",
        "dedispersion_MI250X",
    ];
    let bat = [
        "bat-convolution_RTX_2080_Ti",
        "bat-convolution_RTX_3090",
        "bat-gemm_RTX_2080_Ti",
        "bat-gemm_RTX_3090",
        "bat-pnpoly_RTX_2080_Ti",
        "bat-pnpoly_RTX_3090",
    ];
    let folder = shared("data/spaces");
    let known = landscapes(&folder, &milo);
    let (on_milo, error) = score(&known, "default", 100);
    eprintln!("milo {on_milo:.3} ± {error:.3}");
    let others = landscapes(&folder, &bat);
    let (on_bat, error) = score(&others, "default", 100);
    eprintln!("bat {on_bat:.3} ± {error:.3}");
    for landscape in known.iter().chain(&others) {
        let (ours, random) = (bests(landscape, "default"), bests(landscape, "random"));
        for (at, (ours, random)) in EVALUATIONS.iter().zip(ours.iter().zip(&random)) {
            let (lost, most) = (lost(ours, random), most_lost_by_chance(ours, random));
            let name = &landscape.name;
            eprintln!("{name} at {at}: {lost} of 10,000 pairs lost, {most:.0} by chance");
            assert!(
                lost <= most,
                "{name} at {at}: {lost} of 10,000 pairs lost, {most:.0} by chance"
            );
        }
    }
    assert!(on_milo >= 0.87 && on_bat >= 0.93, "{on_milo} {on_bat}");
}

/// The log of a search of 220 evaluations on a space, for other searches to learn from.
fn log(folder: &Path, landscape: &Landscape) -> Recollected {
    let name = &landscape.name;
    let whole = read_space_file(&folder.join(format!("{name}.json.gz"))).expect("a space");
    let strategy = ScoredStrategy::parse("default").expect("a strategy");
    let budget = Budget::evaluations(220);
    let run = simulate(landscape, strategy.searcher(), budget, 9_001, Thinking::Free);
    let mut part = RecordedSpace::new(whole.parameters.clone());
    part.kernel.clone_from(&whole.kernel);
    part.device.clone_from(&whole.device);
    for id in run.order {
        let configuration = Named::of(&landscape.space, id);
        let trial = whole.get(&configuration).expect("a row").clone();
        part.insert(configuration, trial);
    }
    Recollected::of(&Landscape::new(name, &part).expect("valid configurations"))
}

/// `cargo test --release -p autobench-scoring remembers -- --ignored --nocapture`, some minutes.
#[test]
#[ignore = "needs ../shared and the release profile: hundreds of thousands of evaluations"]
fn a_search_that_remembers_other_devices_is_near_the_optimum_from_the_beginning() {
    let folder = shared("data/spaces");
    let milo = ["convolution_A100", "convolution_A4000", "convolution_MI250X"];
    let more = ["dedispersion_A100", "dedispersion_A4000", "dedispersion_MI250X"];
    let mut all = landscapes(&folder, &[milo, more].concat());
    let (cold, _) = score(&all, "default", 25);
    let logs: Vec<Recollected> = all.iter().map(|landscape| log(&folder, landscape)).collect();
    for landscape in &mut all {
        let (kernel, parameters) = (&landscape.origin.kernel, landscape.space.parameters());
        let others = logs.iter().filter(|log| log.is_about(kernel, parameters));
        let others: Vec<&Recollected> = others.filter(|log| !log.is_of(landscape)).collect();
        assert_eq!(others.len(), 2, "{}", landscape.name);
        landscape.memory = Arc::new(memory_of(&landscape.origin, others));
    }
    let (warm, error) = score(&all, "default", 25);
    eprintln!("{cold:.3} without memory, {warm:.3} ± {error:.3} with logs of two other devices");
    assert!(warm > 0.93 && warm > cold + 0.05, "{warm} ± {error}, {cold} without");
}

const EVALUATIONS: [u64; 3] = [50, 100, 220];

/// Number of pairs in which ours is worse; a tie counts one half.
fn lost(ours: &[f64], others: &[f64]) -> f64 {
    let pairs = ours.iter().flat_map(|ours| others.iter().map(move |other| ours.total_cmp(other)));
    pairs.map(|order| f64::from(order as i8 + 1) / 2.0).sum()
}

/// Most pairs that are lost in 99 of 100 cases if both samples come from one distribution: the
/// rank-sum test of Mann and Whitney (1947), corrected for ties and for continuity.
fn most_lost_by_chance(ours: &[f64], others: &[f64]) -> f64 {
    const Z: f64 = 2.326_347_874;
    let mut all = [ours, others].concat();
    all.sort_by(f64::total_cmp);
    let tied = all.chunk_by(|a, b| a.total_cmp(b).is_eq()).map(|same| same.len() as f64);
    let ties: f64 = tied.map(|count| count.powi(3) - count).sum();
    let (pairs, count) = ((ours.len() * others.len()) as f64, all.len() as f64);
    let variance = pairs / 12.0 * (count + 1.0 - ties / (count * (count - 1.0)));
    pairs / 2.0 + 0.5 + Z * variance.sqrt()
}

/// The best values of a hundred runs after each number of evaluations.
fn bests(landscape: &Landscape, strategy: &str) -> Vec<Vec<f64>> {
    let scored_strategy = ScoredStrategy::parse(strategy).expect("a strategy");
    let best = |evaluations: u64, seed: usize| {
        let searcher = scored_strategy.searcher();
        let budget = Budget::evaluations(evaluations);
        let run = simulate(landscape, searcher, budget, seed as u64, Thinking::Free);
        let values = run.run.values.iter().flatten();
        values.copied().fold(f64::INFINITY, f64::min)
    };
    EVALUATIONS.iter().map(|n| in_parallel(100, &|seed| best(*n, seed))).collect()
}
