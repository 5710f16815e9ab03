//! A local server with the OpenAI chat protocol and prepared answers, for tests of the generator
//! `llm`. Each call gets the next reaction; the last one repeats.
#![allow(dead_code, reason = "every test file uses its part")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use serde_json::{Value, json};

/// The server's reaction to a call.
#[derive(Clone, Debug)]
pub(crate) enum Reaction {
    /// Sends these headers and this body.
    Replies { status: u16, headers: Vec<(String, String)>, body: String },
    /// Sends nothing until the caller disconnects.
    Hangs,
    /// Announces more bytes than it sends.
    BreaksOff(String),
    /// Refuses, and sends back everything it received, including the key.
    Echoes(u16),
}

impl Reaction {
    /// Refuses with this status and an error object of the protocol.
    pub(crate) fn refuses(status: u16, message: &str) -> Self {
        let body = json!({ "error": { "message": message, "type": "an_error", "code": null } });
        Self::Replies { status, headers: Vec::new(), body: body.to_string() }
    }

    /// Refuses with the status 429 and the seconds until the next try.
    pub(crate) fn too_many(retry_after: &str) -> Self {
        let body = json!({ "error": { "message": "Rate limit reached", "code": "rate_limit" } });
        let headers = vec![("Retry-After".to_owned(), retry_after.to_owned())];
        Self::Replies { status: 429, headers, body: body.to_string() }
    }

    /// Sends this body unchanged.
    pub(crate) fn body(body: impl Into<String>) -> Self {
        Self::Replies { status: 200, headers: Vec::new(), body: body.into() }
    }

    /// An ordinary answer in the form of an OpenAI server.
    pub(crate) fn says(text: &str) -> Self {
        Self::ends(text, "stop")
    }

    /// An answer with this finish reason.
    pub(crate) fn ends(text: &str, finish_reason: &str) -> Self {
        let body = json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1_760_000_000,
            "model": "recorded",
            "choices": [{
                "index": 0,
                "message": {
                    "role": "assistant", "content": text, "refusal": null, "annotations": [],
                },
                "logprobs": null, "finish_reason": finish_reason,
            }],
            "usage": {
                "prompt_tokens": 1200, "completion_tokens": 300, "total_tokens": 1500,
                "completion_tokens_details": { "reasoning_tokens": 0 },
            },
            "system_fingerprint": null,
        });
        Self::body(body.to_string())
    }

    /// An answer streamed in pieces of a few characters, in the form of llama.cpp's server.
    pub(crate) fn streams(text: &str) -> Self {
        let event = |choices: Value, usage: Value| {
            let event = json!({
                "choices": choices, "created": 1_760_000_000, "id": "chatcmpl-2",
                "model": "recorded", "object": "chat.completion.chunk", "usage": usage,
            });
            format!("data: {event}\n\n")
        };
        let delta = |delta: Value, finish: Value| {
            event(json!([{ "index": 0, "delta": delta, "finish_reason": finish }]), Value::Null)
        };
        let mut body = delta(json!({ "role": "assistant", "content": null }), Value::Null);
        let all: Vec<char> = text.chars().collect();
        for piece in all.chunks(7) {
            let piece: String = piece.iter().collect();
            body += &delta(json!({ "content": piece }), Value::Null);
        }
        body += &delta(json!({}), json!("stop"));
        body += &event(json!([]), json!({ "prompt_tokens": 1200, "completion_tokens": 300 }));
        body += "data: [DONE]\n\n";
        let headers = vec![("Content-Type".to_owned(), "text/event-stream".to_owned())];
        Self::Replies { status: 200, headers, body }
    }
}

/// A call that the server received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// The first line and the headers.
    pub(crate) head: String,
    /// The request of the protocol.
    pub(crate) body: Value,
}

/// A running server, which ends when dropped.
pub(crate) struct ChatServer {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    is_over: Arc<Mutex<bool>>,
}

impl ChatServer {
    /// Starts a server with these reactions, one per call.
    pub(crate) fn start(reactions: impl IntoIterator<Item = Reaction>) -> Self {
        let reactions: Vec<Reaction> = reactions.into_iter().collect();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("an address");
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let is_over: Arc<Mutex<bool>> = Arc::default();
        let (calls, over) = (Arc::clone(&received), Arc::clone(&is_over));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if *over.lock().unwrap_or_else(PoisonError::into_inner) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let Some((call, raw)) = read(&stream) else { continue };
                let at = {
                    let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
                    calls.push(call);
                    calls.len() - 1
                };
                let reaction = reactions[at.min(reactions.len() - 1)].clone();
                // A call that hangs must not delay the next ones.
                thread::spawn(move || react(stream, reaction, &raw));
            }
        });
        Self { address, received, is_over }
    }

    /// The base of the server's address.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The calls so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ChatServer {
    fn drop(&mut self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        // A connection wakes the server, which then sees that it should end.
        let _ = TcpStream::connect(self.address);
    }
}

/// Reads a call; also returns its whole text.
fn read(stream: &TcpStream) -> Option<(Received, String)> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let raw = format!("{head}\n{}", String::from_utf8_lossy(&body));
    Some((Received { head, body: serde_json::from_slice(&body).unwrap_or_default() }, raw))
}

fn react(mut stream: TcpStream, reaction: Reaction, raw: &str) {
    let (status, headers, body, length) = match reaction {
        Reaction::Hangs => {
            let _ = stream.read(&mut [0]);
            return;
        }
        Reaction::BreaksOff(body) => (200, Vec::new(), body.clone(), body.len() + 1000),
        Reaction::Echoes(status) => (status, Vec::new(), raw.to_owned(), raw.len()),
        Reaction::Replies { status, headers, body } => {
            let length = body.len();
            (status, headers, body, length)
        }
    };
    let mut text = format!("HTTP/1.1 {status} As Recorded\r\nConnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text += &format!("Content-Length: {length}\r\n\r\n{body}");
    let _ = stream.write_all(text.as_bytes());
}
