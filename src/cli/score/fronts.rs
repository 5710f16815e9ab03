//! `score --objective A --objective B`: how near strategies come to the fronts of recorded spaces.

use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::{Map, Value, json};

use super::{
    answer::aligned,
    arguments::{ScoreArgs, strategies},
    spaces,
};
use crate::cli::terminal::Failure;
use crate::{
    cli::terminal::output,
    exporters::{AxisScale, FigureError, Line, LinesPlot, plot_lines, png},
    numeric::{bootstrap_median_interval, mean, median},
    records::StudyFolder,
    scoring::{FrontComparison, FrontSpace, Reached, ScoredStrategy},
};

/// Strategy with which others are compared.
const YARDSTICK: &str = "random";
const RESAMPLES: usize = 1_000;

pub(super) struct ComparedFronts<'a> {
    pub(super) arguments: &'a ScoreArgs,
    pub(super) spaces: Vec<FrontSpace>,
    pub(super) strategies: Vec<ScoredStrategy>,
    /// By strategy, space, run and cut.
    reached: Vec<Vec<Vec<Vec<Reached>>>>,
    /// Index of the strategy `random`.
    pub(super) yardstick: usize,
}

/// A median over the runs, with its 95 % interval.
pub(super) struct Typical {
    pub(super) median: f64,
    pub(super) interval: (f64, f64),
}

pub(super) fn run(arguments: &ScoreArgs) -> Result<(), Failure> {
    for (at, name) in arguments.objectives.iter().enumerate() {
        if arguments.objectives[..at].contains(name) {
            return Err(Failure::settings(format!("--objective {name} is given twice"))
                .hint("name each objective once"));
        }
    }
    let mut strategies = strategies(&arguments.strategies)?;
    let random = |strategy: &ScoredStrategy| strategy.label == YARDSTICK;
    if !strategies.iter().any(random) {
        strategies.push(ScoredStrategy::parse(YARDSTICK).map_err(Failure::bug)?);
    }
    let yardstick = strategies.iter().position(random).unwrap_or(0);
    let spaces = spaces::spaces(&arguments.spaces, &arguments.aim())?;
    let front_comparison = FrontComparison {
        spaces: &spaces,
        strategies: &strategies,
        repeats: arguments.repeats as usize,
        seed: arguments.seed,
        cuts: &arguments.evaluations,
    };
    let total = (strategies.len() * spaces.len()) as u64 * u64::from(arguments.repeats);
    let bar = match arguments.json {
        true => ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
        false => ProgressBar::new(total),
    };
    let reached = front_comparison.hold(&|| bar.inc(1));
    bar.finish_and_clear();
    let compared = ComparedFronts { arguments, spaces, strategies, reached, yardstick };
    let spaces = match compared.spaces.as_slice() {
        [one] => one.name.clone(),
        many => format!("{} spaces", many.len()),
    };
    let strategies = format!("{} strategies", compared.strategies.len());
    let now = chrono::Utc::now();
    let folder = StudyFolder::create(&arguments.out, now, &strategies, &spaces, "score-fronts")
        .map_err(Failure::settings)?;
    let svg = picture(&compared).map_err(Failure::bug)?;
    let pixels = png(&svg).map_err(Failure::bug)?;
    for (name, bytes) in [
        ("fronts.csv", compared.csv().map_err(Failure::bug)?),
        ("fronts.svg", svg.into_bytes()),
        ("fronts.png", pixels),
    ] {
        folder.write_whole(name, &bytes).map_err(Failure::bug)?;
    }
    let text = if arguments.json { compared.json() } else { compared.text() };
    output::line(text.trim_end())?;
    output::note(&format!("results   {}", folder.path().display()));
    Ok(())
}

impl ComparedFronts<'_> {
    /// One figure over the runs of a strategy on a space at a cut.
    pub(super) fn typical(
        &self,
        (strategy, space, cut): (usize, usize, usize),
        figure: ReachedFigure,
    ) -> Typical {
        let runs = self.reached[strategy][space].iter();
        let values: Vec<f64> = runs.map(|run| figure(&run[cut])).collect();
        let interval = bootstrap_median_interval(&values, 0.95, RESAMPLES, self.arguments.seed);
        let median = median(&values);
        Typical { median, interval: interval.unwrap_or((median, median)) }
    }

    /// Share by which the median IGD+ is below random search's, averaged over the spaces.
    fn gain(&self, strategy: usize, cut: usize) -> f64 {
        let of = |strategy, space| {
            self.typical((strategy, space, cut), |reached| reached.igd_plus).median
        };
        // Where random search has the whole front, no strategy can gain.
        let gain = |space| match of(self.yardstick, space) {
            random if random > 0.0 => 1.0 - of(strategy, space) / random,
            _ => 0.0,
        };
        mean(&(0..self.spaces.len()).map(gain).collect::<Vec<_>>())
    }

    /// Strategies, the best at the last cut first.
    pub(super) fn ranking(&self) -> Vec<usize> {
        let last = self.arguments.evaluations.len().saturating_sub(1);
        let gains: Vec<f64> = (0..self.strategies.len()).map(|at| self.gain(at, last)).collect();
        let mut ranking: Vec<usize> = (0..gains.len()).collect();
        ranking.sort_by(|a, b| gains[*b].total_cmp(&gains[*a]));
        ranking
    }

    fn text(&self) -> String {
        let cuts = &self.arguments.evaluations;
        let mut header = vec!["strategy".to_owned()];
        header.extend(cuts.iter().map(|n| format!("gain @{n}")));
        header.extend((1..=self.spaces.len()).map(|n| format!("space {n}")));
        let mut rows = vec![header];
        for at in self.ranking() {
            let mut row = vec![self.strategies[at].label.clone()];
            let gain = |cut| format!("{:+.0} %", 100.0 * self.gain(at, cut));
            row.extend((0..cuts.len()).map(gain));
            let last = cuts.len().saturating_sub(1);
            row.extend((0..self.spaces.len()).map(|space| {
                let typical = self.typical((at, space, last), |reached| reached.igd_plus);
                let (low, high) = typical.interval;
                format!("{:.4} ({low:.4} to {high:.4})", typical.median)
            }));
            rows.push(row);
        }
        let mut lines = aligned(&rows);
        lines.push(String::new());
        lines.push(format!(
            "objectives: {}; {} runs each from seed {}",
            self.arguments.objectives.join(", "),
            self.arguments.repeats,
            self.arguments.seed
        ));
        lines.push(format!(
            "gain @N: by how much the median IGD+ after N evaluations is below that of random \
             search, mean of the spaces; space: median IGD+ after {} evaluations with its 95 % \
             interval, 0 is the front itself",
            cuts.last().copied().unwrap_or(0)
        ));
        lines.extend(self.spaces.iter().enumerate().map(|(at, space)| {
            let (size, on_front) = (space.space.len(), space.truth.len());
            format!(
                "space {}: {}, {size} configurations, {on_front} on the front",
                at + 1,
                space.name
            )
        }));
        lines.join("\n")
    }

    fn json(&self) -> String {
        let cuts = &self.arguments.evaluations;
        let strategies = self.ranking().into_iter().map(|at| {
            let gains = cuts.iter().enumerate();
            let gains = gains.map(|(cut, n)| (n.to_string(), json!(self.gain(at, cut))));
            let spaces = self.spaces.iter().enumerate().map(|(space, place)| {
                let cuts = cuts.iter().enumerate();
                let cuts = cuts.map(|(cut, n)| (n.to_string(), self.figures((at, space, cut))));
                (place.name.clone(), Value::Object(cuts.collect()))
            });
            json!({
                "name": self.strategies[at].label,
                "gain": gains.collect::<Map<_, _>>(),
                "spaces": spaces.collect::<Map<_, _>>(),
            })
        });
        let answer = json!({
            "objectives": self.arguments.objectives,
            "repeats": self.arguments.repeats,
            "seed": self.arguments.seed,
            "strategies": strategies.collect::<Vec<_>>(),
        });
        format!("{answer:#}")
    }

    fn figures(&self, place: (usize, usize, usize)) -> Value {
        let figures = FIGURES.map(|(name, figure)| {
            let typical = self.typical(place, figure);
            (name.to_owned(), json!({"median": typical.median, "interval": typical.interval}))
        });
        Value::Object(figures.into_iter().collect())
    }

    /// One row per strategy, space and number of evaluations.
    fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut header = ["strategy", "space", "runs", "evaluations"].map(str::to_owned).to_vec();
        for (name, _) in FIGURES {
            header.extend([name.to_owned(), format!("{name}_low"), format!("{name}_high")]);
        }
        writer.write_record(&header)?;
        for at in self.ranking() {
            for (space, place) in self.spaces.iter().enumerate() {
                for (cut, n) in self.arguments.evaluations.iter().enumerate() {
                    let runs = self.arguments.repeats.to_string();
                    let label = self.strategies[at].label.clone();
                    let mut row = vec![label, place.name.clone(), runs, n.to_string()];
                    for (_, figure) in FIGURES {
                        let Typical { median, interval } = self.typical((at, space, cut), figure);
                        row.extend([median, interval.0, interval.1].map(|x| x.to_string()));
                    }
                    writer.write_record(&row)?;
                }
            }
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

type ReachedFigure = fn(&Reached) -> f64;

const FIGURES: [(&str, ReachedFigure); 3] = [
    ("igd_plus", |reached| reached.igd_plus),
    ("igd", |reached| reached.igd),
    ("hypervolume", |reached| reached.hypervolume),
];

/// Number of the best strategies that are drawn, beside random search.
const DRAWN: usize = 6;

/// Medians of IGD+ with their 95 % intervals, averaged over the spaces.
fn picture(compared: &ComparedFronts<'_>) -> Result<String, FigureError> {
    let mut cuts: Vec<(usize, usize)> =
        compared.arguments.evaluations.iter().copied().enumerate().collect();
    cuts.sort_by_key(|(_, evaluations)| *evaluations);
    let ranking = compared.ranking();
    let drawn = ranking.iter().enumerate();
    let drawn = drawn.filter(|(rank, at)| *rank < DRAWN || **at == compared.yardstick);
    let lines: Vec<Line> = drawn
        .map(|(_, &at)| {
            let point = |(cut, evaluations): &(usize, usize)| {
                let of = |space| compared.typical((at, space, *cut), |reached| reached.igd_plus);
                let all: Vec<Typical> = (0..compared.spaces.len()).map(of).collect();
                let over =
                    |what: fn(&Typical) -> f64| mean(&all.iter().map(what).collect::<Vec<_>>());
                let band = (over(|typical| typical.interval.0), over(|typical| typical.interval.1));
                (*evaluations as f64, over(|typical| typical.median), band)
            };
            Line {
                name: compared.strategies[at].label.clone(),
                points: cuts.iter().map(point).collect(),
            }
        })
        .collect();
    let places = match compared.spaces.as_slice() {
        [one] => one.name.clone(),
        many => format!("mean of {} spaces", many.len()),
    };
    let shown = match ranking.len() {
        n if n > DRAWN => format!(", the best {DRAWN} of {n} strategies"),
        _ => String::new(),
    };
    let objectives = compared.arguments.objectives.join(", ");
    plot_lines(&LinesPlot {
        title: &format!("{places}: {objectives}; {} runs each{shown}", compared.arguments.repeats),
        x_title: "different evaluations",
        y_title: "IGD+, median (0: the front itself)",
        lines: &lines,
        x_scale: AxisScale::Linear,
        floor: 0.0,
    })
}
