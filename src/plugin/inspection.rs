//! `autobench plugin check`: finds within seconds what would stop a study.

use std::path::PathBuf;

use autobench_sdk::document::{Better, Source};
use clap::Args;
use plugins::{self, Benchmark, SearchPath};
use records::{
    Named, Outcome, Status,
    settings::{DeviceSpec, parse_sizes},
};
use report::exporters::quantities;
use study::prepare::{device_choice, start, unusable};
use worker::{Client, MeasurePlan, Setup, WorkerFault};

use super::{
    at_size::{REQUEST_TIMEOUT, space_at},
    sampled,
};
use crate::terminal::{Failure, output};

/// Most configurations whose arguments and launches are checked.
const LOOKED_AT: usize = 10_000;

/// The arguments of `plugin check`.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// A library, a YAML file, or a benchmark's name
    file: String,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR")]
    plugin_path: Vec<PathBuf>,
    /// The device to run it on
    #[arg(long, default_value = "cpu")]
    device: DeviceSpec,
    /// The sizes to check [default: the first one, and one that no block divides]
    // Written as `std::vec::Vec`, the type makes clap read the whole list as one value.
    #[arg(long, value_name = "LIST", value_parser = parse_sizes)]
    sizes: Option<std::vec::Vec<u64>>,
    /// Random configurations to check at each size, besides the default one
    #[arg(long, value_name = "N", default_value_t = 6)]
    configurations: usize,
    /// Seed of the random configurations
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(super) fn check(arguments: &CheckArgs) -> Result<(), Failure> {
    let search = SearchPath::new(&arguments.plugin_path);
    let locator = plugins::find(&arguments.file, &search).map_err(Failure::settings)?;
    let device = device_choice(&arguments.device)?;
    let mut client = start(None)?;
    let wrong = |fault: WorkerFault| Failure::from(unusable(&locator, fault));
    let document = client.describe(&locator, REQUEST_TIMEOUT).map_err(wrong)?;
    let benchmark = Benchmark::new(document).map_err(Failure::plugin)?.for_device(&device.backend);
    let document = benchmark.document();
    output::line(&format!("{}: {}", document.name, document.about))?;
    for launch in &document.launches {
        let names_it = |source: &Source| source.text.contains(&launch.entry);
        if !benchmark.has_made_sources() && !document.sources.iter().any(names_it) {
            return Err(Failure::plugin(format!("no source has a function `{}`", launch.entry)));
        }
    }
    let sizes = arguments.sizes.clone().unwrap_or_else(|| sampled::usual_sizes(&benchmark));
    let mut defaults = Vec::new();
    for size in &sizes {
        defaults.push(default_at(&benchmark, *size)?);
    }
    let setup = Setup {
        stage: None,
        benchmark: locator.clone(),
        device,
        seed: 0,
        cache: None,
        workers: 1,
        cold: true,
        errors: Vec::new(),
    };
    let info = client
        .set_up(setup.clone(), REQUEST_TIMEOUT)
        .map_err(|fault| Failure::device(&fault).unless_machine(&fault))?;
    output::line(&format!("  device         {}", info.name))?;
    for (size, configuration) in sizes.iter().zip(&defaults) {
        let bytes = footprint(&mut client, &benchmark, *size, configuration)?;
        output::line(&format!(
            "  memory         {} at size {size}",
            quantities::bytes(bytes as f64)
        ))?;
        let outcome = measure(&mut client, *size, configuration);
        report(&benchmark, *size, &outcome)?;
    }
    for size in &sizes {
        let count = arguments.configurations;
        sampled::check(&mut client, &benchmark, *size, count, arguments.seed)?;
    }
    for stage in &document.stages {
        let own = benchmark.of_stage(&stage.name).map_err(Failure::plugin)?;
        let setup = Setup { stage: Some(stage.name.clone()), ..setup.clone() };
        client.set_up(setup, REQUEST_TIMEOUT).map_err(wrong)?;
        output::line(&format!("  stage          {}", stage.name))?;
        for (size, configuration) in sizes.iter().zip(&defaults) {
            let outcome = measure(&mut client, *size, configuration);
            report(&own, *size, &outcome).map_err(|failure| Failure {
                message: format!("stage `{}`: {}", stage.name, failure.message),
                ..failure
            })?;
        }
    }
    if benchmark.direction(&document.secondary) != Some(Better::Higher) {
        output::line(
            "  note           `autobench run` needs a `secondary` metric of which more is better",
        )?;
    }
    let warnings = benchmark.warnings();
    for warning in &warnings {
        output::line(&format!("  warning        {warning}"))?;
    }
    output::line(match warnings.len() {
        0 => "all is well",
        1 => "all is well but for one warning",
        _ => "all is well but for the warnings",
    })
}

/// Checks the space of a size; returns its default configuration.
fn default_at(benchmark: &Benchmark, size: u64) -> Result<Named, Failure> {
    let space = space_at(benchmark, size)?;
    if space.is_empty() {
        return Err(Failure::plugin(format!(
            "no configuration is valid at size {size}: the restrictions exclude all {}",
            space.cartesian()
        )));
    }
    output::line(&format!(
        "  configurations {} valid of {} at size {size}",
        space.len(),
        space.cartesian()
    ))?;
    if let Some(reason) = space.explain(&space.default_configuration()) {
        output::line(&format!(
            "  note           the default configuration is not valid at size {size}: {reason}"
        ))?;
    }
    for id in space.ids().take(LOOKED_AT) {
        let configuration = Named::of(&space, id);
        benchmark.workload(size, &configuration).map_err(|fault| {
            Failure::plugin(format!("configuration {configuration} at size {size}: {fault}"))
        })?;
    }
    let first = space.default_id().or_else(|| space.ids().next());
    Ok(first.map_or_else(|| benchmark.defaults(), |id| Named::of(&space, id)))
}

/// Bytes of memory that a configuration needs: by its shapes, or by the plugin if that is more.
fn footprint(
    client: &mut Client,
    benchmark: &Benchmark,
    size: u64,
    configuration: &Named,
) -> Result<u64, Failure> {
    let shapes = benchmark.footprint(size, configuration).map_err(Failure::plugin)?;
    let own = client
        .footprint(size, configuration, REQUEST_TIMEOUT)
        .map_err(|fault| Failure::plugin(format!("its footprint at size {size}: {fault}")))?;
    Ok(own.unwrap_or(0).max(shapes))
}

fn measure(client: &mut Client, size: u64, configuration: &Named) -> Outcome {
    let plan = MeasurePlan { max_seconds: 0.5, ..MeasurePlan::default() };
    client.measure(size, configuration, &plan, REQUEST_TIMEOUT)
}

fn report(benchmark: &Benchmark, size: u64, outcome: &Outcome) -> Result<(), Failure> {
    let document = benchmark.document();
    let (Status::Measured, Some(measurement)) = (outcome.status, &outcome.measurement) else {
        return Err(Failure::plugin(format!(
            "the default configuration fails at size {size}: {}",
            outcome.reason
        )));
    };
    output::line(&format!(
        "  run time       {} at size {size}",
        quantities::seconds(measurement.seconds.median)
    ))?;
    if let Some(value) = measurement.metrics.get(&document.secondary) {
        let unit = document.metrics.iter().find(|m| m.name == document.secondary);
        let unit = unit.map_or("", |metric| metric.unit.as_str());
        output::line(&format!("  {:<14} {value:.4} {unit}", document.secondary))?;
    }
    match measurement.error {
        Some(error) if error > document.error.bound => {
            return Err(Failure::plugin(format!(
                "the default configuration's {} is {error:.2e} at size {size}, above the bound {:.1e}: raise \
                 `error.bound`, or choose more precise defaults",
                document.error.metric, document.error.bound
            )));
        }
        Some(error) => output::line(&format!(
            "  error          {error:.2e} ({}, at most {:.1e})",
            document.error.metric, document.error.bound
        ))?,
        None => output::line("  error          not known: there is no reference")?,
    }
    Ok(())
}
