//! Candidates of a family, and the family as readers see it.

use serde::Serialize;

use super::{
    FamilyRecord,
    event::{FinalRow, FinalsEvent, TokenCounts},
    test_table::TestTable,
};

/// A candidate with its lineage, its result and its cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CandidateRecord {
    /// Number of the candidate, from 1.
    pub number: u64,
    /// Generation of the candidate, from 1.
    pub generation: u64,
    /// The mutation that was asked for, in a word.
    pub mutation: String,
    /// Number of the candidate that it was made from.
    pub parent: Option<u64>,
    /// Name of the candidate's strategy.
    pub name: String,
    /// What the candidate does, in a line.
    pub about: String,
    /// Script of the candidate; empty if the answer held none.
    #[serde(skip)]
    pub code: String,
    /// Mean score over the spaces: 0 is random search, 1 the optimum; `None` if it failed.
    pub score: Option<f64>,
    /// Standard error of the score.
    pub standard_error: Option<f64>,
    /// The score on each space.
    pub spaces: Vec<f64>,
    /// Why the candidate failed.
    pub fault: Option<String>,
    /// Number of an earlier candidate with the same code.
    pub same_as: Option<u64>,
    /// Seconds until the generator answered.
    pub answer_seconds: f64,
    /// Seconds of all runs of the candidate.
    pub seconds: f64,
    /// Calls that the answer needed.
    pub calls: u64,
    /// Tokens, if the generator counts them.
    pub tokens: Option<TokenCounts>,
}

/// A family as readers see it.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyView {
    /// What was asked for.
    pub record: FamilyRecord,
    /// Candidates, by number.
    pub candidates: Vec<CandidateRecord>,
    /// The last survivors, scored again; `None` while the family grows.
    pub finals: Option<FinalsEvent>,
    /// The final table, if it was made.
    pub test: Option<TestTable>,
}

impl FamilyView {
    /// The candidate of this number.
    #[must_use]
    pub fn numbered(&self, number: u64) -> Option<&CandidateRecord> {
        self.candidates.iter().find(|candidate| candidate.number == number)
    }

    /// The best candidate: of the finals if there were any, otherwise of all. Ties go to the first.
    #[must_use]
    pub fn best(&self) -> Option<&CandidateRecord> {
        if let Some(row) = self.finals.as_ref().and_then(FinalsEvent::best) {
            return self.numbered(row.number);
        }
        let scored = self.candidates.iter().filter_map(|one| Some((one.score?, one)));
        let better = |a: (f64, _), b: (f64, _)| if b.0 > a.0 { b } else { a };
        scored.reduce(better).map(|(_, best)| best)
    }

    /// Whether all candidates, the finals and the final table are there, as far as asked for.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        let FamilyRecord { candidates, rules, test, .. } = &self.record;
        let has_finals = || {
            let any = self.candidates.iter().any(|one| one.score.is_some());
            self.finals.is_some() || rules.final_repeats == 0 || !any
        };
        let has_table = || self.test.is_some() || test.is_none() || self.best().is_none();
        self.candidates.len() as u64 >= *candidates && has_finals() && has_table()
    }

    /// Result of a candidate in the finals, if it took part.
    #[must_use]
    pub fn in_finals(&self, number: u64) -> Option<&FinalRow> {
        self.finals.as_ref()?.rows.iter().find(|row| row.number == number)
    }

    /// A candidate and its ancestors, the oldest last.
    #[must_use]
    pub fn ancestry<'a>(&'a self, of: &'a CandidateRecord) -> Vec<&'a CandidateRecord> {
        let parent = |one: &&CandidateRecord| {
            // Requiring an older parent makes this end even on a damaged journal.
            self.numbered(one.parent?).filter(|parent| parent.number < one.number)
        };
        std::iter::successors(Some(of), parent).collect()
    }

    /// Candidates that failed.
    pub fn failed(&self) -> impl Iterator<Item = &CandidateRecord> {
        self.candidates.iter().filter(|candidate| candidate.fault.is_some())
    }

    /// Tokens of all candidates; `None` if none are counted.
    #[must_use]
    pub fn tokens(&self) -> Option<u64> {
        let all = self.candidates.iter().filter_map(|candidate| candidate.tokens);
        all.map(TokenCounts::all).reduce(|a, b| a + b)
    }

    /// Calls of all candidates.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.candidates.iter().map(|candidate| candidate.calls).sum()
    }
}
