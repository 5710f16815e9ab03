//! Requests to a guest and its replies, each a JSON object in a line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Serialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub(super) enum Request<'a> {
    Describe { protocol: u32, autobench: &'static str },
    Footprint { size: u64, configuration: &'a Value, cold: bool },
    Open { size: u64, cold: bool },
    Compile { kernel: u64, size: u64, configuration: &'a Value },
    Check { kernel: u64, seed: u64, thorough: bool },
    Sample { kernel: u64, runs: u32 },
    Close(Closed),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Closed {
    Kernel(u64),
    Size(u64),
}

/// A reply in place of the right one.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Fault {
    pub(super) fault: FaultKind,
    pub(super) reason: String,
}

/// Any object with the field `fault`.
#[derive(Debug, Deserialize)]
pub(super) struct AnyFault {
    #[serde(rename = "fault")]
    _fault: serde::de::IgnoredAny,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FaultKind {
    Invalid,
    Compile,
    Run,
    Wrong,
    Lost,
}

#[derive(Debug, Deserialize)]
pub(super) struct Bytes {
    pub(super) bytes: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Compiled {
    #[serde(default)]
    pub(super) facts: BTreeMap<String, Option<f64>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Checked {
    #[serde(default)]
    pub(super) outputs: Vec<Output>,
    #[serde(default)]
    pub(super) errors: BTreeMap<String, Option<f64>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Output {
    pub(super) name: String,
    #[serde(default)]
    pub(super) indices: Vec<u64>,
    pub(super) found: Vec<Option<f64>>,
    pub(super) expected: Vec<Option<f64>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampled {
    pub(super) seconds: Option<f64>,
    #[serde(default)]
    pub(super) waited: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Nothing {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_are_what_the_page_shows() {
        let configuration = json!({"BLOCK": 64});
        let said = |request: &Request<'_>| serde_json::to_string(request).expect("JSON");
        let compile = Request::Compile { kernel: 7, size: 4096, configuration: &configuration };
        let close = Request::Close(Closed::Kernel(7));
        let page = include_str!("../../../docs/guide/workers.md");
        for request in [
            Request::Describe { protocol: 1, autobench: "0.1.0" },
            Request::Footprint { size: 4096, configuration: &configuration, cold: true },
            Request::Open { size: 4096, cold: true },
            compile,
            Request::Check { kernel: 7, seed: 1, thorough: false },
            Request::Sample { kernel: 7, runs: 20 },
            close,
            Request::Close(Closed::Size(4096)),
        ] {
            let line = said(&request).replace("\":", "\": ").replace(",\"", ", \"");
            assert!(page.contains(&format!("\n    {line}\n")), "{line}");
        }
    }
}
