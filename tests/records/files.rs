//! Files that other programs recorded: every one in `shared/data` is read, none loses anything on
//! its way through our writers, and T4 results say what their caches say.
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use autobench::{
    exporters::exporter,
    records::{
        Conflict, Named, Overview, RecordedSpace, RecordedTrial, Status, merge, parse_kernel_tuner,
        parse_t4, read_space_file,
    },
};

/// A file of the corpus of small ones.
fn small(name: &str) -> RecordedSpace {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/records");
    read_space_file(&corpus.join(name)).expect(name)
}

/// A file of the shared data.
fn shared(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["../shared", "../../shared"].map(|s| root.join(s).join("data/spaces").join(name));
    let found = places.into_iter().find(|path| path.is_file());
    if found.is_none() {
        eprintln!("skipped: `{name}` is not here");
    }
    found
}

/// A space as text in a format.
fn written(space: &RecordedSpace, format: &str) -> String {
    let write = exporter(format).and_then(|e| e.recorded()).expect("it writes spaces");
    String::from_utf8(write(space).expect("written")).expect("text")
}

/// JSON without its blanks, sorted by name.
fn plain(members: &[(String, String)]) -> BTreeMap<&str, serde_json::Value> {
    let json = |json: &str| serde_json::from_str(json).expect("JSON");
    members.iter().map(|(name, text)| (name.as_str(), json(text))).collect()
}

/// What both spaces keep must be the same, warnings apart.
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
    for (name, home, abroad) in
        [("cache.json", "kernel-tuner", "t4"), ("t4.json", "t4", "kernel-tuner")]
    {
        let space = through(&small(name), home);
        let mut back = through(&through(&space, abroad), home);
        if home == "t4" {
            // A cache has no units.
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

#[test]
fn every_shared_file_is_read() {
    for (name, rows, failed, warnings) in SHARED {
        let Some(path) = shared(&format!("{name}.json.gz")) else { continue };
        let space = read_space_file(&path).expect(name);
        let overview = Overview::of(&space);
        let failures = overview.outcomes.iter().filter(|(status, _)| *status != Status::Measured);
        let failures: usize = failures.map(|(_, count)| count).sum();
        let seen = (space.len(), failures, space.warnings.len());
        assert_eq!(seen, (rows, failed, warnings), "{name}: {:?}", space.warnings);
    }
}

/// The shared files with their rows, how many of them failed, and how many warnings reading gives.
const SHARED: [(&str, usize, usize, usize); 14] = [
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

#[test]
fn t4_results_say_what_their_caches_say() {
    for name in ["convolution_A100", "dedispersion_A100"] {
        let (Some(cache), Some(t4)) =
            (shared(&format!("{name}.json.gz")), shared(&format!("{name}_T4.json.gz")))
        else {
            continue;
        };
        let cache = read_space_file(&cache).expect("a cache");
        let t4 = read_space_file(&t4).expect("T4 results");
        assert_eq!(cache.len(), t4.len(), "{name}");
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
}

#[test]
fn shared_files_come_back_whole() {
    for (name, format) in [
        ("convolution_A100", "kernel-tuner"),
        ("bat-pnpoly_RTX_2080_Ti", "kernel-tuner"),
        ("convolution_A100_T4", "t4"),
    ] {
        let Some(path) = shared(&format!("{name}.json.gz")) else { continue };
        let space = read_space_file(&path).expect(name);
        same(name, &space, &through(&space, format));
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
