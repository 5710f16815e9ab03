//! Steadiness of a device: two fixed reads, one from memory and one from the caches, timed
//! repeatedly like the samples of a study.

use std::time::Instant;

use device::{Buffer, Caches, Device, DeviceFault, DeviceInfo, SampleRuns};
use records::{Sensed, Steadiness, SteadySample, SteadyWork};

use super::{
    caches::CachePolicy,
    measuring::{SAMPLE_SECONDS, TIMER_SHARE},
};

/// Bytes that a run reads from memory, at first and at most. They are doubled until a run takes
/// long enough.
const FROM_MEMORY: (u64, u64) = (8 << 20, 64 << 20);
/// Bytes that each core or multiprocessor reads from caches: more than the first-level cache holds,
/// less than the second-level one.
const PER_UNIT: u64 = 256 << 10;
/// Limits of that read: at most the last-level cache divided by `SHARE`, and at least `LEAST`
/// bytes.
const SHARE: u64 = 4;
const LEAST: u64 = 64 << 10;
/// Most runs in a sample: a GPU's queue has to hold them.
const MOST_RUNS: f64 = 256.0;
/// Samples of one read in direct succession.
const TOGETHER: usize = 2;

pub(super) struct SteadinessProbe {
    works: [Work; 2],
    start: Option<Instant>,
}

struct Work {
    name: &'static str,
    ring: Buffer,
    slots: u32,
    bytes: u64,
    runs: u32,
    next: u32,
    caches: Caches,
}

impl SteadinessProbe {
    pub(super) fn new(device: &mut dyn Device, policy: CachePolicy) -> Result<Self, DeviceFault> {
        let info = device.info();
        let memory = Work::from_memory(device, policy)?;
        let caches = Work::from_caches(device, &info)?;
        Ok(Self { works: [memory, caches], start: None })
    }

    /// Times both reads alternately for `seconds`, at least once.
    pub(super) fn watch(
        &mut self,
        device: &mut dyn Device,
        seconds: f64,
    ) -> Result<Steadiness, DeviceFault> {
        let now = Instant::now();
        let start = *self.start.get_or_insert(now);
        let mut samples: [Vec<SteadySample>; 2] = Default::default();
        loop {
            for (work, list) in self.works.iter_mut().zip(&mut samples) {
                work.warm_up(device)?;
                for _ in 0..TOGETHER {
                    let at = start.elapsed().as_secs_f64();
                    list.push(work.sample(device, at)?);
                }
            }
            if now.elapsed().as_secs_f64() >= seconds {
                break;
            }
        }
        let sensed = device.sensors().map(|sensors| sensors.read()).map(|reading| Sensed {
            clock: reading.clock,
            temperature: reading.temperature,
            throttled: reading.throttled,
        });
        let works = self.works.iter().zip(samples).map(|(work, samples)| SteadyWork {
            name: work.name.to_owned(),
            bytes: work.bytes,
            runs: work.runs,
            samples,
        });
        Ok(Steadiness {
            works: works.collect(),
            sensed: sensed.into_iter().collect(),
            timer: device.timer(),
        })
    }
}

impl Work {
    /// A read that no cache serves, made cold in the same way as in a study.
    fn from_memory(device: &mut dyn Device, policy: CachePolicy) -> Result<Self, DeviceFault> {
        let (mut bytes, most) = FROM_MEMORY;
        loop {
            let (slots, caches) = match policy {
                CachePolicy::Rotated { budget, .. } => {
                    (budget.div_ceil(bytes).max(2), Caches::Kept)
                }
                CachePolicy::Hot | CachePolicy::Own | CachePolicy::Flushed { .. } => {
                    (1, Caches::Flushed)
                }
            };
            let slots = u32::try_from(slots).unwrap_or(u32::MAX);
            let ring = device.allocate_ring(bytes, slots)?;
            let mut work = Self { name: "memory", ring, slots, bytes, runs: 1, next: 0, caches };
            let seconds = work.pilot(device)?;
            if seconds >= SAMPLE_SECONDS || bytes >= most || slots == 1 {
                work.choose_runs(device)?;
                return Ok(work);
            }
            device.free(ring);
            bytes *= 2;
        }
    }

    /// A read that the caches near the cores serve.
    fn from_caches(device: &mut dyn Device, info: &DeviceInfo) -> Result<Self, DeviceFault> {
        let units = ["cores", "multiprocessors"].into_iter();
        let units = units.filter_map(|name| info.facts.get(name)?.parse::<u64>().ok()).next();
        let bytes = PER_UNIT.saturating_mul(units.unwrap_or(1));
        let bytes = bytes.min(info.cache_bytes / SHARE).max(LEAST);
        let (ring, caches) = (device.allocate(bytes)?, Caches::Kept);
        let mut work = Self { name: "caches", ring, slots: 1, bytes, runs: 1, next: 0, caches };
        work.choose_runs(device)?;
        Ok(work)
    }

    /// The fastest of a few samples: the first pays for set-up, and any may be disturbed.
    fn pilot(&mut self, device: &mut dyn Device) -> Result<f64, DeviceFault> {
        let mut fastest = f64::INFINITY;
        for _ in 0..3 {
            fastest = fastest.min(self.sample(device, 0.0)?.1);
        }
        Ok(fastest)
    }

    /// Chooses as many runs as samples of a study would have.
    fn choose_runs(&mut self, device: &mut dyn Device) -> Result<(), DeviceFault> {
        if self.caches == Caches::Flushed {
            // Of several runs only the first would be cold.
            return Ok(());
        }
        let (resolution, overhead) = device.timer();
        let wanted = SAMPLE_SECONDS.max(TIMER_SHARE * (resolution + overhead));
        // Done twice, since a single run is slower than one in a row.
        for _ in 0..2 {
            let runs = (wanted / self.pilot(device)?.max(1e-12)).ceil();
            self.runs = runs.clamp(1.0, MOST_RUNS) as u32;
        }
        Ok(())
    }

    /// Reads once untimed, so that a read from caches finds its data there.
    fn warm_up(&mut self, device: &mut dyn Device) -> Result<(), DeviceFault> {
        if self.slots == 1 && self.caches == Caches::Kept {
            device.time_read(self.ring, SampleRuns::of(1), Caches::Kept)?;
        }
        Ok(())
    }

    fn sample(&mut self, device: &mut dyn Device, at: f64) -> Result<SteadySample, DeviceFault> {
        let sample_runs = SampleRuns { runs: self.runs, first: self.next };
        self.next = (self.next + self.runs) % self.slots;
        let timed = device.time_read(self.ring, sample_runs, self.caches)?;
        Ok(SteadySample(at, timed.seconds, timed.disturbance.lost()))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fake::FakeDevice, *};

    #[test]
    fn both_reads_are_timed_in_pairs_and_go_on_where_they_stood() {
        let device = &mut FakeDevice::new(1e-3);
        let policy = CachePolicy::Rotated { budget: 32 << 20, most: 1 << 30 };
        let mut probe = SteadinessProbe::new(device, policy).expect("a device");
        let first = probe.watch(device, 0.0).expect("a device");
        let names: Vec<&str> = first.works.iter().map(|work| work.name.as_str()).collect();
        assert_eq!(names, ["memory", "caches"]);
        assert!(first.works.iter().all(|work| work.samples.len() == TOGETHER));
        let second = probe.watch(device, 0.0).expect("a device");
        assert!(second.works[0].samples[0].0 >= first.works[0].samples[1].0);
        assert!(second.sensed.is_empty());
    }

    #[test]
    fn short_reads_are_batched_and_flushed_ones_are_not() {
        let device = &mut FakeDevice::new(10e-6);
        let rotated = CachePolicy::Rotated { budget: 32 << 20, most: 1 << 30 };
        let probe = SteadinessProbe::new(device, rotated).expect("a device");
        assert_eq!(probe.works[0].bytes, FROM_MEMORY.1);
        assert_eq!(probe.works.map(|work| work.runs), [20, 20]);
        let probe =
            SteadinessProbe::new(device, CachePolicy::Flushed { most: 1 << 20 }).expect("a device");
        assert_eq!(probe.works.map(|work| work.runs), [1, 20]);
    }
}
