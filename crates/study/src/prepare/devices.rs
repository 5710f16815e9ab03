//! The devices of a study, and a worker for each.

use std::{cell::RefCell, rc::Rc};

use device::{BACKENDS, DeviceInfo};
use records::{
    DeviceRecord,
    settings::{DeviceSpec, Ordinals},
};
use worker::{Client, ControlWorker, DeviceChoice, Setup};

use super::{PrepareFault, SETUP_TIMEOUT, probe, start};
use crate::tuning::DeviceWorker;

/// Returns the chosen device. Fails if several are chosen.
pub fn device_choice(device: &DeviceSpec) -> Result<DeviceChoice, PrepareFault> {
    let mut choices = device_choices(device)?;
    if choices.len() > 1 {
        return Err(PrepareFault::SeveralDevices(device.clone()));
    }
    Ok(choices.remove(0))
}

/// Returns the chosen devices, at least one. `all` gives only the backend's first device: devices
/// are not probed here.
pub fn device_choices(device: &DeviceSpec) -> Result<Vec<DeviceChoice>, PrepareFault> {
    let DeviceSpec::Backend { name, ordinals } = device else {
        return Err(PrepareFault::NotADevice(device.clone()));
    };
    let backend = BACKENDS.named(name).map_err(PrepareFault::NoBackend)?;
    let numbers = match ordinals {
        Ordinals::First | Ordinals::All => &[0][..],
        Ordinals::These(numbers) => numbers,
    };
    let choice =
        |ordinal: &usize| DeviceChoice { backend: backend.name.to_owned(), ordinal: *ordinal };
    Ok(numbers.iter().map(choice).collect())
}

/// Groups the chosen devices by model: results of different models need different records.
pub fn models(device: &DeviceSpec) -> Result<Vec<DeviceSpec>, PrepareFault> {
    let DeviceSpec::Backend { name, ordinals } = device else { return Ok(vec![device.clone()]) };
    let meant = |found: &&DeviceInfo| match ordinals {
        Ordinals::These(numbers) => numbers.contains(&found.ordinal),
        _ => true,
    };
    match ordinals {
        Ordinals::All => {}
        Ordinals::These(numbers) if numbers.len() > 1 => {}
        _ => return Ok(vec![device.clone()]),
    }
    let wanted = device_choices(device)?;
    let found = probe(&mut start(None)?)?.into_iter().find(|(backend, _)| backend == name);
    let devices = match found {
        Some((_, Ok(devices))) => devices,
        Some((_, Err(missing))) => return Err(PrepareFault::NoDevices(missing.to_string())),
        None => return Err(PrepareFault::Bug(format!("nobody looked for devices of `{name}`"))),
    };
    let missing = |choice: &&DeviceChoice| !devices.iter().any(|d| d.ordinal == choice.ordinal);
    if let Some(absent) = wanted.iter().find(missing) {
        return Err(PrepareFault::NoSuchDevice(absent.clone()));
    }
    let mut groups: Vec<(&DeviceInfo, Vec<usize>)> = Vec::new();
    for device in devices.iter().filter(meant) {
        match groups.iter_mut().find(|(first, _)| is_same_model(first, device)) {
            Some((_, numbers)) => numbers.push(device.ordinal),
            None => groups.push((device, vec![device.ordinal])),
        }
    }
    let of_model = |(_, numbers)| {
        let ordinals = Ordinals::These(numbers);
        DeviceSpec::Backend { name: name.clone(), ordinals }
    };
    Ok(groups.into_iter().map(of_model).collect())
}

fn is_same_model(a: &DeviceInfo, b: &DeviceInfo) -> bool {
    // Partitions of a device have the same name but less memory.
    a.name == b.name && a.memory.0 == b.memory.0
}

pub(super) struct DeviceWorkers {
    members: Vec<OpenDevice>,
    first: DeviceInfo,
}

struct OpenDevice {
    device: DeviceChoice,
    /// PCI address, by which the backend finds the device to control it.
    address: String,
    client: Client,
}

impl OpenDevice {
    fn new(device: DeviceChoice, info: &DeviceInfo, client: Client) -> Self {
        let address = info.facts.get("pci_address").cloned().unwrap_or_default();
        Self { device, address, client }
    }
}

impl DeviceWorkers {
    /// Sets up the first worker. Other devices must be of its device's model.
    pub(super) fn of_first(mut client: Client, setup: Setup) -> Result<Self, PrepareFault> {
        let device = setup.device.clone();
        let first = set_up(&mut client, setup)?;
        Ok(Self { members: vec![OpenDevice::new(device, &first, client)], first })
    }

    /// Adds a worker with a device of the same model.
    pub(super) fn add(&mut self, mut client: Client, setup: Setup) -> Result<(), PrepareFault> {
        let device = setup.device.clone();
        let info = set_up(&mut client, setup)?;
        if !is_same_model(&self.first, &info) {
            return Err(PrepareFault::DifferentModels(format!(
                "`{}` is {} and `{}` is {}: figures of different models are kept apart",
                in_words(&self.members[0].device),
                self.first.name,
                in_words(&device),
                info.name
            )));
        }
        self.first.memory.1 = self.first.memory.1.min(info.memory.1);
        self.members.push(OpenDevice::new(device, &info, client));
        Ok(())
    }

    /// Returns the record of the devices, and their workers. If `kept`, every worker has a control
    /// worker that sets clocks and power limits.
    pub(super) fn ready(
        self,
        kept: bool,
    ) -> Result<(DeviceRecord, Vec<DeviceWorker>), PrepareFault> {
        let several = self.members.len() > 1;
        let others = self.members[1..].iter().map(|member| in_words(&member.device)).collect();
        let worker = |OpenDevice { device, address, client }: OpenDevice| {
            let control = || -> Result<_, PrepareFault> {
                let control = ControlWorker::new(start(None)?, &device.backend, &address);
                Ok(Rc::new(RefCell::new(control)))
            };
            Ok(DeviceWorker {
                control: kept.then(control).transpose()?,
                device: if several { in_words(&device) } else { String::new() },
                client: Rc::new(RefCell::new(client)),
            })
        };
        let workers = self.members.into_iter().map(worker).collect::<Result<_, PrepareFault>>()?;
        Ok((record(self.first, others), workers))
    }
}

fn set_up(client: &mut Client, setup: Setup) -> Result<DeviceInfo, PrepareFault> {
    client.set_up(setup, SETUP_TIMEOUT).map_err(PrepareFault::Device)
}

fn in_words(device: &DeviceChoice) -> String {
    format!("{}:{}", device.backend, device.ordinal)
}

fn record(info: DeviceInfo, others: Vec<String>) -> DeviceRecord {
    DeviceRecord {
        backend: info.backend,
        ordinal: info.ordinal,
        others,
        name: info.name,
        compiler: info.compiler,
        memory: info.memory.0,
        memory_free: info.memory.1,
        peak_bandwidth: info.peak_bandwidth,
        peak_flops: info.peak_flops,
        facts: info.facts,
        warnings: info.warnings,
    }
}
