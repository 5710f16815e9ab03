//! Whether a machine is fit to measure on: what the host says of itself, what it did while the same
//! work was timed again and again, what difference can be seen on it, and what to change.

mod advice;
mod counters;
mod drift;
mod examined;
mod host;
mod noise;
mod resolution;
mod siblings;
mod system_files;

pub use counters::{Counters, Meanwhile};
pub use drift::Drift;
pub use examined::{Examined, Sensors};
pub use host::{Host, Quota, Turbo};
pub use noise::Noise;
pub use resolution::{CONFIDENCE, POWER, Resolution, SAMPLES, resolutions};
pub use siblings::Siblings;
