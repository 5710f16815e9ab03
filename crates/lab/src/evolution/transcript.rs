//! Recorded answers instead of a model: for tests, and for repeating an experiment.
//!
//! Each line of a transcript is a JSON object. `text` is an answer, or `unanswered` says why there
//! was none. `number` names the candidate; without it, the line is for the next one. `calls`,
//! `tokens` (`read` and `written`) and `seconds` are the costs. Lines with an `event` other than
//! `answered` are skipped, so the journal of a family is a transcript.

use std::{collections::BTreeMap, path::Path};

use records::{AnswerEvent, FileFault};
use registry::Knobs;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{Answer, Generator, GeneratorKind, Given, Request, Tokens, Unanswered};

inventory::submit!(GeneratorKind {
    name: "transcript",
    about: "replays recorded answers: those of a file, or of another family's journal",
    knobs: &[],
    incidental: &[],
    options: &["--transcript"],
    make: |_: &Knobs, given: &Given| make(given),
});

/// Digits of the hash that identifies a transcript.
const DIGITS: usize = 16;

/// A line of a transcript.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Line {
    event: Option<String>,
    number: Option<u64>,
    text: String,
    unanswered: Option<String>,
    calls: Option<u64>,
    tokens: Option<Tokens>,
    seconds: f64,
}

/// Recorded answers, by candidate number.
struct Transcript {
    answers: BTreeMap<u64, Line>,
    place: String,
}

fn make(given: &Given) -> Result<Box<dyn Generator>, String> {
    let Some(path) = &given.transcript else {
        return Err(
            "the generator `transcript` needs the file of answers; name it with --transcript"
                .to_owned(),
        );
    };
    let bytes = std::fs::read(path).map_err(FileFault::reading(path)).map_err(|f| f.to_string())?;
    let answers = answers(path, &bytes)?;
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let place = format!("({} of them, hash {})", answers.len(), &hash[..DIGITS]);
    Ok(Box::new(Transcript { answers, place }))
}

fn answers(path: &Path, bytes: &[u8]) -> Result<BTreeMap<u64, Line>, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| format!("the transcript `{}` is no text in UTF-8", path.display()))?;
    let mut answers = BTreeMap::new();
    let mut next = 1;
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fault = |why: &str| format!("line {} of `{}` {why}", at + 1, path.display());
        let line: Line = serde_json::from_str(line)
            .map_err(|error| fault(&format!("is no JSON object of a transcript: {error}")))?;
        if line.event.as_deref().is_some_and(|event| event != "answered") {
            continue;
        }
        let number = line.number.unwrap_or(next);
        next = number + 1;
        if answers.insert(number, line).is_some() {
            return Err(fault(&format!("answers candidate {number} a second time")));
        }
    }
    match answers.is_empty() {
        true => Err(format!("the transcript `{}` has no answers", path.display())),
        false => Ok(answers),
    }
}

impl Generator for Transcript {
    fn answer(&mut self, request: &Request<'_>) -> Result<Answer, Unanswered> {
        let Some(line) = self.answers.get(&request.number) else {
            let number = request.number;
            return Err(Unanswered::Over(format!("the transcript has no answer {number}")));
        };
        let calls = line.calls.unwrap_or(1);
        match &line.unanswered {
            Some(why) => Err(Unanswered::Failed { why: why.clone(), calls, tokens: line.tokens }),
            None => Ok(Answer {
                text: line.text.clone(),
                tokens: line.tokens,
                calls,
                seconds: line.seconds,
            }),
        }
    }

    fn described(&self) -> String {
        "recorded answers".to_owned()
    }

    fn place(&self) -> Option<String> {
        Some(self.place.clone())
    }

    /// A transcript may have grown since, but the answers in use must be unchanged.
    fn resumed(&mut self, earlier: &[AnswerEvent]) -> Result<(), String> {
        for used in earlier {
            let number = used.number;
            match self.answers.get(&number) {
                None => return Err(format!("the transcript has answer {number} no more")),
                Some(line) if line.text != used.text || line.unanswered != used.unanswered => {
                    return Err(format!("the transcript has another answer {number} now"));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution::Mutation;

    fn read(text: &str) -> Result<BTreeMap<u64, Line>, String> {
        answers(Path::new("t.jsonl"), text.as_bytes())
    }

    #[test]
    fn plain_lines_are_numbered_and_journals_are_sifted() {
        let plain = read("{\"text\":\"a\"}\n\n{\"text\":\"b\"}\n").expect("a transcript");
        assert_eq!(plain.keys().copied().collect::<Vec<_>>(), [1, 2]);
        let journal = "{\"seq\":1,\"event\":\"answered\",\"number\":1,\"text\":\"a\",\"sum\":\"0\"}\n\
                       {\"seq\":2,\"event\":\"scored\",\"number\":1,\"score\":0.5}\n\
                       {\"seq\":3,\"event\":\"answered\",\"number\":2,\"unanswered\":\"why\"}\n";
        let journal = read(journal).expect("a transcript");
        assert_eq!(journal[&1].text, "a");
        assert_eq!(journal[&2].unanswered.as_deref(), Some("why"));
    }

    #[test]
    fn what_is_no_transcript_is_told_with_its_line() {
        for (text, words) in [
            ("{\"text\":\"a\"}\n[1]\n", "line 2 of `t.jsonl`"),
            ("\n", "has no answers"),
            (
                "{\"number\":3,\"text\":\"a\"}\n{\"number\":3,\"text\":\"b\"}",
                "candidate 3 a second",
            ),
        ] {
            let why = read(text).expect_err("refused");
            assert!(why.contains(words), "{why}");
        }
        let why = make(&Given::default()).err().expect("refused");
        assert!(why.contains("--transcript"), "{why}");
    }

    fn request() -> Request<'static> {
        Request {
            number: 1,
            seed: 0,
            mutation: Mutation::Begin,
            parent: None,
            population: Vec::new(),
            message: "",
            stopped: &|| false,
        }
    }

    #[test]
    fn a_transcript_ends_where_its_answers_do() {
        let answers = read("{\"text\":\"a\",\"tokens\":{\"read\":1,\"written\":2}}").expect("one");
        let mut transcript = Transcript { answers, place: String::new() };
        let mut request = request();
        let answer = transcript.answer(&request).expect("an answer");
        assert_eq!((answer.text.as_str(), answer.calls), ("a", 1));
        assert_eq!(answer.tokens, Some(Tokens { read: 1, written: 2 }));
        request.number = 2;
        assert!(matches!(transcript.answer(&request), Err(Unanswered::Over(_))));
    }

    #[test]
    fn a_failed_answer_costs_again_what_it_cost() {
        let line = "{\"unanswered\":\"cut\",\"calls\":3,\"tokens\":{\"read\":5,\"written\":6}}";
        let mut transcript = Transcript { answers: read(line).expect("one"), place: String::new() };
        let request = request();
        let tokens = Some(Tokens { read: 5, written: 6 });
        let failed = Unanswered::Failed { why: "cut".to_owned(), calls: 3, tokens };
        assert_eq!(transcript.answer(&request), Err(failed));
    }

    #[test]
    fn a_family_goes_on_with_a_transcript_whose_used_answers_are_the_same() {
        let answers = read("{\"text\":\"a\"}\n{\"text\":\"b\"}").expect("two");
        let mut transcript = Transcript { answers, place: String::new() };
        let used = |number, text: &str| AnswerEvent {
            number,
            text: text.to_owned(),
            ..AnswerEvent::default()
        };
        assert_eq!(transcript.resumed(&[used(1, "a")]), Ok(()), "it has grown");
        let why = transcript.resumed(&[used(1, "a"), used(2, "c")]).expect_err("refused");
        assert!(why.contains("another answer 2 now"), "{why}");
        assert!(transcript.resumed(&[used(3, "c")]).is_err(), "it has shrunk");
    }
}
