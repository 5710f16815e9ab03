//! Who writes strategies: a generator gets a request, and answers with a text.

use autobench::list::{ListedGenerator, ListedGenerators};
use records::AnswerEvent;
use registry::{Knob, Knobs, Registered, Registry};
use serde::{Deserialize, Serialize};

/// What a generator is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mutation {
    /// A first strategy; there are no parents.
    Begin,
    /// The parent, made better.
    Refine,
    /// One unlike those of the population.
    New,
    /// The parent, made better and simpler.
    Simplify,
}

/// A candidate as a generator sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown<'a> {
    /// Its number: 1 for the first candidate of the family.
    pub number: u64,
    /// Its name.
    pub name: &'a str,
    /// What it does, in a line.
    pub about: &'a str,
    /// Its script.
    pub code: &'a str,
    /// Its score: 0 is random search, 1 the optimum; `None` if it failed.
    pub score: Option<f64>,
    /// Why it failed, with the line of its script.
    pub fault: Option<&'a str>,
}

/// What a generator is asked.
#[derive(Clone)]
pub struct Request<'a> {
    /// Number of the candidate that is asked for, from 1.
    pub number: u64,
    /// Seed of what is random in the answer; it depends on the family's seed and the number alone.
    pub seed: u64,
    /// What kind of answer.
    pub mutation: Mutation,
    /// The candidate to start from; none for [`Mutation::Begin`].
    pub parent: Option<Shown<'a>>,
    /// The population, the best first.
    pub population: Vec<Shown<'a>>,
    /// Everything above as a message to a language model.
    pub message: &'a str,
    /// Whether the user wants no more: who waits for an answer looks often.
    pub stopped: &'a (dyn Fn() -> bool + Sync),
}

/// What a generator answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// A line on what it is, and a script between fences.
    pub text: String,
    /// Tokens read and written, where the generator counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// Calls that were needed, failed ones among them.
    pub calls: u64,
    /// Seconds until the answer was there.
    pub seconds: f64,
}

/// Tokens of a language model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Of the message.
    pub read: u64,
    /// Of the answer.
    pub written: u64,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// This answer failed; the next may not. It is a row of the family.
    #[error("{why}")]
    Failed {
        /// A sentence.
        why: String,
        /// Calls that were made.
        calls: u64,
        /// Tokens that it took nevertheless, where the generator counts them.
        tokens: Option<Tokens>,
    },
    /// There are no more answers; the family ends here, and can be resumed.
    #[error("{0}")]
    Over(String),
    /// The user wanted no more before it was there.
    #[error("stopped before there was an answer")]
    Stopped,
}

/// Something that answers requests.
pub trait Generator {
    /// Answers a request. Equal requests have equal answers, where that is in its power.
    ///
    /// # Errors
    /// If there is no answer.
    fn answer(&mut self, request: &Request<'_>) -> Result<Answer, Unanswered>;

    /// What it is, for the record of a family, without secrets: the model and what decides its
    /// answers. A family goes on only with a generator that says the same.
    fn described(&self) -> String;

    /// Where its answers come from, behind those words, if anywhere: `at http://127.0.0.1:8080/v1`.
    /// A family may go on with those of another place.
    fn place(&self) -> Option<String> {
        None
    }

    /// Hears, before its first request, the earlier answers of a family that goes on.
    ///
    /// # Errors
    /// If it cannot go on from them; why, in a sentence.
    fn resumed(&mut self, _earlier: &[AnswerEvent]) -> Result<(), String> {
        Ok(())
    }

    /// What readers of its figures should know, in a sentence, if anything: that tokens are estimated.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// Makes a generator of its settings and of what users gave beside them.
pub type Make = fn(&Knobs, &Given) -> Result<Box<dyn Generator>, String>;

/// A kind of generator, as it is registered.
pub struct GeneratorKind {
    /// The name users type.
    pub name: &'static str,
    /// One sentence for lists and help.
    pub about: &'static str,
    /// The settings it understands.
    pub knobs: &'static [Knob],
    /// Those of them that change no request: a family may go on with others.
    pub incidental: &'static [&'static str],
    /// Which of [`Given`] it uses, as options are written.
    pub options: &'static [&'static str],
    /// Makes one. What is no number or word of a knob (addresses, files) it gets as text.
    pub make: Make,
}

/// What users give to a generator beside its knobs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// Where it is asked (`--endpoint`): the base of an address.
    pub endpoint: Option<String>,
    /// The model that is asked (`--model`).
    pub model: Option<String>,
    /// A file that holds the key (`--key-file`); else the environment has it.
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
