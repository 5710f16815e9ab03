//! Tests of suites, from their text to the arguments of their studies, and of their faults.

use yaml::Place;

use super::*;

fn commands() -> Vec<CommandFlags> {
    let shared = [
        ("budget", FlagKind::One),
        ("device", FlagKind::One),
        ("hot", FlagKind::Switch),
        ("max-error", FlagKind::One),
        ("objective", FlagKind::Several),
        ("out", FlagKind::One),
        ("param", FlagKind::Several),
        ("seed", FlagKind::One),
    ];
    let command = |name: &str, own: (&str, FlagKind)| CommandFlags {
        name: name.to_owned(),
        flags: shared
            .into_iter()
            .chain([own])
            .map(|(name, kind)| Flag { name: name.to_owned(), kind })
            .collect(),
        subject: None,
    };
    vec![command("run", ("sizes", FlagKind::Listed)), command("tune", ("size", FlagKind::One))]
}

/// The commands, and `score`, which has its own `repeats` and takes spaces after its name.
fn with_score() -> Vec<CommandFlags> {
    let flags = [
        ("spaces", FlagKind::Several),
        ("learn-from", FlagKind::Several),
        ("repeats", FlagKind::One),
        ("strategies", FlagKind::Several),
        ("max-error", FlagKind::One),
    ];
    let flags = flags.map(|(name, kind)| Flag { name: name.to_owned(), kind }).to_vec();
    let score =
        CommandFlags { name: "score".to_owned(), flags, subject: Some("spaces".to_owned()) };
    commands().into_iter().chain([score]).collect()
}

#[test]
fn what_is_learnt_from_leads_from_the_folder_of_the_suite() {
    let text = "suite: s\nstudies:\n  - score: [a.json]\n    learn-from: [logs, /elsewhere]\n";
    let suite = Suite::read(text, &with_score(), false).expect("a suite");
    let folder = Some(std::path::Path::new("/suites"));
    let made = lines(&suite, &Expansion { folder, devices: &[] });
    let expected =
        "score --spaces=/suites/a.json --learn-from=/suites/logs --learn-from=/elsewhere";
    assert_eq!(made[0].1, expected);
}

/// The messages of a suite's faults.
fn faults_of_scores(text: &str) -> Vec<String> {
    let faults = Suite::read(text, &with_score(), false)
        .and_then(|suite| Expansion::default().of(&suite).map(drop))
        .expect_err(text);
    let told = SuiteFaults::new("a.yaml", faults).to_string();
    told.lines().map(|line| line.trim_start_matches("error: ").to_owned()).collect()
}

#[test]
fn spaces_of_a_score_belong_to_one_study_and_repeats_are_its_own() {
    let text = "suite: s\ndefaults: {repeats: 100, seed: 1}\nquick: {repeats: 5}\nstudies:\n  \
                - score: [bessel, ./a.json]\n    strategies: ['nsga2:population={20,40}', random]\n    \
                for_each: {max-error: [high, low]}\n  - score:\n    label: all\n  - tune: gemm\n    size: 3\n    repeats: 2\n";
    let of = |quick| {
        let suite = Suite::read(text, &with_score(), quick).expect("a suite");
        let folder = Some(std::path::Path::new("/suites"));
        lines(&suite, &Expansion { folder, devices: &["cuda".to_owned()] })
    };
    let made = of(false);
    assert_eq!(made.len(), 2 + 1 + 2, "{made:?}");
    assert_eq!(made[0].0, "bessel max-error=high");
    assert_eq!(
        made[0].1,
        "score --spaces=bessel --spaces=/suites/a.json --repeats=100 \
         --strategies=nsga2:population={20,40} --strategies=random --max-error=high"
    );
    assert_eq!(made[2], ("all".to_owned(), "score --repeats=100".to_owned()));
    assert!(made[3].1.contains("--device=cuda"), "only what measures has a device: {made:?}");
    let quick = of(true);
    assert_eq!(quick.len(), 2 + 1 + 5);
    assert!(quick[0].1.ends_with("--repeats=5 --max-error=high"), "{quick:?}");
}

#[test]
fn what_was_published_stands_with_a_suite_a_study_or_a_strategy() {
    let text = "suite: s\npublished: [one, two]\ndiffers: all\nstudies:\n  - score: x.json\n    \
                published: {random: 0.5, nsga2: {gain@50: 11 %, wins over random: 96 %}}\n  \
                - tune: gemm\n    published: 3 times\n    differs: size\n";
    let suite = Suite::read(text, &with_score(), false).expect("a suite");
    assert_eq!((suite.published.len(), suite.differs.as_str()), (2, "all"));
    let figures = &suite.entries[0].published.figures;
    assert_eq!(figures.len(), 3);
    assert_eq!((figures[0].text.text.as_str(), figures[0].figure.is_none()), ("0.5", true));
    let gain = figures[1].figure.as_ref().expect("a figure");
    assert_eq!((gain.name.as_str(), gain.evaluations), ("gain", Some(50)));
    assert_eq!(suite.entries[1].published.texts[0].text, "3 times");
    assert_eq!(suite.entries[1].differs.as_ref().map(|word| word.text.as_str()), Some("size"));
    let study = |lines: &str| format!("suite: s\nstudies:\n  - score: x.json\n{lines}");
    for (lines, told) in [
        (
            "    published: {nsga2: {gian: 3}}\n",
            "a.yaml:4:25: `gian` is no figure of a score (known: ",
        ),
        ("    published: {nsga2: {gain@x: 3}}\n", "a.yaml:4:25: `gain@x` is no figure: behind `@`"),
        ("    published: {nsga2: []}\n", "a.yaml:4:24: what was published under `nsga2` is a text"),
        ("    differs: [a]\n", "a.yaml:4:5: `differs` is a text"),
    ] {
        let faults = faults_of_scores(&study(lines));
        assert!(faults.len() == 1 && faults[0].starts_with(told), "{told}: {faults:?}");
    }
    let faults = faults_of_scores("suite: s\nstudies:\n  - score: {a: 1}\n");
    assert_eq!(faults, ["a.yaml:3:12: `score` names recorded spaces, by name or path"]);
    let faults = faults_of_scores("suite: s\nstudies:\n  - scor: a\n");
    assert_eq!(
        faults,
        [
            "a.yaml:3:5: a study begins with `run: BENCHMARK` or `tune: BENCHMARK` or `score: SPACES`; \
          did you mean `score`?"
        ]
    );
}

fn read(text: &str, quick: bool) -> Suite {
    Suite::read(text, &commands(), quick).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// Labels and arguments of the studies of a suite.
fn studies(text: &str) -> Vec<(String, String)> {
    lines(&read(text, false), &Expansion::default())
}

fn lines(suite: &Suite, expansion: &Expansion<'_>) -> Vec<(String, String)> {
    let studies = expansion.of(suite).unwrap_or_else(|faults| panic!("{faults:?}"));
    studies.into_iter().map(|s| (s.label.clone(), s.arguments().join(" "))).collect()
}

fn fault(text: &str) -> String {
    let faults = Suite::read(text, &commands(), false)
        .and_then(|suite| Expansion::default().of(&suite).map(drop))
        .expect_err(text);
    assert_eq!(faults.len(), 1, "{faults:?}");
    SuiteFaults::new("a.yaml", faults).to_string()
}

#[test]
fn lists_are_values_of_one_study_and_for_each_makes_studies() {
    let made = studies(
        "suite: s\nstudies:\n  - tune: gemm\n    objective: [seconds, error]\n    for_each:\n      size: [256, 4Ki]\n      max-error: [1e-5, ~]\n",
    );
    let both = "--objective=seconds --objective=error";
    assert_eq!(
        made,
        [
            (
                "gemm size=256 max-error=1e-5",
                format!("tune gemm {both} --size=256 --max-error=1e-5")
            ),
            ("gemm size=256 no-max-error", format!("tune gemm {both} --size=256")),
            (
                "gemm size=4Ki max-error=1e-5",
                format!("tune gemm {both} --size=4Ki --max-error=1e-5")
            ),
            ("gemm size=4Ki no-max-error", format!("tune gemm {both} --size=4Ki")),
        ]
        .map(|(label, line)| (label.to_owned(), line))
    );
}

#[test]
fn items_of_for_each_are_what_would_stand_behind_the_flag() {
    let made = studies(
        "suite: s\nstudies:\n  - run: [a, b]\n    sizes: [1k, 2k]\n    hot: true\n    for_each:\n      param: [{x: [1, 2], y: 3}, [x=4]]\n      objective: [seconds, [seconds, error]]\n",
    );
    assert_eq!(made.len(), 8);
    assert_eq!(made[1].0, "a x=1,2 y=3 objective=seconds+error");
    assert_eq!(
        made[1].1,
        "run a --sizes=1k,2k --hot --param=x=1,2 --param=y=3 --objective=seconds --objective=error"
    );
    assert!(made[7].1.starts_with("run b --sizes=1k,2k --hot --param=x=4 "), "{made:?}");
}

#[test]
fn what_stands_nearer_wins_and_quick_wins_over_everything() {
    let text = "suite: s\ndefaults: {budget: 40, seed: 7, hot: true, size: 64, for_each: {max-error: [1, 2]}}\nquick: {budget: 8, repeats: 1, size: 16}\nstudies:\n  - tune: a\n    budget: ~\n    hot: false\n    repeats: 3\n    for_each: {size: [1, 2]}\n  - run: b\n    max-error: 5\n";
    let made = lines(&read(text, false), &Expansion::default());
    assert_eq!(made.len(), 2 * 2 * 3 + 1, "{made:?}");
    assert_eq!(
        made[0],
        ("a max-error=1 size=1 #1".to_owned(), "tune a --max-error=1 --size=1 --seed=7".to_owned())
    );
    assert!(made[1].1.contains("--seed=") && !made[1].1.contains("--seed=7"), "{made:?}");
    assert_eq!(made[12].1, "run b --budget=40 --seed=7 --hot --max-error=5", "no size for `run`");
    let made = lines(&read(text, true), &Expansion::default());
    let quick: Vec<&str> = made.iter().map(|(_, line)| line.as_str()).collect();
    assert_eq!(
        quick,
        [
            "tune a --seed=7 --budget=8 --size=16 --max-error=1",
            "tune a --seed=7 --budget=8 --size=16 --max-error=2",
            "run b --seed=7 --hot --max-error=5 --budget=8",
        ]
    );
}

#[test]
fn devices_replace_all_but_recorded_spaces_and_paths_lead_from_the_file() {
    let suite = read(
        "suite: s\nstudies:\n  - tune: ./k.yaml\n    device: cpu\n    size: 1\n  - tune:\n    device: replay:a/b.json\n",
        false,
    );
    let devices = ["cuda:0".to_owned(), "cuda:1".to_owned()];
    let expansion = Expansion { folder: Some(std::path::Path::new("/suites")), devices: &devices };
    let made = lines(&suite, &expansion);
    assert_eq!(
        made,
        [
            ("k size=1 device=cuda:0", "tune /suites/k.yaml --size=1 --device=cuda:0"),
            ("k size=1 device=cuda:1", "tune /suites/k.yaml --size=1 --device=cuda:1"),
            ("replay:b", "tune --device=replay:/suites/a/b.json"),
        ]
        .map(|(label, line)| (label.to_owned(), line.to_owned()))
    );
}

#[test]
fn names_choose_benchmarks_labels_and_how_labels_begin() {
    let all = || {
        let suite = read(
            "suite: s\nstudies:\n  - tune: a\n    for_each: {size: [1, 12]}\n  - tune: a\n    size: 1\n  - run: b\n",
            false,
        );
        Expansion::default().of(&suite).expect("studies")
    };
    let labels: Vec<String> = all().into_iter().map(|study| study.label).collect();
    assert_eq!(labels, ["a size=1", "a size=12", "a size=1 (2)", "b"]);
    for (name, many) in [("a", 3), ("a size=1", 2), ("a size=12", 1), ("b", 1)] {
        assert_eq!(only(all(), &[name.to_owned()]).expect(name).len(), many, "{name}");
    }
    let unknown = only(all(), &["a sizes=1".to_owned()]).expect_err("unknown");
    assert!(unknown.contains("did you mean `a size=1`?"), "{unknown}");
}

#[test]
fn mistakes_are_told_with_their_place() {
    let study = |lines: &str| format!("suite: s\nstudies:\n  - tune: a\n{lines}");
    for (text, told) in [
        (
            study("    sise: 3\n"),
            "4:5: `sise` is no flag of `autobench tune`; did you mean `size`?",
        ),
        (
            study("    max_error: 3\n"),
            "4:5: `max_error` is no flag of `autobench tune`; did you mean `max-error`?",
        ),
        (
            study("    sizes: 3\n"),
            "4:5: `sizes` is no flag of `autobench tune`; did you mean `size`?",
        ),
        (
            study("    out: x\n"),
            "4:5: `out` is no flag of a study in a suite; give it to `autobench suite`",
        ),
        (
            study("    size: [1, 2]\n"),
            "4:11: `size` takes one value; for a study of each, write the list under `for_each`",
        ),
        (study("    size: {a: 1}\n"), "4:11: `size` takes a value, not keys"),
        (study("    hot: maybe\n"), "4:10: `hot` is `true` or `false`, not `maybe`"),
        (study("    param: [[x]]\n"), "4:13: an item of `param` is a text or `NAME: VALUE`"),
        (study("    param: {x: {}}\n"), "4:13: `x` of `param` needs a value or a list"),
        (study("    repeats: 0\n"), "4:14: `repeats` is a number of studies from 1 to 1000"),
        (
            study("    for_each: {size: 3}\n"),
            "4:16: `size` under `for_each` is a list, a study for each item",
        ),
        (study("    for_each: 3\n"), "4:5: `for_each` has flags as keys, each with a list"),
        (
            study("    size: 1\n    for_each: {size: [2]}\n"),
            "5:16: `size` stands in the study and under its `for_each`",
        ),
        (study("    run: b\n"), "4:5: a study has one command; begin another with `-`"),
        (study("  - 7\n"), "4:5: a study begins with `run: BENCHMARK` or `tune: BENCHMARK`"),
        (study("    label: x\n  - run: b\n    label: x\n"), "6:12: another study is labelled `x`"),
        (
            "suite: s\nstudies: 3\n".to_owned(),
            "2:1: `studies` is a list of studies, such as `- run: vecadd`",
        ),
        ("[]\n".to_owned(), "1:1: a suite has the keys `suite`, `about` and `studies`"),
        (
            "suite: s\nquick: {for_each: {}}\nstudies: [{run: a}]\n".to_owned(),
            "2:9: `quick` has no `for_each`",
        ),
        (
            "suite: s\ndefaults: {size: 1}\nstudies: [{run: a}]\n".to_owned(),
            "2:12: `size` is no flag of `autobench run`; did you mean `sizes`?",
        ),
    ] {
        assert_eq!(fault(&text), format!("a.yaml:{told}"));
    }
}

#[test]
fn too_many_studies_are_refused_before_they_are_made() {
    let text = "suite: s\nstudies:\n  - tune: a\n    repeats: 1000\n    for_each: {size: [1, 2, 3], budget: [1, 2, 3, 4]}\n";
    assert!(fault(text).contains("3:5: these are more than 10000 studies"), "{}", fault(text));
}

#[test]
fn a_sentence_is_placed_at_what_it_quotes() {
    let suite = read(
        "suite: s\nstudies:\n  - tune: gemm\n    size: many\n    param: {blok: [1, 2]}\n    max-error: -1\n",
        false,
    );
    let study = &Expansion::default().of(&suite).expect("one")[0];
    for (sentence, line) in [
        ("`many` is no size", 4),
        ("there is no parameter `blok`", 5),
        ("--max-error is a number above 0", 6),
        ("no benchmark named `gemm`", 3),
        ("something else", 3),
    ] {
        assert_eq!(study.place_of(sentence).line, line, "{sentence}");
    }
    assert_eq!(study.place_of("something else"), Place { line: 3, column: 5 });
}

#[test]
fn built_in_suites_have_their_own_names_and_say_what_they_are_for() {
    for suite in built_ins() {
        assert!(suite.text.contains(&format!("suite: {}\n", suite.name)), "{}", suite.name);
        assert!(!suite.about().is_empty(), "{}", suite.name);
    }
}
