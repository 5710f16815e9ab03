//! Scores of strategies on real recorded spaces.
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::PathBuf;

use autobench::{
    numeric::mann_whitney,
    records::read_space_file,
    scoring::{Contest, Contestant, Landscape, Thinking, in_parallel, simulate, standings, total},
    strategies::Budget,
};

fn landscapes(names: &[&str]) -> Option<Vec<Landscape>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../shared/data/spaces", "../../shared/data/spaces"].map(|path| root.join(path));
    let Some(folder) = folders.into_iter().find(|folder| folder.is_dir()) else {
        eprintln!("skipped: there is no shared/data/spaces here");
        return None;
    };
    let read = |name: &&str| {
        let file = folder.join(format!("{name}.json.gz"));
        let recorded = read_space_file(&file).expect("a recorded space");
        Landscape::new(name, &recorded).expect("valid configurations")
    };
    Some(names.iter().map(read).collect())
}

fn score(landscapes: &[Landscape], strategy: &str, repeats: usize) -> (f64, f64) {
    let contestants = [Contestant::parse(strategy).expect("a strategy")];
    let (seed, thinking) = (1, Thinking::Free);
    let contest = Contest { landscapes, contestants: &contestants, repeats, seed, thinking };
    let runs = contest.hold(&|| ());
    let (score, error) = total(&standings(&contest, &runs, &[])[0]);
    (score, error.expect("several runs"))
}

#[test]
fn random_search_scores_about_zero() {
    let names = ["convolution_A100", "convolution_A4000", "convolution_MI250X"];
    let more = ["dedispersion_A100", "dedispersion_A4000", "dedispersion_MI250X"];
    let Some(landscapes) = landscapes(&[names, more].concat()) else { return };
    let (score, error) = score(&landscapes, "random", 100);
    assert!(score.abs() < 0.1, "{score} ± {error}");
    assert!(error > 0.0 && error < 0.1, "{error}");
}

#[test]
fn the_default_strategy_is_far_above_random_search_even_where_the_time_is_short() {
    let Some(landscapes) = landscapes(&["convolution_MI250X"]) else { return };
    let (score, error) = score(&landscapes, "default", 25);
    assert!(score > 0.4, "{score} ± {error}");
}

/// `cargo test --release --test search promises -- --ignored --nocapture`, some minutes.
#[test]
#[ignore = "hundreds of thousands of evaluations: for the release profile"]
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
    let Some(known) = landscapes(&milo) else { return };
    let (on_milo, error) = score(&known, "default", 100);
    eprintln!("milo {on_milo:.3} ± {error:.3}");
    let Some(others) = landscapes(&bat) else { return };
    let (on_bat, error) = score(&others, "default", 100);
    eprintln!("bat {on_bat:.3} ± {error:.3}");
    for landscape in known.iter().chain(&others) {
        let (ours, random) = (bests(landscape, "default"), bests(landscape, "random"));
        for (at, (ours, random)) in EVALUATIONS.iter().zip(ours.iter().zip(&random)) {
            let test = mann_whitney(ours, random).expect("samples");
            let worse = test.u > 5_000.0 && test.p / 2.0 < 0.01;
            let name = &landscape.name;
            eprintln!("{name} at {at}: {:.0} of 10,000 pairs lost", test.u);
            assert!(!worse, "{name} at {at}: {test:?}");
        }
    }
    assert!(on_milo >= 0.85 && on_bat >= 0.92, "{on_milo} {on_bat}");
}

const EVALUATIONS: [u64; 3] = [50, 100, 220];

/// The best of a hundred runs after so many evaluations.
fn bests(landscape: &Landscape, strategy: &str) -> Vec<Vec<f64>> {
    let contestant = Contestant::parse(strategy).expect("a strategy");
    let best = |evaluations: u64, seed: usize| {
        let searcher = (contestant.strategy, &contestant.knobs);
        let budget = Budget::evaluations(evaluations);
        let run = simulate(landscape, searcher, budget, seed as u64, Thinking::Free);
        let values = run.run.values.iter().flatten();
        values.copied().fold(f64::INFINITY, f64::min)
    };
    EVALUATIONS.iter().map(|n| in_parallel(100, &|seed| best(*n, seed))).collect()
}
