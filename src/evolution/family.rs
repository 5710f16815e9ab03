//! A family as its journal tells it: candidates, who of them survived, and what is still open.

use super::{Mutation, Shown, draw::generation, script_text::script_text};
use crate::records::{
    AnswerEvent, CandidateRecord, EventLog, FamilyEvent, FamilyRecord, FamilyView, JournalError,
    ScoreEvent, TokenCounts,
};

/// A family, and an answer of it that was not scored yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    view: FamilyView,
    open: Option<AnswerEvent>,
}

impl Family {
    /// A family from the events of its journal.
    ///
    /// # Errors
    /// If events do not follow each other.
    pub fn of(
        record: FamilyRecord,
        events: impl IntoIterator<Item = FamilyEvent>,
    ) -> Result<Self, String> {
        let view = FamilyView { record, candidates: Vec::new(), finals: None, test: None };
        let mut family = Self { view, open: None };
        for event in events {
            family.hear(event)?;
        }
        Ok(family)
    }

    /// The family as readers see it.
    #[must_use]
    pub const fn view(&self) -> &FamilyView {
        &self.view
    }

    /// Takes an event into account.
    pub(super) fn hear(&mut self, event: FamilyEvent) -> Result<(), String> {
        let next = self.view.candidates.len() as u64 + 1;
        match event {
            FamilyEvent::Answered(answer) if answer.number == next && self.open.is_none() => {
                self.open = Some(answer);
            }
            FamilyEvent::Scored(score) => match self.open.take() {
                Some(answer) if answer.number == score.number => {
                    let generation = generation(&self.view.record.rules, answer.number);
                    self.view.candidates.push(candidate(generation, answer, score));
                    // A family that goes on has its finals before it again.
                    self.view.finals = None;
                }
                _ => return Err(format!("candidate {} is scored unasked", score.number)),
            },
            FamilyEvent::Finals(finals) => self.view.finals = Some(finals),
            FamilyEvent::Tested(table) => self.view.test = Some(table),
            FamilyEvent::Answered(answer) => {
                return Err(format!("candidate {} is not the next one", answer.number));
            }
        }
        Ok(())
    }

    /// Records what happens next; it follows what happened before.
    pub(super) fn write(
        &mut self,
        journal: &mut EventLog<FamilyEvent>,
        event: FamilyEvent,
    ) -> Result<(), JournalError> {
        journal.append(event.clone())?;
        let is_answer = matches!(event, FamilyEvent::Answered(_));
        // Whoever writes asked this family what is next.
        let heard = self.hear(event);
        debug_assert_eq!(heard, Ok(()));
        // An answer is told to nobody before it is scored, and may wait for the disk until then.
        if is_answer { Ok(()) } else { journal.wait() }
    }

    /// The answer that is not scored yet.
    pub(super) const fn open(&self) -> Option<&AnswerEvent> {
        self.open.as_ref()
    }

    /// Number of the next candidate that is not scored yet.
    pub(super) fn next(&self) -> u64 {
        self.view.candidates.len() as u64 + 1
    }

    /// Tokens of everything that was answered.
    pub(super) fn tokens(&self) -> TokenCounts {
        let open = self.open.iter().filter_map(|answer| answer.tokens);
        let scored = self.view.candidates.iter().filter_map(|candidate| candidate.tokens);
        scored.chain(open).fold(TokenCounts::default(), |sum, tokens| TokenCounts {
            read: sum.read + tokens.read,
            written: sum.written + tokens.written,
        })
    }

    /// Keeps what readers of its figures should know of the generator; it is in the record from then
    /// on.
    pub fn remark(&mut self, remark: Option<String>) {
        if remark.is_some() {
            self.view.record.generator.remark = remark;
        }
    }

    /// Those that children of a generation come from, the best first: of all that are older the
    /// best, of equals the first; what failed only where not enough was scored. Code that was there
    /// before has no second place.
    pub(super) fn population(&self, of_generation: u64) -> Vec<&CandidateRecord> {
        let older = |one: &&CandidateRecord| one.generation < of_generation;
        let mut all: Vec<&CandidateRecord> = self
            .view
            .candidates
            .iter()
            .filter(older)
            .filter(|candidate| candidate.same_as.is_none())
            .collect();
        let worth = |one: &CandidateRecord| one.score.unwrap_or(f64::NEG_INFINITY);
        all.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        all.truncate(usize::try_from(self.view.record.rules.parents).unwrap_or(usize::MAX));
        all
    }

    /// An earlier candidate with this code.
    pub(super) fn with_code(&self, code: &str) -> Option<&CandidateRecord> {
        self.view.candidates.iter().find(|one| one.same_as.is_none() && one.code == code)
    }
}

/// A candidate from both of its events.
fn candidate(generation: u64, answer: AnswerEvent, score: ScoreEvent) -> CandidateRecord {
    let code = script_text(&answer.text).map(|text| text.code).unwrap_or_default();
    CandidateRecord {
        number: answer.number,
        generation,
        mutation: answer.mutation,
        parent: answer.parent,
        name: score.name,
        about: score.about,
        code,
        score: score.score,
        standard_error: score.standard_error,
        spaces: score.spaces,
        fault: score.fault,
        same_as: score.same_as,
        answer_seconds: answer.seconds,
        seconds: score.seconds,
        calls: answer.calls,
        tokens: answer.tokens,
    }
}

/// A candidate as generators see it.
pub(super) fn shown(candidate: &CandidateRecord) -> Shown<'_> {
    Shown {
        number: candidate.number,
        name: &candidate.name,
        about: &candidate.about,
        code: &candidate.code,
        score: candidate.score,
        fault: candidate.fault.as_deref(),
    }
}

/// A mutation in a word.
pub(super) const fn word(mutation: Mutation) -> &'static str {
    match mutation {
        Mutation::Begin => "begin",
        Mutation::Refine => "refine",
        Mutation::New => "new",
        Mutation::Simplify => "simplify",
    }
}
