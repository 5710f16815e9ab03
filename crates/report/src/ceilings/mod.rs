//! The ceilings of a device, as the studies of a profile measured them, and the share of them that
//! the winners of other studies reach. Pure: curves and records in, values out.

mod measured;
mod share;

pub use measured::{Profiled, measured};
pub use share::{Roof, Share, ceiling_curve, share_at, shares, winner_share};
