//! Feeds every parser of foreign text with mutations of a small corpus. The result must be an
//! answer or a message, never a panic, a hang or a flood of memory.
//!
//! `AUTOBENCH_FUZZ_SECONDS=600 cargo test --test fuzz parsers::` fuzzes each parser for ten
//! minutes. A parser is one row of [`TARGETS`], and a folder of examples in `tests/corpus`.
#![expect(clippy::print_stderr, reason = "says how much was tried")]

use std::{
    env, fs, panic,
    path::Path,
    time::{Duration, Instant},
};

use batch::suites::{CommandFlags, Expansion, Flag, FlagKind, Suite, SuiteFault, SuiteFaults};
use exchange::parse_t1;
use math::Rng;
use plugins::{Template, refused_flag};
use rand::RngExt as _;
use space::{Expression, Parameter, Space, Value, keep_values, parse_values, seeded};

/// A parser and its examples.
struct Target {
    name: &'static str,
    /// The folder of its examples in `tests/corpus`.
    corpus: &'static str,
    /// Whether each line of a file is an example, or the whole file.
    by_line: bool,
    /// Parses a text and uses the result. `Err` is a message for users.
    feed: fn(&str) -> Result<(), String>,
}

const TARGETS: &[Target] = &[
    Target { name: "expression", corpus: "expressions", by_line: true, feed: expression },
    Target { name: "values", corpus: "expressions", by_line: true, feed: values },
    Target { name: "restriction", corpus: "expressions", by_line: true, feed: restriction },
    Target { name: "T1", corpus: "t1", by_line: false, feed: t1 },
    Target { name: "suite", corpus: "suites", by_line: false, feed: suite },
    Target { name: "template", corpus: "templates", by_line: false, feed: template },
    Target { name: "flag", corpus: "flags", by_line: true, feed: flag },
];

fn expression(text: &str) -> Result<(), String> {
    let names = ["a", "b", "c", "d", "block_size_x", "block_size_y", "use_padding"];
    let expression = Expression::compile(text, &names).map_err(|e| e.to_string())?;
    let slots = [3, -7, 5, i64::MAX, 64, 1, 0].map(Value::Int);
    expression.eval(&slots).map(drop).map_err(|e| e.to_string())
}

fn template(text: &str) -> Result<(), String> {
    let names = ["a", "b", "c", "block_size_x", "use_padding"];
    let template = Template::parse(text, &names).map_err(|e| e.to_string())?;
    let slots = [3, -7, i64::MAX, 64, 1].map(Value::Int);
    let made = template.render(&slots, |_| None);
    made.map(drop).map_err(|(expression, error)| format!("{expression}: {error}"))
}

fn flag(text: &str) -> Result<(), String> {
    let Some(why) = refused_flag(text) else { return Ok(()) };
    assert!(!why.contains('\n') && why.len() < 1000, "{why}");
    Err(why)
}

fn values(text: &str) -> Result<(), String> {
    let found = parse_values(text).map_err(|e| e.to_string())?;
    let mut parameters = [Parameter { name: "a".into(), values: found, default: None }];
    keep_values(&mut parameters, text).map_err(|e| e.to_string())
}

fn restriction(text: &str) -> Result<(), String> {
    let list = |name: &str| Parameter::new(name, [-1_i64, 0, 2, 64]);
    let parameters = ["a", "b", "c", "d"].map(list).to_vec();
    let space = Space::build(parameters, &[text], &[]).map_err(|e| e.to_string())?;
    assert!(space.len() <= 256);
    Ok(())
}

fn t1(text: &str) -> Result<(), String> {
    let t1 = parse_t1(text)?;
    let size = t1.parameters.iter().try_fold(1_usize, |n, p| n.checked_mul(p.values.len()));
    // Skip large spaces, which have their own tests and would take all the time.
    if size.is_none_or(|size| size > 4096) {
        return Ok(());
    }
    t1.space().map(drop).map_err(|e| e.to_string())
}

fn suite(text: &str) -> Result<(), String> {
    let flag = |(name, kind): (&str, FlagKind)| Flag { name: name.to_owned(), kind };
    let shared = [
        ("device", FlagKind::One),
        ("seed", FlagKind::One),
        ("objective", FlagKind::Several),
        ("param", FlagKind::Several),
        ("hot", FlagKind::Switch),
    ];
    let command = |name: &str, own: (&str, FlagKind)| CommandFlags {
        name: name.to_owned(),
        flags: shared.into_iter().chain([own]).map(flag).collect(),
        subject: None,
    };
    let scores = [
        ("spaces", FlagKind::Several),
        ("repeats", FlagKind::One),
        ("strategies", FlagKind::Several),
        ("max-error", FlagKind::One),
    ];
    let commands = [
        command("run", ("sizes", FlagKind::Listed)),
        command("tune", ("size", FlagKind::One)),
        CommandFlags {
            name: "score".to_owned(),
            flags: scores.map(flag).to_vec(),
            subject: Some("spaces".to_owned()),
        },
    ];
    let sentences = |faults: Vec<SuiteFault>| SuiteFaults::new("fuzz", faults).to_string();
    let suite = Suite::read(text, &commands, text.len().is_multiple_of(2)).map_err(sentences)?;
    let studies = Expansion::default().of(&suite).map_err(sentences)?;
    assert!(studies.len() <= 10_000);
    let words: usize = studies.iter().map(|study| study.arguments().len()).sum();
    assert!(words >= studies.len());
    Ok(())
}

/// Texts that may break a parser.
fn hostile() -> Vec<String> {
    let deep =
        |open: &str, close: &str, times: usize| open.repeat(times) + "1" + &close.repeat(times);
    let mut texts: Vec<String> = [
        "",
        " ",
        "\0",
        "\u{feff}",
        "9**9**9",
        "-9**9**9 % 7",
        "range(10**12)",
        "list(range(10**18))",
        "[0] * 10**9",
        "[[0] * 10**6] * 10**6",
        "'a' * 10**9",
        "1 << 10**9",
        "0x",
        "1e999",
        "1__0",
        "10 ** -400",
        "1 / 0",
        "1 % 0.0",
        "log(0)",
        "a if",
        "in in in",
        "[i for i in i]",
        "[i for i in range(10**6) for j in range(10**6)]",
        "__import__('os').system('id')",
        "lambda: 1",
        "a.b.c",
        "a[10**20]",
        "'unclosed",
        "\"\\",
        "ä == 'ß'",
        "a \u{202e} b",
        "round(1.5, 10**9)",
        "range(1, 2, 0)",
        "max()",
        "min([])",
        "sum(range(10**6)) > 0",
    ]
    .map(str::to_owned)
    .to_vec();
    for times in [49, 51, 2_000, 200_000] {
        texts.push(deep("(", ")", times));
        texts.push(deep("[", "]", times));
        texts.push(deep("-", "", times));
        texts.push(deep("not ", "", times));
        texts.push(deep("1 + ", "", times));
        texts.push(deep("2 ** ", "", times));
        texts.push(deep("a and ", "", times));
        texts.push(deep("1 < ", "", times));
        texts.push(deep("abs(", ")", times));
        texts.push(deep("{\"a\":", "}", times));
        texts.push("(".repeat(times));
        texts.push("a".repeat(times));
        texts.push("1".repeat(times));
    }
    texts
}

/// Cases that take longer than this are reported.
const SLOW: Duration = Duration::from_secs(2);

/// Pieces of text that mutations insert.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    " and ",
    " or ",
    "not ",
    " in ",
    " if ",
    " else ",
    " for i in ",
    "range(",
    "10**12",
    "9**9",
    "-1",
    "0",
    "0.1",
    "1e308",
    "**",
    "//",
    "%",
    "<<",
    "==",
    "<=",
    "a",
    "b",
    "None",
    "True",
    "null",
    "[]",
    "{}",
    "\u{0}",
    "é",
    "\n",
    "NaN",
    "ConfigurationSpace",
    "TuningParameters",
    "Values",
    "Expression",
    "18446744073709551616",
    "\n  - run: a",
    "for_each: {",
    "repeats: 999",
    ": ~",
    "&a ",
    "*a",
    "<<: ",
    "{{ ",
    " }}",
    "--",
    "=",
    "/",
];

fn corpus(target: &Target) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(target.corpus);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("a corpus")
        .map(|entry| entry.expect("entry").path())
        .collect();
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).expect("an example"));
    let by_line = |text: String| -> Vec<String> {
        if target.by_line {
            text.lines().map(str::to_owned).collect()
        } else {
            vec!["[] * 9000000000000000000".to_owned(), text]
        }
    };
    texts.flat_map(by_line).collect()
}

/// A text with a few random changes that keep characters whole.
fn mutated(corpus: &[String], rng: &mut Rng) -> String {
    let pick =
        |rng: &mut Rng| corpus[rng.random_range(0..corpus.len())].chars().collect::<Vec<_>>();
    let mut text = pick(rng);
    for _ in 0..rng.random_range(1..6) {
        let at = rng.random_range(0..=text.len());
        let end = (at + rng.random_range(0..12)).min(text.len());
        match rng.random_range(0..5) {
            0 => drop(text.drain(at..end)),
            1 => {
                let piece = PIECES[rng.random_range(0..PIECES.len())];
                text.splice(at..at, piece.chars());
            }
            2 => {
                let again: Vec<char> = text[at..end].to_vec();
                let times = rng.random_range(1..9);
                text.splice(at..at, again.into_iter().cycle().take((end - at) * times));
            }
            3 => {
                let other = pick(rng);
                let from = rng.random_range(0..=other.len());
                text.truncate(at);
                text.extend(&other[from..]);
            }
            _ => {
                if let Some(character) = text.get_mut(at) {
                    *character = char::from(rng.random_range(32_u8..127));
                }
            }
        }
    }
    text.into_iter().take(4096).collect()
}

fn feed(target: &Target, text: &str) {
    let start = Instant::now();
    let answer = panic::catch_unwind(|| (target.feed)(text))
        .unwrap_or_else(|_| panic!("{} fell over {text:?}", target.name));
    if let Err(sentence) = answer {
        assert!(!sentence.trim().is_empty(), "{} refused {text:?} without a word", target.name);
    }
    if start.elapsed() > SLOW {
        eprintln!("{} took {:?} over {text:?}", target.name, start.elapsed());
    }
}

#[test]
fn hostile_texts_get_an_answer() {
    for target in TARGETS {
        for text in hostile() {
            feed(target, &text);
            let quoted = serde_json::json!({ "ConfigurationSpace": {
                "TuningParameters": [{ "Name": "a", "Values": text }],
                "Conditions": [{ "Expression": text }],
            }});
            feed(target, &quoted.to_string());
        }
    }
}

#[test]
fn examples_are_understood() {
    let whole = TARGETS.iter().filter(|t| matches!(t.name, "expression" | "T1" | "suite"));
    for (target, text) in whole.flat_map(|t| corpus(t).into_iter().map(move |text| (t, text))) {
        let understood = (target.feed)(&text);
        let result_is_a_list = text.starts_with('[');
        assert!(understood.is_ok() || result_is_a_list, "{text}: {understood:?}");
    }
}

#[test]
fn mutated_examples_get_an_answer() {
    let seconds = env::var("AUTOBENCH_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let seconds: f64 = seconds.unwrap_or(0.5);
    for (stream, target) in (0..).zip(TARGETS) {
        let corpus = corpus(target);
        let mut rng = seeded(20_261_121, stream);
        let (start, mut executions) = (Instant::now(), 0_u64);
        while start.elapsed() < Duration::from_secs_f64(seconds) || executions < 500 {
            feed(target, &mutated(&corpus, &mut rng));
            executions += 1;
        }
        eprintln!("{}: {executions} executions", target.name);
    }
}
