//! From checked arguments to a finished study: what `run`, `tune` and `resume` share.

use std::{
    cell::RefCell,
    path::PathBuf,
    rc::Rc,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use super::{Failure, output, progress::Bar, study_arguments::StudyArgs, summary};
use crate::{
    exporters,
    plugins::{self, Benchmark},
    records::{
        BenchmarkRecord, CacheState, DeviceRecord, Goal, Host, Journal, MetricRecord,
        RecordedSpace, Sense, StudyFolder, StudyRecord, StudySettings, StudyView,
        read_kernel_tuner,
    },
    study::{self, Benchmarked, Chronicle, Plan, Replayed, StudyFault, Subject},
    tuning::{Evaluator, Live, LiveSettings, Recorded},
    worker::{
        Checking, Client, ClientSettings, DeviceChoice, MeasurePlan, Reply, Request, Setup,
        Verification,
    },
};

/// How much the program says while it works.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    pub(super) quiet: bool,
    pub(super) json: bool,
}

impl Screen {
    pub(super) fn of(arguments: &StudyArgs) -> Self {
        Self { quiet: arguments.quiet, json: arguments.json }
    }
}

/// Loading a benchmark or opening a device takes no longer than this.
const SETUP_TIMEOUT: Duration = Duration::from_secs(30);
/// An error this many times the bound is a wrong result, not an inaccurate one.
const WRONG: f64 = 1000.0;

/// A study that is ready to run.
pub(super) struct Stage {
    plan: Plan,
    record: StudyRecord,
    source: Source,
}

/// What answers.
enum Source {
    Live { benchmark: Box<Benchmark>, client: Rc<RefCell<Client>> },
    Recorded(Box<RecordedSpace>),
}

/// Begins a new study.
pub(super) fn begin(
    arguments: &StudyArgs,
    settings: StudySettings,
    screen: &Screen,
) -> Result<(), Failure> {
    let mut stage =
        Stage::prepare(arguments.benchmark.as_deref(), &arguments.plugin_path, settings)?;
    if arguments.dry_run {
        return stage.dry_run();
    }
    let device = &stage.record.device.name;
    let detector = stage.record.settings.detectors.first().map_or("tune", String::as_str);
    let name = &stage.record.benchmark.name;
    let started = stage.record.started;
    let folder = StudyFolder::create(&arguments.out, started, name, device, detector)
        .map_err(Failure::settings)?;
    folder.write_study(&stage.record).map_err(Failure::bug)?;
    let journal = Journal::create(&folder).map_err(Failure::bug)?;
    stage.perform(&folder, Chronicle::new(journal, Vec::new()), screen)
}

/// A worker that has nothing set up yet.
pub(super) fn worker(memory_limit: Option<u64>) -> Result<Client, Failure> {
    Client::start(ClientSettings { memory_limit, ..ClientSettings::new(&worker_log()) })
        .map_err(Failure::bug)
}

/// Where a worker's words go while it lives; `cli::main` removes it.
pub(super) fn worker_log() -> PathBuf {
    std::env::temp_dir().join(format!("autobench-worker-{}.log", std::process::id()))
}

impl Stage {
    /// Finds the benchmark and the device, and checks every setting, before anything is written.
    pub(super) fn prepare(
        benchmark: Option<&str>,
        plugin_path: &[PathBuf],
        settings: StudySettings,
    ) -> Result<Self, Failure> {
        match settings.device.strip_prefix("replay:").map(PathBuf::from) {
            Some(file) => Self::recorded(&file, settings),
            None => {
                let name = benchmark.ok_or_else(|| {
                    Failure::settings("which benchmark?")
                        .hint("`autobench list` shows what there is")
                })?;
                Self::live(name, plugin_path, settings)
            }
        }
    }

    fn recorded(file: &std::path::Path, mut settings: StudySettings) -> Result<Self, Failure> {
        if settings.goal == Goal::Saturate {
            return Err(Failure::settings("a recorded space has one size, so it has no knee")
                .hint("use `autobench tune --device replay:FILE`"));
        }
        let space = read_kernel_tuner(file).map_err(Failure::settings)?;
        settings.benchmark.clone_from(&space.kernel);
        let facts = Replayed::facts();
        let device = DeviceRecord {
            backend: "replay".to_owned(),
            name: space.device.clone(),
            ..DeviceRecord::default()
        };
        let benchmark = BenchmarkRecord {
            name: space.kernel.clone(),
            about: format!("recorded, problem size {}", space.problem_size),
            size_meaning: "the recorded size".to_owned(),
            secondary: MetricRecord {
                name: facts.secondary.clone(),
                unit: "1/s".to_owned(),
                sense: Sense::Maximise,
            },
            reference: "recorded".to_owned(),
            ..BenchmarkRecord::default()
        };
        let record = StudyRecord::new(argv(), host(), device, benchmark, settings.clone());
        let plan = Plan::resolve(settings, &facts).map_err(Failure::settings)?;
        Ok(Self { plan, record, source: Source::Recorded(Box::new(space)) })
    }

    fn live(
        name: &str,
        plugin_path: &[PathBuf],
        mut settings: StudySettings,
    ) -> Result<Self, Failure> {
        Plan::check_names(&settings).map_err(Failure::settings)?;
        let device = device_choice(&settings.device)?;
        let locator = plugins::find(name, &plugins::SearchPath::new(plugin_path))
            .map_err(Failure::settings)?;
        let mut client = worker(settings.memory_limit)?;
        let document = match client.request(&Request::Describe(locator.clone()), SETUP_TIMEOUT) {
            Ok(Reply::Document(document)) => *document,
            Ok(_) => return Err(Failure::bug("the worker answered something else than was asked")),
            Err(fault) => {
                return Err(Failure::plugin(format!(
                    "benchmark `{}` cannot be used: {fault}",
                    locator.path().display()
                )));
            }
        };
        let benchmark = Benchmark::new(document).map_err(|fault| {
            Failure::plugin(format!("benchmark `{}`: {fault}", locator.path().display()))
        })?;
        settings.benchmark = locator.path().display().to_string();
        let facts = Benchmarked::facts(&benchmark);
        let plan = Plan::resolve(settings.clone(), &facts).map_err(Failure::settings)?;
        let setup = Setup {
            benchmark: locator.clone(),
            device,
            seed: settings.seed,
            cache: cache_folder(),
        };
        let info = match client.request(&Request::Setup(setup), SETUP_TIMEOUT) {
            Ok(Reply::Device(info)) => *info,
            Ok(_) => return Err(Failure::bug("the worker answered something else than was asked")),
            Err(fault) => return Err(Failure::device(fault)),
        };
        let document = benchmark.document();
        let unit = document.metrics.iter().find(|m| m.name == facts.secondary);
        let described = serde_json::to_value(document).map_err(Failure::bug)?;
        let record = StudyRecord::new(
            argv(),
            host(),
            DeviceRecord {
                backend: info.backend,
                ordinal: info.ordinal,
                name: info.name,
                compiler: info.compiler,
                memory: info.memory.0,
                memory_free: info.memory.1,
                peak_bandwidth: info.peak_bandwidth,
                peak_flops: info.peak_flops,
                facts: info.facts,
                warnings: info.warnings,
            },
            BenchmarkRecord {
                name: document.name.clone(),
                about: document.about.clone(),
                size_meaning: document.size.meaning.clone(),
                secondary: MetricRecord {
                    name: facts.secondary.clone(),
                    unit: unit.map(|m| m.unit.clone()).unwrap_or_default(),
                    sense: Sense::Maximise,
                },
                error: (document.error.metric.clone(), document.error.bound),
                reference: reference_in_words(&document.reference),
                document: described.clone(),
            },
            settings,
        );
        let record = hashed(record, &described, locator.path());
        let client = Rc::new(RefCell::new(client));
        Ok(Self { plan, record, source: Source::Live { benchmark: Box::new(benchmark), client } })
    }

    /// The record that this stage would write.
    pub(super) fn record(&self) -> &StudyRecord {
        &self.record
    }

    fn subject(&self) -> Box<dyn Subject + '_> {
        let StudySettings { parameters, restrictions, .. } = &self.plan.settings;
        match &self.source {
            Source::Live { benchmark, client } => Box::new(Benchmarked::new(
                (**benchmark).clone(),
                Rc::clone(client),
                parameters,
                restrictions,
            )),
            Source::Recorded(space) => Box::new(Replayed::new(space, parameters, restrictions)),
        }
    }

    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        match &self.source {
            Source::Live { client, .. } => {
                Box::new(Live::new(Rc::clone(client), self.live_settings()))
            }
            Source::Recorded(space) => Box::new(Recorded::new(space)),
        }
    }

    fn live_settings(&self) -> LiveSettings {
        let settings = &self.plan.settings;
        let number = |name: &str, otherwise: f64| {
            settings.measuring.get(name).and_then(serde_json::Value::as_f64).unwrap_or(otherwise)
        };
        let verification = match settings.verification.as_str() {
            "off" => Verification::Off,
            "thorough" => Verification::Thorough,
            _ => Verification::Sampled,
        };
        let bound = self.plan.ranking.bound;
        let plan = MeasurePlan {
            cold: settings.caches == CacheState::Cold,
            precision: number("precision", 0.01),
            checking: Checking {
                verification,
                bound: Some(bound),
                reject: Some(bound * WRONG),
                seed: None,
            },
            ..MeasurePlan::default()
        };
        LiveSettings {
            plan,
            hopeless: 2.0,
            trial_timeout: Duration::from_secs_f64(number("trial_timeout", 30.0)),
            fresh_seed: settings.seed ^ 0x5eed_f4e5_4a11_d00d,
        }
    }

    /// Says sizes, configurations, bytes and time, and does nothing.
    fn dry_run(&mut self) -> Result<(), Failure> {
        let mut subject = self.subject();
        summary::dry_run(&self.plan, &self.record, subject.as_mut())
    }

    /// Runs the study in its folder, from wherever the chronicle stands.
    pub(super) fn perform(
        &mut self,
        folder: &StudyFolder,
        mut chronicle: Chronicle,
        screen: &Screen,
    ) -> Result<(), Failure> {
        let interrupted = interruption()?;
        let mut bar = Bar::new(*screen, &self.plan, folder.path());
        let result = {
            let mut subject = self.subject();
            let mut evaluator = self.evaluator();
            study::run(
                &self.plan,
                subject.as_mut(),
                evaluator.as_mut(),
                &mut chronicle,
                &mut bar,
                &interrupted,
            )
        };
        bar.finish();
        if let (Ok(conclusion), Source::Live { client, .. }) = (&result, &self.source) {
            keep_source(folder, client, conclusion);
        }
        let view = chronicle.view();
        write_files(folder, &self.record, &view)?;
        match result {
            Ok(conclusion) => summary::print(&self.record, &view, &conclusion, folder, *screen),
            Err(fault) => Err(failure(fault, folder)),
        }
    }
}

/// The exports that every study's folder holds.
const FILES: [&str; 3] = ["csv", "plot", "report"];

/// Writes them; a study that measured too little for a plot keeps its other files.
fn write_files(
    folder: &StudyFolder,
    record: &StudyRecord,
    view: &StudyView,
) -> Result<(), Failure> {
    for exporter in FILES.iter().filter_map(|name| exporters::exporter(name)) {
        match exporter.export(record, view, &exporters::Options::default()) {
            Ok(files) => {
                for (name, bytes) in files {
                    folder.write_whole(&name, &bytes).map_err(Failure::bug)?;
                }
            }
            Err(why) => output::note(&format!("no {} files: {why}", exporter.name())),
        }
    }
    Ok(())
}

/// The winner's exact source, flags and geometry, for people.
fn keep_source(folder: &StudyFolder, client: &RefCell<Client>, conclusion: &study::Conclusion) {
    let Some(best) = &conclusion.workload.best else { return };
    let request = Request::Explain {
        size: conclusion.workload.size,
        configuration: best.configuration.clone(),
    };
    if let Ok(Reply::Text(text)) = client.borrow_mut().request(&request, SETUP_TIMEOUT) {
        // The figure stands without its source; `show` says when it is missing.
        let _ = folder.write_whole("winner.cu", text.as_bytes());
    }
}

fn failure(fault: StudyFault, folder: &StudyFolder) -> Failure {
    let resume = format!("go on with `autobench resume {}`", folder.path().display());
    match fault {
        StudyFault::Interrupted => Failure::interrupted(fault).hint(resume),
        StudyFault::Records(_) => Failure::bug(fault).hint(resume),
        StudyFault::NoSize(_) => Failure::settings(fault),
        StudyFault::Benchmark(_) => Failure::settings(fault),
        StudyFault::NothingValid(_) => Failure::nothing(fault).hint(format!(
            "`autobench show {} --journal` has every reason",
            folder.path().display()
        )),
    }
}

pub(super) fn device_choice(text: &str) -> Result<DeviceChoice, Failure> {
    let (backend, ordinal) = text.split_once(':').unwrap_or((text, "0"));
    let names = || crate::backends::BACKENDS.iter().map(|b| b.name());
    if !names().any(|name| name == backend) {
        let known = crate::registry::known(names());
        return Err(Failure::settings(format!(
            "no device named `{backend}` (known: {known}, replay:FILE)"
        )));
    }
    let ordinal = ordinal.parse().map_err(|_| {
        Failure::settings(format!("`{ordinal}` is no device number; write `{backend}:0`"))
    })?;
    Ok(DeviceChoice { backend: backend.to_owned(), ordinal })
}

fn cache_folder() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home)?;
    Some(base.join("autobench"))
}

fn argv() -> Vec<String> {
    std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect()
}

fn host() -> Host {
    let system = rustix::system::uname();
    Host {
        name: system.nodename().to_string_lossy().into_owned(),
        system: format!(
            "{} {}",
            system.sysname().to_string_lossy(),
            system.release().to_string_lossy()
        ),
        architecture: system.machine().to_string_lossy().into_owned(),
        threads: std::thread::available_parallelism().map_or(1, |n| n.get() as u64),
        ..Host::default()
    }
}

/// The hashes of what results depend on.
fn hashed(
    mut record: StudyRecord,
    document: &serde_json::Value,
    plugin: &std::path::Path,
) -> StudyRecord {
    use sha2::{Digest, Sha256};
    let hex =
        |bytes: &[u8]| Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect::<String>();
    let document_hash = hex(document.to_string().as_bytes());
    record.settings.document_hash.clone_from(&document_hash);
    record.hashes.insert("document".to_owned(), document_hash);
    if let Some(sources) = document.get("sources") {
        record.hashes.insert("kernel".to_owned(), hex(sources.to_string().as_bytes()));
    }
    if let Ok(bytes) = std::fs::read(plugin) {
        record.hashes.insert("plugin".to_owned(), hex(&bytes));
    }
    record
}

fn reference_in_words(reference: &autobench_sdk::document::Reference) -> String {
    use autobench_sdk::document::Reference;
    match reference {
        Reference::Plugin => "the plugin's own reference in f64",
        Reference::Expressions(_) => "an expression per output",
        Reference::Kernel(..) => "a second, plain kernel",
        Reference::Files(_) => "files",
        Reference::Itself => "unverified: self-reference",
    }
    .to_owned()
}

/// Ctrl-C and SIGTERM ask the study to end; a second Ctrl-C ends the program at once.
fn interruption() -> Result<Arc<AtomicBool>, Failure> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag))
            .map_err(Failure::bug)?;
        signal_hook::flag::register(signal, Arc::clone(&flag)).map_err(Failure::bug)?;
    }
    Ok(flag)
}
