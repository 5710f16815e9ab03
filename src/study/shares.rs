//! Shares of growth and rounds in a study's seconds.

use super::Plan;
use crate::settings::Goal;

/// Share of a study's seconds for growth, if rounds follow.
const SHARE: f64 = 0.45;

/// Most time of rounds for a single size: share of its seconds, and seconds.
pub(super) const OF_ONE: (f64, f64) = (0.2, 5.0);

/// Share of the study's seconds for growth.
pub(super) fn growth(plan: &Plan) -> f64 {
    match plan.settings.goal {
        Goal::Saturate => SHARE,
        Goal::Tune => 1.0 - OF_ONE.0,
    }
}
