//! Requests to a guest and its replies, each a JSON object in a line.

use std::collections::BTreeMap;

use autobench_sdk::document::Document;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::connection::Connection;

/// The version of the protocol that we speak.
const PROTOCOL: u32 = 1;

#[derive(Debug, Serialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub(super) enum Request<'a> {
    Describe { protocol: u32, autobench: &'static str },
    Footprint { size: u64, configuration: &'a Value },
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
struct Description {
    protocol: u32,
    benchmark: Value,
    device: DeviceFacts,
}

/// What a guest says about its device.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct DeviceFacts {
    pub(super) name: String,
    pub(super) backend: String,
    pub(super) compiler: String,
    /// Bytes in total, and bytes free.
    pub(super) memory: (u64, u64),
    /// Resolution and overhead in seconds.
    pub(super) timer: (f64, f64),
    #[serde(default)]
    pub(super) facts: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Bytes {
    pub(super) bytes: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Compiled {
    #[serde(default)]
    pub(super) facts: BTreeMap<String, f64>,
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
    pub(super) waited: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Nothing {}

/// Asks a guest what it is.
pub(super) fn describe(connection: &mut Connection) -> Result<(Document, DeviceFacts), String> {
    let request = Request::Describe { protocol: PROTOCOL, autobench: env!("CARGO_PKG_VERSION") };
    let described: Description = connection.ask(&request).map_err(|fault| fault.reason)?;
    if described.protocol != PROTOCOL {
        return Err(format!(
            "the guest speaks version {} of the protocol and autobench version {PROTOCOL}; see \
             docs/guide/workers.md",
            described.protocol
        ));
    }
    let device = described.device;
    let (resolution, overhead) = device.timer;
    if !(resolution.is_finite() && overhead.is_finite() && resolution >= 0.0 && overhead >= 0.0) {
        return Err("the guest's `timer` must be two numbers of seconds".to_owned());
    }
    Ok((document(described.benchmark)?, device))
}

/// The document of a benchmark that leaves out what a guest keeps to itself.
fn document(mut benchmark: Value) -> Result<Document, String> {
    let Some(fields) = benchmark.as_object_mut() else {
        return Err("the guest's `benchmark` is no object".to_owned());
    };
    for own in ["launches", "arguments", "reference", "stages", "iterations"] {
        if fields.contains_key(own) {
            return Err(format!("the guest's `benchmark` has `{own}`, which is the guest's own"));
        }
    }
    for list in ["sources", "launches", "arguments"] {
        fields.entry(list).or_insert_with(|| json!([]));
    }
    fields.insert("reference".to_owned(), json!("guest"));
    serde_json::from_value(benchmark).map_err(|error| format!("the guest's `benchmark`: {error}"))
}

#[cfg(test)]
mod tests {
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
            Request::Footprint { size: 4096, configuration: &configuration },
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

    #[test]
    fn a_benchmark_says_nothing_that_is_the_guest_s_own() {
        let benchmark =
            json!({"name": "add", "about": "adds", "size": {"start": 1, "meaning": "elements"}});
        let made = document(benchmark.clone()).expect("a document");
        assert_eq!((made.name.as_str(), made.arguments.len()), ("add", 0));
        let mut launching = benchmark;
        launching["launches"] = json!([]);
        assert!(document(launching).expect_err("refused").contains("`launches`"));
        assert!(document(json!([])).expect_err("refused").contains("no object"));
    }
}
