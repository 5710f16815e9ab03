//! Arguments of `evolve`.

use std::{collections::BTreeMap, path::PathBuf};

use autobench::terminal::{Failure, Screen};
use clap::Args;
use records::GeneratorRecord;
use registry::{Knobs, combined, listed, parse_knob, rejoined};
use scoring::ScoredStrategy;

use crate::evolution::{GENERATORS, Generator, GeneratorKind, Given};

/// Runs in the finals for every run of the loop.
const FINALS: u32 = 5;

/// What a family grows from.
#[derive(Debug, Clone, Args)]
pub(super) struct EvolveArgs {
    /// Training spaces: files, folders of studies, or folders of these
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1.., required = true)]
    pub(super) spaces: Vec<PathBuf>,
    /// Who writes the candidates: `grammar` needs nothing, `llm` asks a language model, `transcript`
    /// replays answers; `autobench list generators` has all
    #[arg(long, value_name = "NAME", default_value = "grammar")]
    generator: String,
    /// A setting of the generator (repeatable); `autobench list NAME` shows them
    #[arg(long = "generator-knob", value_name = "NAME=VALUE")]
    generator_knobs: Vec<String>,
    /// How many candidates
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(super) candidates: u64,
    /// Candidates that survive a generation; the first generation has as many
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(super) parents: u64,
    /// Children of a generation
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(super) offspring: u64,
    /// Runs of a candidate on each training space
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) repeats: u32,
    /// Runs of those that survived last on each training space: the best of them is the answer; 0 for
    /// the best of the loop [default: five times --repeats]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100_000))]
    final_repeats: Option<u32>,
    /// Seed of everything random: the same seed makes the same family, if the generator can
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(super) seed: u64,
    /// Most seconds on the clock for all runs of a candidate
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = positive)]
    pub(super) candidate_seconds: f64,
    /// The kernel that strategies are for, by its name or that of a recorded space: of the training
    /// spaces, only those of this kernel count
    #[arg(long, value_name = "KERNEL_OR_SPACE")]
    pub(super) target: Option<String>,
    /// Tell the generator that kernel's parameters, values and restrictions
    #[arg(long)]
    pub(super) with_description: bool,
    /// End when so many tokens were read and written
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) tokens: Option<u64>,
    /// Where a model is asked: the base of an address, as `http://localhost:8000/v1`
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// The model that is asked
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A file that holds the key of the endpoint; else the environment has it
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Recorded answers, for the generator `transcript`: lines of JSON, or another family's journal
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Spaces that no candidate is scored on: the best is compared with others there, once, at the end
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1..)]
    pub(super) test: Vec<PathBuf>,
    /// Runs of each strategy on each space of --test
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(super) test_repeats: u32,
    /// Strategies that the best is compared with, as `autobench score` names them
    #[arg(
        long,
        value_name = "NAME,NAME",
        default_value = "genetic_algorithm,simulated_annealing,diff_evo"
    )]
    pub(super) against: Vec<String>,
    /// The family's folder: a new one, or one that goes on
    #[arg(long, value_name = "DIR", required = true)]
    pub(super) out: PathBuf,
    #[command(flatten)]
    pub(super) screen: Screen,
}

fn positive(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && seconds.is_finite());
    seconds.ok_or_else(|| "a number of seconds above 0".to_owned())
}

impl EvolveArgs {
    /// Runs in the finals.
    pub(super) fn final_repeats(&self) -> u32 {
        self.final_repeats.unwrap_or(self.repeats.saturating_mul(FINALS))
    }

    /// The generator, ready to be asked, with what is recorded of it.
    pub(super) fn generator(&self) -> Result<(Box<dyn Generator>, GeneratorRecord), Failure> {
        let kind = GENERATORS.named(&self.generator).map_err(Failure::settings)?;
        let of_knob = |why| {
            Failure::settings(format!("--generator-knob of {}: {why}", kind.name))
                .hint(format!("see its settings with `autobench list {}`", kind.name))
        };
        let texts = &self.generator_knobs;
        let knobs = Knobs::parse(kind.knobs, texts).map_err(of_knob)?;
        let pairs = texts.iter().map(|text| parse_knob(text));
        let given: BTreeMap<String, String> = pairs.collect::<Result<_, _>>().map_err(of_knob)?;
        self.used_by(kind)?;
        let generator = (kind.make)(
            &knobs,
            &Given {
                endpoint: self.endpoint.clone(),
                model: self.model.clone(),
                key_file: self.key_file.clone(),
                transcript: self.transcript.clone(),
            },
        )
        .map_err(Failure::settings)?;
        let (incidental, knobs) =
            given.into_iter().partition(|(name, _)| kind.incidental.contains(&name.as_str()));
        let record = GeneratorRecord {
            name: kind.name.to_owned(),
            described: generator.described(),
            place: generator.place(),
            knobs,
            incidental,
            remark: None,
        };
        Ok((generator, record))
    }

    /// Refuses what is given to a generator that has no use for it.
    fn used_by(&self, kind: &GeneratorKind) -> Result<(), Failure> {
        let given = [
            ("--endpoint", self.endpoint.is_some()),
            ("--model", self.model.is_some()),
            ("--key-file", self.key_file.is_some()),
            ("--transcript", self.transcript.is_some()),
        ];
        let unused =
            |(option, is_given): &(&'static str, bool)| *is_given && !kind.options.contains(option);
        let Some((option, _)) = given.into_iter().find(unused) else { return Ok(()) };
        let user = GENERATORS.iter().find(|other| other.options.contains(&option));
        let user = user.map_or("transcript", |user| user.name);
        Err(Failure::settings(format!("{option} is for the generator `{user}`"))
            .hint(format!("add `--generator {user}`")))
    }

    /// The strategies that the best is compared with, without repetition.
    pub(super) fn against(&self) -> Result<Vec<ScoredStrategy>, Failure> {
        let parts: Vec<&str> = self.against.iter().flat_map(|text| listed(text)).collect();
        let mut strategies: Vec<ScoredStrategy> = Vec::new();
        for written in rejoined(&parts) {
            for name in combined(&written).map_err(Failure::settings)? {
                let strategy = ScoredStrategy::parse(&name).map_err(Failure::settings)?;
                if strategies.iter().all(|known| known.label != strategy.label) {
                    strategies.push(strategy);
                }
            }
        }
        Ok(strategies)
    }
}
