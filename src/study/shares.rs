//! How the seconds of a study are shared between growth and rounds.

use super::Plan;
use crate::settings::Goal;

/// The share of a study's seconds that sizes may grow for, where rounds follow.
const SHARE: f64 = 0.45;

/// Rounds for a single size take no longer than this share of its seconds, and these seconds.
pub(super) const OF_ONE: (f64, f64) = (0.2, 5.0);

/// The share of the study's seconds that sizes may grow for: rounds follow, if there is a device.
pub(super) fn growth(plan: &Plan) -> f64 {
    match plan.settings.goal {
        Goal::Saturate => SHARE,
        Goal::Tune => 1.0 - OF_ONE.0,
    }
}
