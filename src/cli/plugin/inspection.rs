//! `autobench plugin check`: finds in seconds what would stop a study.

use std::{path::PathBuf, time::Duration};

use autobench_sdk::document::Better;

use crate::{
    cli::{
        terminal::{Failure, output},
        workers::{self, device_choice},
    },
    plugins::{self, Benchmark, SearchPath},
    records::{Named, Outcome, Status},
    settings::DeviceSpec,
    space::{Space, Value},
    worker::{Client, MeasurePlan, Setup, WorkerFault},
};

/// Limit of describing, of opening a device, and of one measurement.
const PATIENCE: Duration = Duration::from_secs(60);
/// Limit of configurations whose arguments and launches are checked.
const LOOKED_AT: usize = 10_000;

pub(super) fn check(
    file: &str,
    plugin_path: &[PathBuf],
    device: &DeviceSpec,
) -> Result<(), Failure> {
    let search = SearchPath::new(plugin_path);
    let locator = plugins::find(file, &search).map_err(Failure::settings)?;
    let device = device_choice(device)?;
    let mut client = workers::start(None)?;
    let wrong = |fault: WorkerFault| {
        let path = locator.path().display();
        Failure::plugin(format!("`{path}` cannot be used: {fault}")).unless_machine(&fault)
    };
    let document = client.describe(&locator, PATIENCE).map_err(wrong)?;
    let benchmark = Benchmark::new(document).map_err(Failure::plugin)?;
    let document = benchmark.document();
    output::line(&format!("{}: {}", document.name, document.about))?;
    let size = document.size.start;
    let configuration = space(&benchmark, size)?;
    for launch in &document.launches {
        if !document.sources.iter().any(|source| source.text.contains(&launch.entry)) {
            return Err(Failure::plugin(format!("no source has a function `{}`", launch.entry)));
        }
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
        .set_up(setup.clone(), PATIENCE)
        .map_err(|fault| Failure::device(&fault).unless_machine(&fault))?;
    output::line(&format!("  device         {}", info.name))?;
    let bytes = footprint(&mut client, &benchmark, size, &configuration)?;
    output::line(&format!("  memory         {bytes} bytes at size {size}"))?;
    let outcome = measure(&mut client, size, &configuration);
    report(&benchmark, size, &outcome)?;
    for stage in &document.stages {
        let own = benchmark.of_stage(&stage.name).map_err(Failure::plugin)?;
        let setup = Setup { stage: Some(stage.name.clone()), ..setup.clone() };
        client.set_up(setup, PATIENCE).map_err(wrong)?;
        output::line(&format!("  stage          {}", stage.name))?;
        let outcome = measure(&mut client, size, &configuration);
        report(&own, size, &outcome).map_err(|failure| Failure {
            message: format!("stage `{}`: {}", stage.name, failure.message),
            ..failure
        })?;
    }
    if benchmark.direction(&document.secondary) != Some(Better::Higher) {
        output::line(
            "  note           `autobench run` needs a `secondary` metric of which more is better",
        )?;
    }
    output::line("all is well")
}

/// Checks the space of the first size; returns its default configuration.
fn space(benchmark: &Benchmark, size: u64) -> Result<Named, Failure> {
    let whole = i64::try_from(size).map_err(Failure::plugin)?;
    let constants = [("size".to_owned(), Value::Int(whole))];
    let space = Space::build(benchmark.parameters(), benchmark.restrictions(), &constants)
        .map_err(Failure::plugin)?;
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

/// Bytes of a configuration: by its shapes, or by the plugin if that says more.
fn footprint(
    client: &mut Client,
    benchmark: &Benchmark,
    size: u64,
    configuration: &Named,
) -> Result<u64, Failure> {
    let shapes = benchmark.footprint(size, configuration).map_err(Failure::plugin)?;
    let own = client
        .footprint(size, configuration, PATIENCE)
        .map_err(|fault| Failure::plugin(format!("its footprint at size {size}: {fault}")))?;
    Ok(own.unwrap_or(0).max(shapes))
}

fn measure(client: &mut Client, size: u64, configuration: &Named) -> Outcome {
    let plan = MeasurePlan { max_seconds: 0.5, ..MeasurePlan::default() };
    client.measure(size, configuration, &plan, PATIENCE)
}

fn report(benchmark: &Benchmark, size: u64, outcome: &Outcome) -> Result<(), Failure> {
    let document = benchmark.document();
    let (Status::Measured, Some(measurement)) = (outcome.status, &outcome.measurement) else {
        return Err(Failure::plugin(format!(
            "the default configuration fails at size {size}: {}",
            outcome.reason
        )));
    };
    output::line(&format!("  run time       {:.3e} s at size {size}", measurement.seconds.median))?;
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
