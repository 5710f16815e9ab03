//! Grows prefixes of valid configurations by one parameter after the other. A layer holds one
//! prefix for each state that restrictions can be in (see `residual`). A prefix may have no valid
//! continuation, and two prefixes may have the same ones; `backward` finds both.

use super::{
    SpaceError,
    prefixes::Prefixes,
    residual::{EvaluationPoint, Layer, LayerPlan},
    restriction::RestrictionChecks,
};

/// Marks a rejected value, in place of its prefix.
pub(super) const REJECTED: u32 = u32::MAX;

/// Limit of values tried over all prefixes; each takes four bytes.
const MAX_TRIALS: usize = 1 << 26;

/// Limit of bytes that one layer's prefixes take.
const MAX_LAYER_BYTES: usize = 1 << 28;

/// For each prefix of a layer and each of its values, the prefix of the next layer.
pub(super) type Children = Vec<u32>;

/// Grows the prefixes layer by layer. The last layer's only prefix is the end.
pub(super) fn grow(
    plan: &LayerPlan,
    restrictions: &mut RestrictionChecks<'_>,
) -> Result<Vec<Children>, SpaceError> {
    let mut layers = Vec::with_capacity(plan.layers.len());
    let mut prefixes = Prefixes::start();
    let (mut state, mut needed, mut key) = (Vec::new(), Vec::new(), Vec::new());
    let mut trials = 0;
    for (depth, layer) in plan.layers.iter().enumerate() {
        trials += prefixes.len().saturating_mul(layer.values.len());
        if trials > MAX_TRIALS {
            return Err(restrictions.too_large(depth, &before(plan, depth)));
        }
        let mut next = Prefixes::new(layer.width(), layer.key_width());
        let mut children = Vec::with_capacity(prefixes.len() * layer.values.len());
        for prefix in 0..prefixes.len() {
            let known = prefixes.state(prefix);
            for (place, value) in &layer.values {
                let at = EvaluationPoint { known, value: *value, place: *place };
                let child = if passes(layer, at, restrictions)? {
                    layer.bind(at, &mut state);
                    let lives = plan.key(layer, &state, &mut needed, &mut key);
                    if lives { next.place(&key, &state) } else { REJECTED }
                } else {
                    REJECTED
                };
                children.push(child);
            }
            if next.bytes() > MAX_LAYER_BYTES {
                return Err(restrictions.too_large(depth, &layer.waiting));
            }
        }
        layers.push(children);
        prefixes = next;
    }
    Ok(layers)
}

/// The restrictions that distinguish the prefixes before a layer.
fn before(plan: &LayerPlan, depth: usize) -> Vec<usize> {
    depth.checked_sub(1).map_or_else(Vec::new, |d| plan.layers[d].waiting.clone())
}

fn passes(
    layer: &Layer,
    at: EvaluationPoint<'_>,
    restrictions: &mut RestrictionChecks<'_>,
) -> Result<bool, SpaceError> {
    for check in &layer.checks {
        if !restrictions.holds(check, at)? {
            return Ok(false);
        }
    }
    Ok(true)
}
