//! A family rebuilt from its journal: candidates, survivors, and the open answer.

use records::{
    AnswerEvent, CandidateRecord, EventLog, FamilyEvent, FamilyRecord, FamilyView, JournalError,
    ScoreEvent, TokenCounts,
};

use super::{Mutation, Shown, draw::generation, script_text::script_text};

/// A family, and its last answer if that was not scored yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    view: FamilyView,
    open: Option<AnswerEvent>,
}

impl Family {
    /// Rebuilds a family from the events of its journal.
    ///
    /// # Errors
    /// If the events are out of order.
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

    /// The family for readers.
    #[must_use]
    pub const fn view(&self) -> &FamilyView {
        &self.view
    }

    /// Applies an event.
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
                    // With a new candidate, the finals must be held again.
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

    /// Applies an event and writes it to the journal.
    pub(super) fn write(
        &mut self,
        journal: &mut EventLog<FamilyEvent>,
        event: FamilyEvent,
    ) -> Result<(), JournalError> {
        journal.append(event.clone())?;
        // The event follows from the family's own state, so it is in order.
        let heard = self.hear(event);
        debug_assert_eq!(heard, Ok(()));
        // An answer may have cost money, so a power cut must not lose it.
        journal.wait()
    }

    /// The answer that was not scored yet.
    pub(super) const fn open(&self) -> Option<&AnswerEvent> {
        self.open.as_ref()
    }

    /// Number of the next candidate to score.
    pub(super) fn next(&self) -> u64 {
        self.view.candidates.len() as u64 + 1
    }

    /// Tokens of all answers.
    pub(super) fn tokens(&self) -> TokenCounts {
        let open = self.open.iter().filter_map(|answer| answer.tokens);
        let scored = self.view.candidates.iter().filter_map(|candidate| candidate.tokens);
        scored.chain(open).fold(TokenCounts::default(), |sum, tokens| TokenCounts {
            read: sum.read + tokens.read,
            written: sum.written + tokens.written,
        })
    }

    /// Keeps a remark of the generator for readers of the values; the record holds it from then on.
    pub fn remark(&mut self, remark: Option<String>) {
        if remark.is_some() {
            self.view.record.generator.remark = remark;
        }
    }

    /// Possible parents of a generation, the best first: the best earlier candidates, ties in order
    /// of number. Failed candidates fill up the end. Copies of earlier code are left out.
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

    /// An earlier candidate with the same code.
    pub(super) fn with_code(&self, code: &str) -> Option<&CandidateRecord> {
        self.view.candidates.iter().find(|one| one.same_as.is_none() && one.code == code)
    }
}

/// Combines the two events of a candidate.
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

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use records::{FamilyRules, FinalRow, FinalsEvent, GeneratorRecord, TestTable};

    use super::*;

    fn record() -> FamilyRecord {
        FamilyRecord {
            format: String::new(),
            version: 1,
            autobench: String::new(),
            started: DateTime::UNIX_EPOCH,
            argv: Vec::new(),
            candidates: 9,
            tokens: None,
            generator: GeneratorRecord::default(),
            rules: FamilyRules {
                seed: 1,
                parents: 2,
                offspring: 2,
                repeats: 1,
                final_repeats: 1,
                candidate_seconds: 1.0,
                target: String::new(),
                description: String::new(),
            },
            spaces: Vec::new(),
            test: None,
        }
    }

    /// Events of candidates with these scores; each script contains its number.
    fn events(scores: &[Option<f64>]) -> Vec<FamilyEvent> {
        let both = |(at, score): (usize, &Option<f64>)| {
            let number = at as u64 + 1;
            let text = format!("```\nreturn {number}\n```");
            let answer = AnswerEvent { number, text, ..AnswerEvent::default() };
            let fault = score.is_none().then(|| "why".to_owned());
            let score = ScoreEvent { number, score: *score, fault, ..ScoreEvent::default() };
            [FamilyEvent::Answered(answer), FamilyEvent::Scored(score)]
        };
        scores.iter().enumerate().flat_map(both).collect()
    }

    fn numbers(family: &Family, generation: u64) -> Vec<u64> {
        family.population(generation).iter().map(|one| one.number).collect()
    }

    #[test]
    fn the_best_of_all_that_are_older_survive_and_failures_only_where_too_few_have_a_score() {
        // Generations: 1 and 2; 3 and 4; 5 and 6.
        let scores = [None, Some(0.2), Some(0.1), Some(0.2), Some(0.5), None];
        let family = Family::of(record(), events(&scores)).expect("a family");
        assert_eq!(numbers(&family, 1), [0_u64; 0]);
        assert_eq!(numbers(&family, 2), [2, 1], "what failed is told why");
        assert_eq!(numbers(&family, 3), [2, 4], "of equals the first");
        assert_eq!(numbers(&family, 4), [5, 2]);
        assert_eq!(family.view().best().map(|best| best.number), Some(5));
        assert_eq!(family.next(), 7);
        assert_eq!(family.with_code("return 3\n").map(|one| one.number), Some(3));
    }

    #[test]
    fn what_repeats_another_s_code_takes_no_second_place() {
        let mut all = events(&[Some(0.5), Some(0.1), Some(0.5)]);
        if let Some(FamilyEvent::Scored(score)) = all.last_mut() {
            score.same_as = Some(1);
        }
        let family = Family::of(record(), all).expect("a family");
        assert_eq!(numbers(&family, 9), [1, 2]);
    }

    #[test]
    fn finals_decide_until_the_family_goes_on() {
        let mut all = events(&[Some(0.5), Some(0.4)]);
        let row = |number, score| FinalRow { number, score, ..FinalRow::default() };
        let rows = vec![row(1, Some(0.3)), row(2, Some(0.45))];
        all.push(FamilyEvent::Finals(FinalsEvent { rows, ..FinalsEvent::default() }));
        let mut family = Family::of(record(), all).expect("a family");
        assert_eq!(family.view().best().map(|best| best.number), Some(2));
        for event in events(&[None, None, Some(0.1)]).split_off(4) {
            family.hear(event).expect("the next");
        }
        assert_eq!(family.view().best().map(|best| best.number), Some(1));
    }

    #[test]
    fn an_answer_waits_for_its_score_and_events_out_of_order_are_refused() {
        let mut all = events(&[Some(0.5)]);
        let answered = all[0].clone();
        let open = Family::of(record(), all.drain(..1)).expect("a family");
        assert_eq!((open.open().map(|answer| answer.number), open.next()), (Some(1), 1));
        assert!(Family::of(record(), all).is_err(), "scored unasked");
        assert!(Family::of(record(), [answered.clone(), answered]).is_err(), "asked twice");
        let tested = FamilyEvent::Tested(TestTable { best: 1, ..TestTable::default() });
        let family = Family::of(record(), [tested]).expect("a family");
        assert_eq!(family.view().test.as_ref().map(|test| test.best), Some(1));
    }
}
