//! A device by itself, without a benchmark: how fast it copies, whether cold is cold on it, how
//! steady it is.

use super::{
    DeviceChoice,
    caches::{self, Copies},
    copying,
    protocol::{Examination, Reply},
    steady::Steady,
};
use crate::backends::{Device, DeviceFault};

/// A device that is looked at.
pub(super) struct Patient {
    /// Which one.
    pub(super) choice: DeviceChoice,
    device: Box<dyn Device>,
    /// The work by which its steadiness is seen, once it was chosen.
    steady: Option<Steady>,
}

impl Patient {
    /// Takes an open device.
    pub(super) fn new(choice: DeviceChoice, device: Box<dyn Device>) -> Self {
        Self { choice, device, steady: None }
    }

    /// What the device was lost by, if it was.
    pub(super) fn lost(&self) -> Option<DeviceFault> {
        self.device.lost()
    }

    /// Looks at it.
    pub(super) fn examine(&mut self, examination: &Examination) -> Result<Reply, DeviceFault> {
        let device = self.device.as_mut();
        match examination {
            Examination::Copy => copying::measure(device),
            Examination::Cold { shares } => {
                let copies = cold(device);
                caches::prove(device, copies, shares).map(Reply::Proof)
            }
            Examination::Steadiness { seconds } => {
                let steady = match &mut self.steady {
                    Some(steady) => steady,
                    none => {
                        let copies = cold(device);
                        none.insert(Steady::new(device, copies)?)
                    }
                };
                steady.watch(device, *seconds).map(Reply::Steadiness)
            }
        }
    }
}

/// How cold samples of a study would be made on this device.
fn cold(device: &mut dyn Device) -> Copies {
    let info = device.info();
    Copies::new(true, info.cache_bytes, info.memory.1)
}
