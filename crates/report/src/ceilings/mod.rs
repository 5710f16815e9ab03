//! What a device can do at most: read from the studies of a profile, and what share of it the
//! winners of other studies reach. Pure: curves and records in, figures out.

mod measured;
mod share;

pub use measured::{Profiled, measured};
pub use share::{Roof, Share, share_at, shares, winner_share};
