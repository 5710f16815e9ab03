//! The buffers of a study: taken once, grown when a size needs more, filled again only when what
//! they should hold is something else. Every buffer has a witness (does a kernel write its
//! inputs?) and, where it is larger than what is used, a fence behind the used part.

use autobench_sdk::document::{Fill, Role};

use super::{
    input,
    workload::{ArgumentSpec, Content, Instance, Stop, Workload},
};
use crate::{
    accuracy::Element,
    backends::{ArgumentValue, Buffer, Device},
};

/// Bytes of a fence, and what it is made of.
const FENCE: u64 = 4096;
const FENCE_BYTE: u8 = 0xC5;
/// Elements at each end and in between that witness an input.
const WITNESSES: u64 = 64;

/// A buffer in device memory and what is known about it.
#[derive(Debug)]
struct Slot {
    buffer: Buffer,
    bytes: u64,
    used: u64,
    holds: Option<Holding>,
    witness: Vec<f64>,
}

/// What a buffer holds: equal holdings are equal bytes.
#[derive(Debug, Clone, PartialEq)]
struct Holding {
    fill: Fill,
    seed: u64,
    size: u64,
    element: Element,
    count: u64,
}

/// The buffers of one argument: the one kernels get, and for an `inout` the untouched original.
#[derive(Debug, Default)]
struct Place {
    working: Option<Slot>,
    pristine: Option<Slot>,
}

/// All buffers, by the arguments' positions.
#[derive(Debug, Default)]
pub(super) struct Arena {
    places: Vec<Place>,
}

impl Arena {
    /// Makes buffers large enough and inputs as the workload wants them, for a seed.
    pub(super) fn prepare(
        &mut self,
        device: &mut dyn Device,
        workload: &Workload,
        seed: u64,
        instance: &mut dyn Instance,
    ) -> Result<(), Stop> {
        self.places.resize_with(workload.arguments.len().max(self.places.len()), Place::default);
        self.grow(device, workload)?;
        for (at, argument) in workload.arguments.iter().enumerate() {
            let Content::Buffer { fill, .. } = &argument.content else { continue };
            let place = &mut self.places[at];
            let slot = match argument.role {
                Role::Inout => place.pristine.as_mut(),
                Role::In | Role::Constant => place.working.as_mut(),
                Role::Out | Role::Scratch => None,
            };
            if let Some(slot) = slot {
                let holding = Holding {
                    fill: fill.clone(),
                    seed,
                    // Only a plugin's own elements depend on the size itself.
                    size: if *fill == Fill::Plugin { workload.size } else { 0 },
                    element: argument.element,
                    count: argument.count().unwrap_or(0),
                };
                if slot.holds.as_ref() != Some(&holding) {
                    slot.holds = None;
                    input::fill(device, slot.buffer, argument, at, seed, instance)?;
                    slot.witness = witness(device, slot.buffer, &holding)?;
                    slot.holds = Some(holding);
                }
            }
            for slot in [&mut place.working, &mut place.pristine].into_iter().flatten() {
                slot.used = bytes_of(argument);
                fence(device, slot)?;
            }
        }
        Ok(())
    }

    /// Takes what is missing, giving back the smaller buffers first.
    fn grow(&mut self, device: &mut dyn Device, workload: &Workload) -> Result<(), Stop> {
        let mut missing = 0;
        for (argument, place) in workload.arguments.iter().zip(&mut self.places) {
            let bytes = bytes_of(argument);
            let inout = argument.role == Role::Inout;
            for (slot, wanted) in [(&mut place.working, true), (&mut place.pristine, inout)] {
                if wanted && bytes > 0 && slot.as_ref().is_none_or(|slot| slot.bytes < bytes) {
                    if let Some(small) = slot.take() {
                        device.free(small.buffer);
                    }
                    missing += bytes;
                }
            }
        }
        if missing == 0 {
            return Ok(());
        }
        let (_, free) = device.info().memory;
        if missing > free {
            return Err(Stop::run(format!(
                "its buffers need {missing} more bytes of memory and the device has {free} free"
            )));
        }
        for (argument, place) in workload.arguments.iter().zip(&mut self.places) {
            let bytes = bytes_of(argument);
            let inout = argument.role == Role::Inout;
            for (slot, wanted) in [(&mut place.working, true), (&mut place.pristine, inout)] {
                if wanted && bytes > 0 && slot.is_none() {
                    let buffer = device.allocate(bytes).map_err(|fault| {
                        Stop::run(format!("no memory for argument `{}`: {fault}", argument.name))
                    })?;
                    let (used, holds, witness) = (bytes, None, Vec::new());
                    *slot = Some(Slot { buffer, bytes, used, holds, witness });
                }
            }
        }
        Ok(())
    }

    /// The buffer that kernels get for an argument.
    pub(super) fn buffer(&self, argument: usize) -> Option<Buffer> {
        self.places.get(argument)?.working.as_ref().map(|slot| slot.buffer)
    }

    /// An argument as a launch takes it.
    pub(super) fn value(&self, at: usize, argument: &ArgumentSpec) -> Option<ArgumentValue> {
        match &argument.content {
            Content::Scalar(bytes) => Some(ArgumentValue::Scalar(bytes.clone())),
            Content::Buffer { .. } if argument.role == Role::Constant => {
                Some(ArgumentValue::Constant(argument.name.clone(), self.buffer(at)?))
            }
            Content::Buffer { .. } => self.buffer(at).map(ArgumentValue::Buffer),
        }
    }

    /// Gives every `inout` argument its original content back.
    pub(super) fn restore(&self, device: &mut dyn Device) -> Result<(), Stop> {
        for place in &self.places {
            if let (Some(working), Some(pristine)) = (&place.working, &place.pristine) {
                device
                    .copy(pristine.buffer, working.buffer, pristine.used)
                    .map_err(|fault| Stop::run(fault.to_string()))?;
            }
        }
        Ok(())
    }

    /// Whether any argument has to be restored before a sample.
    pub(super) fn restores(&self) -> bool {
        self.places.iter().any(|place| place.pristine.is_some())
    }

    /// Looks at the fences and the witnesses: who was written though nobody may?
    pub(super) fn inspect(
        &mut self,
        device: &mut dyn Device,
        workload: &Workload,
    ) -> Result<(), Stop> {
        for (argument, place) in workload.arguments.iter().zip(&mut self.places) {
            for slot in [&mut place.working, &mut place.pristine].into_iter().flatten() {
                let broken = fence_is_broken(device, slot)?;
                let changed = match &slot.holds {
                    Some(holding) => {
                        !same_bits(&witness(device, slot.buffer, holding)?, &slot.witness)
                    }
                    None => false,
                };
                if broken || changed {
                    slot.holds = None;
                }
                if broken {
                    return Err(Stop::run(format!(
                        "it wrote behind the end of argument `{}`",
                        argument.name
                    )));
                }
                if changed {
                    return Err(Stop::run(format!(
                        "it changed argument `{}`, which it may only read",
                        argument.name
                    )));
                }
            }
        }
        Ok(())
    }

    /// Forgets what buffers hold: after a run that may have written anywhere.
    pub(super) fn distrust(&mut self) {
        for place in &mut self.places {
            for slot in [&mut place.working, &mut place.pristine].into_iter().flatten() {
                slot.holds = None;
            }
        }
    }

    /// Bytes taken in all.
    pub(super) fn bytes(&self) -> u64 {
        let slots = self.places.iter().flat_map(|place| [&place.working, &place.pristine]);
        slots.flatten().map(|slot| slot.bytes).sum()
    }

    /// Says a backend's words about buffers in the benchmark's names.
    pub(super) fn in_names(&self, text: &str, workload: &Workload) -> String {
        let mut text = text.to_owned();
        for (argument, place) in workload.arguments.iter().zip(&self.places) {
            for slot in [&place.working, &place.pristine].into_iter().flatten() {
                let number = format!("buffer {}", slot.buffer.0);
                let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
                if let Some(at) = text.find(&number)
                    && ends(&text[at + number.len()..])
                {
                    let name = format!("argument `{}`", argument.name);
                    text.replace_range(at..at + number.len(), &name);
                }
            }
        }
        text
    }
}

fn bytes_of(argument: &ArgumentSpec) -> u64 {
    argument.count().map_or(0, |count| (count * argument.element.bytes()).max(1))
}

/// Elements near the start, the middle and the end, by which a change is noticed.
fn witness(device: &mut dyn Device, buffer: Buffer, holding: &Holding) -> Result<Vec<f64>, Stop> {
    let count = holding.count;
    let near = WITNESSES.min(count);
    let indices: Vec<u64> = (0..near)
        .chain((0..near).map(|step| (count - 1) / WITNESSES * step))
        .chain(count - near..count)
        .collect();
    device.gather(buffer, holding.element, &indices).map_err(|fault| Stop::run(fault.to_string()))
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Puts a fence behind the used part of a buffer that is larger.
fn fence(device: &mut dyn Device, slot: &Slot) -> Result<(), Stop> {
    let bytes = vec![FENCE_BYTE; fence_length(slot)];
    if bytes.is_empty() {
        return Ok(());
    }
    device.write(slot.buffer, slot.used, &bytes).map_err(|fault| Stop::run(fault.to_string()))
}

fn fence_is_broken(device: &mut dyn Device, slot: &Slot) -> Result<bool, Stop> {
    let mut bytes = vec![FENCE_BYTE; fence_length(slot)];
    if bytes.is_empty() {
        return Ok(false);
    }
    device
        .read(slot.buffer, slot.used, &mut bytes)
        .map_err(|fault| Stop::run(fault.to_string()))?;
    Ok(bytes.iter().any(|byte| *byte != FENCE_BYTE))
}

fn fence_length(slot: &Slot) -> usize {
    (slot.bytes - slot.used).min(FENCE) as usize
}
