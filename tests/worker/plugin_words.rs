//! Optional functions of a plugin and their effect in a study: its own footprint, and metrics that
//! are computed from a measurement.

use std::{cell::RefCell, path::Path, process::Command, rc::Rc};

use plugins::Benchmark;
use study::{Benchmarked, Subject};
use worker::{Client, Locator};

use super::support::{PATIENT, Parts, plugin, setup, worker};

/// A worker that is set up with a plugin, and the plugin's benchmark.
fn opened(folder: &Path, library: &Path) -> (Benchmark, Client) {
    let mut client = worker(folder);
    let locator = Locator::Library(library.to_owned());
    let document = client.describe(&locator, PATIENT).expect("a document");
    client.set_up(setup(folder, library), PATIENT).expect("set up");
    (Benchmark::new(document).expect("a benchmark"), client)
}

fn footprint_at_1000(footprint: Option<&str>) -> Option<Result<u64, String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let parts = Parts { footprint, ..Parts::default() };
    let library = plugin(folder.path(), "footprints", &parts)?;
    let (benchmark, client) = opened(folder.path(), &library);
    let client = Rc::new(RefCell::new(client));
    Some(Benchmarked::new(benchmark, client, &[], &[]).footprint(1000))
}

#[test]
fn a_plugin_that_needs_more_than_its_shapes_is_believed() {
    // Two buffers of 1000 floats are 8000 bytes.
    for (footprint, bytes) in [
        (None, 8000),
        (Some("return 2;"), 8000),
        (Some("*bytes = 5 * size; return 0;"), 8000),
        (Some("*bytes = 20 * size; return 0;"), 20_000),
        // If no shape uses a parameter, the largest footprint over its accepted values counts.
        (Some("*bytes = strstr(configuration, \"128\") ? 30 * size : 9 * size; return 0;"), 30_000),
        (Some("if (strstr(configuration, \"128\")) return 1; *bytes = 9 * size; return 0;"), 9_000),
    ] {
        let Some(found) = footprint_at_1000(footprint) else { return };
        assert_eq!(found, Ok(bytes), "{footprint:?}");
    }
    let Some(refused) = footprint_at_1000(Some("say(message, \"no idea\"); return 1;")) else {
        return;
    };
    assert!(refused.expect_err("a fault").contains("no idea"));
}

#[test]
fn plugin_check_tells_the_plugins_own_footprint() {
    let folder = tempfile::tempdir().expect("a folder");
    let parts = Parts { footprint: Some("*bytes = 20 * size; return 0;"), ..Parts::default() };
    let Some(library) = plugin(folder.path(), "checked", &parts) else { return };
    let output = Command::new(env!("CARGO_BIN_EXE_autobench"))
        .args(["plugin", "check"])
        .arg(&library)
        // Check only the default: the other configurations are hostile on purpose.
        .args(["--configurations", "0"])
        .output()
        .expect("the program");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("20 KiB at size 1024"), "{text}");
    assert!(text.contains("all is well"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_a_plugin_makes_of_a_measurement_reaches_the_curve() {
    let folder = tempfile::tempdir().expect("a folder");
    let analyze = Some("*primary = 1.0; *secondary = 1234.5; return 0;");
    let library = plugin(folder.path(), "analyzed", &Parts { analyze, ..Parts::default() });
    let Some(library) = library else { return };
    let output = Command::new(env!("CARGO_BIN_EXE_autobench"))
        // Keep this study out of the stored speeds of this machine.
        .env("AUTOBENCH_CEILINGS", folder.path().join("kept"))
        .arg("run")
        .arg(&library)
        .args(["--sizes", "1k,2k", "--budget", "1", "--time", "5", "--param", "does=0", "--json"])
        .arg("--out")
        .arg(folder.path())
        .output()
        .expect("the program");
    assert!(output.status.success(), "{output:?}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let best = &result["workload"]["best"];
    assert_eq!(best["metric"]["value"], 1234.5, "{best:#}");
    assert_eq!(best["metrics"]["GB/s"], 1234.5, "{best:#}");
    let low = best["metric"]["interval"][0].as_f64().expect("a number");
    let high = best["metric"]["interval"][1].as_f64().expect("a number");
    assert!((low..=high).contains(&1234.5) && low > 0.0, "{best:#}");
}
