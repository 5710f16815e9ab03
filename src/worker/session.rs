//! What a worker holds between requests, and how it serves each of them.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Instant,
};

use super::{
    Checking, DeviceChoice, MeasurePlan, Setup,
    arena::Arena,
    caches,
    caches::Copies,
    checked::Judge,
    conduct::Conduct,
    described::{self, Described, Held},
    examination::Patient,
    kernels::Kernels,
    measuring::Noise,
    protocol::{Reply, Request},
    references::References,
    rounds::Sentinel,
    trial::{Bench, Ready},
    workload::{Stop, Workload},
};
use crate::{
    accuracy::ErrorMetric,
    backends::{BACKENDS, Backend, Device, control},
    plugins::{self, Benchmark, Plugin},
    records::{Costs, Named, Outcome},
};

/// A worker's state: what it was set up for, and everything opened for that.
#[derive(Default)]
pub(super) struct Session {
    setup: Option<Setup>,
    open: Option<Open>,
    patient: Option<Patient>,
}

/// An opened device with a loaded benchmark.
pub(super) struct Open {
    setup: Setup,
    pub(super) device: Box<dyn Device>,
    benchmark: Benchmark,
    plugin: Option<Plugin>,
    block_limit: u32,
    metric: ErrorMetric,
    pub(super) arena: Arena,
    pub(super) kernels: Kernels,
    references: References,
    held: Option<Held>,
    /// What was measured and found right lately: compared with, and taken into rounds, without being
    /// checked again.
    known: VecDeque<(Known, Ready)>,
    pub(super) sentinel: Option<Sentinel>,
}

/// Whose: size, configuration and the seed of its inputs.
pub(super) type Known = (u64, Named, u64);

/// As many as rounds may have entrants.
const MOST_KNOWN: usize = 256;

/// Why a request is refused.
type Refusal = String;

impl Session {
    /// Forgets everything opened; the next request opens it again.
    pub(super) fn start_over(&mut self) {
        self.open = None;
        self.patient = None;
    }

    /// Serves a request.
    pub(super) fn serve(&mut self, request: &Request) -> Reply {
        let reply = self.try_serve(request).unwrap_or_else(Reply::Refused);
        let lost = self.open.as_ref().and_then(|open| open.device.lost());
        let lost = lost.or_else(|| self.patient.as_ref().and_then(Patient::lost));
        let lacking = self.open.as_mut().and_then(|open| open.kernels.take_lacking());
        if let Some(why) = lacking {
            return Reply::Lacking(why);
        }
        match (lost, request) {
            // The trial that lost it says so itself; of several, nobody knows which it was.
            (Some(_), Request::Measure { .. }) | (None, _) => reply,
            (Some(fault), _) => Reply::Lost(fault.to_string()),
        }
    }

    fn try_serve(&mut self, request: &Request) -> Result<Reply, Refusal> {
        match request {
            Request::Devices => Ok(Reply::Devices(
                BACKENDS.iter().map(|b| (b.name().to_owned(), b.probe())).collect(),
            )),
            Request::Examine { device, examination } => {
                let patient = self.patient(device)?;
                patient.examine(examination).map_err(|fault| fault.to_string())
            }
            Request::Control { backend, address, owner, wanted } => {
                let set = control::set(backend, address, *owner, wanted);
                set.map(|()| Reply::Restored(Vec::new())).map_err(|fault| fault.to_string())
            }
            Request::Restore { owner } => {
                control::restore(*owner).map(Reply::Restored).map_err(|fault| fault.to_string())
            }
            Request::Describe(locator) => {
                let (benchmark, _) = plugins::open(locator).map_err(|fault| fault.to_string())?;
                Ok(Reply::Document(Box::new(benchmark.document().clone())))
            }
            Request::Setup(setup) => {
                self.start_over();
                self.setup = Some(setup.clone());
                Ok(Reply::Device(Box::new(self.open()?.device.info())))
            }
            Request::DeviceInfo => Ok(Reply::Device(Box::new(self.open()?.device.info()))),
            Request::Footprint { size, configuration } => {
                let open = self.open()?;
                let bytes = match &open.plugin {
                    Some(plugin) => {
                        plugin.footprint(*size, configuration).map_err(|fault| fault.to_string())?
                    }
                    None => None,
                };
                Ok(Reply::Footprint(bytes))
            }
            Request::Derive { size, configuration, seconds } => {
                self.open()?.derive(*size, configuration, *seconds)
            }
            Request::Compile { size, configurations } => {
                self.open()?.compile(*size, configurations)
            }
            Request::CompileAlone { size, configuration } => {
                self.open()?.compile_alone(*size, configuration)
            }
            Request::Load { size, configuration } => self.open()?.load(*size, configuration),
            Request::Measure { size, configuration, plan } => {
                let outcome = self.open()?.measure(*size, configuration, plan);
                Ok(Reply::Outcomes(vec![outcome]))
            }
            Request::Interleave { size, configurations, plan } => {
                Ok(Reply::Outcomes(self.open()?.in_turn(*size, configurations, plan)))
            }
            Request::Rounds { entrants, orders, seconds, checking } => {
                Ok(Reply::Rounds(self.open()?.rounds(entrants, orders, *seconds, checking)))
            }
            Request::ProveCold { shares } => {
                let open = self.open()?;
                let (device, copies) = (open.device.as_mut(), open.arena.copies());
                let proof = caches::prove(device, copies, shares);
                proof.map(Reply::Proof).map_err(|fault| fault.to_string())
            }
            Request::Noise { size, configuration } => self.open()?.noise(*size, configuration),
            Request::Explain { size, configuration } => {
                let open = self.open()?;
                let compiled = open.device.compile_command();
                let text = described::explain(&open.benchmark, *size, configuration, &compiled);
                Ok(Reply::Text(text.map_err(|stop| stop.reason)?))
            }
        }
    }

    /// A device that is looked at by itself.
    fn patient(&mut self, choice: &DeviceChoice) -> Result<&mut Patient, Refusal> {
        // Two holders of one device would share its memory.
        self.open = None;
        if self.patient.as_ref().is_none_or(|patient| patient.choice != *choice) {
            self.patient = None;
            let device = find(&choice.backend)?.open(choice.ordinal).map_err(|f| f.to_string())?;
            self.patient = Some(Patient::new(choice.clone(), device));
        }
        self.patient.as_mut().ok_or_else(|| "no device is open".to_owned())
    }

    /// What was set up, opened again if it was lost.
    fn open(&mut self) -> Result<&mut Open, Refusal> {
        if self.open.is_none() {
            let setup = self.setup.as_ref().ok_or("the worker was not set up")?;
            self.patient = None;
            self.open = Some(Open::new(setup)?);
        }
        self.open.as_mut().ok_or_else(|| "the worker was not set up".to_owned())
    }
}

impl Open {
    fn new(setup: &Setup) -> Result<Self, Refusal> {
        let (benchmark, plugin) =
            plugins::open(&setup.benchmark).map_err(|fault| fault.to_string())?;
        let metric = benchmark.document().error.metric.parse::<ErrorMetric>();
        let metric = metric.map_err(|unknown| unknown.to_string())?;
        let DeviceChoice { backend, ordinal } = &setup.device;
        let mut device = find(backend)?.open(*ordinal).map_err(|fault| fault.to_string())?;
        device.set_cache(setup.cache.clone()).map_err(|fault| fault.to_string())?;
        device.share_cores(setup.workers);
        let info = device.info();
        let (block_limit, cache_bytes) = (info.block_limit, info.cache_bytes);
        let copies = Copies::new(setup.cold, cache_bytes, info.memory.1);
        Ok(Self {
            setup: setup.clone(),
            block_limit,
            device,
            benchmark,
            plugin,
            metric,
            arena: Arena::new(copies),
            kernels: Kernels::default(),
            references: References::default(),
            held: None,
            known: VecDeque::new(),
            sentinel: None,
        })
    }

    /// Remembers something that was found right.
    pub(super) fn remember(&mut self, known: Known, ready: Ready) {
        self.known.retain(|(other, _)| *other != known);
        if self.known.len() >= MOST_KNOWN {
            self.known.pop_front();
        }
        self.known.push_back((known, ready));
    }

    pub(super) fn recall(&mut self, known: &Known) -> Option<Ready> {
        let at = self.known.iter().position(|(other, _)| other == known)?;
        self.known.remove(at).map(|(_, ready)| ready)
    }

    fn compile(&mut self, size: u64, configurations: &[Named]) -> Result<Reply, Refusal> {
        let start = Instant::now();
        // What cannot be prepared says so when it is measured.
        let jobs: Vec<_> = configurations
            .iter()
            .filter_map(|c| described::workload(&self.benchmark, size, c).ok())
            .map(|workload| workload.job)
            .collect();
        let device = self.device.as_mut();
        // A single one is about to be measured.
        let ahead = if jobs.len() > 1 { self.kernels.start(device, &jobs) } else { None };
        let fresh = ahead.unwrap_or_else(|| self.kernels.compile(device, &jobs));
        Ok(Reply::Compiled { seconds: start.elapsed().as_secs_f64(), fresh })
    }

    fn compile_alone(&mut self, size: u64, configuration: &Named) -> Result<Reply, Refusal> {
        let start = Instant::now();
        // What cannot be compiled says so when it is measured.
        let workload = described::workload(&self.benchmark, size, configuration);
        let fresh =
            workload.is_ok_and(|w| self.kernels.compile_alone(self.device.as_mut(), &w.job));
        Ok(Reply::Compiled { seconds: start.elapsed().as_secs_f64(), fresh: usize::from(fresh) })
    }

    /// Loads a kernel. What its library constructs may not change this process.
    fn load(&mut self, size: u64, configuration: &Named) -> Result<Reply, Refusal> {
        let start = Instant::now();
        // What cannot be loaded says so when it is measured.
        let Ok(workload) = described::workload(&self.benchmark, size, configuration) else {
            return Ok(Reply::Compiled { seconds: 0.0, fresh: 0 });
        };
        let device = self.device.as_mut();
        self.kernels.compile(device, std::slice::from_ref(&workload.job));
        let before = device.runs_here().then(Conduct::now);
        let kernel = self.kernels.get(device, &workload.job);
        if let (Some(before), Ok(_)) = (before, kernel) {
            Conduct::now().compared(&before).map_err(|stop| stop.reason)?;
        }
        Ok(Reply::Compiled { seconds: start.elapsed().as_secs_f64(), fresh: 0 })
    }

    fn derive(&mut self, size: u64, configuration: &Named, seconds: f64) -> Result<Reply, Refusal> {
        if self.plugin.is_none() {
            return Ok(Reply::Derived(None));
        }
        let mut metrics = self.benchmark.metrics(seconds, size, configuration, &BTreeMap::new());
        let seed = self.setup.seed;
        let (_, described) = self.bench(size, seed).map_err(|stop| stop.reason)?;
        let own = described.derive(configuration, seconds, &mut metrics)?;
        Ok(Reply::Derived(own.then_some(metrics)))
    }

    fn measure(&mut self, size: u64, configuration: &Named, plan: &MeasurePlan) -> Outcome {
        let judged = self.judge(&plan.checking);
        let beside = plan.beside.clone().filter(|other| other != configuration);
        let outcome = self.workload(size, configuration).and_then(|workload| {
            let mut beside = match &beside {
                Some(other) => self.ready_again(size, other, judged),
                None => None,
            };
            let (mut bench, mut instance) = self.bench(size, judged.1)?;
            let other = beside.as_mut().map(|(_, ready)| ready);
            let (outcome, ready) = bench.trial(&workload, &mut instance, judged, plan, other);
            self.known.extend(beside);
            if let Some(ready) = ready.filter(|_| plan.max_samples > 1) {
                self.remember((size, configuration.clone(), judged.1), ready);
            }
            Ok(outcome)
        });
        outcome.unwrap_or_else(failed)
    }

    /// Something that was found right before, as it is now; nothing if it cannot be used.
    fn ready_again(
        &mut self,
        size: u64,
        configuration: &Named,
        judged: (Judge, u64),
    ) -> Option<(Known, Ready)> {
        let known = (size, configuration.clone(), judged.1);
        let workload = self.workload(size, configuration).ok()?;
        let recalled = self.recall(&known);
        let (mut bench, mut instance) = self.bench(size, judged.1).ok()?;
        let ready = match recalled {
            Some(mut ready) => {
                bench.refresh(&mut ready, &workload, &mut instance, judged.1).ok()?;
                ready
            }
            None => {
                let costs = &mut Costs::default();
                bench.ready(&workload, &mut instance, judged, false, costs).ok()?
            }
        };
        Some((known, ready))
    }

    fn in_turn(&mut self, size: u64, configurations: &[Named], plan: &MeasurePlan) -> Vec<Outcome> {
        let judged = self.judge(&plan.checking);
        let mut entrants = Vec::new();
        let admitted: Vec<Result<(), Stop>> = configurations
            .iter()
            .map(|configuration| self.workload(size, configuration).map(|w| entrants.push(w)))
            .collect();
        let measured = self
            .bench(size, judged.1)
            .map(|(mut bench, mut instance)| bench.in_turn(&entrants, &mut instance, judged, plan))
            .unwrap_or_else(|stop| entrants.iter().map(|_| failed(stop.clone())).collect());
        let mut measured = measured.into_iter();
        admitted
            .into_iter()
            .map(|admitted| match admitted {
                Ok(()) => {
                    measured.next().unwrap_or_else(|| failed(Stop::run("it was not measured")))
                }
                Err(stop) => failed(stop),
            })
            .collect()
    }

    fn noise(&mut self, size: u64, configuration: &Named) -> Result<Reply, Refusal> {
        let judged = self.judge(&Checking::default());
        let noise = self.workload(size, configuration).and_then(|workload| {
            let (mut bench, mut instance) = self.bench(size, judged.1)?;
            bench.noise(&workload, &mut instance, judged)
        });
        let Noise { difference, spread } = noise.map_err(|stop| stop.reason)?;
        Ok(Reply::Noise { difference, spread })
    }

    /// By what results are judged, and the seed of its inputs.
    pub(super) fn judge(&self, checking: &Checking) -> (Judge, u64) {
        let bound = self.benchmark.document().error.bound;
        let seed = checking.seed.unwrap_or(self.setup.seed);
        (Judge::new(checking, self.metric, bound), seed)
    }

    /// A configuration as the device takes it, if it does.
    pub(super) fn workload(&self, size: u64, configuration: &Named) -> Result<Workload, Stop> {
        let workload = described::workload(&self.benchmark, size, configuration)?;
        for (entry, launch) in workload.job.entries.iter().zip(&workload.launches) {
            let threads: u64 = launch.block.iter().map(|threads| u64::from(*threads)).product();
            if threads > u64::from(self.block_limit) {
                return Err(Stop::invalid(format!(
                    "`{entry}` has blocks of {threads} threads and the device allows {}",
                    self.block_limit
                )));
            }
        }
        Ok(workload)
    }

    /// Everything that samples need of what is ready.
    pub(super) fn tools(&mut self) -> Bench<'_> {
        Bench {
            device: self.device.as_mut(),
            arena: &mut self.arena,
            kernels: &mut self.kernels,
            references: &mut self.references,
        }
    }

    /// Everything a trial needs, with the plugin's problem of a size and a seed built.
    pub(super) fn bench(
        &mut self,
        size: u64,
        seed: u64,
    ) -> Result<(Bench<'_>, Described<'_>), Stop> {
        if self.held.as_ref().is_none_or(|held| (held.size, held.seed) != (size, seed)) {
            // The old problem goes first: two may not fit.
            self.held = None;
            let built = match &self.plugin {
                Some(plugin) => {
                    let built = plugin.build(size, seed);
                    Some(built.map_err(|fault| Stop::run(fault.to_string()))?)
                }
                None => None,
            };
            self.held = Some(Held { size, seed, built });
        }
        let Some(held) = &self.held else { return Err(Stop::run("no problem was built")) };
        let bench = Bench {
            device: self.device.as_mut(),
            arena: &mut self.arena,
            kernels: &mut self.kernels,
            references: &mut self.references,
        };
        Ok((bench, Described { benchmark: &self.benchmark, held }))
    }
}

/// The outcome of something that was not tried.
pub(super) fn failed(stop: Stop) -> Outcome {
    Outcome::failed(stop.status, stop.reason, Costs::default())
}

/// The backend of a name.
fn find(name: &str) -> Result<&'static dyn Backend, Refusal> {
    BACKENDS.named(name).map_err(|unknown| unknown.to_string())
}
