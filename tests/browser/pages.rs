//! Pages of generated studies, written to a folder for the browser.

use std::{
    fs,
    path::{Path, PathBuf},
};

use batch::suites::{self, Published, SuiteRow, SuiteView};
use math::seeded;
use records::{
    Ceiling, CeilingKind, CeilingsUsed, Costs, Event, Exit, Figure, Journal, Measurement,
    MetricFigure, Named, Outcome, Phase, Repeat, RepeatsRecord, RepeatsView, SizeClosed,
    SizeOpened, SizeWork, Status, StudyFolder, StudyRecord, StudyState, StudyView, Summary, Trial,
    TrialEvent,
    settings::{Objective, Sense},
};
use report::{
    comparison::{compare, sides},
    exporters::{Cell, EXPORTERS, Options, comparison, quantities, repeats, row, whole},
};
use serde_json::json;
use space::Value;

use crate::{
    made::Made,
    study::{events, growing, record, view},
};

/// A folder with a page.
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

    pub(crate) fn with(name: &'static str, text: &[u8]) -> Self {
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

/// The page of the study that the exporter tests use.
pub(crate) fn of_a_study() -> Page {
    report(&record(), &view(events(&growing(4096, 8.0, 5))))
}

/// The same study with a front of two objectives. At every size the fastest configuration is too
/// inaccurate, and the repeated measurements differ from those of the search.
pub(crate) fn of_a_front() -> Page {
    let record = of_two_objectives();
    let mut events = events(&growing(4096, 8.0, 5));
    let mut sizes = Vec::new();
    let mut again = Vec::new();
    for (at, event) in events.iter_mut().enumerate() {
        let Event::Trial(event) = event else { continue };
        let size = event.trial.size;
        let Some(measurement) = &mut event.trial.outcome.measurement else { continue };
        measurement.error = Some(1e-8 * (1.0 + (at * 7 % 5) as f64));
        if !sizes.contains(&size) {
            sizes.push(size);
            measurement.error = Some(0.5);
            measurement.seconds = Summary::of(&[1e-9, 1e-9, 1e-9]).expect("samples");
        } else if size == 2_097_152 && again.len() < 4 {
            let slower = 1.0 + again.len() as f64;
            for phase in [Phase::Final, Phase::Check] {
                let mut event = event.clone();
                event.trial.phase = phase;
                let measurement = event.trial.outcome.measurement.as_mut().expect("measured");
                measurement.seconds = Summary::of(&[slower * 1e-5; 3]).expect("samples");
                measurement.error = Some(1e-8 / slower);
                again.push(Event::Trial(event));
            }
        }
    }
    let end = events.len() - 1;
    events.splice(end..end, again);
    report(&record, &view(events))
}

/// A page of every kind that autobench writes, with the name of the kind.
pub(crate) fn of_every_kind() -> Vec<(&'static str, Page)> {
    vec![
        ("study", of_a_study()),
        ("warnings", of_a_study_with_warnings()),
        ("front", of_a_front()),
        ("ceilings", of_a_study_under_ceilings()),
        ("exact", of_exact_trials()),
        ("failures", of_failures()),
        ("hostile", of_hostile_names()),
        ("trials", of_trials(2000)),
        ("quantities", of_quantities()),
        ("repeats", of_repeats()),
        ("suite", of_a_suite()),
        ("compare", of_a_comparison()),
        ("family", crate::families::of_a_family()),
    ]
}

/// The study that the exporter tests use, on a device with many warnings.
pub(crate) fn of_a_study_with_warnings() -> Page {
    let mut record = record();
    let warning = |at: u32| format!("warning {at}: other programs share the device's cores");
    record.device.warnings = (0..9).map(warning).collect();
    report(&record, &view(events(&growing(4096, 8.0, 5))))
}

/// Repeats of a study whose winner has many parameters.
pub(crate) fn of_repeats() -> Page {
    let record = RepeatsRecord::new(3, record());
    let repeat = |number: u32| {
        let mut events = events(&growing(4096, 4.0, 7 + number as usize));
        for event in &mut events {
            let Event::SizeClosed(SizeClosed { best: Some(best), .. }) = event else { continue };
            for name in ["items_per_thread", "vector_width_of_loads", "threads_in_a_block"] {
                best.configuration.0.push((name.to_owned(), 16.into()));
            }
        }
        Repeat::of(number, record.seed(number), StudyState::Finished, &view(events))
    };
    let repeats = (1..=3).map(repeat).collect();
    let files = repeats::files(&RepeatsView::new(record.clone(), repeats)).expect("files");
    let page = files.iter().find(|(name, _)| name == "report.html").expect("a page");
    Page::with("report.html", &page.1)
}

/// A study in which every second trial is exact.
pub(crate) fn of_exact_trials() -> Page {
    let mut events = events(&growing(4096, 8.0, 5));
    for (at, event) in events.iter_mut().enumerate() {
        let Event::Trial(event) = event else { continue };
        let Some(measurement) = &mut event.trial.outcome.measurement else { continue };
        measurement.error = Some(if at % 2 == 0 { 0.0 } else { 1e-8 * (1.0 + at as f64) });
    }
    report(&record(), &view(events))
}

/// A study with several objectives whose trials all failed.
pub(crate) fn of_failures() -> Page {
    let mut events = events(&growing(4096, 8.0, 3));
    events.retain(|event| {
        let knee = matches!(event, Event::Knee(_) | Event::KneeAccepted { .. });
        !knee && !matches!(event, Event::GrowthEnded { .. })
    });
    for event in &mut events {
        match event {
            Event::Trial(TrialEvent { trial, .. }) => {
                let reason = "the compiler does not know the device";
                trial.outcome = Outcome::failed(Status::CompileFailed, reason, Costs::default());
                trial.score = None;
            }
            Event::SizeClosed(closed) => {
                let why = "no configuration could be measured".to_owned();
                *closed = SizeClosed { size: closed.size, why, ..SizeClosed::default() };
            }
            _ => {}
        }
    }
    report(&of_two_objectives(), &view(events))
}

/// The page of a study with trials that the script cannot unpack.
pub(crate) fn of_broken_trials() -> Page {
    let whole = of_a_study().text();
    let page = whole.replacen("\"u16\":\"", "\"u16\":\"?", 1);
    assert_ne!(page, whole);
    Page::with("report.html", page.as_bytes())
}

fn of_two_objectives() -> StudyRecord {
    let mut record = record();
    let objective = |metric: &str, sense| Objective { metric: metric.to_owned(), sense };
    record.settings.objective = objective("seconds", Sense::Minimise);
    record.settings.further_objectives = vec![objective("error", Sense::Minimise)];
    record.settings.max_error = Some(1e-4);
    record
}

/// Bytes per second of the memory ceiling in [`of_a_study_under_ceilings`].
pub(crate) const CEILING: f64 = 1.6e12;

/// The study that the exporter tests use, compared with the memory bandwidth.
pub(crate) fn of_a_study_under_ceilings() -> Page {
    let sizes = growing(4096, 8.0, 5);
    let mut view = view(events(&sizes));
    let ceiling = Ceiling {
        kind: CeilingKind::Bandwidth,
        of: "memory".to_owned(),
        value: CEILING,
        interval: (CEILING, CEILING),
        ..Ceiling::default()
    };
    let bytes = |size: u64| Some(12.0 * size as f64);
    let work =
        sizes.iter().map(|&size| SizeWork { size, bytes: bytes(size), ..SizeWork::default() });
    view.ceilings = Some(CeilingsUsed {
        ceilings: vec![ceiling],
        work: work.collect(),
        ..CeilingsUsed::default()
    });
    report(&record(), &view)
}

/// A table of two studies whose cells sort differently as texts than as values.
pub(crate) fn of_quantities() -> Page {
    let date = |text: &str| Cell::date(text.parse().expect("a time"));
    let rows = [
        (date("2026-03-04T12:00:00Z"), Cell::count(16_777_216), 1200.0, "1 GiB", 1 << 30),
        (date("2026-03-04T09:30:00Z"), Cell::count(4096), 90.0, "64 MiB", 64 << 20),
        (date("2025-12-31T23:59:00Z"), Cell::count(2_097_152), 2e-3, "–", 0),
    ];
    let rows = rows.map(|(date, size, time, memory, bytes)| {
        let time = Cell::quantity(&quantities::seconds(time), Some(time));
        let bytes = Some(f64::from(bytes)).filter(|bytes| *bytes > 0.0);
        row([date, size, time, Cell::quantity(memory, bytes)])
    });
    let heads = "<tr><th>started</th><th>size</th><th>time</th><th>memory</th></tr>";
    let body = format!("<h1>studies</h1><table>{heads}{}</table>", rows.concat());
    Page::with("list.html", whole("studies", &body, "").as_bytes())
}

/// A study whose texts try to break out of their HTML elements.
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

/// A study of one size with `count` trials over five parameters.
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
        // Knuth's multiplicative hash serves as noise.
        let noise = (at as u64).wrapping_mul(2_654_435_761) % 10_000;
        let seconds = 1e-3 * (1.0 + noise as f64 / 4000.0) * (1.0 + digit(120, 30) as f64 / 9.0);
        let seconds = Summary::of(&[seconds, seconds * 1.01, seconds * 1.02]).expect("samples");
        let outcome = match at % 23 {
            7 => Outcome::failed(
                Status::CompileFailed,
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

/// A suite of two finished studies on two devices, and a failed one.
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
        rows.push(suite_row(at + 1, &label, StudyState::Finished, Some(name)));
    }
    rows.push(suite_row(3, "gemm", StudyState::Failed("no such device".to_owned()), None));
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

fn suite_row(study: usize, label: &str, state: StudyState, folder: Option<String>) -> SuiteRow {
    SuiteRow {
        study,
        label: label.to_owned(),
        command: "run".to_owned(),
        state,
        folder,
        begun: None,
        score: None,
        published: Published::default(),
        sized: None,
    }
}

/// Three benchmarks on two sides; the first is much slower on the second side.
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
