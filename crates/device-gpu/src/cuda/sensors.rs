//! GPU sensors through NVML: energy, power, clocks, heat, modes. Without the library all are
//! unknown.

use std::{
    env,
    ffi::OsString,
    sync::{Arc, OnceLock},
};

use device::{SensorReading, Sensors};
use nvml_wrapper::{
    Device, Nvml,
    bitmasks::device::ThrottleReasons,
    enum_wrappers::device::{Clock, TemperatureSensor},
    enums::device::SampleValue,
    structs::device::FieldId,
    sys_exports::field_id::NVML_FI_DEV_POWER_INSTANT,
};

/// Environment variable that names the library's file.
const VARIABLE: &str = "AUTOBENCH_NVML";
/// Reasons for a low clock that are a problem: not idling, and not a clock set by a user.
const HELD_DOWN: [ThrottleReasons; 5] = [
    ThrottleReasons::SW_POWER_CAP,
    ThrottleReasons::HW_SLOWDOWN,
    ThrottleReasons::SW_THERMAL_SLOWDOWN,
    ThrottleReasons::HW_THERMAL_SLOWDOWN,
    ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN,
];

fn library() -> Option<&'static Nvml> {
    static NVML: OnceLock<Option<Nvml>> = OnceLock::new();
    NVML.get_or_init(|| {
        let named = env::var_os(VARIABLE).filter(|name| !name.is_empty());
        let names = match named {
            Some(name) => vec![name],
            None => ["libnvidia-ml.so.1", "libnvidia-ml.so"].map(OsString::from).to_vec(),
        };
        names.iter().find_map(|name| Nvml::builder().lib_path(name).init().ok())
    })
    .as_ref()
}

pub(super) fn device(address: &str) -> Option<Device<'static>> {
    library()?.device_by_pci_bus_id(address).ok()
}

/// The device's sensors, if the library knows the device.
pub(super) fn sensors(address: &str) -> Option<Arc<dyn Sensors>> {
    Some(Arc::new(Meter(device(address)?)))
}

struct Meter(Device<'static>);

impl Sensors for Meter {
    fn read(&self) -> SensorReading {
        let device = &self.0;
        SensorReading {
            joules: device.total_energy_consumption().ok().map(|joules| joules as f64 * 1e-3),
            watts: milliwatts(device).map(|milliwatts| f64::from(milliwatts) * 1e-3),
            clock: device.clock_info(Clock::SM).ok().map(|megahertz| f64::from(megahertz) * 1e6),
            temperature: device.temperature(TemperatureSensor::Gpu).ok().map(f64::from),
            throttled: self.throttled(),
        }
    }

    fn throttled(&self) -> Option<bool> {
        let reasons = reasons(&self.0)?;
        Some(HELD_DOWN.iter().any(|reason| reasons.contains(*reason)))
    }
}

/// Power now. If the driver does not report it, NVML's older value: since Ampere a mean over one
/// second.
fn milliwatts(device: &Device<'_>) -> Option<u32> {
    let fields = device.field_values_for(&[FieldId(NVML_FI_DEV_POWER_INSTANT)]).ok();
    let now = fields.and_then(|fields| match fields.into_iter().next()?.ok()?.value.ok()? {
        SampleValue::U32(milliwatts) => Some(milliwatts),
        _ => None,
    });
    now.or_else(|| device.power_usage().ok())
}

fn reasons(device: &Device<'_>) -> Option<ThrottleReasons> {
    device.current_throttle_reasons().ok()
}

/// The state of a device; `None` means unknown.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) free_memory: Option<u64>,
    known: bool,
    driver: Option<String>,
    persistent: Option<bool>,
    partitioned: Option<bool>,
    counts_energy: bool,
    reads_power: bool,
    power_limit: Option<u32>,
    highest_clock: Option<u32>,
    held_down: Vec<&'static str>,
    others: Option<usize>,
}

/// Reads the state. `own` is how many of the programs that compute on the device are this one. NVML
/// cannot tell them apart, since in a container it returns the host's process numbers.
pub(super) fn state(address: &str, own: usize) -> State {
    let Some(device) = device(address) else { return State::default() };
    let reasons = reasons(&device).unwrap_or(ThrottleReasons::empty());
    let in_words = [
        "a limit of power",
        "a hardware slowdown",
        "heat",
        "heat, by hardware",
        "the power supply",
    ];
    State {
        known: true,
        free_memory: device.memory_info().ok().map(|memory| memory.free),
        driver: library().and_then(|nvml| nvml.sys_driver_version().ok()),
        persistent: device.is_in_persistent_mode().ok(),
        partitioned: device.mig_mode().ok().map(|mode| mode.current != 0),
        counts_energy: device.total_energy_consumption().is_ok(),
        reads_power: device.power_usage().is_ok(),
        power_limit: device.enforced_power_limit().ok(),
        highest_clock: device.max_clock_info(Clock::SM).ok(),
        held_down: HELD_DOWN
            .iter()
            .zip(in_words)
            .filter(|(reason, _)| reasons.contains(**reason))
            .map(|(_, words)| words)
            .collect(),
        others: device.running_compute_processes().ok().map(|all| all.len().saturating_sub(own)),
    }
}

impl State {
    pub(super) fn facts(&self) -> Vec<(&'static str, Option<String>)> {
        if !self.known {
            let absent = "none: NVML was not found or does not know the device";
            return vec![("sensors", Some(absent.to_owned()))];
        }
        let on_or_off = |is: bool| if is { "on" } else { "off" }.to_owned();
        let energy = match (self.counts_energy, self.reads_power) {
            (true, _) => "NVML's counter of energy",
            (false, true) => "NVML's power, sampled",
            (false, false) => "none",
        };
        vec![
            ("driver", self.driver.clone()),
            ("persistence_mode", self.persistent.map(on_or_off)),
            ("mig", self.partitioned.map(on_or_off)),
            ("energy_source", Some(energy.to_owned())),
            ("power_limit", self.power_limit.map(|milliwatts| format!("{} W", milliwatts / 1000))),
            ("highest_clock", self.highest_clock.map(|megahertz| format!("{megahertz} MHz"))),
        ]
    }

    /// Reasons to distrust timings now, one sentence each.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.persistent == Some(false) {
            warnings.push(
                "persistence mode is off: the driver starts anew for every program and forgets \
                 clocks; `nvidia-smi -pm 1` keeps it"
                    .to_owned(),
            );
        }
        if let Some(others) = self.others.filter(|&others| others > 0) {
            warnings.push(format!("{others} other programs compute on this device"));
        }
        if self.partitioned == Some(true) {
            warnings.push(
                "the device is partitioned (MIG): energy, power and clocks are of all its parts"
                    .to_owned(),
            );
        }
        if !self.held_down.is_empty() {
            warnings.push(format!("its clock is held down now by {}", self.held_down.join(", ")));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_library_nothing_is_known_and_nothing_breaks() {
        let state = State::default();
        assert_eq!(state.facts().len(), 1);
        assert!(state.warnings().is_empty());
    }

    #[test]
    fn what_disturbs_timings_is_said() {
        let state = State {
            known: true,
            persistent: Some(false),
            others: Some(2),
            held_down: vec!["heat"],
            ..State::default()
        };
        let warnings = state.warnings().join("\n");
        assert!(warnings.contains("nvidia-smi -pm 1") && warnings.contains("2 other programs"));
        assert!(warnings.ends_with("by heat"), "{warnings}");
    }
}
