//! Facts of a GPU, and reasons to distrust timings on it now.

use device::DeviceInfo;
use space::accuracy::Element;

use super::{
    compiler::Hiprtc,
    driver::{self as attribute, Runtime},
    sensors,
};
use crate::gpu::{
    driver::Properties,
    facts::{GpuFacts, InWords, bits, hertz, kib, mhz, on_or_off, plain, watched},
};

/// Bytes of the last-level cache, if the driver does not tell.
const USUAL_CACHE: u64 = 8 << 20;

/// What the runtime does not tell about an architecture: f32 operations that a compute unit starts
/// per cycle, and the last-level cache if there is one behind the L2 (AMD's white papers on CDNA
/// and RDNA).
struct Generation {
    architecture: &'static str,
    /// `None` if the runtime counts units in pairs or reports the memory clock in other terms.
    lanes: Option<u32>,
    last_cache: u64,
}

const fn accelerator(architecture: &'static str, lanes: u32, last_cache: u64) -> Generation {
    Generation { architecture, lanes: Some(lanes), last_cache }
}

const fn graphics(architecture: &'static str, last_cache: u64) -> Generation {
    Generation { architecture, lanes: None, last_cache }
}

const GENERATIONS: &[Generation] = &[
    accelerator("gfx900", 64, 0),
    accelerator("gfx906", 64, 0),
    accelerator("gfx908", 64, 0),
    accelerator("gfx90a", 128, 0),
    accelerator("gfx942", 128, 256 << 20),
    accelerator("gfx950", 128, 256 << 20),
    graphics("gfx1030", 128 << 20),
    graphics("gfx1031", 96 << 20),
    graphics("gfx1032", 32 << 20),
    graphics("gfx1100", 96 << 20),
    graphics("gfx1101", 64 << 20),
    graphics("gfx1102", 32 << 20),
    graphics("gfx1200", 32 << 20),
    graphics("gfx1201", 64 << 20),
];

fn generation(architecture: &str) -> Option<&'static Generation> {
    let plain = architecture.split(':').next()?;
    GENERATIONS.iter().find(|known| known.architecture == plain)
}

pub(super) fn info(runtime: &Runtime, hiprtc: &Hiprtc, properties: &Properties) -> DeviceInfo {
    let driver = &*runtime.driver;
    let known = |number| driver.attribute(properties.device, number).filter(|&number| number > 0);
    let architecture = runtime.architecture(properties);
    let generation = architecture.as_deref().ok().and_then(generation);
    let state = sensors::state(&properties.address);
    let mut facts = GpuFacts::of(driver, properties, ATTRIBUTES);
    facts.add("architecture", architecture.as_ref().ok().cloned());
    facts.add("hip_of_runtime", runtime.version());
    facts.add("compiler_library", Some(hiprtc.path().to_owned()));
    let target = architecture.map_err(|fault| fault.0);
    let target = target.and_then(|architecture| hiprtc.target(&architecture));
    facts.add("compiled_for", target.as_ref().ok().map(|target| target.architecture.clone()));
    state.facts().into_iter().for_each(|(name, value)| facts.add(name, value));
    let last_cache = generation.map_or(0, |generation| generation.last_cache);
    facts.add("cache_last", (last_cache > 0).then(|| format!("{} MiB", last_cache >> 20)));
    let lanes = generation.and_then(|generation| generation.lanes);
    let clock = hertz(driver, properties, attribute::CLOCK);
    // Stacked memory transfers data twice per cycle. For other memory the clock alone is not
    // enough.
    let memory_clock =
        hertz(driver, properties, attribute::MEMORY_CLOCK).filter(|_| lanes.is_some());
    let mut warnings = warnings(runtime, properties);
    warnings.extend(target.err());
    DeviceInfo {
        backend: "hip".to_owned(),
        ordinal: properties.ordinal,
        name: properties.name.clone(),
        compiler: hiprtc.name().to_owned(),
        memory: (properties.memory, state.free_memory(properties.memory)),
        block_limit: properties.limits.threads,
        cache_bytes: known(attribute::CACHE_L2).map_or(USUAL_CACHE, u64::from).max(last_cache),
        peak_bandwidth: memory_clock
            .zip(known(attribute::MEMORY_BUS))
            .map(|(clock, bits)| 2.0 * clock * f64::from(bits) / 8.0),
        peak_flops: clock.zip(lanes).map(|(clock, lanes)| {
            // A fused multiply-add counts as two operations.
            2.0 * clock * f64::from(lanes) * f64::from(properties.multiprocessors)
        }),
        formats: Element::ALL.to_vec(),
        facts: facts.0,
        warnings,
    }
}

const ATTRIBUTES: &[(&str, u32, InWords)] = &[
    ("clock", attribute::CLOCK, mhz),
    ("memory_clock", attribute::MEMORY_CLOCK, mhz),
    ("memory_bus", attribute::MEMORY_BUS, bits),
    ("cache_l2", attribute::CACHE_L2, kib),
    ("shared_memory_per_multiprocessor", attribute::SHARED_PER_MULTIPROCESSOR, kib),
    ("registers_per_block", attribute::REGISTERS_PER_BLOCK, plain),
    ("threads_per_multiprocessor", attribute::THREADS_PER_MULTIPROCESSOR, plain),
    ("warp_size", attribute::WARP, plain),
    ("ecc", attribute::ECC, on_or_off),
    ("integrated", attribute::INTEGRATED, on_or_off),
];

/// Reasons to distrust timings on a device now, one sentence each.
pub(super) fn warnings(runtime: &Runtime, properties: &Properties) -> Vec<String> {
    watched(&runtime.driver, properties, attribute::WATCHDOG).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_are_known_by_their_architecture_without_its_features() {
        let known = generation("gfx90a:sramecc+:xnack-").expect("CDNA 2");
        assert_eq!((known.lanes, known.last_cache), (Some(128), 0));
        assert!(generation("gfx9").is_none());
    }
}
