//! `autobench knee`: finds the knee of any curve in a file of two columns.

mod answer;
mod picture;
mod points;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use knees::{
    DETECTORS, Detector, DetectorSettings, Direction, Faster, Finding, Interpolation, Mode,
    Preparation, Shape, XScale, compare, confirmed, find_repeated,
};
use records::settings::{DEFAULT_DETECTOR, KneeFlags};

use super::{
    command::{Command, read},
    terminal::{Failure, output},
};

inventory::submit!(Command {
    rank: 15,
    name: "knee",
    about: "Find the knee of a curve in a file of two columns",
    examples: &[
        "knee curve.csv  of your own measurements",
        "knee curve.csv --detector kneedle,lmethod --plot knee.svg",
    ],
    augment: KneeArgs::augment_args,
    run: |matches| run(&read::<KneeArgs>(matches)?),
});

/// The arguments of `knee`.
#[derive(Debug, Clone, Args)]
pub(super) struct KneeArgs {
    /// The curve: two columns (x, y), with or without a header; repeated measurements have a third
    /// column (header `x,y,round`); `-` for standard input
    #[arg(value_name = "CURVE.csv")]
    pub curve: PathBuf,
    /// Detectors to use (repeatable, or a list with commas) [default: all; `kneedle` with
    /// --confirm-by]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub detector: Vec<String>,
    /// How x is spaced
    #[arg(long, value_enum, default_value_t = ScaleChoice::Log)]
    pub x_scale: ScaleChoice,
    /// Which way the curve bends at its knee
    #[arg(long = "curve", id = "shape", value_enum, default_value_t = ShapeChoice::Concave)]
    pub shape: ShapeChoice,
    /// Whether y grows or falls with x
    #[arg(long, value_enum, default_value_t = DirectionChoice::Increasing)]
    pub direction: DirectionChoice,
    #[command(flatten)]
    pub knee: KneeFlags,
    /// Report the last knee instead of the first, as if points arrived one by one
    #[arg(long)]
    pub online: bool,
    /// What is fitted through the points for `kneedle` and `triangle`
    #[arg(long, value_enum, default_value_t = InterpolationChoice::Linear)]
    pub interpolation: InterpolationChoice,
    /// Degree of the polynomial
    #[arg(long, default_value_t = 7, value_name = "N")]
    pub degree: usize,
    /// Draw the curve and its knees (.svg or .png)
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Print JSON: an array with one object per detector
    #[arg(long)]
    pub json: bool,
}

/// How x is spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ScaleChoice {
    /// By its logarithm
    Log,
    /// As it is
    Linear,
}

/// Which way a curve bends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ShapeChoice {
    /// Like a throughput that saturates
    Concave,
    /// Like an elbow
    Convex,
}

/// Which way a curve goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DirectionChoice {
    /// y grows with x
    Increasing,
    /// y falls with x
    Decreasing,
}

/// What is fitted through the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum InterpolationChoice {
    /// Straight lines
    Linear,
    /// A polynomial of least squares
    Polynomial,
}

/// Reads a curve and prints the detectors' findings.
///
/// # Errors
/// If the file is not a curve, or a flag does not apply to it.
pub(super) fn run(args: &KneeArgs) -> Result<(), Failure> {
    let (detectors, asked) = chosen(args)?;
    let settings = settings(args)?;
    if let Some(path) = &args.plot {
        picture::check(path)?;
    }
    // A curve that rises with x is one of rates.
    let faster = match settings.direction {
        Direction::Increasing => Faster::Higher,
        Direction::Decreasing => Faster::Lower,
    };
    let points::NamedCurve { curve: repeated, names } = points::read(&args.curve, faster)?;
    check_axis(repeated.x()[0], &settings, &args.curve)?;
    let curve = repeated.curve();
    let preparation =
        if args.knee.settings().raw_curve { Preparation::Raw } else { Preparation::Prepared };
    let found =
        |detector: &&'static Detector| find_repeated(detector, &repeated, &settings, preparation);
    let mut findings: Vec<Finding> = detectors.iter().map(found).collect();
    compare(&mut findings[..asked]);
    let confirming = asked < findings.len();
    let answer = confirmed(&mut findings, asked, curve.x());
    let answer = confirming.then_some(answer);
    if let Some(path) = &args.plot {
        picture::draw(path, &args.curve, (&curve, &names), &findings, &settings)?;
    }
    match args.json {
        true => output::json(answer::json(&findings, answer).trim_end()),
        false => output::text(answer::text(&curve, &findings, answer).trim_end()),
    }
}

/// Returns the detectors to use, and how many of them come before the confirming detectors. Without
/// names these are all detectors, or the default one if others must confirm it.
fn chosen(args: &KneeArgs) -> Result<(Vec<&'static Detector>, usize), Failure> {
    let confirm_by = args.knee.settings().confirm_by;
    let mut asked = named(&args.detector)?;
    if asked.is_empty() && confirm_by.is_empty() {
        asked = DETECTORS.to_vec();
    } else if asked.is_empty() {
        asked = named(&[DEFAULT_DETECTOR.to_owned()])?;
    }
    let first = asked.first().map(|detector| detector.name.to_owned());
    args.knee.settings().check(first.as_ref()).map_err(Failure::settings)?;
    let confirming = named(&confirm_by)?;
    asked.retain(|detector| confirming.iter().all(|other| other.name != detector.name));
    let count = asked.len();
    asked.extend(confirming);
    Ok((asked, count))
}

/// Finds the named detectors, without duplicates, in the order of the names.
fn named(names: &[String]) -> Result<Vec<&'static Detector>, Failure> {
    let mut found: Vec<&'static Detector> = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        let detector = DETECTORS.named(name).map_err(Failure::settings)?;
        if !found.iter().any(|d| d.name == detector.name) {
            found.push(detector);
        }
    }
    Ok(found)
}

fn settings(args: &KneeArgs) -> Result<DetectorSettings, Failure> {
    if args.degree == 0 || args.degree > 30 {
        return Err(Failure::settings(format!(
            "`--degree {}` is out of range; give 1 to 30",
            args.degree
        )));
    }
    let settings = DetectorSettings {
        x_scale: match args.x_scale {
            ScaleChoice::Log => XScale::Log,
            ScaleChoice::Linear => XScale::Linear,
        },
        shape: match args.shape {
            ShapeChoice::Concave => Shape::Concave,
            ShapeChoice::Convex => Shape::Convex,
        },
        direction: match args.direction {
            DirectionChoice::Increasing => Direction::Increasing,
            DirectionChoice::Decreasing => Direction::Decreasing,
        },
        mode: if args.online { Mode::Online } else { Mode::Offline },
        interpolation: match args.interpolation {
            InterpolationChoice::Linear => Interpolation::Linear,
            InterpolationChoice::Polynomial => Interpolation::Polynomial(args.degree),
        },
        ..DetectorSettings::default()
    };
    settings.with_knobs(&args.knee.settings().knobs).map_err(Failure::settings)
}

/// Rejects x ≤ 0 on a logarithmic axis.
fn check_axis(first: f64, settings: &DetectorSettings, path: &Path) -> Result<(), Failure> {
    if settings.x_scale == XScale::Log && first <= 0.0 {
        return Err(Failure::settings(format!(
            "`{}` has x = {first}, which has no place on a logarithmic axis",
            path.display()
        ))
        .hint("give `--x-scale linear`"));
    }
    Ok(())
}
