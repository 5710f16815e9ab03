//! Trials made ahead on several devices: the configurations that a strategy hints at are measured
//! together with the one that it asks for. The strategy makes the same decisions and is charged the
//! same as on one device, but needs less time.

use records::{Named, Outcome};
use rustc_hash::FxHashMap;
use space::{ConfigurationId, Space};

use super::{Evaluator, Hints};

/// Configurations per device in one batch, if all of them will be asked for. With more than one per
/// device, a device that finishes early takes the next configuration.
const CERTAIN_PER_DEVICE: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Ahead {
    hinted: Vec<ConfigurationId>,
    /// Whether all hinted configurations will be asked for.
    certain: bool,
    ready: FxHashMap<ConfigurationId, Outcome>,
}

impl Ahead {
    pub(super) fn hint(&mut self, ids: &[ConfigurationId], certain: bool) {
        self.hinted = ids.to_vec();
        self.certain = certain;
    }

    /// Returns the outcome of a configuration, measured ahead or now. If now, up to `most`
    /// configurations are measured, with hinted ones.
    pub(super) fn outcome(
        &mut self,
        id: ConfigurationId,
        evaluator: &mut dyn Evaluator,
        (space, size): (&Space, u64),
        hints: &Hints,
        (most, is_new): (u64, &mut dyn FnMut(ConfigurationId) -> bool),
    ) -> Outcome {
        if let Some(outcome) = self.ready.remove(&id) {
            return outcome;
        }
        let width = evaluator.width();
        let named = Named::of(space, id);
        if width < 2 {
            return evaluator.evaluate(size, &named, hints);
        }
        let room = if self.certain { width * CERTAIN_PER_DEVICE } else { width };
        let room = room.min(usize::try_from(most).unwrap_or(usize::MAX));
        let mut ids = vec![id];
        // Hints that precede the requested configuration are out of date.
        let at = self.hinted.iter().position(|hinted| *hinted == id);
        for next in at.map_or(&[][..], |at| &self.hinted[at + 1..]) {
            if ids.len() >= room {
                break;
            }
            if !ids.contains(next) && !self.ready.contains_key(next) && is_new(*next) {
                ids.push(*next);
            }
        }
        let names: Vec<Named> = ids.iter().map(|id| Named::of(space, *id)).collect();
        let outcomes = evaluator.evaluate_several(size, &names, hints);
        self.ready.extend(ids.into_iter().zip(outcomes));
        self.ready.remove(&id).unwrap_or_else(|| evaluator.evaluate(size, &named, hints))
    }
}
