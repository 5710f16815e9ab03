//! Recorded spaces, ours and other programs': each can be read, writing and reading back loses
//! nothing, and T4 results agree with their caches. `tests/data/README.md` says how the files in
//! the repository were made.

use std::{collections::BTreeMap, path::Path};

use exchange::{
    Conflict, Overview, RecordedSpace, merge, parse_kernel_tuner, parse_t4, read_space_file,
};
use records::{Named, RecordedTrial, Status};
use report::exporters::EXPORTERS;

use crate::support::data;

/// A file of the corpus of small files.
fn small(name: &str) -> RecordedSpace {
    let corpus = crate::support::repository().join("tests/corpus/records");
    read_space_file(&corpus.join(name)).expect(name)
}

/// A space as text in a format.
fn written(space: &RecordedSpace, format: &str) -> String {
    let write = EXPORTERS.find(format).and_then(|e| e.recorded).expect("it writes spaces");
    String::from_utf8(write(space).expect("written")).expect("text")
}

/// JSON without its blanks, sorted by name.
fn plain(members: &[(String, String)]) -> BTreeMap<&str, serde_json::Value> {
    let json = |json: &str| serde_json::from_str(json).expect("JSON");
    members.iter().map(|(name, text)| (name.as_str(), json(text))).collect()
}

/// Panics unless both spaces are equal, except for warnings.
fn same(what: &str, a: &RecordedSpace, b: &RecordedSpace) {
    let rows = a.rows().iter().zip(b.rows().iter());
    for ((configuration, ours), (other, theirs)) in rows {
        assert_eq!(configuration, other, "{what}");
        assert_eq!(plain(&ours.more), plain(&theirs.more), "{what}: {configuration}");
        let ours = RecordedTrial { more: theirs.more.clone(), ..ours.clone() };
        assert_eq!(&ours, theirs, "{what}: {configuration}");
    }
    assert_eq!(a.len(), b.len(), "{what}");
    assert_eq!(plain(&a.header), plain(&b.header), "{what}");
    assert_eq!(a.parameters, b.parameters, "{what}");
    assert_eq!(a.units, b.units, "{what}");
    let words = |space: &RecordedSpace| {
        [&space.device, &space.kernel, &space.problem_size, &space.objective].map(String::clone)
    };
    assert_eq!(words(a), words(b), "{what}");
}

fn through(space: &RecordedSpace, format: &str) -> RecordedSpace {
    let text = written(space, format);
    let read = if format == "t4" { parse_t4(&text) } else { parse_kernel_tuner(&text) };
    read.unwrap_or_else(|why| panic!("{why}:\n{text}"))
}

#[test]
fn a_cache_comes_back_whole() {
    for name in ["cache.json", "open.json"] {
        let space = small(name);
        same(name, &space, &through(&space, "kernel-tuner"));
    }
}

#[test]
fn t4_results_come_back_whole() {
    let space = small("t4.json");
    same("t4", &space, &through(&space, "t4"));
}

#[test]
fn nothing_is_lost_on_a_way_through_the_other_format() {
    for (name, home, other_vendor) in
        [("cache.json", "kernel-tuner", "t4"), ("t4.json", "t4", "kernel-tuner")]
    {
        let space = through(&small(name), home);
        let mut back = through(&through(&space, other_vendor), home);
        if home == "t4" {
            // A cache does not record units.
            back.units.clone_from(&space.units);
        }
        same(name, &space, &back);
    }
}

#[test]
fn a_cache_ends_as_kernel_tuner_looks_for_and_its_keys_are_python_s() {
    let text = written(&small("cache.json"), "kernel-tuner");
    assert!(text.ends_with("}}\n}"), "{text}");
    let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let keys: Vec<&String> = file["cache"].as_object().expect("rows").keys().collect();
    assert_eq!(keys, ["16,True,f32,0.5", "32,False,f16,1e-05", "32,True,f16,0.5"]);
    assert_eq!(file["cache"]["32,True,f16,0.5"]["block_size_x"], 32);
    assert_eq!(file["cache"]["32,True,f16,0.5"]["__error__"], "RuntimeFailedConfig");
    assert_eq!(file["host"]["cores"], 2);
}

/// Checks a file's numbers of rows, failures and warnings.
fn is_read(path: &Path, expected: (usize, usize, usize)) {
    let space = read_space_file(path).expect("a recorded space");
    let overview = Overview::of(&space);
    let failures = overview.outcomes.iter().filter(|(status, _)| *status != Status::Measured);
    let failures: usize = failures.map(|(_, count)| count).sum();
    let seen = (space.len(), failures, space.warnings.len());
    assert_eq!(seen, expected, "{}: {:?}", path.display(), space.warnings);
}

#[test]
fn every_file_of_the_repository_is_read() {
    for (name, expected) in [
        ("gemm_cpu.json", (366, 0, 0)),
        ("gemm_cpu.t4.json", (366, 0, 0)),
        ("vecadd_cpu.json", (68, 0, 0)),
        ("vecadd_cpu.t4.json", (68, 0, 0)),
        ("kernel_tuner.json", (84, 18, 0)),
        ("kernel_tuner.t4.json", (84, 18, 1)),
    ] {
        is_read(&data(&format!("spaces/{name}.gz")), expected);
    }
}

#[test]
fn a_cache_of_kernel_tuner_is_read_as_kernel_tuner_reads_it() {
    let text = std::fs::read_to_string(data("kernel_tuner.figures.json")).expect("readable");
    let theirs: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let ours = read_space_file(&data("spaces/kernel_tuner.json.gz")).expect("a cache");
    let rows = theirs["rows"].as_array().expect("rows");
    assert_eq!(ours.len(), rows.len());
    for ((configuration, trial), row) in ours.rows().iter().zip(rows) {
        let values: Vec<String> = configuration.0.iter().map(|(_, v)| v.to_string()).collect();
        assert_eq!(values.join(","), row["key"]);
        let costs = [trial.compile_ms, trial.verification_ms, trial.framework_ms];
        assert_eq!(serde_json::json!(costs), row["costs_ms"], "{configuration}");
        if row["error"].is_null() {
            assert_eq!(trial.status, Status::Measured);
            assert_eq!(serde_json::json!(trial.time_ms), row["time"], "{configuration}");
            assert_eq!(serde_json::json!(trial.times_ms), row["times"], "{configuration}");
        } else {
            assert_eq!(row["error"], "CompilationFailedConfig");
            assert_eq!(trial.status, Status::CompileFailed, "{configuration}");
        }
    }
    let (best, _, _) = Overview::of(&ours).times_ms.expect("something was measured");
    assert_eq!(serde_json::json!(best), theirs["best"][0]);
}

/// Checks that T4 results have the outcomes of a cache with the same rows.
fn say_the_same(cache: &Path, t4: &Path) {
    let cache = read_space_file(cache).expect("a cache");
    let t4 = read_space_file(t4).expect("T4 results");
    assert_eq!(cache.len(), t4.len());
    for (configuration, trial) in cache.rows().iter() {
        let other = t4.get(&configuration).expect("the same configurations");
        assert_eq!(other.status, trial.status, "{configuration}");
        assert_eq!(other.time_ms, trial.time_ms, "{configuration}");
        assert_eq!(other.times_ms, trial.times_ms, "{configuration}");
        assert_eq!(other.timestamp, trial.timestamp, "{configuration}");
        let costs = |t: &RecordedTrial| {
            vec![t.compile_ms, t.verification_ms, t.framework_ms, t.strategy_ms]
        };
        assert_eq!(costs(other), costs(trial), "{configuration}");
    }
}

#[test]
fn t4_results_of_the_repository_say_what_their_caches_say() {
    for name in ["gemm_cpu", "vecadd_cpu"] {
        let file = |kind: &str| data(&format!("spaces/{name}{kind}.json.gz"));
        say_the_same(&file(""), &file(".t4"));
    }
}

#[test]
fn t4_results_of_kernel_tuner_say_what_its_cache_says() {
    let file = |kind: &str| data(&format!("spaces/kernel_tuner{kind}.json.gz"));
    let cache = read_space_file(&file("")).expect("a cache");
    let t4 = read_space_file(&file(".t4")).expect("T4 results");
    assert_eq!(cache.len(), t4.len());
    for (configuration, trial) in cache.rows().iter() {
        let other = t4.get(&configuration).expect("the same configurations");
        assert_eq!(other.status, trial.status, "{configuration}");
        assert_eq!(other.time_ms, trial.time_ms, "{configuration}");
        assert_eq!(other.times_ms, trial.times_ms, "{configuration}");
        // Kernel Tuner's caches leave out the framework's time.
        let costs = |t: &RecordedTrial| vec![t.compile_ms, t.verification_ms];
        assert_eq!(costs(other), costs(trial), "{configuration}");
    }
}

#[test]
fn files_of_the_repository_come_back_whole() {
    for name in ["gemm_cpu", "vecadd_cpu", "kernel_tuner"] {
        for (kind, format) in [("", "kernel-tuner"), (".t4", "t4")] {
            let path = data(&format!("spaces/{name}{kind}.json.gz"));
            let space = read_space_file(&path).expect(name);
            same(name, &space, &through(&space, format));
        }
    }
}

mod shared {
    use exchange::read_space_file;

    use crate::support::shared;

    /// The files with their numbers of rows, failed rows and warnings.
    const FILES: [(&str, usize, usize, usize); 14] = [
        ("bat-convolution_RTX_2080_Ti", 6768, 1512, 0),
        ("bat-convolution_RTX_3090", 6768, 1548, 0),
        ("bat-gemm_RTX_2080_Ti", 17956, 0, 0),
        ("bat-gemm_RTX_3090", 17956, 0, 0),
        ("bat-pnpoly_RTX_2080_Ti", 4092, 358, 0),
        ("bat-pnpoly_RTX_3090", 4092, 318, 0),
        ("convolution_A100", 4362, 161, 0),
        ("convolution_A100_T4", 4362, 161, 3),
        ("convolution_A4000", 4362, 161, 0),
        ("convolution_MI250X", 4362, 0, 0),
        ("dedispersion_A100", 11130, 0, 0),
        ("dedispersion_A100_T4", 11130, 0, 3),
        ("dedispersion_A4000", 11130, 0, 0),
        ("dedispersion_MI250X", 11130, 0, 0),
    ];

    fn file(name: &str) -> std::path::PathBuf {
        shared(&format!("data/spaces/{name}.json.gz"))
    }

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn every_shared_file_is_read() {
        for (name, rows, failed, warnings) in FILES {
            super::is_read(&file(name), (rows, failed, warnings));
        }
    }

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn t4_results_say_what_their_caches_say() {
        for name in ["convolution_A100", "dedispersion_A100"] {
            super::say_the_same(&file(name), &file(&format!("{name}_T4")));
        }
    }

    #[test]
    #[ignore = "needs ../shared: cargo test -- --ignored shared::"]
    fn shared_files_come_back_whole() {
        for (name, format) in [
            ("convolution_A100", "kernel-tuner"),
            ("bat-pnpoly_RTX_2080_Ti", "kernel-tuner"),
            ("convolution_A100_T4", "t4"),
        ] {
            let space = read_space_file(&file(name)).expect(name);
            super::same(name, &space, &super::through(&space, format));
        }
    }
}

#[test]
fn halves_of_a_file_merge_into_the_whole() {
    let whole = small("cache.json");
    let half = |keep: fn(usize) -> bool| {
        let mut half = RecordedSpace::new(whole.parameters.clone());
        half.device.clone_from(&whole.device);
        for (row, (configuration, trial)) in whole.rows().iter().enumerate() {
            if keep(row) {
                half.insert(configuration, trial.clone());
            }
        }
        half
    };
    let halves = [("A".to_owned(), half(|row| row < 2)), ("B".to_owned(), half(|row| row >= 1))];
    let merged = merge(halves, Conflict::Error).expect("equal rows are no conflict");
    let rows = |space: &RecordedSpace| -> Vec<(Named, RecordedTrial)> {
        space.rows().iter().map(|(named, trial)| (named, trial.clone())).collect()
    };
    assert_eq!(rows(&merged), rows(&whole));
}
