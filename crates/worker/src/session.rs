//! What a worker holds between requests, and how it serves each request.

use device::{BACKENDS, control};

use super::{
    DeviceChoice, Locator, Setup,
    benchmark_code::explain,
    caches,
    examination::ExaminedDevice,
    opened::{Opened, Refusal},
    opening::Opening,
    protocol::{Reply, Request},
};

#[derive(Default)]
pub(super) struct Session {
    setup: Option<Setup>,
    /// A guest that was asked for its document, and is not set up yet.
    described: Option<(Locator, Opening)>,
    open: Option<Opened>,
    examined: Option<ExaminedDevice>,
}

impl Session {
    /// Closes everything that is open. The next request opens it again.
    pub(super) fn close(&mut self) {
        self.open = None;
        self.examined = None;
    }

    pub(super) fn serve(&mut self, request: &Request) -> Reply {
        let reply = self.try_serve(request).unwrap_or_else(Reply::Refused);
        let lost = self.open.as_ref().and_then(|open| open.device.lost());
        let lost = lost.or_else(|| self.examined.as_ref().and_then(ExaminedDevice::lost));
        let lacking = self.open.as_mut().and_then(|open| open.kernels.take_lacking());
        if let Some(why) = lacking {
            return Reply::Lacking(why);
        }
        match (lost, request) {
            // A single trial reports the lost device itself. Of several trials, the culprit is
            // unknown.
            (Some(_), Request::Measure { .. }) | (None, _) => reply,
            (Some(fault), _) => Reply::Lost(fault.to_string()),
        }
    }

    fn try_serve(&mut self, request: &Request) -> Result<Reply, Refusal> {
        match request {
            Request::Devices => Ok(Reply::Devices(
                BACKENDS.iter().map(|b| (b.name.to_owned(), (b.probe)())).collect(),
            )),
            Request::Examine { device, examination } => {
                let examined = self.examined(device)?;
                examined.examine(examination).map_err(|fault| fault.to_string())
            }
            Request::Control { backend, address, owner, wanted } => {
                let set = control::set(backend, address, *owner, wanted);
                set.map(|()| Reply::Restored(Vec::new())).map_err(|fault| fault.to_string())
            }
            Request::Restore { owner } => {
                control::restore(*owner).map(Reply::Restored).map_err(|fault| fault.to_string())
            }
            Request::Describe(locator) => {
                let opening = Opening::of(locator)?;
                let document = opening.benchmark.document().clone();
                self.described = Some((locator.clone(), opening));
                Ok(Reply::Document(Box::new(document)))
            }
            Request::Setup(setup) => {
                self.close();
                self.setup = Some(setup.clone());
                Ok(Reply::Device(Box::new(self.open()?.device.info())))
            }
            Request::DeviceInfo => Ok(Reply::Device(Box::new(self.open()?.device.info()))),
            Request::Windows(metrics) => Ok(Reply::Windows(self.open()?.windows(metrics))),
            Request::Footprint { size, configuration } => {
                let open = self.open()?;
                Ok(Reply::Footprint(open.footprint(*size, configuration)?))
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
                self.open()?.in_turn(*size, configurations, plan)
            }
            Request::Rounds { participants, orders, seconds, moved, checking } => {
                let limits = (*seconds, *moved);
                Ok(Reply::Rounds(self.open()?.rounds(participants, orders, limits, checking)))
            }
            Request::ProveCold { shares } => {
                let open = self.open()?;
                let (device, policy) = (open.device.as_mut(), open.arena.cache_policy());
                let proof = caches::prove(device, policy, (shares, true));
                proof.map(Reply::Proof).map_err(|fault| fault.to_string())
            }
            Request::Noise { size, configuration } => self.open()?.noise(*size, configuration),
            Request::Output { size, configuration, output } => {
                self.open()?.output(*size, configuration, output)
            }
            Request::Explain { size, configuration } => {
                let open = self.open()?;
                let compiled = open.device.compile_command();
                let text = explain(&open.benchmark, *size, configuration, &compiled);
                Ok(Reply::Text(text.map_err(|fault| fault.to_string())?))
            }
        }
    }

    /// The device to examine, opened if necessary.
    fn examined(&mut self, choice: &DeviceChoice) -> Result<&mut ExaminedDevice, Refusal> {
        // A device that is opened twice would have to share its memory.
        self.open = None;
        if self.examined.as_ref().is_none_or(|examined| examined.choice != *choice) {
            self.examined = None;
            let backend = BACKENDS.named(&choice.backend).map_err(|unknown| unknown.to_string())?;
            let device = (backend.open)(choice.ordinal).map_err(|fault| fault.to_string())?;
            self.examined = Some(ExaminedDevice::new(choice.clone(), device));
        }
        self.examined.as_mut().ok_or_else(|| "no device is open".to_owned())
    }

    /// The benchmark and device of the setup, opened again if lost.
    fn open(&mut self) -> Result<&mut Opened, Refusal> {
        if self.open.is_none() {
            let setup = self.setup.as_ref().ok_or("the worker was not set up")?;
            self.examined = None;
            let described = self.described.take().filter(|(of, _)| *of == setup.benchmark);
            let opening = match described {
                Some((_, opening)) => opening,
                None => Opening::of(&setup.benchmark)?,
            };
            self.open = Some(Opened::new(setup, opening)?);
        }
        self.open.as_mut().ok_or_else(|| "the worker was not set up".to_owned())
    }
}
