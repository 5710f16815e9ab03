//! What a GPU says of itself, and what speaks against timing on it now.

use std::collections::BTreeMap;

use cudarc::driver::sys::CUdevice_attribute as Attribute;

use super::{
    driver::{Driver, Properties},
    nvml::{self, State},
    nvrtc::Nvrtc,
    options::Target,
};
use crate::backends::{DeviceInfo, Element};

/// Assumed where the driver does not say.
const USUAL_CACHE: u64 = 40 << 20;
const USUAL_THREADS: u32 = 2048;

/// Everything about a device, without taking it.
pub(super) fn info(driver: &Driver, nvrtc: &Nvrtc, properties: &Properties) -> DeviceInfo {
    let (major, minor) = properties.compute;
    let number = |attribute| driver.attribute(properties.device, attribute);
    // Newer drivers answer 0 for what they have stopped to tell.
    let known = |attribute| number(attribute).filter(|&number| number > 0);
    let state = nvml::state(&properties.address, 0);
    let mut facts = BTreeMap::new();
    let mut fact = |name: &str, value: Option<String>| {
        facts.extend(value.map(|value| (name.to_owned(), value)));
    };
    let limits = properties.limits;
    fact("compute_capability", Some(format!("{major}.{minor}")));
    fact("multiprocessors", Some(properties.multiprocessors.to_string()));
    fact("pci_address", Some(properties.address.clone()));
    fact("block_limits", Some(format!("{:?}, {} threads", limits.block, limits.threads)));
    fact("grid_limits", Some(format!("{:?}", limits.grid)));
    fact("shared_memory_per_block", Some(kib(limits.shared)));
    for (name, attribute, unit) in ATTRIBUTES {
        fact(name, number(*attribute).map(unit));
    }
    let cuda = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
    fact("cuda_of_driver", Some(cuda(driver.version())));
    fact("driver_library", Some(driver.path().to_owned()));
    fact("compiler_library", Some(nvrtc.path().to_owned()));
    let target = Target::of(properties.compute, nvrtc);
    fact("compiled_for", target.as_ref().ok().map(|target| target.architecture.clone()));
    state.facts().into_iter().for_each(|(name, value)| fact(name, value));
    let hertz = |attribute| known(attribute).map(|kilohertz| f64::from(kilohertz) * 1e3);
    let clock = hertz(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    let bus = known(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    let memory_clock = hertz(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    let mut warnings = warnings_of(driver, properties, &state);
    warnings.extend(target.err());
    DeviceInfo {
        backend: "cuda".to_owned(),
        ordinal: properties.ordinal,
        name: properties.name.clone(),
        compiler: nvrtc.name(),
        memory: (properties.memory, state.free_memory.unwrap_or(properties.memory)),
        block_limit: limits.threads,
        cache_bytes: known(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
            .map_or(USUAL_CACHE, u64::from),
        // Memory moves data twice in each of its cycles.
        peak_bandwidth: memory_clock
            .zip(bus)
            .map(|(clock, bits)| 2.0 * clock * f64::from(bits) / 8.0),
        peak_flops: clock.zip(lanes(properties.compute)).map(|(clock, lanes)| {
            // A fused multiplication and addition counts as two.
            2.0 * clock * f64::from(lanes) * f64::from(properties.multiprocessors)
        }),
        formats: Element::ALL.to_vec(),
        facts,
        warnings,
    }
}

/// How an attribute is written.
type InWords = fn(u32) -> String;

/// Attributes that are facts as they are.
const ATTRIBUTES: &[(&str, Attribute, InWords)] = &[
    ("clock", Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE, mhz),
    ("memory_clock", Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, mhz),
    ("memory_bus", Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, bits),
    ("cache_l2", Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, kib),
    (
        "shared_memory_per_multiprocessor",
        Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        kib,
    ),
    (
        "registers_per_multiprocessor",
        Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
        plain,
    ),
    ("registers_per_block", Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, plain),
    (
        "threads_per_multiprocessor",
        Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        plain,
    ),
    ("warp_size", Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE, plain),
    ("ecc", Attribute::CU_DEVICE_ATTRIBUTE_ECC_ENABLED, on_or_off),
    ("integrated", Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED, on_or_off),
];

fn mhz(kilohertz: u32) -> String {
    format!("{} MHz", kilohertz / 1000)
}

fn bits(width: u32) -> String {
    format!("{width} bits")
}

fn kib(bytes: u32) -> String {
    format!("{} KiB", bytes >> 10)
}

fn plain(number: u32) -> String {
    number.to_string()
}

fn on_or_off(number: u32) -> String {
    if number == 0 { "off" } else { "on" }.to_owned()
}

/// Threads that a multiprocessor runs at once.
pub(super) fn most_threads(driver: &Driver, properties: &Properties) -> u32 {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR;
    driver.attribute(properties.device, attribute).filter(|&n| n > 0).unwrap_or(USUAL_THREADS)
}

/// f32 operations that a multiprocessor starts per cycle (CUDA C++ Programming Guide, arithmetic
/// instructions); unknown generations have no peak.
fn lanes((major, minor): (u32, u32)) -> Option<u32> {
    match (major, minor) {
        (5, _) | (6, 1 | 2) | (8, 6..=9) | (9..=10, _) | (12, _) => Some(128),
        (6, 0) | (7, _) | (8, 0) => Some(64),
        _ => None,
    }
}

/// Reasons to distrust timings on an open device now, one sentence each.
pub(super) fn warnings(driver: &Driver, properties: &Properties) -> Vec<String> {
    warnings_of(driver, properties, &nvml::state(&properties.address, 1))
}

fn warnings_of(driver: &Driver, properties: &Properties, state: &State) -> Vec<String> {
    let mut warnings = state.warnings();
    let watchdog = Attribute::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT;
    if driver.attribute(properties.device, watchdog) == Some(1) {
        warnings.push(
            "a display is driven by this device: a watchdog ends kernels that run for seconds, \
             and drawing disturbs timings"
                .to_owned(),
        );
    }
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
