//! Pages of made studies, written where a browser finds them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use autobench::{
    comparison::{compare, sides},
    exporters::{EXPORTERS, Options, comparison},
    numeric::seeded,
    records::{
        Costs, Event, Exit, Figure, Journal, Measurement, MetricFigure, Named, Outcome, Phase,
        SizeClosed, SizeOpened, StudyFolder, StudyRecord, StudyState, StudyView, Summary, Trial,
        TrialEvent,
    },
    settings::{Objective, Sense},
    space::Value,
    suites::{self, Published, SuiteRow, SuiteView},
};
use serde_json::json;

use crate::{
    made::Made,
    study::{events, growing, record, view},
};

/// A folder with a page in it.
pub(crate) struct Page {
    folder: tempfile::TempDir,
    name: &'static str,
}

impl Page {
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.path()).expect("the page")
    }

    fn with(name: &'static str, text: &[u8]) -> Self {
        let page = Self { folder: tempfile::tempdir().expect("a folder"), name };
        fs::write(page.path(), text).expect("written");
        page
    }
}

fn report(record: &StudyRecord, view: &StudyView) -> Page {
    let exporter = EXPORTERS.find("report").expect("the format");
    let files = (exporter.export)(record, view, &Options::default()).expect("a page");
    Page::with("report.html", &files[0].1)
}

/// The page of the study that exporters are compared by.
pub(crate) fn of_a_study() -> Page {
    report(&record(), &view(events(&growing(4096, 8.0, 5))))
}

/// The same with a front of two objectives.
pub(crate) fn of_a_front() -> Page {
    let mut record = record();
    let objective = |metric: &str, sense| Objective { metric: metric.to_owned(), sense };
    record.settings.objective = objective("seconds", Sense::Minimise);
    record.settings.further_objectives = vec![objective("error", Sense::Minimise)];
    let mut events = events(&growing(4096, 8.0, 5));
    for (at, event) in events.iter_mut().enumerate() {
        if let Event::Trial(TrialEvent { trial, .. }) = event
            && let Some(measurement) = &mut trial.outcome.measurement
        {
            measurement.error = Some(1e-8 * (1.0 + (at * 7 % 5) as f64));
        }
    }
    report(&record, &view(events))
}

/// A study whose texts try to leave their places.
pub(crate) fn of_hostile_names() -> Page {
    let harm = "</script><b id=harm>\"'&<!--<script>window.harmed = true</script>";
    let mut record = record();
    harm.clone_into(&mut record.benchmark.name);
    harm.clone_into(&mut record.benchmark.about);
    harm.clone_into(&mut record.benchmark.size_meaning);
    harm.clone_into(&mut record.device.name);
    let mut events = events(&growing(4096, 8.0, 5));
    for event in &mut events {
        if let Event::Trial(TrialEvent { trial, .. }) = event {
            trial.configuration.0.push((harm.to_owned(), Value::Text(harm.into())));
            if !trial.outcome.reason.is_empty() {
                harm.clone_into(&mut trial.outcome.reason);
            }
        }
    }
    report(&record, &view(events))
}

/// A study of one size with so many trials of five parameters.
pub(crate) fn of_trials(count: usize) -> Page {
    let size = 1 << 20;
    let opened = Event::SizeOpened(SizeOpened { size, ..SizeOpened::default() });
    let mut events = vec![opened];
    let mut best: Option<(f64, Named, Summary)> = None;
    for at in 0..count {
        let digit = |base: usize, digits: usize| (at / base % digits) as i64;
        let configuration = Named(vec![
            ("block_size_x".to_owned(), (32 << digit(1, 6)).into()),
            ("block_size_y".to_owned(), (1 << digit(6, 5)).into()),
            ("vector_width".to_owned(), (1 << digit(30, 4)).into()),
            ("unroll".to_owned(), digit(120, 30).into()),
            ("tile".to_owned(), digit(3600, 30).into()),
        ]);
        // Knuth's multiplicative hash stands for noise.
        let noise = (at as u64).wrapping_mul(2_654_435_761) % 10_000;
        let seconds = 1e-3 * (1.0 + noise as f64 / 4000.0) * (1.0 + digit(120, 30) as f64 / 9.0);
        let seconds = Summary::of(&[seconds, seconds * 1.01, seconds * 1.02]).expect("samples");
        let outcome = match at % 23 {
            7 => Outcome::failed(
                autobench::records::Status::CompileFailed,
                format!("kernel.cu:{}: error", at % 300),
                Costs::default(),
            ),
            _ => {
                if best.as_ref().is_none_or(|(known, ..)| seconds.median < *known) {
                    best = Some((seconds.median, configuration.clone(), seconds.clone()));
                }
                Outcome::measured(measurement(size, seconds, at), Costs::default())
            }
        };
        let score = outcome.measurement.as_ref().map(|m| m.seconds.median);
        let trial = Trial { size, phase: Phase::Search, configuration, outcome, score };
        events.push(Event::Trial(TrialEvent {
            trial,
            samples_offset: 0,
            samples_count: 0,
            charged: 0.001,
        }));
    }
    let (_, configuration, seconds) = best.expect("a best");
    let value = 12e-9 * size as f64 / seconds.median;
    let figure = Figure {
        configuration,
        metric: Some(MetricFigure { value, interval: (value, value), samples: Vec::new() }),
        error: None,
        unsettled: false,
        metrics: [("throughput".to_owned(), value)].into(),
        seconds,
    };
    events.push(Event::SizeClosed(SizeClosed {
        size,
        best: Some(figure),
        ..SizeClosed::default()
    }));
    report(&record(), &view(events))
}

fn measurement(size: u64, seconds: Summary, at: usize) -> Measurement {
    Measurement {
        metrics: [("throughput".to_owned(), 12e-9 * size as f64 / seconds.median)].into(),
        seconds,
        exit: Exit::Precise,
        batch: 1,
        cold: Some(true),
        flushed: false,
        samples: Vec::new(),
        disturbed: Vec::new(),
        beside: None,
        error: Some(1e-9 * (1.0 + (at % 97) as f64)),
    }
}

/// A suite of two finished studies on two devices, and one that failed.
pub(crate) fn of_a_suite() -> Page {
    let page = Page { folder: tempfile::tempdir().expect("a folder"), name: "suite.html" };
    let mut rows = Vec::new();
    for (at, device) in ["NVIDIA A100-PCIE-40GB", "AMD Instinct MI250X"].into_iter().enumerate() {
        let name = format!("study{at}");
        let folder = StudyFolder::create_at(&page.folder.path().join(&name)).expect("a folder");
        let mut record = record();
        device.clone_into(&mut record.device.name);
        folder.write_study(&record).expect("written");
        let mut journal = Journal::create(&folder).expect("a journal");
        for event in events(&growing(4096, 4.0, 6 + at)) {
            journal.append(event).expect("appended");
        }
        let label = format!("vecadd on {device}");
        rows.push(row(at + 1, &label, StudyState::Finished, Some(name)));
    }
    rows.push(row(3, "gemm", StudyState::Failed("no such device".to_owned()), None));
    let record = serde_json::from_value(json!({
        "format": "autobench-suite", "version": 1, "autobench": "0.1.0", "argv": ["autobench", "suite"],
        "started": "2026-03-04T12:00:00Z", "suite": "two devices", "about": "the same on both",
        "origin": "mine.yaml", "hash": "", "text": "", "studies": []
    }));
    let view = SuiteView { record: record.expect("a record"), rows };
    for (name, bytes) in suites::files(&view, page.folder.path()).expect("files") {
        fs::write(page.folder.path().join(name), bytes).expect("written");
    }
    page
}

fn row(study: usize, label: &str, state: StudyState, folder: Option<String>) -> SuiteRow {
    SuiteRow {
        study,
        label: label.to_owned(),
        command: "run".to_owned(),
        state,
        folder,
        begun: None,
        score: None,
        published: Published::default(),
    }
}

/// Three benchmarks on two sides, the first much slower on the second.
pub(crate) fn of_a_comparison() -> Page {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rng = seeded(3, 0);
    let side = |name: &str, slowness: f64, rng: &mut _| -> PathBuf {
        let path: &Path = folder.path();
        let path = path.join(name);
        for (at, benchmark) in ["copy", "gemm", "nbody"].into_iter().enumerate() {
            let slowness = if at == 0 { slowness } else { 1.0 };
            let made = Made { benchmark, device: "device", slowness, wander: 0.004 };
            made.write(&path.join(benchmark), rng);
        }
        path
    };
    let paths = [side("yesterday", 1.0, &mut rng), side("today", 1.5, &mut rng)];
    let sides = sides(&paths).expect("sides");
    let comparison = compare(&sides, 0.02);
    Page::with("compare.html", comparison::page(&comparison, &sides).as_bytes())
}
