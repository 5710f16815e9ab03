//! The way of runs round the rings: which copy a run finds, and when written ones are restored.

use super::{
    arena::{Arena, Seating},
    caches::Copies,
    stop::Stop,
};
use crate::backends::{Device, Turns};

/// Where the runs of a size stand on their way round the rings.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Way {
    next: u32,
    /// The rings of written arguments, each with the one that holds its original.
    written: Vec<(u64, u64)>,
    /// So many slots of theirs, from the first on, are not as they were before any run.
    changed: u32,
}

impl Arena {
    /// Puts a seating on its size's way. What a ring holds that is new there nobody knows.
    pub(super) fn set_out(&mut self, seating: &Seating) {
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
                device.spread(from.buffer, to.buffer, slots, from.bytes)?;
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

    /// Whether samples find their data in memory.
    pub(super) fn is_cold(&self) -> bool {
        self.copies != Copies::Hot
    }

    /// Whether caches are flushed before a sample: where there are copies, too few by themselves.
    pub(super) fn is_flushed(&self, seating: &Seating) -> bool {
        match self.copies {
            Copies::Hot => false,
            Copies::Flushed => true,
            Copies::Rotated { budget, .. } => seating.apart < budget,
        }
    }
}
