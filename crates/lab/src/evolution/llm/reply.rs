//! Parses the reply of a server, whole or as a stream of events, without trusting it.

use std::io::{BufRead, BufReader, Read};

use serde_json::Value;

use crate::evolution::Tokens;

/// Most bytes of a reply.
const LONGEST: u64 = 8 << 20;
/// Longest quotation of a server's message, in characters.
const LONGEST_WORDS: usize = 300;

/// A model's reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) text: String,
    /// Why the reply ended, in the protocol's words: `stop`, `length`, …
    pub(super) finish: String,
    /// Tokens that the server counted.
    pub(super) tokens: Option<Tokens>,
}

/// Why a reply is not usable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReplyFault {
    /// The reply broke off; another try may succeed.
    Broken(String),
    /// The reply does not follow the protocol.
    Wrong(String),
}

/// Reads a reply. Some servers send no stream although one was requested.
pub(super) fn read(body: impl Read, is_stream: bool) -> Result<Said, ReplyFault> {
    match is_stream {
        true => streamed(BufReader::new(body.take(LONGEST + 1))),
        false => whole(&bytes(body)?),
    }
}

/// Message and code of a refusal: from the protocol's error object, or from any text.
pub(super) fn refusal(body: impl Read) -> (String, String) {
    let mut bytes = Vec::new();
    // Use the part that arrived before the connection broke.
    let _ = body.take(64 << 10).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => (words(&error_of(&value)), code_of(&value)),
        Err(_) => (words(&text), String::new()),
    }
}

fn bytes(body: impl Read) -> Result<Vec<u8>, ReplyFault> {
    let mut bytes = Vec::new();
    body.take(LONGEST + 1).read_to_end(&mut bytes).map_err(broken)?;
    match bytes.len() as u64 > LONGEST {
        true => Err(too_long()),
        false => Ok(bytes),
    }
}

fn whole(bytes: &[u8]) -> Result<Said, ReplyFault> {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
        return Err(ReplyFault::Wrong(format!("the reply is not JSON: {}", words(&text))));
    };
    let mut said = Said::default();
    said.take(&value, "message")?;
    match value.pointer("/choices/0").is_some() {
        true => Ok(said),
        false => Err(ReplyFault::Wrong("the reply has no choices".to_owned())),
    }
}

fn streamed(mut body: impl BufRead) -> Result<Said, ReplyFault> {
    let (mut said, mut read) = (Said::default(), 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = body.read_until(b'\n', &mut line).map_err(broken)?;
        read += length as u64;
        if read > LONGEST {
            return Err(too_long());
        }
        if length == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if read == length as u64 && text.starts_with('{') {
            let mut rest = line.clone();
            rest.extend(bytes(body)?);
            return whole(&rest);
        }
        // Other lines are comments, field names, or blank lines between events.
        let Some(data) = text.strip_prefix("data:").map(str::trim) else { continue };
        if data == "[DONE]" {
            return said.ended();
        }
        let Ok(value) = serde_json::from_str::<Value>(data) else {
            return Err(ReplyFault::Wrong(format!("the stream is not JSON: {}", words(data))));
        };
        said.take(&value, "delta")?;
    }
    said.ended()
}

impl Said {
    /// Adds the content of a protocol object; `part` is `message` or a part of one.
    fn take(&mut self, value: &Value, part: &str) -> Result<(), ReplyFault> {
        if value.get("error").is_some_and(|error| !error.is_null()) {
            let why = format!("the server failed: {}", words(&error_of(value)));
            return Err(ReplyFault::Broken(why));
        }
        if let Some(choice) = value.pointer("/choices/0") {
            match choice.get(part).and_then(|part| part.get("content")) {
                Some(Value::String(text)) => self.text.push_str(text),
                Some(Value::Array(parts)) => {
                    let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
                    texts.for_each(|text| self.text.push_str(text));
                }
                _ => {}
            }
            if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
                self.finish = words(finish);
            }
        }
        if let Some(usage) = value.get("usage").filter(|usage| usage.is_object()) {
            let count = |name: &str| usage.get(name).and_then(Value::as_u64);
            if let (Some(read), Some(written)) =
                (count("prompt_tokens"), count("completion_tokens"))
            {
                self.tokens = Some(Tokens { read, written });
            }
        }
        Ok(())
    }

    /// The end of a stream, which is only valid if the answer had ended before.
    fn ended(self) -> Result<Self, ReplyFault> {
        match self.finish.is_empty() {
            true => Err(ReplyFault::Broken("the stream ended before the answer did".to_owned())),
            false => Ok(self),
        }
    }
}

/// The message of an error object.
fn error_of(value: &Value) -> String {
    let places = ["/error/message", "/error", "/message", "/detail"];
    let found = places.iter().find_map(|place| value.pointer(place)?.as_str());
    found.map_or_else(|| value.to_string(), str::to_owned)
}

/// The code of an error object, or its type.
fn code_of(value: &Value) -> String {
    let places = ["/error/code", "/error/type", "/code"];
    let found = places.iter().find_map(|place| value.pointer(place)?.as_str());
    found.unwrap_or_default().to_owned()
}

fn broken(error: std::io::Error) -> ReplyFault {
    ReplyFault::Broken(match ureq::Error::from(error) {
        ureq::Error::Timeout(_) => "the answer took too long".to_owned(),
        other => format!("the answer broke off: {other}"),
    })
}

fn too_long() -> ReplyFault {
    ReplyFault::Wrong(format!("the reply is longer than {} MiB", LONGEST >> 20))
}

/// A line of foreign text: shortened, and without control characters for the terminal.
pub(super) fn words(text: &str) -> String {
    let plain = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut words: String = plain.take(LONGEST_WORDS + 1).collect();
    if let Some((at, _)) = words.char_indices().nth(LONGEST_WORDS) {
        words.truncate(at);
        words.push('…');
    }
    if words.is_empty() { "it says nothing".to_owned() } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, finish: &str, tokens: Option<(u64, u64)>) -> Said {
        let tokens = tokens.map(|(read, written)| Tokens { read, written });
        Said { text: text.to_owned(), finish: finish.to_owned(), tokens }
    }

    #[test]
    fn a_whole_reply_says_its_text_its_end_and_its_tokens() {
        let body = r#"{"choices":[{"message":{"content":"hm"},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":7,"completion_tokens":2}}"#;
        assert_eq!(read(body.as_bytes(), false), Ok(said("hm", "stop", Some((7, 2)))));
        // The server was asked for a stream, but answered in one piece.
        assert_eq!(read(body.as_bytes(), true), Ok(said("hm", "stop", Some((7, 2)))));
        let parts = r#"{"choices":[{"message":{"content":[{"text":"a"},{"text":"b"}]}}]}"#;
        assert_eq!(read(parts.as_bytes(), false), Ok(said("ab", "", None)));
    }

    #[test]
    fn a_stream_says_the_same_in_pieces() {
        let body = ": hello\n\nevent: x\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\r\n\r\n\
            data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":null}\n\n\
            data:{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\n\
            data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\n\
            data: [DONE]\n\n";
        assert_eq!(read(body.as_bytes(), true), Ok(said("ab", "stop", Some((7, 2)))));
    }

    #[test]
    fn a_reply_that_says_nothing_is_told_from_one_that_broke_off() {
        let wrong = |body: &str, is_stream| match read(body.as_bytes(), is_stream) {
            Err(ReplyFault::Wrong(why)) => why,
            other => panic!("{body}: {other:?}"),
        };
        let broken = |body: &str, is_stream| match read(body.as_bytes(), is_stream) {
            Err(ReplyFault::Broken(why)) => why,
            other => panic!("{body}: {other:?}"),
        };
        assert_eq!(wrong("<html>\u{1b}[31m", false), "the reply is not JSON: <html> [31m");
        assert_eq!(wrong("{}", false), "the reply has no choices");
        assert_eq!(wrong(r#"{"choices":[]}"#, false), "the reply has no choices");
        assert_eq!(wrong("data: {\"cho\n", true), "the stream is not JSON: {\"cho");
        assert_eq!(wrong(&"x".repeat(9 << 20), false), "the reply is longer than 8 MiB");
        assert_eq!(wrong(&"data".repeat(3 << 20), true), "the reply is longer than 8 MiB");
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(wrong(&deep, false).starts_with("the reply is not JSON"));
        let part = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n";
        for body in [part.to_owned(), format!("{part}data: [DONE]\n"), String::new()] {
            assert_eq!(broken(&body, true), "the stream ended before the answer did");
        }
        let error = r#"{"error":{"message":"overloaded"}}"#;
        assert_eq!(broken(error, false), "the server failed: overloaded");
        assert_eq!(broken(&format!("data: {error}\n"), true), "the server failed: overloaded");
    }

    #[test]
    fn numbers_and_kinds_that_make_no_sense_are_passed_over() {
        for body in [
            r#"{"choices":[{"message":null}],"usage":{"prompt_tokens":-1,"completion_tokens":"x"}}"#,
            r#"{"choices":[{"message":{"content":{"a":1}},"finish_reason":3}],"usage":7}"#,
            r#"{"choices":[[]],"error":null}"#,
        ] {
            assert_eq!(read(body.as_bytes(), false), Ok(Said::default()), "{body}");
        }
    }

    #[test]
    fn refusals_are_told_in_the_servers_words() {
        let told = |body: &str| refusal(body.as_bytes());
        let own = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let quota = r#"{"error":{"message":"pay first","code":"insufficient_quota"}}"#;
        assert_eq!(told(quota), own("pay first", "insufficient_quota"));
        assert_eq!(told(r#"{"error":"no such model"}"#), own("no such model", ""));
        assert_eq!(told(r#"{"detail":"Not Found"}"#), own("Not Found", ""));
        assert_eq!(told(r#"{"a":1}"#), own(r#"{"a":1}"#, ""));
        assert_eq!(told(""), own("it says nothing", ""));
        assert_eq!(told(&"x".repeat(999)).0.chars().count(), 301);
    }
}
