//! Arguments of `evolve`.

use std::{collections::BTreeMap, path::PathBuf};

use autobench::terminal::{Failure, Screen};
use clap::Args;
use records::GeneratorRecord;
use registry::{Knobs, combined, listed, parse_knob, rejoined};
use scoring::ScoredStrategy;

use crate::evolution::{GENERATORS, Generator, GeneratorKind, Given};

/// Runs in the finals per run in the loop.
const FINALS: u32 = 5;

/// Arguments of `evolve`.
#[derive(Debug, Clone, Args)]
pub(super) struct EvolveArgs {
    /// Training spaces: files, folders of studies, or folders of these
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1.., required = true)]
    pub(super) spaces: Vec<PathBuf>,
    /// The generator of candidates: `grammar` composes building blocks, `llm` asks a language
    /// model, `transcript` replays recorded answers; `autobench list generators` lists all
    #[arg(long, value_name = "NAME", default_value = "grammar")]
    generator: String,
    /// A setting of the generator (repeatable); `autobench list NAME` shows them
    #[arg(long = "generator-knob", value_name = "NAME=VALUE")]
    generator_knobs: Vec<String>,
    /// Number of candidates
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(super) candidates: u64,
    /// Candidates that survive a generation; the first generation has as many candidates
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(super) parents: u64,
    /// Children of a generation
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(super) offspring: u64,
    /// Runs of a candidate on each training space
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) repeats: u32,
    /// Runs of each last survivor on each training space; the best of these runs gives the answer;
    /// 0 skips this and takes the best of the loop [default: five times --repeats]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100_000))]
    final_repeats: Option<u32>,
    /// Seed of all randomness: the same seed gives the same family, if the generator is
    /// deterministic
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(super) seed: u64,
    /// Limit of wall seconds for all runs of a candidate
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = positive)]
    pub(super) candidate_seconds: f64,
    /// Kernel that the strategies are written for: a kernel's name, or a recorded space; of the
    /// training spaces, only those of this kernel count
    #[arg(long, value_name = "KERNEL_OR_SPACE")]
    pub(super) target: Option<String>,
    /// Tell the generator the parameters, values and restrictions of this kernel
    #[arg(long)]
    pub(super) with_description: bool,
    /// Stop when this many tokens were read and written
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) tokens: Option<u64>,
    /// Server of the language model: the base of its address, such as `http://localhost:8000/v1`
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// The language model to ask
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// File with the key of the endpoint; without it, the environment is searched for the key
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Recorded answers for the generator `transcript`: lines of JSON, or another family's journal
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Spaces on which no candidate is scored: at the end, the best is compared with other
    /// strategies there, once
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1..)]
    pub(super) test: Vec<PathBuf>,
    /// Runs of each strategy on each space of --test
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(super) test_repeats: u32,
    /// Strategies to compare the best with, as `autobench score` names them
    #[arg(
        long,
        value_name = "NAME,NAME",
        default_value = "genetic_algorithm,simulated_annealing,diff_evo"
    )]
    pub(super) against: Vec<String>,
    /// Folder of the family: a new one, or an existing one to resume
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
    pub(super) fn final_repeats(&self) -> u32 {
        self.final_repeats.unwrap_or(self.repeats.saturating_mul(FINALS))
    }

    /// Makes the generator, and its record.
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

    /// Refuses options that the generator does not use.
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

    /// The strategies to compare the best with, without duplicates.
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
