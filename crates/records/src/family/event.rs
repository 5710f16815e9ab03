//! The journal of a family: answers of generators, their scores, and the final table.

use serde::{Deserialize, Serialize};

use super::test_table::TestTable;

/// What happened in a family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum FamilyEvent {
    /// A generator answered, or failed to.
    Answered(AnswerEvent),
    /// A candidate was scored, or failed.
    Scored(ScoreEvent),
    /// The last survivors were scored again, with more runs.
    Finals(FinalsEvent),
    /// The final table was made.
    Tested(TestTable),
}

/// A generator's request and answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerEvent {
    /// Number of the candidate, from 1.
    pub number: u64,
    /// The mutation that was asked for, in a word.
    pub mutation: String,
    /// Number of the candidate to start from, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// The answer's text, unchanged; empty if there was none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Why there was no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<String>,
    /// Calls that the answer needed.
    #[serde(default)]
    pub calls: u64,
    /// Tokens, if the generator counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenCounts>,
    /// Seconds until the generator answered.
    #[serde(default)]
    pub seconds: f64,
}

/// Tokens of a language model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenCounts {
    /// Tokens of the message.
    pub read: u64,
    /// Tokens of the answer.
    pub written: u64,
}

impl TokenCounts {
    /// Tokens read and written together.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.read + self.written
    }
}

/// The score of a generator's answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreEvent {
    /// Number of the candidate, from 1.
    pub number: u64,
    /// Name of the candidate's strategy.
    pub name: String,
    /// What the candidate does, in a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Mean score over the spaces: 0 is random search, 1 the optimum; `None` if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Standard error of the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// The score on each space, in the order of `family.json`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spaces: Vec<f64>,
    /// Why the candidate failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Number of an earlier candidate with the same code, whose result this one takes over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<u64>,
    /// Seconds of all runs of the candidate.
    #[serde(default)]
    pub seconds: f64,
}

/// The last survivors, scored with fresh runs, so that luck does not choose the best.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FinalsEvent {
    /// Runs of each candidate on each space.
    pub repeats: u32,
    /// Seed of the first run.
    pub seed: u64,
    /// Results, in the order that the candidates had after the search loop.
    pub rows: Vec<FinalRow>,
    /// Seconds that the finals took.
    #[serde(default)]
    pub seconds: f64,
}

/// A candidate in the finals.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FinalRow {
    /// Number of the candidate.
    pub number: u64,
    /// Mean score over the spaces; `None` if the candidate failed in the finals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Standard error of the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// Why the candidate failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

impl FinalsEvent {
    /// The best finalist; ties go to the one that was ranked higher before.
    #[must_use]
    pub fn best(&self) -> Option<&FinalRow> {
        let scored = self.rows.iter().filter_map(|row| Some((row.score?, row)));
        let better = |a: (f64, _), b: (f64, _)| if b.0 > a.0 { b } else { a };
        scored.reduce(better).map(|(_, row)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_reads_back_as_it_was_written() {
        let answered = AnswerEvent {
            number: 7,
            mutation: "refine".to_owned(),
            parent: Some(2),
            text: "one\n```lua\n```".to_owned(),
            calls: 2,
            tokens: Some(TokenCounts { read: 10, written: 20 }),
            seconds: 0.5,
            ..AnswerEvent::default()
        };
        let scored = ScoreEvent {
            number: 7,
            name: "x".to_owned(),
            score: Some(0.5),
            spaces: vec![0.25, 0.75],
            ..ScoreEvent::default()
        };
        for event in [
            FamilyEvent::Answered(answered),
            FamilyEvent::Scored(scored),
            FamilyEvent::Finals(FinalsEvent::default()),
            FamilyEvent::Tested(TestTable::default()),
        ] {
            let text = serde_json::to_string(&event).expect("JSON");
            assert_eq!(serde_json::from_str::<FamilyEvent>(&text).expect(&text), event);
            assert!(text.starts_with("{\"event\":\""), "{text}");
        }
    }
}
