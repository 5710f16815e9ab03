//! `score --objective A --objective B`: how near strategies come to the fronts of recorded spaces.

use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::{Map, Value, json};

use super::{Failure, ScoreArgs, answer::aligned, contestants, spaces};
use crate::{
    cli::output,
    exporters::{FigureError, Line, LinesPlot, Scale, plot_lines, png},
    numeric::{bootstrap_median_interval, mean, median},
    records::StudyFolder,
    scoring::{Contestant, Pursuit, Reached, Terrain},
};

/// What others are compared with.
const YARDSTICK: &str = "random";
/// Resamples behind an interval of a median.
const RESAMPLES: usize = 1_000;

/// Everything that was found out.
pub(super) struct Pursued<'a> {
    pub(super) arguments: &'a ScoreArgs,
    pub(super) terrains: Vec<Terrain>,
    pub(super) contestants: Vec<Contestant>,
    /// By contestant, terrain, run and cut.
    reached: Vec<Vec<Vec<Vec<Reached>>>>,
    /// Which contestant is random search.
    pub(super) yardstick: usize,
}

/// A median over the runs and its 95 % interval.
pub(super) struct Typical {
    pub(super) median: f64,
    pub(super) interval: (f64, f64),
}

/// Runs the searches and tells how near they came.
pub(super) fn run(arguments: &ScoreArgs) -> Result<(), Failure> {
    if arguments.objectives.len() < 2 {
        return Err(Failure::settings("a front has at least two objectives")
            .hint("name --objective twice, or not at all to score run times"));
    }
    for (at, name) in arguments.objectives.iter().enumerate() {
        if arguments.objectives[..at].contains(name) {
            return Err(Failure::settings(format!("--objective {name} is given twice"))
                .hint("name each objective once"));
        }
    }
    let mut contestants = contestants(&arguments.strategies)?;
    let random = |contestant: &Contestant| contestant.label == YARDSTICK;
    if !contestants.iter().any(random) {
        contestants.push(Contestant::parse(YARDSTICK).map_err(Failure::bug)?);
    }
    let yardstick = contestants.iter().position(random).unwrap_or(0);
    let terrains = spaces::terrains(&arguments.spaces, &arguments.objectives)?;
    let pursuit = Pursuit {
        terrains: &terrains,
        contestants: &contestants,
        repeats: arguments.repeats as usize,
        seed: arguments.seed,
        cuts: &arguments.evaluations,
    };
    let total = (contestants.len() * terrains.len()) as u64 * u64::from(arguments.repeats);
    let bar = match arguments.json {
        true => ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
        false => ProgressBar::new(total),
    };
    let reached = pursuit.hold(&|| bar.inc(1));
    bar.finish_and_clear();
    let pursued = Pursued { arguments, terrains, contestants, reached, yardstick };
    let spaces = match pursued.terrains.as_slice() {
        [one] => one.name.clone(),
        many => format!("{} spaces", many.len()),
    };
    let strategies = format!("{} strategies", pursued.contestants.len());
    let now = chrono::Utc::now();
    let folder = StudyFolder::create(&arguments.out, now, &strategies, &spaces, "score-fronts")
        .map_err(Failure::settings)?;
    let svg = picture(&pursued).map_err(Failure::bug)?;
    let pixels = png(&svg).map_err(Failure::bug)?;
    for (name, bytes) in [
        ("fronts.csv", pursued.csv().map_err(Failure::bug)?),
        ("fronts.svg", svg.into_bytes()),
        ("fronts.png", pixels),
    ] {
        folder.write_whole(name, &bytes).map_err(Failure::bug)?;
    }
    let text = if arguments.json { pursued.json() } else { pursued.text() };
    output::line(text.trim_end())?;
    output::note(&format!("results   {}", folder.path().display()));
    Ok(())
}

impl Pursued<'_> {
    /// One figure over the runs of a contestant on a terrain at a cut.
    pub(super) fn typical(
        &self,
        (contestant, terrain, cut): (usize, usize, usize),
        figure: Reading,
    ) -> Typical {
        let runs = self.reached[contestant][terrain].iter();
        let values: Vec<f64> = runs.map(|run| figure(&run[cut])).collect();
        let interval = bootstrap_median_interval(&values, 0.95, RESAMPLES, self.arguments.seed);
        let median = median(&values);
        Typical { median, interval: interval.unwrap_or((median, median)) }
    }

    /// By which share the median IGD+ is below random search's, mean over the terrains.
    fn gain(&self, contestant: usize, cut: usize) -> f64 {
        let of = |contestant, terrain| {
            self.typical((contestant, terrain, cut), |reached| reached.igd_plus).median
        };
        // Where random search has the whole front nobody can be nearer.
        let gain = |terrain| match of(self.yardstick, terrain) {
            random if random > 0.0 => 1.0 - of(contestant, terrain) / random,
            _ => 0.0,
        };
        mean(&(0..self.terrains.len()).map(gain).collect::<Vec<_>>())
    }

    /// Contestants, the best at the last cut first.
    pub(super) fn ranking(&self) -> Vec<usize> {
        let last = self.arguments.evaluations.len().saturating_sub(1);
        let gains: Vec<f64> = (0..self.contestants.len()).map(|at| self.gain(at, last)).collect();
        let mut ranking: Vec<usize> = (0..gains.len()).collect();
        ranking.sort_by(|a, b| gains[*b].total_cmp(&gains[*a]));
        ranking
    }

    fn text(&self) -> String {
        let cuts = &self.arguments.evaluations;
        let mut header = vec!["strategy".to_owned()];
        header.extend(cuts.iter().map(|n| format!("gain @{n}")));
        header.extend((1..=self.terrains.len()).map(|n| format!("space {n}")));
        let mut rows = vec![header];
        for at in self.ranking() {
            let mut row = vec![self.contestants[at].label.clone()];
            let gain = |cut| format!("{:+.0} %", 100.0 * self.gain(at, cut));
            row.extend((0..cuts.len()).map(gain));
            let last = cuts.len().saturating_sub(1);
            row.extend((0..self.terrains.len()).map(|terrain| {
                let typical = self.typical((at, terrain, last), |reached| reached.igd_plus);
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
        lines.extend(self.terrains.iter().enumerate().map(|(at, terrain)| {
            let (size, on_front) = (terrain.space.len(), terrain.truth.len());
            format!(
                "space {}: {}, {size} configurations, {on_front} on the front",
                at + 1,
                terrain.name
            )
        }));
        lines.join("\n")
    }

    fn json(&self) -> String {
        let cuts = &self.arguments.evaluations;
        let strategies = self.ranking().into_iter().map(|at| {
            let gains = cuts.iter().enumerate();
            let gains = gains.map(|(cut, n)| (n.to_string(), json!(self.gain(at, cut))));
            let spaces = self.terrains.iter().enumerate().map(|(terrain, place)| {
                let cuts = cuts.iter().enumerate();
                let cuts = cuts.map(|(cut, n)| (n.to_string(), self.figures((at, terrain, cut))));
                (place.name.clone(), Value::Object(cuts.collect()))
            });
            json!({
                "name": self.contestants[at].label,
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
            for (terrain, place) in self.terrains.iter().enumerate() {
                for (cut, n) in self.arguments.evaluations.iter().enumerate() {
                    let runs = self.arguments.repeats.to_string();
                    let label = self.contestants[at].label.clone();
                    let mut row = vec![label, place.name.clone(), runs, n.to_string()];
                    for (_, figure) in FIGURES {
                        let Typical { median, interval } = self.typical((at, terrain, cut), figure);
                        row.extend([median, interval.0, interval.1].map(|x| x.to_string()));
                    }
                    writer.write_record(&row)?;
                }
            }
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

/// One of the figures of a set of evaluations.
type Reading = fn(&Reached) -> f64;

/// What is said of every set of evaluations.
const FIGURES: [(&str, Reading); 3] = [
    ("igd_plus", |reached| reached.igd_plus),
    ("igd", |reached| reached.igd),
    ("hypervolume", |reached| reached.hypervolume),
];

/// So many of the best are drawn, and random search.
const DRAWN: usize = 6;

/// The medians of IGD+ with their 95 % intervals, means of the spaces.
fn picture(pursued: &Pursued<'_>) -> Result<String, FigureError> {
    let mut cuts: Vec<(usize, usize)> =
        pursued.arguments.evaluations.iter().copied().enumerate().collect();
    cuts.sort_by_key(|(_, evaluations)| *evaluations);
    let ranking = pursued.ranking();
    let drawn = ranking.iter().enumerate();
    let drawn = drawn.filter(|(rank, at)| *rank < DRAWN || **at == pursued.yardstick);
    let lines: Vec<Line> = drawn
        .map(|(_, &at)| {
            let point = |(cut, evaluations): &(usize, usize)| {
                let of = |terrain| pursued.typical((at, terrain, *cut), |reached| reached.igd_plus);
                let all: Vec<Typical> = (0..pursued.terrains.len()).map(of).collect();
                let over =
                    |what: fn(&Typical) -> f64| mean(&all.iter().map(what).collect::<Vec<_>>());
                let band = (over(|typical| typical.interval.0), over(|typical| typical.interval.1));
                (*evaluations as f64, over(|typical| typical.median), band)
            };
            Line {
                name: pursued.contestants[at].label.clone(),
                points: cuts.iter().map(point).collect(),
            }
        })
        .collect();
    let places = match pursued.terrains.as_slice() {
        [one] => one.name.clone(),
        many => format!("mean of {} spaces", many.len()),
    };
    let shown = match ranking.len() {
        n if n > DRAWN => format!(", the best {DRAWN} of {n} strategies"),
        _ => String::new(),
    };
    let objectives = pursued.arguments.objectives.join(", ");
    plot_lines(&LinesPlot {
        title: &format!("{places}: {objectives}; {} runs each{shown}", pursued.arguments.repeats),
        x_title: "different evaluations",
        y_title: "IGD+, median (0: the front itself)",
        lines: &lines,
        x_scale: Scale::Linear,
        floor: 0.0,
    })
}
