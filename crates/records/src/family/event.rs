//! The journal of a family: what generators answered, what became of it, and the final table.

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
    /// Those that survived last were scored again, with more runs.
    Finals(FinalsEvent),
    /// The final table was made.
    Tested(TestTable),
}

/// What a generator was asked, and answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerEvent {
    /// Number of the candidate, from 1.
    pub number: u64,
    /// What was asked for, in a word.
    pub mutation: String,
    /// Number of the candidate to start from, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// The answer as it came; empty if there was none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Why there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<String>,
    /// Calls that were needed.
    #[serde(default)]
    pub calls: u64,
    /// Tokens, where they are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenCounts>,
    /// Seconds until the answer was there.
    #[serde(default)]
    pub seconds: f64,
}

/// Tokens of a language model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenCounts {
    /// Of the message.
    pub read: u64,
    /// Of the answer.
    pub written: u64,
}

impl TokenCounts {
    /// All of them.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.read + self.written
    }
}

/// What became of an answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreEvent {
    /// Number of the candidate, from 1.
    pub number: u64,
    /// What it is called.
    pub name: String,
    /// What it does, in a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Mean over the spaces: 0 is random search, 1 the optimum; nothing if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Standard error of the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// The score of every space, in the order of `family.json`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spaces: Vec<f64>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Number of an earlier candidate with the same code, whose result it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<u64>,
    /// Seconds of all its runs.
    #[serde(default)]
    pub seconds: f64,
}

/// Those that survived last, scored with fresh runs, so that none is the best by luck.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FinalsEvent {
    /// Runs of each on each space.
    pub repeats: u32,
    /// Seed of the first run.
    pub seed: u64,
    /// How they fared, the best of the loop first.
    pub rows: Vec<FinalRow>,
    /// Seconds that it took.
    #[serde(default)]
    pub seconds: f64,
}

/// A candidate in the finals.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FinalRow {
    /// Its number.
    pub number: u64,
    /// Mean over the spaces; nothing if it failed this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Standard error of the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

impl FinalsEvent {
    /// The best of them; of equals the one that was better before.
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
