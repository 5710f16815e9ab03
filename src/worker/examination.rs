//! Examines a device without a benchmark: how fast it copies, whether cold samples are cold on it,
//! how steady it is.

use super::{
    DeviceChoice,
    caches::{self, CachePolicy},
    copying,
    protocol::{Examination, Reply},
    steadiness::SteadinessProbe,
};
use crate::backends::{Device, DeviceFault};

/// An open device that is examined.
pub(super) struct ExaminedDevice {
    /// Which one.
    pub(super) choice: DeviceChoice,
    device: Box<dyn Device>,
    /// What shows its steadiness, once that was asked for.
    probe: Option<SteadinessProbe>,
}

impl ExaminedDevice {
    /// Takes an open device.
    pub(super) fn new(choice: DeviceChoice, device: Box<dyn Device>) -> Self {
        Self { choice, device, probe: None }
    }

    /// Why the device was lost, if it was.
    pub(super) fn lost(&self) -> Option<DeviceFault> {
        self.device.lost()
    }

    /// Examines it.
    pub(super) fn examine(&mut self, examination: &Examination) -> Result<Reply, DeviceFault> {
        let device = self.device.as_mut();
        match examination {
            Examination::Copy => copying::measure(device),
            Examination::Cold { shares } => {
                let policy = cold(device);
                caches::prove(device, policy, shares).map(Reply::Proof)
            }
            Examination::Steadiness { seconds } => {
                let probe = match &mut self.probe {
                    Some(probe) => probe,
                    none => {
                        let policy = cold(device);
                        none.insert(SteadinessProbe::new(device, policy)?)
                    }
                };
                probe.watch(device, *seconds).map(Reply::Steadiness)
            }
        }
    }
}

/// How cold samples of a study would be made on this device.
fn cold(device: &mut dyn Device) -> CachePolicy {
    let info = device.info();
    CachePolicy::new(true, info.cache_bytes, info.memory.1)
}
