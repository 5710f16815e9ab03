//! What a worker holds between requests, and how it serves each of them.

use std::time::Instant;

use super::{
    DeviceChoice, Locator, MeasurePlan, Reply, Request, Setup,
    arena::Arena,
    checked::Judge,
    described::{self, Held},
    kernels::Kernels,
    references::References,
    trial::Bench,
    workload::{Stop, Workload},
};
use crate::{
    accuracy::ErrorMetric,
    backends::{BACKENDS, Backend, Device},
    plugins::{Benchmark, Plugin},
    records::{Costs, Named, Outcome},
};

/// A worker's state: what it was set up for, and everything opened for that.
#[derive(Default)]
pub(super) struct Session {
    setup: Option<Setup>,
    open: Option<Open>,
}

/// An opened device with a loaded benchmark.
struct Open {
    setup: Setup,
    device: Box<dyn Device>,
    benchmark: Benchmark,
    plugin: Plugin,
    metric: ErrorMetric,
    arena: Arena,
    kernels: Kernels,
    references: References,
    held: Option<Held>,
}

/// Why a request is refused.
type Refusal = String;

impl Session {
    /// Forgets everything opened; the next request opens it again.
    pub(super) fn start_over(&mut self) {
        self.open = None;
    }

    /// Serves a request.
    pub(super) fn serve(&mut self, request: &Request) -> Reply {
        self.try_serve(request).unwrap_or_else(Reply::Refused)
    }

    fn try_serve(&mut self, request: &Request) -> Result<Reply, Refusal> {
        match request {
            Request::Devices => Ok(Reply::Devices(
                BACKENDS.iter().map(|b| (b.name().to_owned(), b.probe())).collect(),
            )),
            Request::Describe(locator) => {
                let (_, benchmark) = load(locator)?;
                Ok(Reply::Document(Box::new(benchmark.document().clone())))
            }
            Request::Setup(setup) => {
                self.open = None;
                self.setup = Some(setup.clone());
                Ok(Reply::Device(Box::new(self.open()?.device.info())))
            }
            Request::DeviceInfo => Ok(Reply::Device(Box::new(self.open()?.device.info()))),
            Request::Footprint { size, configuration } => {
                let open = self.open()?;
                let bytes = open.plugin.footprint(*size, configuration);
                Ok(Reply::Footprint(bytes.map_err(|fault| fault.to_string())?))
            }
            Request::Compile { size, configurations } => self.open()?.compile(*size, configurations),
            Request::Measure { size, configuration, plan } => {
                let outcome = self.open()?.measure(*size, configuration, plan);
                Ok(Reply::Outcomes(vec![outcome]))
            }
            Request::Interleave { size, configurations, plan } => {
                Ok(Reply::Outcomes(self.open()?.in_turn(*size, configurations, plan)))
            }
            Request::Noise { size, configuration } => self.open()?.noise(*size, configuration),
            Request::Explain { size, configuration } => {
                let open = self.open()?;
                let text = described::explain(&open.benchmark, *size, configuration);
                Ok(Reply::Text(text.map_err(|stop| stop.reason)?))
            }
        }
    }

    /// What was set up, opened again if it was lost.
    fn open(&mut self) -> Result<&mut Open, Refusal> {
        if self.open.is_none() {
            let setup = self.setup.as_ref().ok_or("the worker was not set up")?;
            self.open = Some(Open::new(setup)?);
        }
        self.open.as_mut().ok_or_else(|| "the worker was not set up".to_owned())
    }
}

impl Open {
    fn new(setup: &Setup) -> Result<Self, Refusal> {
        let (plugin, benchmark) = load(&setup.benchmark)?;
        let metric = benchmark.document().error.metric.parse::<ErrorMetric>();
        let metric = metric.map_err(|unknown| unknown.to_string())?;
        let DeviceChoice { backend, ordinal } = &setup.device;
        let mut device =
            find(backend)?.open(*ordinal).map_err(|fault| fault.to_string())?;
        device.set_cache(setup.cache.clone()).map_err(|fault| fault.to_string())?;
        Ok(Self {
            setup: setup.clone(),
            device,
            benchmark,
            plugin,
            metric,
            arena: Arena::default(),
            kernels: Kernels::default(),
            references: References::default(),
            held: None,
        })
    }

    fn compile(&mut self, size: u64, configurations: &[Named]) -> Result<Reply, Refusal> {
        let start = Instant::now();
        // What cannot be prepared says so when it is measured.
        let jobs: Vec<_> = configurations
            .iter()
            .filter_map(|c| described::workload(&self.benchmark, size, c).ok())
            .map(|workload| workload.job)
            .collect();
        let fresh = self.kernels.compile(self.device.as_mut(), &jobs);
        Ok(Reply::Compiled { seconds: start.elapsed().as_secs_f64(), fresh })
    }

    fn measure(&mut self, size: u64, configuration: &Named, plan: &MeasurePlan) -> Outcome {
        let workload = described::workload(&self.benchmark, size, configuration);
        let judged = self.judge(plan);
        match workload.and_then(|w| self.hold(size, configuration, judged.1).map(|()| w)) {
            Ok(workload) => self.with_bench(configuration, |bench, instance| {
                bench.trial(&workload, instance, judged, plan)
            }),
            Err(stop) => Outcome::failed(stop.status, stop.reason, Costs::default()),
        }
    }
}
