//! Runs a comparison of strategies, from its arguments to its folder.

use std::{path::Path, time::Instant};

use chrono::{DateTime, Utc};
use records::{SCORE_FILE, ScoreRecord, StudyFolder, write_record};
use scoring::{FrontSpace, Landscape, ScoredStrategy, Watch};

use super::{
    arguments::ScoreArgs,
    best::Scored,
    fronts::ComparedFronts,
    spaces::{self, Spaces},
};
use crate::{
    memory::{begin, learn},
    terminal::Failure,
};

/// How to record spaces for scoring, in one sentence.
pub(crate) const RECORDING: &str = "record a space with `autobench tune BENCHMARK --size N --strategy exhaustive --budget 100000 --objective seconds --objective error --out spaces`, with an --objective for everything that will be sought, and name the folder";

/// A comparison that passed all checks.
pub(crate) struct PreparedScore<'a> {
    arguments: &'a ScoreArgs,
    strategies: Vec<ScoredStrategy>,
    places: Places,
}

enum Places {
    /// The spaces, and for each the cost over which speed-ups are computed.
    Best(Vec<Landscape>, Option<Vec<f64>>),
    Fronts(Vec<FrontSpace>),
}

/// The output of a finished comparison.
pub(crate) struct ScoreAnswer {
    pub(crate) lines: Vec<String>,
    pub(crate) json: String,
    /// Faults of strategies that are scripts, one line each.
    pub(crate) faults: Vec<String>,
}

impl<'a> PreparedScore<'a> {
    /// Reads strategies and spaces.
    pub(crate) fn prepare(arguments: &'a ScoreArgs, known: &mut Spaces) -> Result<Self, Failure> {
        let strategies = arguments.checked()?;
        if arguments.spaces.is_empty() {
            return Err(Failure::settings(
                "there are no recorded spaces to score on, which --spaces names",
            )
            .hint(RECORDING));
        }
        let sets = arguments.sets();
        let places = match arguments.seeks_fronts() {
            false => {
                let aim = arguments.aim(&sets[0]);
                let mut landscapes = spaces::landscapes(&arguments.spaces, &aim, known)?;
                let recollected = arguments.learning.read(&aim, known)?;
                landscapes.iter_mut().for_each(|landscape| learn(landscape, &recollected));
                let standards = standards(arguments, &landscapes)?;
                Places::Best(landscapes, standards)
            }
            true => {
                let mut fronts = Vec::new();
                for set in &sets {
                    let aim = arguments.aim(set);
                    let mut of_set = spaces::fronts(&arguments.spaces, &aim, known)?;
                    let recollected = arguments.learning.read(&aim, known)?;
                    of_set.iter_mut().for_each(|front| begin(front, &recollected));
                    if sets.len() > 1 {
                        let named = |front: &mut FrontSpace| {
                            front.name += &format!(", {} objectives", set.len());
                        };
                        of_set.iter_mut().for_each(named);
                    }
                    fronts.extend(of_set);
                }
                spaces::distinguish(fronts.iter_mut().map(|front| &mut front.name));
                Places::Fronts(fronts)
            }
        };
        Ok(Self { arguments, strategies, places })
    }

    /// Number of runs of all strategies on all spaces.
    pub(crate) fn runs(&self) -> u64 {
        let places = match &self.places {
            Places::Best(landscapes, _) => landscapes.len(),
            Places::Fronts(spaces) => spaces.len(),
        };
        (self.strategies.len() * places) as u64 * u64::from(self.arguments.repeats)
    }

    /// Creates the folder of the comparison.
    pub(crate) fn folder(
        &self,
        out: &Path,
        started: DateTime<Utc>,
    ) -> Result<StudyFolder, Failure> {
        let one_of = |names: Vec<&str>, word: &str| match names.as_slice() {
            [one] => (*one).to_owned(),
            many => format!("{} {word}", many.len()),
        };
        let spaces = match &self.places {
            Places::Best(landscapes, _) => landscapes.iter().map(|l| l.name.as_str()).collect(),
            Places::Fronts(spaces) => spaces.iter().map(|space| space.name.as_str()).collect(),
        };
        let strategies = self.strategies.iter().map(|strategy| strategy.label.as_str()).collect();
        let word = match self.places {
            Places::Best(..) => "score",
            Places::Fronts(_) => "score-fronts",
        };
        let (strategies, spaces) = (one_of(strategies, "strategies"), one_of(spaces, "spaces"));
        StudyFolder::create(out, started, &strategies, &spaces, word).map_err(Failure::stored)
    }

    /// Runs all strategies and writes all files into the folder, `score.json` last.
    pub(crate) fn perform(
        self,
        folder: &StudyFolder,
        started: DateTime<Utc>,
        watch: Watch<'_>,
    ) -> Result<ScoreAnswer, Failure> {
        let began = Instant::now();
        let (answer, files, record) = match self.places {
            Places::Best(landscapes, standards) => {
                let places = (landscapes, standards);
                let scored = Scored::hold(self.arguments, places, self.strategies, watch)?;
                let answer = ScoreAnswer {
                    lines: scored.lines(),
                    json: scored.json(),
                    faults: scored.faults(),
                };
                let matches = scored.matches();
                let rows = scored.rows(&matches);
                (answer, scored.files(&rows, &matches)?, scored.record(started, rows))
            }
            Places::Fronts(spaces) => {
                let compared =
                    ComparedFronts::hold(self.arguments, spaces, self.strategies, watch)?;
                let answer = ScoreAnswer {
                    lines: compared.lines(),
                    json: compared.json(),
                    faults: compared.faults(),
                };
                let rows = compared.rows();
                (answer, compared.files(&rows)?, compared.record(started, rows))
            }
        };
        for (name, bytes) in files {
            folder.write_whole(&name, &bytes).map_err(Failure::stored)?;
        }
        let record = ScoreRecord { wall_seconds: began.elapsed().as_secs_f64(), ..record };
        write_record(&folder.file(SCORE_FILE), &record).map_err(Failure::stored)?;
        Ok(answer)
    }
}

/// For each space, the cost over which speed-ups are computed, if they were requested.
fn standards(arguments: &ScoreArgs, landscapes: &[Landscape]) -> Result<Option<Vec<f64>>, Failure> {
    let Some(standard) = &arguments.speed_up_over else { return Ok(None) };
    let cost = |landscape: &Landscape| {
        let named = |why| Failure::settings(format!("{}: {why}", landscape.name));
        standard.cost(landscape).map_err(named)
    };
    landscapes.iter().map(cost).collect::<Result<Vec<f64>, _>>().map(Some)
}
