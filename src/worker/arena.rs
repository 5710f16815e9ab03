//! Buffers of the device, kept from trial to trial: a ring of copies for every argument, so that
//! successive runs find their data in memory and not in a cache. Between two uses of the same bytes
//! a budget of others is touched; what one run touches by itself needs no copies.
//!
//! Inputs are filled once, in the first slot, and spread over the others. An `inout` argument has an
//! untouched original; its copies are restored when all of them were used.

use std::{collections::BTreeMap, time::Instant};

use autobench_sdk::document::{Fill, Role};

use super::{
    input,
    workload::{ArgumentSpec, Content, Instance, Stop, Workload},
};
use crate::{
    accuracy::Element,
    backends::{ArgumentValue, Buffer, Device, DeviceFault, Turns},
};

/// Elements at each end and in between that witness an input.
const WITNESSES: u64 = 64;
/// A line of any device's cache: smaller buffers touch no less.
const LINE: u64 = 128;
/// The most slots of a ring.
const MOST_SLOTS: u64 = 1 << 16;
/// Memory that is left free when older rings make room for new ones.
const LEFT_FREE: f64 = 0.05;
/// Copies that are restored when all were used: as many again, so that what is restored last is
/// out of the caches, too, when its turn comes.
const RESTORED: u64 = 2;

/// How samples find the caches: one way for a whole study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copies {
    /// As the run before left them: there is one copy of everything.
    Hot,
    /// Cold, because between two uses of the same bytes `budget` others are touched; copies take
    /// `most` bytes at most.
    Rotated {
        /// Bytes.
        budget: u64,
        /// Bytes.
        most: u64,
    },
    /// Cold, because they are flushed before every run: there is no memory for copies.
    Flushed,
}

impl Copies {
    /// Bytes between two uses of the same, as a multiple of the last cache.
    const CACHES: u64 = 4;
    /// What is touched at least: devices may have caches that they do not tell.
    const LEAST: u64 = 16 << 20;
    /// The share of free memory that copies may take.
    const SHARE: f64 = 0.25;

    /// The way of a study on a device with this last cache and this much free memory.
    pub(super) fn new(cold: bool, cache_bytes: u64, free: u64) -> Self {
        let budget = (Self::CACHES * cache_bytes).max(Self::LEAST);
        let most = (free as f64 * Self::SHARE) as u64;
        match cold {
            false => Self::Hot,
            true if most < budget => Self::Flushed,
            true => Self::Rotated { budget, most },
        }
    }
}

/// The buffers of one argument, by the numbers of their rings.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Places {
    working: u64,
    pristine: Option<u64>,
}

/// Where a workload's arguments are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seating {
    /// By the arguments' positions; none for scalars.
    places: Vec<Option<Places>>,
    /// How many runs have a copy of their own.
    pub(super) slots: u32,
    /// Bytes that lie between two uses of the same ones, copies and the run itself.
    pub(super) apart: u64,
    size: u64,
}

/// A ring and what is known about it.
#[derive(Debug)]
struct Ring {
    number: u64,
    purpose: Purpose,
    buffer: Buffer,
    bytes: u64,
    slots: u32,
    /// Whether it holds what its purpose says.
    filled: bool,
    witness: Vec<f64>,
    /// When it was used last.
    used: u64,
}

/// What a ring is for: equal purposes are equal bytes.
#[derive(Debug, Clone, PartialEq)]
struct Purpose {
    argument: usize,
    part: Part,
    element: Element,
    count: u64,
    /// Of inputs: the generator, the seed, and the size where a plugin's own elements depend on it.
    content: Option<(Fill, u64, u64)>,
}

/// Whether kernels get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Working,
    Pristine,
}

/// Where the runs of a size stand on their way round the rings.
#[derive(Debug, Clone, Default, PartialEq)]
struct Way {
    next: u32,
    /// The rings of written arguments, each with the one that holds its original.
    written: Vec<(u64, u64)>,
    /// So many slots of theirs, from the first on, are not as they were before any run.
    changed: u32,
}

/// All buffers.
#[derive(Debug)]
pub(super) struct Arena {
    copies: Copies,
    rings: Vec<Ring>,
    /// By size.
    ways: BTreeMap<u64, Way>,
    next: u64,
    clock: u64,
    /// Seconds spent on taking memory and filling it so far.
    filling: f64,
}

impl Arena {
    /// No buffers yet.
    pub(super) fn new(copies: Copies) -> Self {
        let (rings, ways) = (Vec::new(), BTreeMap::new());
        Self { copies, rings, ways, next: 0, clock: 0, filling: 0.0 }
    }

    /// How samples find the caches.
    pub(super) fn copies(&self) -> Copies {
        self.copies
    }

    /// Seconds spent on taking memory and filling it since this was asked last.
    pub(super) fn take_filling(&mut self) -> f64 {
        std::mem::take(&mut self.filling)
    }

    /// Whether a seating still has all its rings, and they hold what they should.
    pub(super) fn is_current(&self, seating: &Seating) -> bool {
        let places = seating.places.iter().flatten();
        let mut numbers =
            places.flat_map(|places| [Some(places.working), places.pristine]).flatten();
        let holds = |ring: &Ring| ring.filled || ring.purpose.content.is_none();
        numbers.all(|number| self.ring(number).is_some_and(holds))
    }

    /// Takes the buffers of a workload, or finds them, and fills its inputs for a seed; `once` for
    /// something that runs once, which needs no copies.
    pub(super) fn seat(
        &mut self,
        device: &mut dyn Device,
        workload: &Workload,
        (seed, once): (u64, bool),
        instance: &mut dyn Instance,
    ) -> Result<Seating, Stop> {
        self.clock += 1;
        let (slots, apart) = self.slots(workload, once);
        let wanted = purposes(workload, seed);
        self.make_room(device, &wanted, slots)?;
        let mut places: Vec<Option<Places>> = workload.arguments.iter().map(|_| None).collect();
        for (purpose, argument) in &wanted {
            let many = if purpose.goes_round(argument) { slots } else { 1 };
            let start = Instant::now();
            let at = self.find_or_take(device, purpose, argument, many)?;
            let number = self.rings[at].number;
            let place = &mut places[purpose.argument];
            match (purpose.part, &mut *place) {
                (Part::Working, _) => *place = Some(Places { working: number, pristine: None }),
                (Part::Pristine, Some(place)) => place.pristine = Some(number),
                (Part::Pristine, None) => {}
            }
            if let Some((_, seed, _)) = &purpose.content
                && !self.rings[at].filled
            {
                self.fill(device, at, argument, *seed, instance)?;
            }
            self.filling += start.elapsed().as_secs_f64();
        }
        let seating = Seating { places, slots, apart, size: workload.size };
        self.set_out(&seating);
        Ok(seating)
    }

    /// Puts a seating on its size's way. What a ring holds that is new there nobody knows.
    fn set_out(&mut self, seating: &Seating) {
        let way = self.ways.entry(seating.size).or_default();
        for places in seating.places.iter().flatten() {
            if let Some(pristine) = places.pristine
                && !way.written.contains(&(places.working, pristine))
            {
                way.written.push((places.working, pristine));
                way.changed = u32::MAX;
            }
        }
    }

    /// How many copies a workload gets, and how many bytes then lie between two uses of the same.
    fn slots(&self, workload: &Workload, once: bool) -> (u32, u64) {
        let turning = || {
            let all = workload.arguments.iter().filter(|a| a.role != Role::Constant);
            all.filter(|a| a.count().is_some())
        };
        let bytes: u64 = turning().map(|a| bytes_of(a).next_multiple_of(LINE)).sum();
        let Copies::Rotated { budget, most } = self.copies else { return (1, bytes) };
        if bytes == 0 || bytes >= budget || once {
            return (1, bytes);
        }
        let restored = turning().any(|a| a.role == Role::Inout);
        let times = if restored { RESTORED } else { 1 };
        let slot = bytes + turning().count() as u64 * GAP;
        let slots = (times * budget.div_ceil(bytes)).min(most / slot).clamp(1, MOST_SLOTS);
        (slots as u32, (slots / times).max(1) * bytes)
    }

    /// Gives rings back, the ones that were used longest ago first, until the new ones fit.
    fn make_room(
        &mut self,
        device: &mut dyn Device,
        wanted: &[(Purpose, &ArgumentSpec)],
        slots: u32,
    ) -> Result<(), Stop> {
        let mut missing = 0;
        for (purpose, argument) in wanted {
            let many = if purpose.goes_round(argument) { slots } else { 1 };
            match self.rings.iter_mut().find(|ring| ring.serves(purpose, many)) {
                Some(ring) => ring.used = self.clock,
                None => missing += (bytes_of(argument) + GAP) * u64::from(many),
            }
        }
        if missing == 0 {
            return Ok(());
        }
        // Rings of the same purpose that are too small come first.
        while let Some(at) = self.rings.iter().position(|ring| {
            ring.used < self.clock && wanted.iter().any(|(purpose, _)| ring.purpose == *purpose)
        }) {
            self.give_back(device, at);
        }
        loop {
            let (all, free) = device.info().memory;
            let left = (all as f64 * LEFT_FREE) as u64;
            let oldest = (0..self.rings.len())
                .filter(|at| self.rings[*at].used < self.clock)
                .min_by_key(|at| self.rings[*at].used);
            match oldest {
                _ if missing.saturating_add(left) <= free => return Ok(()),
                Some(at) => self.give_back(device, at),
                None if missing <= free => return Ok(()),
                None => {
                    return Err(Stop::run(format!(
                        "its buffers need {missing} more bytes of memory and the device has \
                         {free} free"
                    )));
                }
            }
        }
    }

    fn give_back(&mut self, device: &mut dyn Device, at: usize) {
        let ring = self.rings.swap_remove(at);
        device.free(ring.buffer);
    }

    /// The position of a ring for a purpose.
    fn find_or_take(
        &mut self,
        device: &mut dyn Device,
        purpose: &Purpose,
        argument: &ArgumentSpec,
        slots: u32,
    ) -> Result<usize, Stop> {
        if let Some(at) = self.rings.iter().position(|ring| ring.serves(purpose, slots)) {
            self.rings[at].used = self.clock;
            return Ok(at);
        }
        let bytes = bytes_of(argument);
        let buffer = device.allocate_ring(bytes, slots).map_err(|fault| {
            Stop::run(format!("no memory for argument `{}`: {fault}", argument.name))
        })?;
        self.next += 1;
        self.rings.push(Ring {
            number: self.next,
            purpose: purpose.clone(),
            buffer,
            bytes,
            slots,
            filled: false,
            witness: Vec::new(),
            used: self.clock,
        });
        Ok(self.rings.len() - 1)
    }

    /// Fills the first slot of a ring and spreads it over the others.
    fn fill(
        &mut self,
        device: &mut dyn Device,
        at: usize,
        argument: &ArgumentSpec,
        seed: u64,
        instance: &mut dyn Instance,
    ) -> Result<(), Stop> {
        let ring = &mut self.rings[at];
        let Ring { buffer, bytes, slots, .. } = *ring;
        input::fill(device, buffer, argument, ring.purpose.argument, seed, instance)?;
        device.spread(buffer, buffer, 0..slots, bytes).map_err(in_words)?;
        ring.witness = witness(device, buffer, &ring.purpose)?;
        ring.filled = true;
        Ok(())
    }

    fn ring(&self, number: u64) -> Option<&Ring> {
        self.rings.iter().find(|ring| ring.number == number)
    }

    /// The buffer that kernels get for an argument: its first slot.
    pub(super) fn buffer(&self, seating: &Seating, argument: usize) -> Option<Buffer> {
        let places = (*seating.places.get(argument)?)?;
        self.ring(places.working).map(|ring| ring.buffer)
    }

    /// An argument as a launch takes it.
    pub(super) fn value(
        &self,
        seating: &Seating,
        at: usize,
        argument: &ArgumentSpec,
    ) -> Option<ArgumentValue> {
        match &argument.content {
            Content::Scalar(bytes) => Some(ArgumentValue::Scalar(bytes.clone())),
            Content::Buffer { .. } if argument.role == Role::Constant => {
                let buffer = self.buffer(seating, at)?;
                Some(ArgumentValue::Constant(argument.name.clone(), buffer))
            }
            Content::Buffer { .. } => self.buffer(seating, at).map(ArgumentValue::Buffer),
        }
    }

    /// Whether any argument has to be restored.
    pub(super) fn restores(&self, seating: &Seating) -> bool {
        seating.places.iter().flatten().any(|places| places.pristine.is_some())
    }

    /// Makes the first slot as it was before any run, for a run whose result is looked at.
    pub(super) fn restore_first(
        &mut self,
        device: &mut dyn Device,
        seating: &Seating,
    ) -> Result<(), Stop> {
        let mut way = self.ways.remove(&seating.size).unwrap_or_default();
        let restored = self.restore(device, &way.written, 0..1);
        way.changed = way.changed.max(1);
        self.ways.insert(seating.size, way);
        restored
    }

    /// Gives written arguments their original content back.
    fn restore(
        &self,
        device: &mut dyn Device,
        written: &[(u64, u64)],
        slots: std::ops::Range<u32>,
    ) -> Result<(), Stop> {
        for (working, pristine) in written {
            if let (Some(from), Some(to)) = (self.ring(*pristine), self.ring(*working)) {
                let slots = slots.start..slots.end.min(to.slots);
                device.spread(from.buffer, to.buffer, slots, from.bytes).map_err(in_words)?;
            }
        }
        Ok(())
    }

    /// The way of a sample's runs round the rings; what they change is restored first, untimed.
    pub(super) fn turns(
        &mut self,
        device: &mut dyn Device,
        seating: &Seating,
        runs: u32,
    ) -> Result<Turns, Stop> {
        let slots = seating.slots;
        let mut way = self.ways.remove(&seating.size).unwrap_or_default();
        let mut restored = Ok(());
        let first = if self.restores(seating) {
            // Written copies serve once; then all are restored, in the order of their use.
            if slots == 1 || way.changed == u32::MAX || way.next.saturating_add(runs) > slots {
                restored = self.restore(device, &way.written, 0..way.changed);
                (way.next, way.changed) = (0, 0);
            }
            let first = way.next;
            way.next = first.saturating_add(runs).min(slots);
            way.changed = way.changed.max(way.next);
            first
        } else {
            let first = way.next % slots;
            way.next = ((u64::from(first) + u64::from(runs)) % u64::from(slots)) as u32;
            first
        };
        self.ways.insert(seating.size, way);
        restored.map(|()| Turns { runs, first })
    }

    /// One run on the last copy, which is made as it was before any run.
    pub(super) fn last_copy(
        &mut self,
        device: &mut dyn Device,
        seating: &Seating,
    ) -> Result<Turns, Stop> {
        let last = seating.slots - 1;
        let mut way = self.ways.remove(&seating.size).unwrap_or_default();
        let restored = self.restore(device, &way.written, last..seating.slots);
        if !way.written.is_empty() {
            way.changed = u32::MAX;
        }
        self.ways.insert(seating.size, way);
        restored.map(|()| Turns { runs: 1, first: last })
    }

    /// The most runs that a sample may have.
    pub(super) fn most_runs(&self, seating: &Seating) -> u32 {
        match self.copies {
            Copies::Hot => u32::MAX,
            Copies::Flushed => 1,
            Copies::Rotated { .. } if self.restores(seating) => (seating.slots / 2).max(1),
            Copies::Rotated { .. } if self.is_flushed(seating) => seating.slots,
            Copies::Rotated { .. } => u32::MAX,
        }
    }

    /// Whether caches are flushed before a sample: where there are copies, too few by themselves.
    pub(super) fn is_flushed(&self, seating: &Seating) -> bool {
        match self.copies {
            Copies::Hot => false,
            Copies::Flushed => true,
            Copies::Rotated { budget, .. } => seating.apart < budget,
        }
    }

    /// Looks at the witnesses: was an input written though nobody may?
    pub(super) fn inspect(
        &mut self,
        device: &mut dyn Device,
        workload: &Workload,
        seating: &Seating,
    ) -> Result<(), Stop> {
        let numbers: Vec<(usize, u64)> = seating
            .places
            .iter()
            .enumerate()
            .filter_map(|(at, places)| Some((at, (*places)?)))
            .flat_map(|(at, places)| {
                [Some((at, places.working)), places.pristine.map(|ring| (at, ring))]
            })
            .flatten()
            .collect();
        for (at, number) in numbers {
            let Some(ring) = self.rings.iter_mut().find(|ring| ring.number == number) else {
                continue;
            };
            if !ring.filled {
                continue;
            }
            // The copy that checked runs read, and the one that is looked at besides.
            let mut changed = false;
            for slot in [0, seating.slots.min(ring.slots).saturating_sub(1)] {
                let found = witness(device, Buffer { slot, ..ring.buffer }, &ring.purpose)?;
                changed |= !same_bits(&found, &ring.witness);
            }
            if changed {
                ring.filled = false;
                return Err(Stop::run(format!(
                    "it changed argument `{}`, which it may only read",
                    workload.arguments[at].name
                )));
            }
        }
        Ok(())
    }

    /// Forgets what buffers hold: after a run that may have written anywhere.
    pub(super) fn distrust(&mut self) {
        self.rings.iter_mut().for_each(|ring| ring.filled = false);
        self.ways.clear();
    }

    /// Bytes taken in all.
    pub(super) fn bytes(&self, seating: &Seating) -> u64 {
        let numbers = seating.places.iter().flatten();
        let rings = numbers.flat_map(|places| [Some(places.working), places.pristine]).flatten();
        rings.filter_map(|number| self.ring(number)).map(|ring| ring.bytes).sum()
    }

    /// Says a backend's words about buffers in the benchmark's names.
    pub(super) fn in_names(&self, text: &str, workload: &Workload, seating: &Seating) -> String {
        let mut text = text.to_owned();
        for (argument, places) in workload.arguments.iter().zip(&seating.places) {
            let Some(places) = places else { continue };
            for ring in [Some(places.working), places.pristine].into_iter().flatten() {
                let Some(ring) = self.ring(ring) else { continue };
                let number = format!("buffer {}", ring.buffer.ring);
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

/// What lies between two slots at most, as far as planning goes.
const GAP: u64 = 8192;

impl Purpose {
    /// Whether every run uses another copy: what kernels read and write, but for constants.
    fn goes_round(&self, argument: &ArgumentSpec) -> bool {
        self.part == Part::Working && argument.role != Role::Constant
    }
}

impl Ring {
    fn serves(&self, purpose: &Purpose, slots: u32) -> bool {
        self.slots >= slots && self.purpose == *purpose
    }
}

/// The rings that a workload needs, in the order of its arguments.
fn purposes(workload: &Workload, seed: u64) -> Vec<(Purpose, &ArgumentSpec)> {
    let mut wanted = Vec::new();
    for (at, argument) in workload.arguments.iter().enumerate() {
        let Content::Buffer { fill, .. } = &argument.content else { continue };
        let size = if *fill == Fill::Plugin { workload.size } else { 0 };
        let content = Some((fill.clone(), seed, size));
        let purpose = |part, content| Purpose {
            argument: at,
            part,
            element: argument.element,
            count: argument.count().unwrap_or(0),
            content,
        };
        match argument.role {
            Role::In | Role::Constant => wanted.push((purpose(Part::Working, content), argument)),
            Role::Out | Role::Scratch => wanted.push((purpose(Part::Working, None), argument)),
            Role::Inout => {
                wanted.push((purpose(Part::Working, None), argument));
                wanted.push((purpose(Part::Pristine, content), argument));
            }
        }
    }
    wanted
}

fn in_words(fault: DeviceFault) -> Stop {
    Stop::run(fault.to_string())
}

fn bytes_of(argument: &ArgumentSpec) -> u64 {
    argument.count().map_or(0, |count| (count * argument.element.bytes()).max(1))
}

/// Elements near the start, the middle and the end, by which a change is noticed.
fn witness(device: &mut dyn Device, buffer: Buffer, purpose: &Purpose) -> Result<Vec<f64>, Stop> {
    let count = purpose.count;
    let near = WITNESSES.min(count);
    let indices: Vec<u64> = (0..near)
        .chain((0..near).map(|step| (count - 1) / WITNESSES * step))
        .chain(count - near..count)
        .collect();
    device.gather(buffer, purpose.element, &indices).map_err(in_words)
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
