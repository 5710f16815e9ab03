//! Buffers of the device, kept from trial to trial. Each argument has a ring of copies, so that
//! successive runs find their data in memory and not in a cache. The number of copies is chosen so
//! that a given number of other bytes (`budget`) is touched between two uses of a copy. Runs that
//! touch as many bytes by themselves need no copies.
//!
//! Inputs are filled once, in the first slot, and copied to the other slots. An `inout` argument
//! has an untouched original, from which its copies are restored when all of them have been used.

use std::{collections::BTreeMap, time::Instant};

use autobench_sdk::document::Role;
use device::{
    ArgumentValue, Buffer, Device, Seal, trespass,
    workload::{Argument, Content, Workload},
};

use super::{
    benchmark_code::BenchmarkCode,
    caches::CachePolicy,
    input,
    ring::{GAP, Ring, RingPurpose, RingRole, Rotation, bytes_of, purposes},
    trial_failure::TrialFailure,
};

/// At least the bytes of a cache line. A smaller buffer occupies a whole line.
const LINE: u64 = 128;
const MOST_SLOTS: u64 = 1 << 16;
/// Share of memory that stays free when older rings make room for new ones.
const LEFT_FREE: f64 = 0.05;
/// In rounds, the samples of all other sizes lie between two samples of a size. So a size needs
/// only its share of the bytes between two uses of a copy, this many times: samples touch unequal
/// numbers of bytes. It also needs at least this many copies, if these are no more bytes than the
/// whole.
const SHARES_IN_ROUNDS: u64 = 4;
/// Factor on the number of copies if they are restored. Restoring touches all copies, so the last
/// ones must have left the caches again before they are used.
const RESTORED: u64 = 2;
/// Factor on the number of copies if the device keeps prepared samples: at least a third of the
/// copies is used in one turn of the ring.
const PASSED_OVER: u64 = 3;

/// Ring numbers of an argument: the ring that kernels use, and the ring from which it is restored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RingNumbers {
    pub(super) working: u64,
    pub(super) original: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placement {
    /// By position of the argument; `None` for scalars.
    pub(super) places: Vec<Option<RingNumbers>>,
    pub(super) slots: u32,
    /// Bytes touched between two uses of the same copy.
    pub(super) apart: u64,
    /// Whether there was no memory for enough copies.
    pub(super) is_short: bool,
    /// Whether later samples use the same copies again.
    pub(super) comes_back: bool,
    pub(super) size: u64,
}

/// The copies of a workload's buffers.
struct Copies {
    slots: u32,
    apart: u64,
    is_short: bool,
    comes_back: bool,
}

/// Who uses the buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    /// The search at a size.
    Search { size: u64 },
    /// Rounds over this many sizes.
    Rounds { sizes: u64 },
}

#[derive(Debug)]
pub(super) struct Arena {
    pub(super) cache_policy: CachePolicy,
    rings: Vec<Ring>,
    pub(super) rotations: BTreeMap<u64, Rotation>,
    next: u64,
    clock: u64,
    user: User,
    /// Value of the clock when this user began.
    began: u64,
    /// Seconds spent so far on allocating and filling memory.
    filling: f64,
}

fn numbers(placement: &Placement) -> impl Iterator<Item = u64> {
    let places = placement.places.iter().flatten();
    places.flat_map(|places| [Some(places.working), places.original]).flatten()
}

impl Arena {
    pub(super) fn new(cache_policy: CachePolicy) -> Self {
        Self {
            cache_policy,
            rings: Vec::new(),
            rotations: BTreeMap::new(),
            next: 0,
            clock: 0,
            user: User::Search { size: 0 },
            began: 0,
            filling: 0.0,
        }
    }

    pub(super) fn cache_policy(&self) -> CachePolicy {
        self.cache_policy
    }

    /// Returns the seconds spent on allocating and filling memory since the last call.
    pub(super) fn take_filling(&mut self) -> f64 {
        std::mem::take(&mut self.filling)
    }

    /// Whether a placement still has all its rings, and they still have their content.
    pub(super) fn is_current(&self, placement: &Placement) -> bool {
        let holds = |ring: &Ring| ring.filled || ring.purpose.content.is_none();
        numbers(placement).all(|number| self.ring(number).is_some_and(holds))
    }

    /// Number of rings allocated so far.
    pub(super) const fn placed(&self) -> u64 {
        self.next
    }

    /// Notes that the buffers of a placement are in use.
    pub(super) fn note_use(&mut self, placement: &Placement) {
        self.clock += 1;
        for number in numbers(placement) {
            if let Some(ring) = self.rings.iter_mut().find(|ring| ring.number == number) {
                ring.used = self.clock;
            }
        }
        self.note_originals(placement);
    }

    /// Notes which rings of a placement are restored, and from which.
    fn note_originals(&mut self, placement: &Placement) {
        let rotation = self.rotations.entry(placement.size).or_default();
        for numbers in placement.places.iter().flatten() {
            if let Some(original) = numbers.original {
                rotation.add(numbers.working, original);
            }
        }
    }

    /// Finds or allocates the buffers of a workload, and fills its inputs for a seed. With `once`,
    /// the workload runs only once and needs no copies.
    pub(super) fn place(
        &mut self,
        device: &mut dyn Device,
        workload: &Workload,
        (seed, once): (u64, bool),
        code: &mut dyn BenchmarkCode,
    ) -> Result<Placement, TrialFailure> {
        self.clock += 1;
        let Copies { slots, apart, is_short, comes_back } =
            self.copies(workload, once, device.keeps_samples());
        let wanted = purposes(workload, seed);
        self.make_room(device, &wanted, slots)?;
        let mut places: Vec<Option<RingNumbers>> =
            workload.arguments.iter().map(|_| None).collect();
        for (purpose, argument) in &wanted {
            let many = if purpose.goes_round(argument) { slots } else { 1 };
            let start = Instant::now();
            let at = self.find_or_take(device, purpose, argument, many)?;
            let number = self.rings[at].number;
            let place = &mut places[purpose.argument];
            match (purpose.part, &mut *place) {
                (RingRole::Working, _) => {
                    *place = Some(RingNumbers { working: number, original: None })
                }
                (RingRole::Original, Some(place)) => place.original = Some(number),
                (RingRole::Original, None) => {}
            }
            if let Some((_, seed, _)) = &purpose.content
                && !self.rings[at].filled
            {
                self.fill(device, at, argument, *seed, code)?;
            }
            self.filling += start.elapsed().as_secs_f64();
        }
        let placement =
            Placement { places, slots, apart, is_short, comes_back, size: workload.size };
        self.note_originals(&placement);
        Ok(placement)
    }

    /// Returns the copies that a workload has.
    fn copies(&self, workload: &Workload, once: bool, keeps_samples: bool) -> Copies {
        let turning = || {
            let all = workload.arguments.iter().filter(|a| a.role != Role::Constant);
            all.filter(|a| a.count().is_some())
        };
        let bytes: u64 = turning().map(|a| bytes_of(a).next_multiple_of(LINE)).sum();
        let single = Copies { slots: 1, apart: bytes, is_short: false, comes_back: false };
        let Some((budget, most)) = self.of_copies(bytes) else { return single };
        if bytes == 0 || bytes >= budget {
            return single;
        }
        if once {
            return Copies { is_short: true, ..single };
        }
        let slot = bytes + turning().count() as u64 * GAP;
        let (needed, room) = (budget.div_ceil(bytes), (most / slot).clamp(1, MOST_SLOTS));
        let restored = turning().any(|a| a.role == Role::Inout);
        // Restored copies are used from the first one on. If memory is short, being cold comes
        // first.
        let comes_back = keeps_samples && !restored && PASSED_OVER * needed <= room;
        let times = match (restored, comes_back) {
            (true, _) => RESTORED,
            (false, true) => PASSED_OVER,
            (false, false) => 1,
        };
        let slots = (times * needed).min(room);
        let apart = (slots / times).max(1) * bytes;
        Copies { slots: slots as u32, apart, is_short: apart < budget, comes_back }
    }

    /// Frees rings until the missing ones fit.
    fn make_room(
        &mut self,
        device: &mut dyn Device,
        wanted: &[(RingPurpose, &Argument)],
        slots: u32,
    ) -> Result<(), TrialFailure> {
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
        // Rings of the same purpose that have too few slots go first.
        while let Some(at) = self.rings.iter().position(|ring| {
            ring.used < self.clock && wanted.iter().any(|(purpose, _)| ring.purpose == *purpose)
        }) {
            self.give_back(device, at);
        }
        loop {
            let (all, free) = device.memory();
            let left = (all as f64 * LEFT_FREE) as u64;
            match self.least_needed() {
                _ if missing.saturating_add(left) <= free => return Ok(()),
                Some(at) => self.give_back(device, at),
                None if missing <= free => return Ok(()),
                None => {
                    return Err(TrialFailure::run(format!(
                        "its buffers need {missing} more bytes of memory and the device has \
                         {free} free"
                    )));
                }
            }
        }
    }

    /// Bytes that the user wants between two uses of a copy of so many bytes, and the most that
    /// copies may take; `None` if one copy is enough.
    fn of_copies(&self, copy: u64) -> Option<(u64, u64)> {
        let (bytes, most) = self.cache_policy.of_copies()?;
        let User::Rounds { sizes } = self.user else { return Some((bytes, most)) };
        let share = (bytes / sizes.max(1)).max(copy);
        Some((SHARES_IN_ROUNDS.saturating_mul(share).min(bytes), most))
    }

    /// The ring to free next: the least recently used, except that rings which rounds have used
    /// come last during rounds. Of these, the most recently used is freed, since its next use is
    /// furthest away.
    fn least_needed(&self) -> Option<usize> {
        let others = (0..self.rings.len()).filter(|at| self.rings[*at].used < self.clock);
        let in_rounds = self.is_in_rounds();
        let (in_turn, rest): (Vec<usize>, Vec<usize>) =
            others.partition(|at| in_rounds && self.rings[*at].used > self.began);
        let oldest = rest.into_iter().min_by_key(|at| self.rings[*at].used);
        oldest.or_else(|| in_turn.into_iter().max_by_key(|at| self.rings[*at].used))
    }

    /// Whether other sizes lie between two samples of a size.
    pub(super) const fn is_in_rounds(&self) -> bool {
        matches!(self.user, User::Rounds { .. })
    }

    /// Gives the buffers to a user. If it is another one than before, all copies are freed: their
    /// memory serves the next copies. Buffers without copies stay until memory is needed.
    pub(super) fn turn_to(&mut self, device: &mut dyn Device, user: User) {
        if std::mem::replace(&mut self.user, user) != user {
            self.began = self.clock;
            self.free_copies(device);
        }
    }

    /// Frees all rings that have several copies.
    pub(super) fn free_copies(&mut self, device: &mut dyn Device) {
        for at in (0..self.rings.len()).rev() {
            if self.rings[at].slots > 1 {
                self.give_back(device, at);
            }
        }
        self.rotations.clear();
    }

    fn give_back(&mut self, device: &mut dyn Device, at: usize) {
        let ring = self.rings.swap_remove(at);
        device.free(ring.buffer);
    }

    fn find_or_take(
        &mut self,
        device: &mut dyn Device,
        purpose: &RingPurpose,
        argument: &Argument,
        slots: u32,
    ) -> Result<usize, TrialFailure> {
        if let Some(at) = self.rings.iter().position(|ring| ring.serves(purpose, slots)) {
            self.rings[at].used = self.clock;
            return Ok(at);
        }
        let bytes = bytes_of(argument);
        // A device needs more than planned: it rounds up, and leaves room between slots.
        let buffer = loop {
            match (device.allocate_ring(bytes, slots), self.least_needed()) {
                (Ok(buffer), _) => break buffer,
                (Err(_), Some(at)) => self.give_back(device, at),
                (Err(fault), None) => {
                    let why = format!("no memory for argument `{}`: {fault}", argument.name);
                    return Err(TrialFailure::run(why));
                }
            }
        };
        self.next += 1;
        self.rings.push(Ring {
            number: self.next,
            purpose: purpose.clone(),
            buffer,
            bytes,
            slots,
            filled: false,
            used: self.clock,
        });
        Ok(self.rings.len() - 1)
    }

    fn fill(
        &mut self,
        device: &mut dyn Device,
        at: usize,
        argument: &Argument,
        seed: u64,
        code: &mut dyn BenchmarkCode,
    ) -> Result<(), TrialFailure> {
        let ring = &mut self.rings[at];
        let Ring { buffer, bytes, slots, .. } = *ring;
        input::fill(device, buffer, argument, ring.purpose.argument, seed, code)?;
        device.spread(buffer, buffer, 0..slots, bytes)?;
        device.seal(buffer)?;
        ring.filled = true;
        Ok(())
    }

    pub(super) fn ring(&self, number: u64) -> Option<&Ring> {
        self.rings.iter().find(|ring| ring.number == number)
    }

    pub(super) fn buffer(&self, placement: &Placement, argument: usize) -> Option<Buffer> {
        let places = (*placement.places.get(argument)?)?;
        self.ring(places.working).map(|ring| ring.buffer)
    }

    pub(super) fn value(
        &self,
        placement: &Placement,
        at: usize,
        argument: &Argument,
    ) -> Option<ArgumentValue> {
        match &argument.content {
            Content::Scalar(bytes) => Some(ArgumentValue::Scalar(bytes.clone())),
            Content::Buffer { .. } if argument.role == Role::Constant => {
                let buffer = self.buffer(placement, at)?;
                Some(ArgumentValue::Constant(argument.name.clone(), buffer))
            }
            Content::Buffer { .. } => self.buffer(placement, at).map(ArgumentValue::Buffer),
        }
    }

    /// Fails if a kernel has written an argument that it may only read.
    pub(super) fn inspect(
        &mut self,
        device: &mut dyn Device,
        workload: &Workload,
        placement: &Placement,
    ) -> Result<(), TrialFailure> {
        let numbers: Vec<(usize, u64)> = placement
            .places
            .iter()
            .enumerate()
            .filter_map(|(at, places)| Some((at, (*places)?)))
            .flat_map(|(at, places)| {
                [Some((at, places.working)), places.original.map(|ring| (at, ring))]
            })
            .flatten()
            .collect();
        for (argument, number) in numbers {
            let Some(ring) = self.rings.iter_mut().find(|ring| ring.number == number) else {
                continue;
            };
            if !ring.filled {
                continue;
            }
            if let Seal::Broken(at) = device.sealed(ring.buffer)? {
                ring.filled = false;
                let Argument { name, element, .. } = &workload.arguments[argument];
                let place = at.map_or_else(String::new, |(slot, byte)| {
                    let copy =
                        if slot == 0 { String::new() } else { format!(" of copy {}", slot + 1) };
                    format!(": element {}{copy}", byte / element.bytes())
                });
                return Err(TrialFailure::run(format!(
                    "it changed argument `{name}`, which it may only read{place}"
                )));
            }
        }
        Ok(())
    }

    /// Called after a run that may have written anywhere: all buffers will be filled again.
    pub(super) fn distrust(&mut self) {
        self.rings.iter_mut().for_each(|ring| ring.filled = false);
        self.rotations.clear();
    }

    /// Replaces a backend's buffer numbers by argument names.
    pub(super) fn in_names(
        &self,
        text: &str,
        workload: &Workload,
        placement: &Placement,
    ) -> String {
        let mut text = text.to_owned();
        for (argument, places) in workload.arguments.iter().zip(&placement.places) {
            let Some(places) = places else { continue };
            for ring in [Some(places.working), places.original].into_iter().flatten() {
                let Some(ring) = self.ring(ring) else { continue };
                let number = format!("buffer {}", ring.buffer.ring);
                let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
                if let Some(at) = text.find(&number)
                    && ends(&text[at + number.len()..])
                {
                    let name = format!("argument `{}`", argument.name);
                    text.replace_range(at..at + number.len(), &name);
                    let count = argument.count().unwrap_or(0);
                    if let Some(index) = trespass::index(&text, count, argument.element.bytes()) {
                        text += &format!(", at index {index}; it has {count} elements");
                    }
                    return text;
                }
            }
        }
        text
    }
}
