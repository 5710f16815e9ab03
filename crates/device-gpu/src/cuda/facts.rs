//! Facts of a GPU, and reasons to distrust timings on it now.

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use device::DeviceInfo;
use space::accuracy::Element;

use super::{
    compiler::Nvrtc,
    sensors::{self, State},
};
use crate::gpu::{
    driver::{Driver, Properties},
    facts::{GpuFacts, InWords, bits, hertz, kib, mhz, on_or_off, plain, watched},
};

/// Bytes of the last-level cache, if the driver does not tell.
const USUAL_CACHE: u64 = 40 << 20;

pub(super) fn compute(driver: &Driver, properties: &Properties) -> (u32, u32) {
    let number = |attribute| driver.attribute(properties.device, attribute).unwrap_or(0);
    (
        number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as u32),
        number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as u32),
    )
}

pub(super) fn info(driver: &Driver, nvrtc: &Nvrtc, properties: &Properties) -> DeviceInfo {
    let compute = compute(driver, properties);
    // Newer drivers return 0 for attributes that they no longer report.
    let known = |attribute: Attribute| {
        driver.attribute(properties.device, attribute as u32).filter(|&number| number > 0)
    };
    let state = sensors::state(&properties.address, 0);
    let mut facts = GpuFacts::of(driver, properties, ATTRIBUTES);
    facts.add("compute_capability", Some(format!("{}.{}", compute.0, compute.1)));
    let cuda = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
    facts.add("cuda_of_driver", Some(cuda(driver.version())));
    facts.add("compiler_library", Some(nvrtc.path().to_owned()));
    let target = nvrtc.target(compute);
    facts.add("compiled_for", target.as_ref().ok().map(|target| target.architecture.clone()));
    state.facts().into_iter().for_each(|(name, value)| facts.add(name, value));
    let clock = hertz(driver, properties, Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE as u32);
    let bus = known(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    let memory_clock =
        hertz(driver, properties, Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE as u32);
    let mut warnings = warnings_of(driver, properties, &state);
    warnings.extend(target.err());
    DeviceInfo {
        backend: "cuda".to_owned(),
        ordinal: properties.ordinal,
        name: properties.name.clone(),
        compiler: nvrtc.name(),
        memory: (properties.memory, state.free_memory.unwrap_or(properties.memory)),
        block_limit: properties.limits.threads,
        cache_bytes: known(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
            .map_or(USUAL_CACHE, u64::from),
        // Memory transfers data twice per cycle.
        peak_bandwidth: memory_clock
            .zip(bus)
            .map(|(clock, bits)| 2.0 * clock * f64::from(bits) / 8.0),
        peak_flops: clock.zip(lanes(compute)).map(|(clock, lanes)| {
            // A fused multiply-add counts as two operations.
            2.0 * clock * f64::from(lanes) * f64::from(properties.multiprocessors)
        }),
        formats: Element::ALL.to_vec(),
        facts: facts.0,
        warnings,
    }
}

const ATTRIBUTES: &[(&str, u32, InWords)] = &[
    ("clock", Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE as u32, mhz),
    ("memory_clock", Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE as u32, mhz),
    ("memory_bus", Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH as u32, bits),
    ("cache_l2", Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE as u32, kib),
    (
        "shared_memory_per_multiprocessor",
        Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR as u32,
        kib,
    ),
    (
        "registers_per_multiprocessor",
        Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR as u32,
        plain,
    ),
    ("registers_per_block", Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK as u32, plain),
    (
        "threads_per_multiprocessor",
        Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR as u32,
        plain,
    ),
    ("warp_size", Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE as u32, plain),
    ("ecc", Attribute::CU_DEVICE_ATTRIBUTE_ECC_ENABLED as u32, on_or_off),
    ("integrated", Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED as u32, on_or_off),
];

/// f32 operations that a multiprocessor starts per cycle (CUDA C++ Programming Guide, arithmetic
/// instructions). Unknown generations have no peak.
fn lanes((major, minor): (u32, u32)) -> Option<u32> {
    match (major, minor) {
        (5, _) | (6, 1 | 2) | (8, 6..=9) | (9..=10, _) | (12, _) => Some(128),
        (6, 0) | (7, _) | (8, 0) => Some(64),
        _ => None,
    }
}

/// Reasons to distrust timings on an open device now, one sentence each.
pub(super) fn warnings(driver: &Driver, properties: &Properties) -> Vec<String> {
    warnings_of(driver, properties, &sensors::state(&properties.address, 1))
}

fn warnings_of(driver: &Driver, properties: &Properties, state: &State) -> Vec<String> {
    let mut warnings = state.warnings();
    let watchdog = Attribute::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT as u32;
    warnings.extend(watched(driver, properties, watchdog));
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_known_for_generations_that_were_published() {
        assert_eq!(lanes((9, 0)), Some(128));
        assert_eq!(lanes((8, 0)), Some(64));
        assert_eq!(lanes((99, 0)), None);
    }
}
