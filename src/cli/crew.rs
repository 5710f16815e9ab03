//! The devices that a study names, and a worker for each of them.

use std::{cell::RefCell, rc::Rc};

use super::{Failure, devices::probe, launch::worker, stage::SETUP_TIMEOUT, temporary};
use crate::{
    backends::{BACKENDS, DeviceInfo},
    records::DeviceRecord,
    tuning::Hand,
    worker::{Client, ControlWorker, DeviceChoice, Setup},
};

/// `cuda:1` as a backend and a number.
pub(super) fn device_choice(text: &str) -> Result<DeviceChoice, Failure> {
    let mut choices = choices(text)?;
    if choices.len() > 1 {
        return Err(Failure::settings(format!("`{text}` is several devices; name one of them")));
    }
    Ok(choices.remove(0))
}

/// `cuda:0,1` as a backend and numbers, at least one.
pub(super) fn choices(text: &str) -> Result<Vec<DeviceChoice>, Failure> {
    let (backend, numbers) = text.split_once(':').unwrap_or((text, "0"));
    let names = || BACKENDS.iter().map(|b| b.name());
    if !names().any(|name| name == backend) {
        let known = crate::registry::known(names());
        return Err(Failure::settings(format!(
            "no device named `{backend}` (known: {known}, replay:FILE)"
        )));
    }
    let mut choices: Vec<DeviceChoice> = Vec::new();
    for number in numbers.split(',') {
        let ordinal = number.trim().parse().map_err(|_| {
            Failure::settings(format!(
                "`{number}` is no device number; write `{backend}:0`, `{backend}:0,1` or \
                 `{backend}:all`"
            ))
        })?;
        let choice = DeviceChoice { backend: backend.to_owned(), ordinal };
        if choices.contains(&choice) {
            return Err(Failure::settings(format!("`{backend}:{ordinal}` is named twice")));
        }
        choices.push(choice);
    }
    Ok(choices)
}

/// What `--device` names, as one text for each model among the devices: figures of different models
/// belong into different records.
pub(super) fn models(text: &str) -> Result<Vec<String>, Failure> {
    let all = text.strip_suffix(":all");
    if text.starts_with("replay:") || (all.is_none() && !text.contains(',')) {
        return Ok(vec![text.to_owned()]);
    }
    let named = match all {
        Some(backend) => choices(backend)?,
        None => choices(text)?,
    };
    let backend = &named[0].backend;
    let mut client = worker(None)?;
    let found = probe(&mut client)?.into_iter().find(|(name, _)| name == backend);
    let devices = match found {
        Some((_, Ok(devices))) => devices,
        Some((_, Err(missing))) => return Err(Failure::device(missing)),
        None => return Err(Failure::bug(format!("nobody looked for devices of `{backend}`"))),
    };
    let meant = |device: &&DeviceInfo| {
        all.is_some() || named.iter().any(|choice| choice.ordinal == device.ordinal)
    };
    let missing = |choice: &&DeviceChoice| !devices.iter().any(|d| d.ordinal == choice.ordinal);
    if let Some(absent) = named.iter().find(missing) {
        return Err(Failure::device(format!("there is no `{backend}:{}`", absent.ordinal))
            .hint("`autobench devices` lists what there is"));
    }
    let mut groups: Vec<(&DeviceInfo, String)> = Vec::new();
    for device in devices.iter().filter(meant) {
        match groups.iter_mut().find(|(first, _)| is_same_model(first, device)) {
            Some((_, text)) => *text = format!("{text},{}", device.ordinal),
            None => groups.push((device, format!("{backend}:{}", device.ordinal))),
        }
    }
    Ok(groups.into_iter().map(|(_, text)| text).collect())
}

fn is_same_model(a: &DeviceInfo, b: &DeviceInfo) -> bool {
    // Parts of a partitioned device have its name and less of its memory.
    a.name == b.name && a.memory.0 == b.memory.0
}

/// Workers with their devices.
pub(super) struct Crew {
    members: Vec<Member>,
    first: DeviceInfo,
}

/// A worker with its device.
struct Member {
    device: DeviceChoice,
    /// By which the backend finds the device for setting it.
    address: String,
    client: Client,
}

impl Member {
    fn new(device: DeviceChoice, info: &DeviceInfo, client: Client) -> Self {
        let address = info.facts.get("pci_address").cloned().unwrap_or_default();
        Self { device, address, client }
    }
}

impl Crew {
    /// The worker whose device decides what the study measures.
    pub(super) fn led_by(mut client: Client, setup: Setup) -> Result<Self, Failure> {
        let device = setup.device.clone();
        let first = set_up(&mut client, setup)?;
        Ok(Self { members: vec![Member::new(device, &first, client)], first })
    }

    /// Adds a worker with a device of the same model.
    pub(super) fn hire(&mut self, mut client: Client, setup: Setup) -> Result<(), Failure> {
        let device = setup.device.clone();
        let info = set_up(&mut client, setup)?;
        if !is_same_model(&self.first, &info) {
            return Err(Failure::settings(format!(
                "`{}` is {} and `{}` is {}: figures of different models are kept apart",
                in_words(&self.members[0].device),
                self.first.name,
                in_words(&device),
                info.name
            ))
            .hint("start a study for each model; a new study on several does so by itself"));
        }
        self.first.memory.1 = self.first.memory.1.min(info.memory.1);
        self.members.push(Member::new(device, &info, client));
        Ok(())
    }

    /// The record of the devices, and their workers.
    ///
    /// With a control worker for each where their clocks will be set.
    pub(super) fn ready(self, kept: bool) -> Result<(DeviceRecord, Vec<Hand>), Failure> {
        let several = self.members.len() > 1;
        let others = self.members[1..].iter().map(|member| in_words(&member.device)).collect();
        let hand = |Member { device, address, client }: Member| {
            let control = || {
                let settings = temporary::worker(None);
                let started = ControlWorker::start(settings, &device.backend, &address);
                started.map(|control| Rc::new(RefCell::new(control))).map_err(Failure::bug)
            };
            Ok(Hand {
                control: kept.then(control).transpose()?,
                device: if several { in_words(&device) } else { String::new() },
                client: Rc::new(RefCell::new(client)),
            })
        };
        let hands = self.members.into_iter().map(hand).collect::<Result<_, Failure>>()?;
        Ok((record(self.first, others), hands))
    }
}

fn set_up(client: &mut Client, setup: Setup) -> Result<DeviceInfo, Failure> {
    client
        .set_up(setup, SETUP_TIMEOUT)
        .map_err(|fault| Failure::device(&fault).unless_machine(&fault))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_by_one_number_or_several() {
        let ordinals =
            |text: &str| choices(text).map(|all| all.iter().map(|c| c.ordinal).collect());
        assert_eq!(ordinals("cuda").ok(), Some(vec![0]));
        assert_eq!(ordinals("cuda:2,0").ok(), Some(vec![2, 0]));
        for wrong in ["cuda:0,0", "cuda:x", "cuda:", "cuda:1,", "abacus"] {
            assert!(ordinals(wrong).is_err(), "{wrong}");
        }
        assert!(device_choice("cuda:0,1").is_err());
    }
}
