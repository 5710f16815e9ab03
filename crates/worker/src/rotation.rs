//! Which copies of its arguments a run uses, and when written copies are restored.

use device::{Device, SampleRuns};

use super::{
    arena::{Arena, Placement},
    caches::CachePolicy,
    trial_failure::TrialFailure,
};

impl Arena {
    pub(super) fn restores(&self, placement: &Placement) -> bool {
        placement.places.iter().flatten().any(|places| places.original.is_some())
    }

    /// Restores the first slot, for a run whose result is checked.
    pub(super) fn restore_first(
        &mut self,
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<(), TrialFailure> {
        let mut rotation = self.rotations.remove(&placement.size).unwrap_or_default();
        let restored = self.restore(device, &rotation.written, 0..1);
        rotation.changed = rotation.changed.max(1);
        self.rotations.insert(placement.size, rotation);
        restored
    }

    fn restore(
        &self,
        device: &mut dyn Device,
        written: &[(u64, u64)],
        slots: std::ops::Range<u32>,
    ) -> Result<(), TrialFailure> {
        for (working, original) in written {
            if let (Some(from), Some(to)) = (self.ring(*original), self.ring(*working)) {
                let slots = slots.start..slots.end.min(to.slots);
                device.spread(from.buffer, to.buffer, slots, from.bytes)?;
            }
        }
        Ok(())
    }

    /// The copies for a sample's runs. Copies that earlier runs changed are restored first,
    /// untimed.
    pub(super) fn sample_runs(
        &mut self,
        device: &mut dyn Device,
        placement: &Placement,
        runs: u32,
    ) -> Result<SampleRuns, TrialFailure> {
        let slots = placement.slots;
        let mut rotation = self.rotations.remove(&placement.size).unwrap_or_default();
        let mut restored = Ok(());
        let first = if self.restores(placement) {
            // A written copy serves one run. When too few are left, all are restored.
            if slots == 1
                || rotation.changed == u32::MAX
                || rotation.next.saturating_add(runs) > slots
            {
                restored = self.restore(device, &rotation.written, 0..rotation.changed);
                (rotation.next, rotation.changed) = (0, 0);
            }
            let first = rotation.next;
            rotation.next = first.saturating_add(runs).min(slots);
            rotation.changed = rotation.changed.max(rotation.next);
            first
        } else {
            rotation.turns.entry(slots).or_default().take(runs, slots, placement.comes_back)
        };
        self.rotations.insert(placement.size, rotation);
        restored.map(|()| SampleRuns { runs, first })
    }

    pub(super) fn last_copy(
        &mut self,
        device: &mut dyn Device,
        placement: &Placement,
    ) -> Result<SampleRuns, TrialFailure> {
        let last = placement.slots - 1;
        let mut rotation = self.rotations.remove(&placement.size).unwrap_or_default();
        let restored = self.restore(device, &rotation.written, last..placement.slots);
        if !rotation.written.is_empty() {
            rotation.changed = u32::MAX;
        }
        self.rotations.insert(placement.size, rotation);
        restored.map(|()| SampleRuns { runs: 1, first: last })
    }

    pub(super) fn most_runs(&self, placement: &Placement) -> u32 {
        match self.cache_policy {
            CachePolicy::Hot | CachePolicy::Own => u32::MAX,
            _ if self.restores(placement) => (placement.slots / 2).max(1),
            _ if self.is_flushed(placement) => placement.slots,
            // Nothing lies between two runs of a sample.
            _ if self.is_in_rounds() && placement.slots > 1 => placement.slots,
            _ => u32::MAX,
        }
    }

    pub(super) fn is_cold(&self) -> bool {
        self.cache_policy != CachePolicy::Hot
    }

    /// Whether caches are flushed before a sample. They are also flushed if there are too few
    /// copies.
    pub(super) fn is_flushed(&self, placement: &Placement) -> bool {
        match self.cache_policy {
            CachePolicy::Hot | CachePolicy::Own => false,
            CachePolicy::Flushed { .. } => true,
            CachePolicy::Rotated { .. } => placement.is_short,
        }
    }
}
