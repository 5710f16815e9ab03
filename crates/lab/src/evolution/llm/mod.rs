//! A language model as a generator: any server with the OpenAI chat protocol.
//!
//! A request is a single message without history. Failed calls are repeated after growing waits. A
//! failure that repeating cannot fix ends the family, which can be resumed. The key is sent only to
//! the endpoint: all texts of a server pass through [`Caller::redacted`] before they leave this
//! folder.

mod call;
mod endpoint;
mod key;
mod reply;
mod waiting;

use std::{
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Instant,
};

use records::AnswerEvent;
use registry::{Allowed, Knob, Knobs};
use serde_json::{Value, json};

use self::{
    call::{CallFault, Caller},
    endpoint::Endpoint,
    key::Key,
    reply::Said,
};
use super::{Answer, Generator, GeneratorKind, Given, Request, Tokens, Unanswered};

/// Upper bound of seeds that all servers accept.
const MOST_SEEDS: u64 = 1 << 31;
/// Assumed characters per token, if the server does not count tokens.
const CHARACTERS: u64 = 4;
const YES_OR_NO: Allowed = Allowed::Choice(&["no", "yes"]);

inventory::submit!(GeneratorKind {
    name: "llm",
    about: "asks a language model at any endpoint that speaks the OpenAI chat protocol",
    knobs: &[
        Knob {
            name: "temperature",
            about: "how much answers vary; sent only if given, since some models take none",
            default: "1",
            allowed: Allowed::Number(0.0, 2.0),
        },
        Knob {
            name: "answer_tokens",
            about: "tokens of an answer at most; sent only if given",
            default: "16384",
            allowed: Allowed::Integer(1, 10_000_000),
        },
        Knob {
            name: "answer_tokens_as",
            about: "what the server calls that limit",
            default: "max_tokens",
            allowed: Allowed::Choice(&["max_tokens", "max_completion_tokens"]),
        },
        Knob {
            name: "timeout",
            about: "seconds for a whole answer",
            default: "300",
            allowed: Allowed::Number(0.01, 86_400.0),
        },
        Knob {
            name: "retries",
            about: "further calls for an answer, where one may help",
            default: "5",
            allowed: Allowed::Integer(0, 100),
        },
        Knob {
            name: "wait",
            about: "seconds before the first of them; twice as long before every other",
            default: "2",
            allowed: Allowed::Number(0.0, 60.0),
        },
        Knob {
            name: "stream",
            about: "whether answers come in pieces, for servers that end long silences",
            default: "no",
            allowed: YES_OR_NO,
        },
        Knob {
            name: "seed",
            about: "whether requests have a seed; some servers refuse one",
            default: "yes",
            allowed: YES_OR_NO,
        },
    ],
    incidental: &["timeout", "retries", "wait", "stream"],
    options: &["--endpoint", "--model", "--key-file"],
    make: |knobs, given| Ok(Box::new(Llm::new(knobs, given)?)),
});

/// A server, its model, and whether it has answered before.
struct Llm {
    caller: Arc<Caller>,
    model: String,
    knobs: Knobs,
    /// Whether the server has answered in this family, in this run or an earlier one.
    has_answered: bool,
    estimates: bool,
}

impl Llm {
    fn new(knobs: &Knobs, given: &Given) -> Result<Self, String> {
        let endpoint = given.endpoint.as_deref().ok_or(
            "the generator `llm` needs `--endpoint`, the base of an address, as \
             `http://127.0.0.1:8080/v1`",
        )?;
        let endpoint = Endpoint::parse(endpoint)?;
        let model = given.model.clone().filter(|model| !model.trim().is_empty()).ok_or(
            "the generator `llm` needs `--model`, which the server's list `…/models` names; a server \
             with one model takes any word",
        )?;
        let key = Key::found(given.key_file.as_deref(), |name| std::env::var(name).ok())?;
        if let Some(key) = &key {
            endpoint.may_have(key)?;
        }
        let is_stream = knobs.choice("stream") == "yes";
        let caller = Caller::new(endpoint, key, knobs.number("timeout"), is_stream);
        let (caller, knobs) = (Arc::new(caller), knobs.clone());
        Ok(Self { caller, model, knobs, has_answered: false, estimates: false })
    }

    /// The request in the format of the protocol.
    fn body(&self, request: &Request<'_>) -> Value {
        let mut body = json!({
            "model": self.model,
            "messages": [{ "role": "user", "content": request.message }],
        });
        if self.knobs.given("temperature") {
            body["temperature"] = json!(self.knobs.number("temperature"));
        }
        if self.knobs.given("answer_tokens") {
            let limit = self.knobs.integer("answer_tokens");
            body[self.knobs.choice("answer_tokens_as")] = json!(limit);
        }
        if self.knobs.choice("seed") == "yes" {
            body["seed"] = json!(request.seed % MOST_SEEDS);
        }
        if self.knobs.choice("stream") == "yes" {
            body["stream"] = json!(true);
            body["stream_options"] = json!({ "include_usage": true });
        }
        body
    }

    /// Makes one call; `None` if the user stopped first. The call's thread then ends with the
    /// program.
    fn call(&self, body: &str, request: &Request<'_>) -> Option<Result<Said, CallFault>> {
        let (sender, receiver) = channel();
        let (caller, body) = (Arc::clone(&self.caller), body.to_owned());
        let begun = thread::Builder::new().spawn(move || {
            // Nobody receives the result if the user stopped.
            let _ = sender.send(caller.call(body.as_bytes()));
        });
        if let Err(why) = begun {
            return Some(Err(CallFault::Final(format!("could not begin a thread: {why}"))));
        }
        loop {
            match receiver.recv_timeout(waiting::LOOK) {
                Ok(said) => return Some(said),
                Err(RecvTimeoutError::Timeout) if (request.stopped)() => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let why = "the call ended without a word".to_owned();
                    return Some(Err(CallFault::Refused(why)));
                }
            }
        }
    }

    /// Repeats a call until there is an answer or repeating is pointless; also returns the number
    /// of calls.
    fn called(&self, request: &Request<'_>) -> (u64, Result<Said, Unanswered>) {
        let body = self.body(request).to_string();
        let retries = self.knobs.integer("retries");
        let mut calls = 0;
        loop {
            calls += 1;
            let failed = |why| Unanswered::Failed { why, calls, tokens: None };
            let Some(called) = self.call(&body, request) else {
                return (calls, Err(Unanswered::Stopped));
            };
            let (why, wait, is_reached) = match called {
                Ok(said) => return (calls, Ok(said)),
                Err(CallFault::Final(why)) => return (calls, Err(Unanswered::Over(why))),
                Err(CallFault::Refused(why)) => return (calls, Err(failed(why))),
                // Settings that the server rejects would fail for every candidate.
                Err(CallFault::Unfit(why)) if !self.has_answered => {
                    let why = format!("{why}; this was the first request, so check the settings");
                    return (calls, Err(Unanswered::Over(why)));
                }
                Err(CallFault::Unfit(why)) => return (calls, Err(failed(why))),
                Err(CallFault::Passing(why, wait)) => (why, wait, true),
                Err(CallFault::Unreachable(why)) => (why, None, false),
            };
            if calls > retries {
                let why = format!("{why}, at the last of {calls} calls");
                return match is_reached || self.has_answered {
                    true => (calls, Err(failed(why))),
                    false => (calls, Err(Unanswered::Over(why))),
                };
            }
            let first = self.knobs.number("wait");
            let wait = wait.unwrap_or_else(|| waiting::backoff(first, calls, request.seed));
            if !waiting::slept(wait, request.stopped) {
                return (calls, Err(Unanswered::Stopped));
            }
        }
    }

    /// Counts the tokens of an answer, estimated if the server does not count them.
    fn count(&mut self, request: &Request<'_>, said: &Said) -> Tokens {
        let estimate = |text: &str| (text.chars().count() as u64).div_ceil(CHARACTERS);
        said.tokens.unwrap_or_else(|| {
            self.estimates = true;
            Tokens { read: estimate(request.message), written: estimate(&said.text) }
        })
    }

    fn answered(&mut self, request: &Request<'_>) -> Result<Answer, Unanswered> {
        let begun = Instant::now();
        let (calls, said) = self.called(request);
        let said = said?;
        self.has_answered = true;
        let tokens = self.count(request, &said);
        let failed = |why: String| {
            let tokens = Some(tokens);
            Err(Unanswered::Failed { why, calls, tokens })
        };
        match said.finish.as_str() {
            "length" => failed(format!(
                "the answer was cut after {} tokens; the knob `answer_tokens` may allow more",
                tokens.written
            )),
            "content_filter" => {
                failed("the server held the answer back (content_filter)".to_owned())
            }
            finish if said.text.trim().is_empty() => {
                let why = if finish.is_empty() { "no reason" } else { finish };
                failed(format!("the answer is empty (the server's reason: {why})"))
            }
            _ => {
                let seconds = begun.elapsed().as_secs_f64();
                Ok(Answer { text: said.text, tokens: Some(tokens), calls, seconds })
            }
        }
    }
}

impl Generator for Llm {
    fn answer(&mut self, request: &Request<'_>) -> Result<Answer, Unanswered> {
        let answered = self.answered(request);
        let redacted = |text: &str| self.caller.redacted(text);
        match answered {
            Ok(answer) => Ok(Answer { text: redacted(&answer.text), ..answer }),
            Err(Unanswered::Failed { why, calls, tokens }) => {
                Err(Unanswered::Failed { why: redacted(&why), calls, tokens })
            }
            Err(Unanswered::Stopped) => Err(Unanswered::Stopped),
            Err(Unanswered::Over(why)) => Err(Unanswered::Over(redacted(&why))),
        }
    }

    fn described(&self) -> String {
        let mut told = self.model.clone();
        for name in ["temperature", "answer_tokens"] {
            if self.knobs.given(name) {
                told += &format!(", {name} {}", self.knobs.number(name));
            }
        }
        self.caller.redacted(&told)
    }

    fn place(&self) -> Option<String> {
        Some(self.caller.redacted(&format!("at {}", self.caller.base())))
    }

    fn resumed(&mut self, earlier: &[AnswerEvent]) -> Result<(), String> {
        // An answer that was cut or withheld also proves that the server answers.
        let is_answer = |one: &AnswerEvent| one.unanswered.is_none() || one.tokens.is_some();
        self.has_answered |= earlier.iter().any(is_answer);
        Ok(())
    }

    fn remark(&self) -> Option<String> {
        let how = format!("the server counts no tokens: one is taken for {CHARACTERS} characters");
        self.estimates.then_some(how)
    }
}
