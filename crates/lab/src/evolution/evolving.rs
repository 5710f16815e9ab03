//! The evolution loop: ask the generator, score its answer, select the best. Everything is in the
//! journal before it is reported.

use std::time::Instant;

use records::{
    AnswerEvent, CandidateRecord, EventLog, FamilyEvent, FamilyView, FolderError, JournalError,
    ScoreEvent, TokenCounts,
};
use scoring::{Landscape, Watch};

use super::{
    Generator, Request, Target, Tokens, Unanswered,
    draw::{Draw, generation},
    family::{Family, shown, word},
    fitness::{Judgement, judge},
    message,
    script_text::{ScriptText, script_text},
};
use crate::scripts::ScriptFault;

/// Words of a candidate's description that become its name if it has none.
const NAMED: usize = 3;

/// Watches a family grow.
pub trait FamilyListener {
    /// The next candidate is requested.
    fn asks(&self, _number: u64) {}

    /// A candidate runs in the finals.
    fn holds_finals(&self, _number: u64) {}

    /// Called after every run of a candidate; also tells whether to stop.
    fn watch(&self) -> Watch<'_>;

    /// The newest candidate was scored, or failed.
    ///
    /// # Errors
    /// If its files cannot be written.
    fn scored(&self, view: &FamilyView) -> Result<(), FolderError>;
}

/// How a family's run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FamilyEnd {
    /// All candidates that were asked for exist.
    Complete,
    /// The user stopped it.
    Stopped,
    /// The generator has no more answers; why, in a sentence.
    Over(String),
}

/// Why a family cannot grow.
#[derive(Debug, thiserror::Error)]
pub enum FamilyError {
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The files cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The best candidate's script can no longer be run.
    #[error(transparent)]
    Script(#[from] ScriptFault),
}

/// Everything that the evolution of a family needs.
pub struct Evolution<'a> {
    /// The training spaces.
    pub landscapes: &'a [Landscape],
    /// Description of the kernel for the generator.
    pub target: Option<&'a Target>,
    /// The generator. It must know earlier answers already ([`Generator::resumed`]).
    pub generator: &'a mut dyn Generator,
    /// The journal of the family.
    pub journal: &'a mut EventLog<FamilyEvent>,
    /// The family so far.
    pub family: &'a mut Family,
}

impl Evolution<'_> {
    /// Runs until the family has all its candidates, or must end earlier.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn run(&mut self, listener: &dyn FamilyListener) -> Result<FamilyEnd, FamilyError> {
        while self.family.next() <= self.family.view().record.candidates {
            if (listener.watch().stopped)() {
                return Ok(FamilyEnd::Stopped);
            }
            if self.family.open().is_none()
                && let Some(end) = self.ask(listener)?
            {
                return Ok(end);
            }
            if !self.score(listener)? {
                return Ok(FamilyEnd::Stopped);
            }
            listener.scored(self.family.view())?;
        }
        Ok(FamilyEnd::Complete)
    }

    /// Asks for the next candidate. Returns how the run ended if there is none.
    fn ask(&mut self, listener: &dyn FamilyListener) -> Result<Option<FamilyEnd>, FamilyError> {
        let record = &self.family.view().record;
        if let Some(most) = record.tokens
            && self.family.tokens().all() >= most
        {
            let why = format!("the budget of {most} tokens is spent");
            return Ok(Some(FamilyEnd::Over(why)));
        }
        let number = self.family.next();
        listener.asks(number);
        let population = self.family.population(generation(&record.rules, number));
        let draw = Draw::of(&record.rules, number, population.len());
        let parent = draw.parent.map(|at| population[at]);
        let shown_parent = parent.map(shown);
        let shown_population: Vec<_> = population.iter().map(|one| shown(one)).collect();
        let message =
            message::message(self.target, draw.mutation, shown_parent.as_ref(), &shown_population);
        let request = Request {
            number,
            seed: draw.seed,
            mutation: draw.mutation,
            parent: shown_parent,
            population: shown_population,
            message: &message,
            stopped: listener.watch().stopped,
        };
        let began = Instant::now();
        let answer = self.generator.answer(&request);
        let counts = |t: Tokens| TokenCounts { read: t.read, written: t.written };
        let event = AnswerEvent {
            number,
            mutation: word(draw.mutation).to_owned(),
            parent: parent.map(|parent| parent.number),
            ..AnswerEvent::default()
        };
        let event = match answer {
            Ok(answer) => AnswerEvent {
                text: answer.text,
                calls: answer.calls,
                tokens: answer.tokens.map(counts),
                seconds: answer.seconds,
                ..event
            },
            Err(Unanswered::Failed { why, calls, tokens }) => AnswerEvent {
                unanswered: Some(why),
                calls,
                tokens: tokens.map(counts),
                seconds: began.elapsed().as_secs_f64(),
                ..event
            },
            Err(Unanswered::Over(why)) => return Ok(Some(FamilyEnd::Over(why))),
            Err(Unanswered::Stopped) => return Ok(Some(FamilyEnd::Stopped)),
        };
        self.family.write(self.journal, FamilyEvent::Answered(event))?;
        Ok(None)
    }

    /// Scores the open answer; `false` if the user stopped the run.
    fn score(&mut self, listener: &dyn FamilyListener) -> Result<bool, FamilyError> {
        let Some(answer) = self.family.open() else { return Ok(true) };
        let began = Instant::now();
        let number = answer.number;
        let text = match &answer.unanswered {
            Some(why) => Err(why.clone()),
            None => script_text(&answer.text).map_err(|why| why.to_string()),
        };
        let event = match text {
            Err(why) => {
                let name = unnamed(number);
                ScoreEvent { number, name, fault: Some(why), ..ScoreEvent::default() }
            }
            Ok(text) => match self.judged(number, &text, listener) {
                Some(event) => event,
                None => return Ok(false),
            },
        };
        let seconds = began.elapsed().as_secs_f64();
        let event = FamilyEvent::Scored(ScoreEvent { seconds, ..event });
        self.family.write(self.journal, event)?;
        Ok(true)
    }

    /// Scores a script; `None` if the user stopped the run.
    fn judged(
        &self,
        number: u64,
        text: &ScriptText,
        listener: &dyn FamilyListener,
    ) -> Option<ScoreEvent> {
        let ScriptText { about, code, .. } = text;
        let name = name(number, text);
        let event = ScoreEvent { number, name, about: about.clone(), ..ScoreEvent::default() };
        if let Some(CandidateRecord { number, score, standard_error, spaces, fault, .. }) =
            self.family.with_code(code)
        {
            return Some(ScoreEvent {
                score: *score,
                standard_error: *standard_error,
                spaces: spaces.clone(),
                fault: fault.clone(),
                same_as: Some(*number),
                ..event
            });
        }
        let rules = &self.family.view().record.rules;
        let path = file_name(number);
        match judge(rules, self.landscapes, (&path, code), listener.watch()) {
            Judgement::Stopped => None,
            Judgement::Failed(why) => Some(ScoreEvent { fault: Some(why), ..event }),
            Judgement::Scored { score, standard_error, spaces } => {
                Some(ScoreEvent { score: Some(score), standard_error, spaces, ..event })
            }
        }
    }
}

/// File name of a candidate's script.
#[must_use]
pub fn file_name(number: u64) -> String {
    format!("{number:03}.luau")
}

/// Name of a candidate: its own, or the first words of its description.
fn name(number: u64, text: &ScriptText) -> String {
    let words: Vec<String> = text
        .about
        .split_whitespace()
        .map(|word| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>())
        .filter(|word| !word.is_empty())
        .take(NAMED)
        .collect();
    match (text.name.as_str(), words.as_slice()) {
        ("", []) => unnamed(number),
        ("", words) => words.join("_").to_lowercase(),
        (own, _) => own.to_owned(),
    }
}

fn unnamed(number: u64) -> String {
    format!("candidate_{number}")
}
