//! A study in the formats of other programs, and read back from them.

use exchange::{RecordedSpace, parse_kernel_tuner, parse_t4};
use records::{RecordedTrial, Status, StudyView};
use report::exporters::{EXPORTERS, Options};

use crate::study::{events, growing, record, view};

fn study() -> StudyView {
    view(events(&growing(4096, 8.0, 3)))
}

/// Returns the study in a format at a size, as text.
fn text(format: &str, size: Option<u64>) -> Result<String, String> {
    let exporter = EXPORTERS.find(format).expect("a known format");
    let options = Options { size, ..Options::default() };
    let files = (exporter.export)(&record(), &study(), &options).map_err(|e| e.to_string())?;
    Ok(String::from_utf8(files[0].1.clone()).expect("text"))
}

#[test]
fn every_end_and_reason_of_a_trial_survives_both_formats() {
    let view = study();
    let trials = view.trials.iter().map(|row| &row.event.trial);
    let space = RecordedSpace::of_study(Some(&record()), trials, None).expect("trials");
    let ends = |space: &RecordedSpace| -> Vec<(Status, String)> {
        let end = |trial: &RecordedTrial| (trial.status, trial.reason.clone());
        space.trials().iter().map(end).collect()
    };
    let expected = ends(&space);
    assert!(expected.iter().any(|(status, _)| *status == Status::WrongResult), "{expected:?}");
    assert!(expected.iter().any(|(status, _)| *status == Status::Crashed), "{expected:?}");
    let cache = parse_kernel_tuner(&text("kernel-tuner", None).expect("a cache")).expect("read");
    let t4 = parse_t4(&text("t4", None).expect("results")).expect("read");
    for (name, read) in [("cache", &cache), ("T4", &t4)] {
        assert!(read.warnings.is_empty(), "{name}: {:?}", read.warnings);
        assert_eq!(ends(read), expected, "{name}");
        assert_eq!(read.device, "NVIDIA A100-PCIE-40GB", "{name}");
        assert_eq!((read.kernel.as_str(), read.problem_size.as_str()), ("vecadd", "262144"));
        assert_eq!(read.parameters, space.parameters, "{name}");
        for (configuration, trial) in space.rows().iter() {
            let there = read.get(&configuration).expect("the configuration");
            assert_eq!(there.times_ms, trial.times_ms, "{name}: {configuration}");
            assert_eq!(there.metrics, trial.metrics, "{name}: {configuration}");
            assert_eq!(there.costs(), trial.costs(), "{name}: {configuration}");
        }
    }
    assert_eq!(t4.units["throughput"], "GB/s");
}

#[test]
fn a_size_is_chosen_or_refused_with_those_that_there_are() {
    let cache = parse_kernel_tuner(&text("kernel-tuner", Some(4096)).expect("a cache"));
    assert_eq!(cache.expect("read").problem_size, "4096");
    let error = text("t4", Some(5)).expect_err("no such size");
    assert!(error.contains("no trials at size 5; it has some at 4096, 32768"), "{error}");
}

#[test]
fn results_say_what_the_schema_demands() {
    let document: serde_json::Value =
        serde_json::from_str(&text("t4", None).expect("results")).expect("JSON");
    assert_eq!(document["schema_version"], "1.0.0");
    assert_eq!(document["metadata"]["timeunit"], "milliseconds");
    let words = ["timeout", "compile", "runtime", "correctness", "constraints", "correct"];
    for result in document["results"].as_array().expect("results") {
        assert!(result["configuration"].is_object() && result["times"].is_object(), "{result}");
        assert!(words.contains(&result["invalidity"].as_str().expect("a word")), "{result}");
        assert!(result["correctness"].is_number(), "{result}");
        assert!(result["times"]["compilation_time"].is_number(), "{result}");
        assert!(result["times"]["runtimes"].is_array(), "{result}");
        for measurement in result["measurements"].as_array().expect("measurements") {
            assert!(measurement["name"].is_string() && measurement["unit"].is_string());
            assert!(!measurement["value"].is_object() && !measurement["value"].is_boolean());
        }
    }
}
