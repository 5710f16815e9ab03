//! Whether a machine is fit to measure on: facts of the host, the noise of fixed work that is timed
//! repeatedly, the differences that can be resolved, and advice.

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
pub use examined::{Examined, SensorRanges};
pub use host::{HostFacts, Quota, Turbo};
pub use noise::WorkNoise;
pub use resolution::{CONFIDENCE, POWER, Resolution, SAMPLES, resolutions};
pub use siblings::Siblings;
