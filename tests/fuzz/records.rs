//! Fuzzes the readers of recorded spaces: for any bytes, each returns a space or a message. The
//! mutations of `tests/corpus/records` are seeded. `AUTOBENCH_FUZZ_SECONDS` is the time for each
//! reader [default: 1].

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use exchange::{
    RecordedSpace, parse_kernel_tuner, parse_kernel_tuner_times, parse_t4, read_space_file,
};
use records::{RecordedTrial, StudyFolder, parse_journal};
use report::exporters::EXPORTERS;

/// A reader of text: returns a space, or why there is none.
type Parser = fn(&str) -> Result<RecordedSpace, String>;

/// Every reader, with the corpus file in its format.
const PARSERS: [(&str, &str, Parser); 7] = [
    ("Kernel Tuner cache", "cache.json", parse_kernel_tuner),
    ("open Kernel Tuner cache", "open.json", parse_kernel_tuner),
    ("times of a Kernel Tuner cache", "cache.json", times),
    ("T4", "t4.json", parse_t4),
    ("journal", "journal.jsonl", |text| {
        parse_journal(Path::new("journal.jsonl"), text.as_bytes())
            .map(|_| RecordedSpace::default())
            .map_err(|error| error.to_string())
    }),
    ("journal with right checksums", "journal.jsonl", |text| {
        let sealed: Vec<u8> = text.lines().flat_map(sealed).collect();
        parse_journal(Path::new("journal.jsonl"), &sealed)
            .map(|_| RecordedSpace::default())
            .map_err(|error| error.to_string())
    }),
    ("study", "../../journals/before_rounds/study.json", |text| {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("study.json"), text).expect("written");
        let study = StudyFolder::open(folder.path()).map_err(|error| error.to_string())?;
        let record = study.read_study().map_err(|error| error.to_string())?;
        study.write_study(&record).expect("what is read can be written");
        assert_eq!(study.read_study().map_err(|error| error.to_string()), Ok(record), "{text}");
        Ok(RecordedSpace::default())
    }),
];

/// A line of a journal with the right checksum.
fn sealed(line: &str) -> Vec<u8> {
    let mut bytes = line.strip_suffix('}').unwrap_or(line).as_bytes().to_vec();
    let sum = crc32fast::hash(&bytes);
    bytes.extend(format!(",\"sum\":\"{sum:08x}\"}}\n").into_bytes());
    bytes
}

/// Reads a cache twice: the reader of times alone must agree with the full reader.
fn times(text: &str) -> Result<RecordedSpace, String> {
    let whole = parse_kernel_tuner(text)?;
    let times = parse_kernel_tuner_times(text).expect("what is read whole can be read in part");
    let needed = |trial: &RecordedTrial| {
        let runs = trial.times_ms.iter().sum::<f64>().to_bits();
        (
            trial.status,
            trial.reason.clone(),
            trial.reported_ms().map(f64::to_bits),
            trial.costs(),
            runs,
        )
    };
    assert!(times.trials().iter().map(needed).eq(whole.trials().iter().map(needed)), "{text}");
    Ok(whole)
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/records")
}

/// A small random generator with the same numbers on every machine.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// Pieces of text that mutations insert.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u00",
    "\\ud800",
    "null",
    "NaN",
    "-Infinity",
    "true",
    "1e999",
    "-1e-999",
    "99999999999999999999999999",
    "\"autobench\": {\"status\": 5}",
    "\"cache\": {",
    "\"results\": [",
    "é",
    "\u{0}",
    "\"a\": [[[[",
    "-",
];

/// A few random changes: pieces removed, doubled, moved or inserted, and bits flipped.
fn mutated(bytes: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=chance.below(4) {
        let at = chance.below(bytes.len() + 1);
        let end = (at + chance.below(40)).min(bytes.len());
        match chance.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                let to = chance.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            3 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            _ => {
                let piece = PIECES[chance.below(PIECES.len())];
                bytes.splice(at..end.min(at + chance.below(8)), piece.bytes());
            }
        }
    }
    bytes
}

/// Checks that a space can be written, and read back with the same rows.
fn survives_writing(what: &str, space: &RecordedSpace) {
    for (format, read) in [("kernel-tuner", parse_kernel_tuner as Parser), ("t4", parse_t4)] {
        let write = EXPORTERS.find(format).and_then(|e| e.recorded).expect("it writes spaces");
        let Ok(bytes) = write(space) else { continue };
        let text = String::from_utf8(bytes).expect("text");
        assert!(
            serde_json::from_str::<serde_json::Value>(&text).is_ok(),
            "{what}: {format}: {text}"
        );
        let again = read(&text).unwrap_or_else(|why| panic!("{what}: {format}: {why}: {text}"));
        assert_eq!(again.len(), space.len(), "{what}: {format}: {text}");
    }
}

#[test]
fn no_mutation_of_a_file_brings_a_reader_down() {
    let seconds = std::env::var("AUTOBENCH_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let time = Duration::from_secs_f64(seconds.unwrap_or(1.0));
    for (what, file, parse) in PARSERS {
        let seed = fs::read(corpus().join(file)).expect("the corpus");
        let text = String::from_utf8(seed.clone()).expect("text");
        parse(&text).unwrap_or_else(|why| panic!("{file}: {why}"));
        let mut chance = Chance(seed.len() as u64);
        let begun = Instant::now();
        let (mut runs, mut read) = (0_u64, 0_u64);
        while begun.elapsed() < time {
            let bytes = mutated(&seed, &mut chance);
            let text = String::from_utf8_lossy(&bytes);
            match parse(&text) {
                Ok(space) => {
                    read += 1;
                    survives_writing(what, &space);
                }
                Err(why) => assert!(!why.is_empty() && !why.contains('\n'), "{what}: {why}"),
            }
            runs += 1;
        }
        println!("{what}: {runs} texts, {read} of them read");
        assert!(read > 0 && read < runs, "{what}: mutations are too weak or too strong");
    }
}

/// Writes bytes to a file and reads them as a space.
fn file(bytes: &[u8]) -> Result<RecordedSpace, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("space.json");
    fs::write(&path, bytes).expect("written");
    read_space_file(&path).map_err(|error| error.to_string())
}

#[test]
fn extreme_files_get_a_sentence() {
    let deep = format!("{{\"cache\": {}", "[".repeat(100_000));
    let header = "\"tune_params_keys\": [\"a\"], \"tune_params\": {\"a\": [1]}";
    let nested =
        format!("{{{header}, \"cache\": {{\"1\": {{\"a\": 1, \"x\": {}", "{\"y\":".repeat(100_000));
    for (bytes, words) in [
        (Vec::new(), "no JSON object"),
        (b"[1, 2]".to_vec(), "no JSON object"),
        (b"\xff\xfe\x00".to_vec(), "no text, from byte 1"),
        (b"\x1f\x8b\x08\x00garbage".to_vec(), "cannot read"),
        (b"{\"a\": 1}".to_vec(), "none of `cache`"),
        (b"{\"ConfigurationSpace\": {}}".to_vec(), "T1 file"),
        (deep.into_bytes(), "less nesting was expected"),
        (nested.into_bytes(), "less nesting was expected"),
    ] {
        let error = file(&bytes).expect_err("refused");
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn huge_numbers_and_doubled_members_are_read() {
    let digits = "9".repeat(400);
    let text = format!(
        "{{\"tune_params_keys\": [\"a\"], \"tune_params\": {{\"a\": [1, {digits}]}}, \"cache\": {{
        \"1\": {{\"a\": 1, \"a\": 1, \"time\": 2.0, \"time\": 3.0, \"x\": {digits}}}}}}}"
    );
    let space = file(text.as_bytes()).expect("read");
    assert_eq!(space.trials()[0].time_ms, Some(3.0));
    assert_eq!(space.parameters[0].1.len(), 1);
}
