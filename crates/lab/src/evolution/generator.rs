//! Generators write strategies: a generator gets a request, and answers with a text.

use autobench::list::{ListedGenerator, ListedGenerators};
use records::AnswerEvent;
use registry::{Knob, Knobs, Registered, Registry};
use serde::{Deserialize, Serialize};

/// The kind of candidate that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mutation {
    /// A first strategy, without parents.
    Begin,
    /// An improved version of the parent.
    Refine,
    /// A strategy unlike those of the population.
    New,
    /// An improved and simpler version of the parent.
    Simplify,
}

/// A candidate as a generator sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown<'a> {
    /// Number of the candidate, from 1.
    pub number: u64,
    /// Name of the candidate.
    pub name: &'a str,
    /// What the candidate does, in a line.
    pub about: &'a str,
    /// Script of the candidate.
    pub code: &'a str,
    /// Score of the candidate: 0 is random search, 1 the optimum; `None` if it failed.
    pub score: Option<f64>,
    /// Why the candidate failed, with the line in its script.
    pub fault: Option<&'a str>,
}

/// A request to a generator.
#[derive(Clone)]
pub struct Request<'a> {
    /// Number of the requested candidate, from 1.
    pub number: u64,
    /// Seed for random choices in the answer; depends only on the family's seed and the number.
    pub seed: u64,
    /// The kind of candidate that is asked for.
    pub mutation: Mutation,
    /// The candidate to start from; `None` for [`Mutation::Begin`].
    pub parent: Option<Shown<'a>>,
    /// The population, the best first.
    pub population: Vec<Shown<'a>>,
    /// All of the above as a message to a language model.
    pub message: &'a str,
    /// Whether the user wants to stop; a generator that waits must check this often.
    pub stopped: &'a (dyn Fn() -> bool + Sync),
}

/// Answer of a generator.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// A line of description, and a script between fences.
    pub text: String,
    /// Tokens read and written, if the generator counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// Calls that the answer needed, including failed ones.
    pub calls: u64,
    /// Seconds until the generator answered.
    pub seconds: f64,
}

/// Tokens of a language model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Tokens of the message.
    pub read: u64,
    /// Tokens of the answer.
    pub written: u64,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// This answer failed, but the next may not. The failure becomes a row of the family.
    #[error("{why}")]
    Failed {
        /// Why, in a sentence.
        why: String,
        /// Calls that were made.
        calls: u64,
        /// Tokens that were used nevertheless, if the generator counts them.
        tokens: Option<Tokens>,
    },
    /// There are no more answers. The family ends here, and can be resumed.
    #[error("{0}")]
    Over(String),
    /// The user stopped before the answer was there.
    #[error("stopped before there was an answer")]
    Stopped,
}

/// Answers requests for candidates.
pub trait Generator {
    /// Answers a request. Equal requests get equal answers, as far as the generator can ensure it.
    ///
    /// # Errors
    /// If there is no answer.
    fn answer(&mut self, request: &Request<'_>) -> Result<Answer, Unanswered>;

    /// Description for the record of a family, without secrets: the model, and everything that
    /// decides its answers. A family is only resumed with a generator of the same description.
    fn described(&self) -> String;

    /// Where the answers come from, as a text that follows the description: `at
    /// http://127.0.0.1:8080/v1`. A family may be resumed with another place.
    fn place(&self) -> Option<String> {
        None
    }

    /// Receives the earlier answers of a resumed family, before the first request.
    ///
    /// # Errors
    /// If the generator cannot continue from these answers; why, in a sentence.
    fn resumed(&mut self, _earlier: &[AnswerEvent]) -> Result<(), String> {
        Ok(())
    }

    /// A remark for readers of the values, in a sentence, such as that tokens are estimated.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// Makes a generator from its knobs and the user's other options.
pub type Make = fn(&Knobs, &Given) -> Result<Box<dyn Generator>, String>;

/// A kind of generator, as it is registered.
pub struct GeneratorKind {
    /// The name users type.
    pub name: &'static str,
    /// One sentence for lists and help.
    pub about: &'static str,
    /// Settings of the generator.
    pub knobs: &'static [Knob],
    /// Settings that do not change requests: a family may be resumed with others.
    pub incidental: &'static [&'static str],
    /// The options of [`Given`] that the generator uses, as typed.
    pub options: &'static [&'static str],
    /// Makes the generator. Addresses and files come as text in [`Given`], not as knobs.
    pub make: Make,
}

/// Options that users give to a generator in addition to its knobs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// Base address of the server (`--endpoint`).
    pub endpoint: Option<String>,
    /// The model to ask (`--model`).
    pub model: Option<String>,
    /// A file with the key (`--key-file`); without it, the environment is searched for the key.
    pub key_file: Option<std::path::PathBuf>,
    /// A file of recorded answers (`--transcript`).
    pub transcript: Option<std::path::PathBuf>,
}

inventory::collect!(GeneratorKind);

/// Every kind of generator.
pub static GENERATORS: Registry<GeneratorKind> = Registry::new("generator");

inventory::submit!(ListedGenerators(|| {
    let listed = |kind: &&GeneratorKind| ListedGenerator {
        name: kind.name,
        about: kind.about,
        knobs: kind.knobs,
    };
    GENERATORS.iter().map(listed).collect()
}));

impl Registered for GeneratorKind {
    fn name(&self) -> &'static str {
        self.name
    }
}
