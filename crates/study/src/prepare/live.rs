//! Prepares a study of a benchmark on devices: starts workers and sets them up.

use std::path::PathBuf;

use autobench_sdk::document::Document;
use plugins::SearchPath;
use records::{
    BenchmarkRecord, Host, MetricRecord, StudyRecord,
    settings::{CacheState, DeviceSpec, Ordinals, StudySettings},
};
use space::Parameter;
use worker::{DeviceChoice, Locator, Setup};

use super::{
    benchmarks::{describe, staged, start},
    controls,
    devices::{DeviceWorkers, device_choices},
    fault::PrepareFault,
    observing,
    provenance::{argv, hashed, host, reference_in_words, with_script},
    study::{Preparing, Study, StudySource},
};
use crate::{Benchmarked, Plan, SubjectFacts};

/// What the settings of a study of a guest call its device.
const GUEST: &str = "guest";

pub(super) fn prepare(
    mut settings: StudySettings,
    with: Preparing<'_>,
) -> Result<Study, PrepareFault> {
    if settings.benchmark.is_empty() {
        return Err(PrepareFault::NoBenchmark);
    }
    Plan::check(&settings)?;
    let controls = controls::parameters(&settings.controls)?;
    controls::restore_abandoned(with.note)?;
    let locator = plugins::find(&settings.benchmark, &SearchPath::new(with.plugin_path))?;
    let devices = match &locator {
        Locator::Guest(_) => guest_device(&mut settings)?,
        _ => device_choices(&settings.device)?,
    };
    let mut first = start(settings.memory_limit)?;
    let benchmark = staged(describe(&mut first, &locator)?, &mut settings)?;
    settings.benchmark = locator.to_string();
    let facts = Benchmarked::facts(&benchmark);
    let mut plan = Plan::resolve(settings, &facts)?;
    let settings = plan.settings.clone();
    let (seed, cache) = (settings.seed, cache_folder());
    let setup = |device: &DeviceChoice| Setup {
        benchmark: locator.clone(),
        stage: Some(settings.stage.clone()).filter(|stage| !stage.is_empty()),
        device: device.clone(),
        seed,
        cache: cache.clone(),
        workers: devices.len(),
        cold: settings.caches == CacheState::Cold,
        errors: plan.ranking.errors.clone(),
    };
    let mut workers = DeviceWorkers::of_first(first, setup(&devices[0]))?;
    for device in &devices[1..] {
        workers.add(start(settings.memory_limit)?, setup(device))?;
    }
    let described = serde_json::to_value(benchmark.document());
    let described = described.map_err(|error| PrepareFault::Bug(error.to_string()))?;
    let about = benchmark_record(benchmark.document(), &facts, described.clone());
    let clashes = |control: &&Parameter| {
        benchmark.parameters().iter().any(|parameter| parameter.name == control.name)
    };
    if let Some(control) = controls.iter().find(clashes) {
        return Err(PrepareFault::ControlIsParameter(control.name.clone()));
    }
    let (device, workers) = workers.ready(!controls.is_empty())?;
    observing::announce(&workers[0], &mut plan, with.note)?;
    let isolated = workers.iter().all(|worker| worker.client.borrow().is_isolated());
    let host = Host { isolated, ..host() };
    let record = StudyRecord::new(argv(), host, device, about, settings);
    let record = with_script(hashed(record, &described, locator.path()));
    let source = StudySource::Live { benchmark: Box::new(benchmark), workers };
    Ok(Study { plan, record, source })
}

fn benchmark_record(
    document: &Document,
    facts: &SubjectFacts,
    described: serde_json::Value,
) -> BenchmarkRecord {
    let unit = document.metrics.iter().find(|metric| metric.name == facts.secondary);
    BenchmarkRecord {
        name: document.name.clone(),
        about: document.about.clone(),
        size_meaning: document.size.meaning.clone(),
        secondary: MetricRecord {
            name: facts.secondary.clone(),
            unit: unit.map(|metric| metric.unit.clone()).unwrap_or_default(),
            sense: facts.sense(&facts.secondary).unwrap_or_default(),
        },
        error: (document.error.metric.clone(), document.error.bound),
        reference: reference_in_words(&document.reference),
        document: described,
    }
}

/// The device of a guest, which brings its own.
fn guest_device(settings: &mut StudySettings) -> Result<Vec<DeviceChoice>, PrepareFault> {
    let own = DeviceSpec::Backend { name: GUEST.to_owned(), ordinals: Ordinals::First };
    if settings.device != DeviceSpec::default() && settings.device != own {
        return Err(PrepareFault::GuestHasDevice(settings.device.clone()));
    }
    settings.device = own;
    Ok(vec![DeviceChoice { backend: GUEST.to_owned(), ordinal: 0 }])
}

fn cache_folder() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home)?;
    Some(base.join("autobench"))
}
