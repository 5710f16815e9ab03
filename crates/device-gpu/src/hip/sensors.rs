//! GPU sensors through ROCm's library: energy, power, clocks, heat. Without the library all are
//! unknown, and a fact gives the reason.
#![expect(unsafe_code, reason = "calls the library of sensors")]

use std::sync::{Arc, OnceLock};

use device::{Missing, SensorReading, Sensors};

use super::library_search;
use crate::gpu::{
    api::{functions, table},
    library_search::FoundLibrary,
};

/// Numbers from `rocm_smi.h`.
const SYSTEM_CLOCK: u32 = 0;
const CURRENT_TEMPERATURE: u32 = 0;
const EDGE_AND_JUNCTION: [u32; 2] = [0, 1];
const VIDEO_MEMORY: u32 = 0;

/// Room for `rsmi_frequencies_t`, which holds 32 or 33 frequencies after two or three numbers.
type Frequencies = [u64; 64];

table! {
    struct Calls;
    fn start(u64);
    fn count(*mut u32);
    fn address(u32, *mut u64);
    optional
    fn energy(u32, *mut u64, *mut f32, *mut u64);
    fn average_power(u32, u32, *mut u64);
    fn socket_power(u32, *mut u64);
    fn clocks(u32, u32, *mut Frequencies);
    fn temperature(u32, u32, u32, *mut i64);
    fn used_memory(u32, u32, *mut u64);
}

functions! {
    // No crate has bindings of this library to compare with.
    #[cfg(any())]
    Calls gives u32, bound as (unsafe extern "C" fn);
    start = rsmi_init(u64);
    count = rsmi_num_monitor_devices(*mut u32);
    address = rsmi_dev_pci_id_get(u32, *mut u64);
    [optional] energy = rsmi_dev_energy_count_get(u32, *mut u64, *mut f32, *mut u64);
    [optional] average_power = rsmi_dev_power_ave_get(u32, u32, *mut u64);
    [optional] socket_power = rsmi_dev_current_socket_power_get(u32, *mut u64);
    [optional] clocks = rsmi_dev_gpu_clk_freq_get(u32, u32, *mut Frequencies);
    [optional] temperature = rsmi_dev_temp_metric_get(u32, u32, u32, *mut i64);
    [optional] used_memory = rsmi_dev_memory_usage_get(u32, u32, *mut u64);
}

fn library() -> Result<&'static Calls, &'static Missing> {
    static LIBRARY: OnceLock<Result<Calls, Missing>> = OnceLock::new();
    let take = |FoundLibrary { library, path }: FoundLibrary| {
        let calls = load(&library)
            .map_err(|name| format!("`{path}` has no sensors: it has no function `{name}`"))?;
        std::mem::forget(library);
        // SAFETY: the only argument is a set of flags.
        match unsafe { (calls.start.0)(0) } {
            0 => Ok(calls),
            code => Err(format!("`{path}` does not start: rsmi_init gave {code}")),
        }
    };
    LIBRARY.get_or_init(|| library_search::SMI.find(&library_search::folders(), take)).as_ref()
}

#[derive(Clone, Copy)]
struct Meter {
    calls: &'static Calls,
    number: u32,
}

fn meter(address: &str) -> Option<Meter> {
    let (calls, wanted) = (library().ok()?, location(address)?);
    let mut count = 0;
    // SAFETY: the number lives until the call ends.
    let counted = unsafe { (calls.count.0)(&raw mut count) } == 0;
    let is_there = |number: &u32| {
        let mut found = 0;
        // SAFETY: as above.
        let told = unsafe { (calls.address.0)(*number, &raw mut found) } == 0;
        // Bits 28 to 31 number the part of a partitioned device.
        told && found & !0xF000_0000 == wanted
    };
    let number = (0..count).filter(|_| counted).find(is_there)?;
    Some(Meter { calls, number })
}

/// Packs an address such as `0000:c1:00.0` as the library does.
fn location(address: &str) -> Option<u64> {
    let (rest, function) = address.rsplit_once('.')?;
    let mut parts = rest.rsplit(':').map(|part| u64::from_str_radix(part, 16).ok());
    let (device, bus) = (parts.next()??, parts.next()??);
    let domain = parts.next().unwrap_or(Some(0))?;
    let function = u64::from_str_radix(function, 16).ok()?;
    Some(domain << 32 | (bus & 0xFF) << 8 | (device & 0x1F) << 3 | function & 7)
}

impl Meter {
    fn joules(&self) -> Option<f64> {
        let (mut count, mut microjoules, mut time) = (0, 0.0, 0);
        let (ask, _) = self.calls.energy?;
        // SAFETY: the numbers live until the call ends.
        let code = unsafe { ask(self.number, &raw mut count, &raw mut microjoules, &raw mut time) };
        (code == 0 && count > 0).then(|| count as f64 * f64::from(microjoules) * 1e-6)
    }

    fn watts(&self) -> Option<f64> {
        let mut microwatts = 0;
        let now = self.calls.socket_power.is_some_and(|(ask, _)| {
            // SAFETY: the number lives until the call ends.
            unsafe { ask(self.number, &raw mut microwatts) == 0 }
        });
        let known = now
            || self.calls.average_power.is_some_and(|(ask, _)| {
                // SAFETY: as above; sensors count from 0.
                unsafe { ask(self.number, 0, &raw mut microwatts) == 0 }
            });
        known.then_some(microwatts as f64 * 1e-6)
    }

    fn clock(&self) -> Option<f64> {
        let mut frequencies: Frequencies = [0; 64];
        let (ask, _) = self.calls.clocks?;
        // SAFETY: there is more room than the structure of any version takes.
        let code = unsafe { ask(self.number, SYSTEM_CLOCK, &raw mut frequencies) };
        if code == 0 { current(&frequencies) } else { None }
    }

    fn temperature(&self) -> Option<f64> {
        let (ask, _) = self.calls.temperature?;
        EDGE_AND_JUNCTION.into_iter().find_map(|place| {
            let mut millidegrees = 0;
            // SAFETY: the number lives until the call ends.
            let code =
                unsafe { ask(self.number, place, CURRENT_TEMPERATURE, &raw mut millidegrees) };
            (code == 0).then_some(millidegrees as f64 * 1e-3)
        })
    }

    fn used_memory(&self) -> Option<u64> {
        let mut bytes = 0;
        let (ask, _) = self.calls.used_memory?;
        // SAFETY: the number lives until the call ends.
        (unsafe { ask(self.number, VIDEO_MEMORY, &raw mut bytes) } == 0).then_some(bytes)
    }
}

/// The current frequency, in hertz. Since ROCm 6 a flag precedes count and index, so that the index
/// is where the first frequency was. The index is recognised because it is too low for a frequency.
fn current(frequencies: &Frequencies) -> Option<f64> {
    const MOST: u64 = 64;
    let (low, high) = (frequencies[0] & 0xFFFF_FFFF, frequencies[0] >> 32);
    let second = frequencies[1] & 0xFFFF_FFFF;
    let (count, index, start) = if second < MOST { (high, second, 2) } else { (low, high, 1) };
    let at = usize::try_from(index).ok().filter(|_| index < count)?;
    frequencies.get(start + at).map(|&hertz| hertz as f64)
}

impl Sensors for Meter {
    fn read(&self) -> SensorReading {
        SensorReading {
            joules: self.joules(),
            watts: self.watts(),
            clock: self.clock(),
            temperature: self.temperature(),
            throttled: None,
        }
    }
}

/// The device's sensors, if the library knows the device.
pub(super) fn sensors(address: &str) -> Option<Arc<dyn Sensors>> {
    Some(Arc::new(meter(address)?))
}

pub(super) struct State(Result<Meter, String>);

pub(super) fn state(address: &str) -> State {
    let unknown = || "none: the library of sensors does not know the device".to_owned();
    State(match library() {
        Ok(_) => meter(address).ok_or_else(unknown),
        Err(missing) => Err(format!("none: {missing}")),
    })
}

impl State {
    pub(super) fn free_memory(&self, all: u64) -> u64 {
        let used = self.0.as_ref().ok().and_then(Meter::used_memory);
        all.saturating_sub(used.unwrap_or(0))
    }

    pub(super) fn facts(&self) -> Vec<(&'static str, Option<String>)> {
        let meter = match &self.0 {
            Ok(meter) => meter,
            Err(why) => return vec![("sensors", Some(why.clone()))],
        };
        let energy = match (meter.joules(), meter.watts()) {
            (Some(_), _) => "ROCm's counter of energy",
            (None, Some(_)) => "ROCm's power, sampled",
            (None, None) => "none",
        };
        vec![("energy_source", Some(energy.to_owned()))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_packed_as_the_library_packs_them() {
        assert_eq!(location("0000:c1:00.0"), Some(0xC100));
        assert_eq!(location("0001:03:02.1"), Some(1 << 32 | 0x300 | 2 << 3 | 1));
        assert_eq!(location("somewhere"), None);
    }

    #[test]
    fn the_current_frequency_is_found_in_both_structures() {
        let (mut old, mut new): (Frequencies, Frequencies) = ([0; 64], [0; 64]);
        old[..3].copy_from_slice(&[1 << 32 | 2, 500_000_000, 1_700_000_000]);
        new[..4].copy_from_slice(&[2 << 32 | 1, 1, 500_000_000, 1_700_000_000]);
        assert_eq!(current(&old), Some(1.7e9));
        assert_eq!(current(&new), Some(1.7e9));
        assert_eq!(current(&[0; 64]), None);
    }
}
