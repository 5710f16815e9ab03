//! One call of a language model's server, and whether a failed call is worth repeating.

use std::time::Duration;

use ureq::{Agent, http::StatusCode};

use super::{
    endpoint::Endpoint,
    key::{Key, OWN},
    reply::{self, ReplyFault, Said},
    waiting,
};

/// Time limit for connecting, in seconds.
const CONNECT: f64 = 30.0;
/// Longest wait that a server may ask for; a longer one ends the family.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// Error codes by which servers say that the quota is used up.
const UNPAID: [&str; 2] = ["insufficient_quota", "billing_hard_limit_reached"];

/// Why a call gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallFault {
    /// The next call may succeed; with the wait that the server asked for, if any.
    Passing(String, Option<Duration>),
    /// No server can be reached at present.
    Unreachable(String),
    /// The server refuses this request, but may accept others.
    Refused(String),
    /// The server cannot process this request. If it was the first, others will fail as well.
    Unfit(String),
    /// No request will succeed.
    Final(String),
}

/// Calls a server, with a fixed key, address and limits.
pub(super) struct Caller {
    agent: Agent,
    endpoint: Endpoint,
    key: Option<Key>,
    is_stream: bool,
    timeout: f64,
}

impl Caller {
    /// A caller that waits up to `timeout` seconds for a whole answer.
    pub(super) fn new(endpoint: Endpoint, key: Option<Key>, timeout: f64, is_stream: bool) -> Self {
        let seconds = |seconds: f64| Some(Duration::from_secs_f64(seconds));
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would send the text of the request to another server.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(seconds(timeout))
            .timeout_connect(seconds(timeout.min(CONNECT)))
            .user_agent(concat!("autobench/", env!("CARGO_PKG_VERSION")));
        if endpoint.is_here() {
            config = config.proxy(None);
        }
        Self { agent: config.build().into(), endpoint, key, is_stream, timeout }
    }

    /// The base address of the server.
    pub(super) fn base(&self) -> &str {
        &self.endpoint.base
    }

    /// Removes the key from a text.
    pub(super) fn redacted(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redacted(text))
    }

    /// Sends a request of the protocol, as JSON.
    pub(super) fn call(&self, request: &[u8]) -> Result<Said, CallFault> {
        let mut post = self.agent.post(&self.endpoint.url).content_type("application/json");
        if let Some(key) = &self.key {
            post = post.header("authorization", key.header());
        }
        let response = post.send(request).map_err(|error| self.unsent(error))?;
        let (parts, body) = response.into_parts();
        let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
        if parts.status.is_success() {
            return reply::read(body.into_reader(), self.is_stream).map_err(|fault| match fault {
                ReplyFault::Broken(why) => CallFault::Passing(why, None),
                ReplyFault::Wrong(why) => CallFault::Refused(why),
            });
        }
        if parts.status.is_redirection() {
            let location = reply::words(header("location").unwrap_or_default());
            return Err(CallFault::Final(format!(
                "{} sends requests on to: {location}; give the address behind as the endpoint",
                self.endpoint.base
            )));
        }
        let wait = header("retry-after").and_then(|text| waiting::asked(text, chrono::Utc::now()));
        let (words, code) = reply::refusal(body.into_reader());
        let number = parts.status.as_u16();
        if self.key.is_none() && [401, 403].contains(&number) {
            return Err(CallFault::Final(format!(
                "the server wants a key ({number}): {words}; give it in the variable {OWN}, or in a \
                 file by `--key-file`"
            )));
        }
        Err(refused(parts.status, wait, &words, &code))
    }

    /// Why no response arrived at all.
    fn unsent(&self, error: ureq::Error) -> CallFault {
        let base = &self.endpoint.base;
        match error {
            ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
                CallFault::Unreachable(format!("{base} did not answer in time"))
            }
            ureq::Error::Timeout(_) => {
                CallFault::Passing(format!("no answer within {} s", self.timeout), None)
            }
            ureq::Error::Io(error) => match error.kind() {
                // The connection was open, and closed early.
                std::io::ErrorKind::UnexpectedEof
                | std::io::ErrorKind::ConnectionReset
                | std::io::ErrorKind::BrokenPipe => {
                    CallFault::Passing(format!("{base} broke off: {error}"), None)
                }
                _ => CallFault::Unreachable(format!("could not reach {base}: {error}")),
            },
            ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => {
                CallFault::Unreachable(format!("could not reach {base}: {error}"))
            }
            ureq::Error::ConnectProxyFailed(why) => {
                CallFault::Unreachable(format!("could not reach {base} by the proxy: {why}"))
            }
            ureq::Error::Protocol(why) => {
                CallFault::Refused(format!("{base} does not speak HTTP as it should: {why}"))
            }
            other => CallFault::Final(format!("could not ask {base}: {other}")),
        }
    }
}

/// The meaning of a response's status.
fn refused(status: StatusCode, wait: Option<Duration>, words: &str, code: &str) -> CallFault {
    let number = status.as_u16();
    let told = format!("the server answered {number}: {words}");
    match number {
        401 | 403 => CallFault::Final(format!(
            "the server does not take the key ({number}): {words}; see which one it wants"
        )),
        402 => CallFault::Final(told),
        404 => CallFault::Final(format!("{told}; check the endpoint and the model")),
        429 if UNPAID.contains(&code) => CallFault::Final(told),
        408 | 409 | 425 | 429 | 500..=599 => match wait {
            Some(wait) if wait > LONGEST_WAIT => CallFault::Final(format!(
                "{told}; it asks to wait for {} s, so resume the family then",
                wait.as_secs()
            )),
            wait => CallFault::Passing(told, wait),
        },
        _ => CallFault::Unfit(told),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_says_whether_to_ask_again() {
        let of = |status: u16, wait: Option<u64>, code: &str| {
            let status = StatusCode::from_u16(status).expect("a status");
            refused(status, wait.map(Duration::from_secs), "words", code)
        };
        let told = |number: u16| format!("the server answered {number}: words");
        for number in [408, 429, 500, 502, 503, 529] {
            assert_eq!(of(number, None, ""), CallFault::Passing(told(number), None));
        }
        let wait = Some(Duration::from_secs(9));
        assert_eq!(of(429, Some(9), ""), CallFault::Passing(told(429), wait));
        for number in [400, 413, 422] {
            assert_eq!(of(number, None, ""), CallFault::Unfit(told(number)));
        }
        for (number, wait, code) in [
            (401, None, ""),
            (402, None, ""),
            (403, None, ""),
            (404, None, ""),
            (429, None, "insufficient_quota"),
            (429, Some(3600), ""),
        ] {
            assert!(matches!(of(number, wait, code), CallFault::Final(_)), "{number}");
        }
    }
}
