//! Scores of strategies on real recorded spaces.
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::PathBuf;

use autobench::{
    records::read_kernel_tuner,
    scoring::{Contest, Contestant, Landscape, Thinking, standings, total},
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
        let recorded = read_kernel_tuner(&file).expect("a recorded space");
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
