//! Facts of a device, as records hold them.

use std::collections::BTreeMap;

use super::driver::{Driver, Properties};

pub(crate) type InWords = fn(u32) -> String;

#[derive(Default)]
pub(crate) struct GpuFacts(pub(crate) BTreeMap<String, String>);

impl GpuFacts {
    /// Facts that both vendors' drivers know, and attributes under these names.
    pub(crate) fn of(
        driver: &Driver,
        properties: &Properties,
        attributes: &[(&str, u32, InWords)],
    ) -> Self {
        let mut facts = Self::default();
        let limits = properties.limits;
        facts.add("multiprocessors", Some(properties.multiprocessors.to_string()));
        facts.add("pci_address", Some(properties.address.clone()));
        facts.add("block_limits", Some(format!("{:?}, {} threads", limits.block, limits.threads)));
        facts.add("grid_limits", Some(format!("{:?}", limits.grid)));
        facts.add("shared_memory_per_block", Some(kib(limits.shared)));
        facts.add("driver_library", Some(driver.path().to_owned()));
        for (name, attribute, unit) in attributes {
            facts.add(name, driver.attribute(properties.device, *attribute).map(unit));
        }
        facts
    }

    pub(crate) fn add(&mut self, name: &str, value: Option<String>) {
        self.0.extend(value.map(|value| (name.to_owned(), value)));
    }
}

/// An attribute in kilohertz, as hertz. Newer drivers return 0 if they no longer report it.
pub(crate) fn hertz(driver: &Driver, properties: &Properties, attribute: u32) -> Option<f64> {
    let kilohertz = driver.attribute(properties.device, attribute).filter(|&number| number > 0)?;
    Some(f64::from(kilohertz) * 1e3)
}

/// A warning if a display is connected to the device.
pub(crate) fn watched(driver: &Driver, properties: &Properties, attribute: u32) -> Option<String> {
    let is_watched = driver.attribute(properties.device, attribute) == Some(1);
    is_watched.then(|| {
        "a display is driven by this device: a watchdog ends kernels that run for seconds, and \
         drawing disturbs timings"
            .to_owned()
    })
}

pub(crate) fn mhz(kilohertz: u32) -> String {
    format!("{} MHz", kilohertz / 1000)
}

pub(crate) fn bits(width: u32) -> String {
    format!("{width} bits")
}

pub(crate) fn kib(bytes: u32) -> String {
    format!("{} KiB", bytes >> 10)
}

pub(crate) fn plain(number: u32) -> String {
    number.to_string()
}

pub(crate) fn on_or_off(number: u32) -> String {
    if number == 0 { "off" } else { "on" }.to_owned()
}
