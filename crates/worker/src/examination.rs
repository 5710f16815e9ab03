//! Examines a device without a benchmark: copy bandwidth, cold samples, steadiness.

use device::{Device, DeviceFault};

use super::{
    DeviceChoice,
    caches::{self, CachePolicy},
    copying,
    protocol::{Examination, Reply},
    steadiness_probe::SteadinessProbe,
};

pub(super) struct ExaminedDevice {
    pub(super) choice: DeviceChoice,
    device: Box<dyn Device>,
    /// Made at the first request for steadiness.
    probe: Option<SteadinessProbe>,
}

impl ExaminedDevice {
    pub(super) fn new(choice: DeviceChoice, device: Box<dyn Device>) -> Self {
        Self { choice, device, probe: None }
    }

    pub(super) fn lost(&self) -> Option<DeviceFault> {
        self.device.lost()
    }

    pub(super) fn examine(&mut self, examination: &Examination) -> Result<Reply, DeviceFault> {
        let device = self.device.as_mut();
        match examination {
            Examination::Copy => copying::measure(device),
            Examination::Cold { shares } => {
                let policy = CachePolicy::of(device, true)?;
                caches::prove(device, policy, (shares, false)).map(Reply::Proof)
            }
            Examination::Steadiness { seconds } => {
                let probe = match &mut self.probe {
                    Some(probe) => probe,
                    none => {
                        let policy = CachePolicy::of(device, true)?;
                        none.insert(SteadinessProbe::new(device, policy)?)
                    }
                };
                probe.watch(device, *seconds).map(Reply::Steadiness)
            }
        }
    }
}
