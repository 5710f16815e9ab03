//! Examples at the end of a command's help: lines that fit a terminal of eighty columns.

/// What each command is called with, in the order of the help.
pub(super) const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "run",
        &[
            "run vecadd                            its knee on this processor",
            "run vecadd gemm --device cuda         two studies in turn, on a GPU",
            "run gemm --detector kneedle,triangle  the first detector decides",
            "run gemm --confirm-by triangle        kneedle proposes, it confirms",
            "run gemm --max-error 1e-3 --time 120  the fastest within an accuracy",
            "run ./mine.yaml --sizes 1k..1M*2 --dry-run",
        ],
    ),
    (
        "tune",
        &[
            "tune gemm --size 512 --budget 100",
            "tune gemm --size 512 --restrict 'block_size_x >= 16'",
            "tune kmeans --size 32Ki --thresholds high,medium,1e-2",
            "tune --device replay:space.json.gz --strategy pso --budget 220",
        ],
    ),
    (
        "suite",
        &[
            "suite                     the suites that are built in",
            "suite saturation --quick  every way to be slow, in ten minutes",
            "suite my.yaml --dry-run   its studies as command lines",
            "suite my.yaml --device cuda:0 --device cuda:1",
        ],
    ),
    (
        "knee",
        &[
            "knee curve.csv  of your own measurements",
            "knee curve.csv --detector kneedle,lmethod --plot knee.svg",
        ],
    ),
    (
        "list",
        &[
            "list             everything that has a name",
            "list strategies  one of the lists",
            "list gemm        its parameters, values and stages",
        ],
    ),
    (
        "devices",
        &[
            "devices                what works here, and what does not",
            "devices --measure cpu  the smallest difference to be seen",
        ],
    ),
    (
        "resume",
        &[
            "resume latest  go on with the newest result in `out`",
            "resume out/20261121T120000Z_vecadd_…",
        ],
    ),
    (
        "show",
        &[
            "show latest            the newest result in `out`",
            "show latest --journal  what happened, with every reason",
        ],
    ),
    (
        "export",
        &["export latest --format header  the winner as macros", "export latest --format t4"],
    ),
    ("results", &["results", "results elsewhere/ -n 5"]),
    (
        "compare",
        &[
            "compare before/ after/ --fail-on slower:5%  fails where slower",
            "compare latest out/20261121T120000Z_vecadd_…",
            "compare h100/ a100/ --html compare.html",
        ],
    ),
    (
        "convert",
        &[
            "convert cache.json results.t4.json",
            "convert a.json b.json all.t4.json  several, merged",
        ],
    ),
    ("inspect", &["inspect all.t4.json", "inspect out/20261121T120000Z_gemm_…"]),
    ("simulate", &["simulate --space space.json.gz --budget 220 --seeds 20"]),
    (
        "score",
        &[
            "score --spaces DIR --strategies default,random --repeats 100",
            "score --spaces DIR --strategies 'pso:particles={10,20,40}' --choose",
        ],
    ),
    (
        "evolve",
        &[
            "evolve --spaces DIR --candidates 500 --out family",
            "evolve --spaces DIR --test OTHERS --out family  with a final table",
            "evolve --spaces DIR --out F --generator llm --endpoint URL --model M",
        ],
    ),
    (
        "knobs",
        &[
            "knobs genetic_algorithm --spaces DIR",
            "knobs 'pso:particles={10,40}:social={1,2}' --spaces DIR --with mls",
        ],
    ),
    ("space", &["space gemm.json --sample 3", "space gemm.json --restrict 'MWG >= 32'"]),
    (
        "plugin",
        &[
            "plugin new mine  a crate in Rust",
            "plugin new mine --language yaml",
            "plugin check mine.yaml",
        ],
    ),
    (
        "completions",
        &[
            "completions bash >> ~/.bash_completion",
            "completions fish > ~/.config/fish/completions/autobench.fish",
        ],
    ),
    (
        "history",
        &[
            "history --benchmark gemm --since 30d",
            "history trend gemm --figure trend.svg",
            "history regressions --since 7d --fail-on slower:5%",
        ],
    ),
    (
        "serve",
        &[
            "serve                    `out` on http://127.0.0.1:8420/",
            "serve results/ --port 0  on any free port",
        ],
    ),
    (
        "profile",
        &[
            "profile --quick  this processor, in three or four minutes",
            "profile --device cuda",
            "profile --show   what is known",
        ],
    ),
];

/// The examples of a command.
pub(super) fn of(command: &str) -> Option<String> {
    let (_, lines) = EXAMPLES.iter().find(|(name, _)| *name == command)?;
    let lines = lines.iter().map(|line| format!("\n  autobench {line}"));
    Some(format!("Examples:{}", lines.collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        registry::{combined, listed, rejoined},
        scoring::ScoredStrategy,
    };

    /// Flags that name strategies.
    const NAMING: [&str; 3] = ["--strategy", "--strategies", "--with"];

    /// The strategies that a command line names.
    fn named(line: &str) -> Vec<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let begins = usize::from(words.first() == Some(&"autobench"));
        let after = |(at, word): (usize, &&str)| {
            NAMING.contains(word) || (at == begins && *word == "knobs")
        };
        let places = words.iter().enumerate().filter(|word| after(*word)).map(|(at, _)| at + 1);
        let texts = places.filter_map(|at| words.get(at));
        let texts = texts.flat_map(|text| rejoined(&listed(text.trim_matches('\''))));
        // Scripts of examples are nowhere, and dots stand for further strategies.
        texts.filter(|text| !text.contains(".luau") && text != "…").collect()
    }

    #[test]
    fn examples_of_the_help_and_of_the_documentation_name_strategies_and_knobs_that_exist() {
        let help = EXAMPLES.iter().flat_map(|(_, lines)| lines.iter().copied());
        let mut lines: Vec<&str> = help.collect();
        for document in [
            include_str!("../../README.md"),
            include_str!("../../docs/scoring.md"),
            include_str!("../../docs/strategies.md"),
        ] {
            let mut code = false;
            for line in document.lines() {
                code ^= line.starts_with("```");
                lines.extend((code && !line.starts_with("```")).then_some(line));
            }
        }
        let mut seen = 0;
        for line in lines {
            for text in named(line) {
                for one in combined(&text).unwrap_or_else(|why| panic!("`{line}`: {why}")) {
                    let known = ScoredStrategy::parse(&one).err();
                    assert_eq!(known, None, "`{line}`");
                    seen += 1;
                }
            }
        }
        assert!(seen > 10, "{seen}");
    }
}
