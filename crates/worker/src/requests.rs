//! The requests to a worker, one method each.

use std::{collections::BTreeMap, time::Duration};

use autobench_sdk::document::Document;
use device::{Control, DeviceInfo, Missing};
use records::{CachesRecord, Named, Noise, Outcome, Steadiness};

use super::{
    Checking, Client, DeviceChoice, Locator, MeasurePlan, Participant, RoundsTaken, Setup,
    WorkerFault,
    protocol::{Examination, Reply, Request},
};

/// Backends by name, each with its devices or why there are none.
pub type Backends = Vec<(String, Result<Vec<DeviceInfo>, Missing>)>;

/// Accepts one kind of answer and no other.
macro_rules! only {
    ($kind:ident) => {
        |reply| if let Reply::$kind(answer) = reply { Some(answer) } else { None }
    };
}

/// Every method fails with a [`WorkerFault`], also if no reply comes within the time limit.
#[expect(clippy::missing_errors_doc, reason = "said once, above")]
impl Client {
    /// Lists the devices of every backend.
    pub fn devices(&mut self, within: Duration) -> Result<Backends, WorkerFault> {
        self.ask_for(&Request::Devices, within, only!(Devices))
    }

    /// Loads a benchmark and returns its document.
    pub fn describe(
        &mut self,
        benchmark: &Locator,
        within: Duration,
    ) -> Result<Document, WorkerFault> {
        let request = Request::Describe(benchmark.clone());
        self.ask_for(&request, within, only!(Document)).map(|document| *document)
    }

    /// Loads a benchmark and opens a device, before any measuring. Repeated after a restart.
    pub fn set_up(&mut self, setup: Setup, within: Duration) -> Result<DeviceInfo, WorkerFault> {
        self.ask_for(&Request::Setup(setup), within, only!(Device)).map(|info| *info)
    }

    /// The device's facts as they are now.
    pub fn device_info(&mut self, within: Duration) -> Result<DeviceInfo, WorkerFault> {
        self.ask_for(&Request::DeviceInfo, within, only!(Device)).map(|info| *info)
    }

    /// For each of these metrics, the seconds for which a configuration must be sampled alone to
    /// observe it. Metrics that nothing observes here are left out.
    pub fn windows(
        &mut self,
        metrics: &[String],
        within: Duration,
    ) -> Result<BTreeMap<String, f64>, WorkerFault> {
        self.ask_for(&Request::Windows(metrics.to_vec()), within, only!(Windows))
    }

    /// The footprint of a size in bytes that the plugin computes, if it computes one.
    pub fn footprint(
        &mut self,
        size: u64,
        configuration: &Named,
        within: Duration,
    ) -> Result<Option<u64>, WorkerFault> {
        let request = Request::Footprint { size, configuration: configuration.clone() };
        self.ask_for(&request, within, only!(Footprint))
    }

    /// Metrics by name that the plugin derives from a run time; `None` if the document's formulas
    /// give all metrics.
    pub fn derive(
        &mut self,
        size: u64,
        configuration: &Named,
        seconds: f64,
        within: Duration,
    ) -> Result<Option<BTreeMap<String, f64>>, WorkerFault> {
        let request = Request::Derive { size, configuration: configuration.clone(), seconds };
        self.ask_for(&request, within, only!(Derived))
    }

    /// Compiles configurations together, before they are measured. Returns how many were new.
    pub fn compile(
        &mut self,
        size: u64,
        configurations: &[Named],
        within: Duration,
    ) -> Result<usize, WorkerFault> {
        let request = Request::Compile { size, configurations: configurations.to_vec() };
        self.ask_for(&request, within, compiled)
    }

    /// Compiles one configuration alone if it was compiled with others. Returns whether it was.
    pub(super) fn compile_alone(
        &mut self,
        size: u64,
        configuration: &Named,
        within: Duration,
    ) -> Result<bool, WorkerFault> {
        let request = Request::CompileAlone { size, configuration: configuration.clone() };
        self.ask_for(&request, within, compiled).map(|fresh| fresh > 0)
    }

    /// Measures configurations that are known to be right, with interleaved samples.
    pub fn interleave(
        &mut self,
        size: u64,
        configurations: &[Named],
        plan: &MeasurePlan,
        within: Duration,
    ) -> Result<Vec<Outcome>, WorkerFault> {
        let (configurations, plan) = (configurations.to_vec(), plan.clone());
        let count = configurations.len();
        let request = Request::Interleave { size, configurations, plan };
        self.ask_for(&request, within, |reply| match reply {
            Reply::Outcomes(outcomes) if outcomes.len() == count => Some(outcomes),
            _ => None,
        })
    }

    /// Measures configurations of many sizes in rounds. `orders` holds, for every round, the
    /// participants' positions in the order of their samples. No round begins after `seconds`. With
    /// `moved`, sizes exchange the memory of their copies first.
    pub fn rounds(
        &mut self,
        participants: &[Participant],
        orders: Vec<Vec<usize>>,
        (seconds, moved): (f64, bool),
        checking: &Checking,
        within: Duration,
    ) -> Result<RoundsTaken, WorkerFault> {
        let (participants, checking) = (participants.to_vec(), checking.clone());
        let request = Request::Rounds { participants, orders, seconds, moved, checking };
        self.ask_for(&request, within, only!(Rounds))
    }

    /// Proves that cold samples are cold, by reading buffers of these shares of the last-level
    /// cache.
    pub fn prove_cold(
        &mut self,
        shares: &[f64],
        within: Duration,
    ) -> Result<CachesRecord, WorkerFault> {
        self.ask_for(&Request::ProveCold { shares: shares.to_vec() }, within, only!(Proof))
    }

    /// A/A run: difference and spread of two interleaved series of one configuration.
    pub fn noise(
        &mut self,
        size: u64,
        configuration: &Named,
        within: Duration,
    ) -> Result<Noise, WorkerFault> {
        let request = Request::Noise { size, configuration: configuration.clone() };
        self.ask_for(&request, within, only!(Noise))
    }

    /// Runs a configuration once. Returns all elements of an output.
    pub fn output(
        &mut self,
        size: u64,
        configuration: &Named,
        output: &str,
        within: Duration,
    ) -> Result<Vec<f64>, WorkerFault> {
        let (configuration, output) = (configuration.clone(), output.to_owned());
        let request = Request::Output { size, configuration, output };
        self.ask_for(&request, within, only!(Values))
    }

    /// Source, flags and geometry of a configuration, as text for people.
    pub fn explain(
        &mut self,
        size: u64,
        configuration: &Named,
        within: Duration,
    ) -> Result<String, WorkerFault> {
        let request = Request::Explain { size, configuration: configuration.clone() };
        self.ask_for(&request, within, only!(Text))
    }

    /// Times copies within a device's memory. Returns the bytes of a copy, and the seconds of each
    /// copy.
    pub fn examine_copy(
        &mut self,
        device: &DeviceChoice,
        within: Duration,
    ) -> Result<(u64, Vec<f64>), WorkerFault> {
        self.ask_for(&examine(device, Examination::Copy), within, |reply| match reply {
            Reply::Copied { bytes, seconds } => Some((bytes, seconds)),
            _ => None,
        })
    }

    /// Proves, without a benchmark, that cold samples are cold on a device.
    pub fn examine_cold(
        &mut self,
        device: &DeviceChoice,
        shares: &[f64],
        within: Duration,
    ) -> Result<CachesRecord, WorkerFault> {
        let examination = Examination::Cold { shares: shares.to_vec() };
        self.ask_for(&examine(device, examination), within, only!(Proof))
    }

    /// How steady a device is, watched for `seconds`.
    pub fn examine_steadiness(
        &mut self,
        device: &DeviceChoice,
        seconds: f64,
        within: Duration,
    ) -> Result<Steadiness, WorkerFault> {
        let examination = Examination::Steadiness { seconds };
        self.ask_for(&examine(device, examination), within, only!(Steadiness))
    }

    /// Sets the clock or power limit of the device at an address, noted for the process `owner`.
    pub(super) fn control(
        &mut self,
        (backend, address): (&str, &str),
        owner: u32,
        wanted: Control,
        within: Duration,
    ) -> Result<(), WorkerFault> {
        let (backend, address) = (backend.to_owned(), address.to_owned());
        let request = Request::Control { backend, address, owner, wanted };
        self.ask_for(&request, within, only!(Restored)).map(drop)
    }

    /// Undoes what was set for a process, or for all processes that are gone. Returns a sentence
    /// for each.
    pub fn restore(
        &mut self,
        owner: Option<u32>,
        within: Duration,
    ) -> Result<Vec<String>, WorkerFault> {
        self.ask_for(&Request::Restore { owner }, within, only!(Restored))
    }

    fn ask_for<T>(
        &mut self,
        request: &Request,
        within: Duration,
        answer: impl FnOnce(Reply) -> Option<T>,
    ) -> Result<T, WorkerFault> {
        let reply = self.request(request, within)?;
        answer(reply).ok_or_else(|| {
            self.end_process();
            WorkerFault::Protocol("it answered something else than was asked".to_owned())
        })
    }
}

fn examine(device: &DeviceChoice, examination: Examination) -> Request {
    Request::Examine { device: device.clone(), examination }
}

fn compiled(reply: Reply) -> Option<usize> {
    if let Reply::Compiled { fresh, .. } = reply { Some(fresh) } else { None }
}
