//! What a guest says about its benchmark and its device.

use std::collections::BTreeMap;

use autobench_sdk::document::Document;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{connection::Connection, messages::Request};

/// The version of the protocol that we speak.
const PROTOCOL: u32 = 1;

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
