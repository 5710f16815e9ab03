//! Requirements for memory on every backend: exact fills, poison, scans, guards, bounds.

use autobench_sdk::{document::Fill, inputs};
use device::{ArgumentValue, Caches, FillPlan, SampleRuns, Scan};
use space::accuracy::Element;

use super::{devices, int, job, step};

const COUNT: u64 = 10_007;

/// The nearest value of a format, computed without the device.
fn nearest(element: Element, value: f64) -> f64 {
    match element {
        Element::F64 => value,
        Element::F32 => f64::from(value as f32),
        Element::F16 => on_grid(value, 11, -24),
        Element::Bf16 => on_grid(value, 8, -133),
        Element::Tf32 => on_grid(value, 11, -136),
        Element::E4m3 => on_grid(value, 4, -9).clamp(-448.0, 448.0),
        Element::E5m2 => on_grid(value, 3, -16),
        _ => {
            let (low, high) = match element {
                Element::I64 => (i64::MIN as f64, i64::MAX as f64),
                Element::U64 => (0.0, u64::MAX as f64),
                Element::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
                Element::U32 => (0.0, f64::from(u32::MAX)),
                Element::I8 => (-128.0, 127.0),
                _ => (0.0, 255.0),
            };
            value.round_ties_even().clamp(low, high)
        }
    }
}

/// Rounds to `digits` significant bits, ties to even, but not finer than 2^least.
fn on_grid(value: f64, digits: i32, least: i32) -> f64 {
    if value == 0.0 {
        return value;
    }
    let exponent = value.abs().log2().floor() as i32;
    let unit = 2_f64.powi((exponent - digits + 1).max(least));
    (value / unit).round_ties_even() * unit
}

#[test]
fn fills_are_the_generators_bit_for_bit_in_every_format() {
    let fills = [
        Fill::Zero,
        Fill::Constant(1.0 / 3.0),
        Fill::Uniform { low: -1.5, high: 100.0 },
        Fill::Integer { low: -300, high: 1000 },
        Fill::Bell { scale: 3.0 },
        Fill::Permutation,
        Fill::Ramp { start: -0.1, step: 0.7 },
    ];
    for mut bench in devices() {
        for element in Element::ALL {
            let buffer = bench.device.allocate(COUNT * element.bytes()).expect("memory");
            for (argument, fill) in fills.iter().enumerate() {
                let argument = argument as u32;
                let (fill, seed) = (fill.clone(), 42);
                let plan = FillPlan { fill, seed, argument, element, count: COUNT };
                bench.device.fill(buffer, &plan).expect("fills");
                let values = bench.values(buffer, element, COUNT);
                for (index, &value) in values.iter().enumerate() {
                    let exact = inputs::element(&plan.fill, seed, argument, index as u64, COUNT);
                    // Integers have no negative zero.
                    let zero = if element.is_float() { -0.0 } else { 0.0 };
                    let wanted = nearest(element, exact) + zero;
                    assert_eq!(
                        value.to_bits(),
                        wanted.to_bits(),
                        "{element} {:?} [{index}]: {value} is not {wanted}",
                        plan.fill
                    );
                }
            }
            bench.device.free(buffer);
        }
    }
}

#[test]
fn poison_is_found_wherever_it_is_left() {
    for mut bench in devices() {
        for element in Element::ALL {
            let count = 100_003;
            let size = element.bytes();
            let buffer = bench.device.allocate(count * size).expect("memory");
            bench.device.poison(buffer, element, count).expect("poison");
            let scan = bench.device.scan(buffer, element, count).expect("scan");
            assert_eq!(scan, Scan { poisoned: count, ..Scan::default() }, "{element}");
            // Write everything but two elements.
            for part in [0..17, 18..count - 1] {
                let zeros = vec![0; ((part.end - part.start) * size) as usize];
                bench.device.write(buffer, part.start * size, &zeros).expect("write");
            }
            let scan = bench.device.scan(buffer, element, count).expect("scan");
            let expected = Scan { poisoned: 2, first_poisoned: 17, ..Scan::default() };
            assert_eq!(scan, expected, "{element}");
        }
    }
}

#[test]
fn nan_is_counted_apart_from_poison() {
    for mut bench in devices() {
        let mut values = vec![1.0_f32; 50_000];
        values[30_000] = f32::NAN;
        values[40_000] = -f32::NAN;
        values[41_000] = f32::INFINITY;
        let buffer = bench.floats(&values);
        let scan = bench.device.scan(buffer, Element::F32, 50_000).expect("scan");
        let expected = Scan { nans: 2, first_nan: 30_000, ..Scan::default() };
        assert_eq!(scan, expected);
    }
}

#[test]
fn writing_outside_of_a_buffer_is_told_and_mended() {
    let text = r"
    __global__ void stray(float *c, int at) { c[at] = 1.0f; }";
    for mut bench in devices() {
        let kernel = bench.compile(job(text, "stray", [1; 3]));
        let buffer = bench.device.allocate(4 * 1001).expect("memory");
        for (at, sound) in [(0, true), (1000, true), (1001, false), (1200, false), (-1, false)] {
            let arguments = vec![ArgumentValue::Buffer(buffer), int(at)];
            bench.device.run(kernel, &[step([1; 3], [1; 3], arguments)]).expect("runs");
            assert_eq!(bench.device.guards().is_ok(), sound, "index {at}");
            assert_eq!(bench.device.guards(), Ok(()), "mended after index {at}");
        }
    }
}

#[test]
fn writing_outside_of_any_slot_is_told_and_mended() {
    let text = r"
    __global__ void stray(float *c, int at) { c[at] = 1.0f; }";
    for mut bench in devices() {
        let kernel = bench.compile(job(text, "stray", [1; 3]));
        for count in [16, 1001, 5000] {
            let ring = bench.device.allocate_ring(4 * count, 5).expect("memory");
            let end = count as i32;
            for slot in [0, 2, 4] {
                for (at, sound) in [(0, true), (end - 1, true), (end, false), (-1, false)] {
                    let buffer = ArgumentValue::Buffer(ring.at(slot));
                    let steps = [step([1; 3], [1; 3], vec![buffer, int(at)])];
                    bench.device.run(kernel, &steps).expect("runs");
                    let what = format!("slot {slot} of {count}, index {at}");
                    assert_eq!(bench.device.guards().is_ok(), sound, "{what}");
                    assert_eq!(bench.device.guards(), Ok(()), "mended after {what}");
                }
            }
            // Samples rotate over copies: the stray write of the fourth run is found as well.
            let steps = [step([1; 3], [1; 3], vec![ArgumentValue::Buffer(ring), int(end)])];
            let sample_runs = SampleRuns { runs: 1, first: 3 };
            bench.device.time(kernel, &steps, sample_runs, Caches::Kept).expect("timed");
            assert!(bench.device.guards().is_err());
            assert_eq!(bench.device.guards(), Ok(()));
            bench.device.free(ring);
        }
    }
}

#[test]
fn a_slot_is_spread_over_others() {
    for mut bench in devices() {
        for slots in [1_u32, 2, 6, 33] {
            let (one, ring) = (
                bench.floats(&[1.0, 2.0, 3.0]),
                bench.device.allocate_ring(12, slots).expect("memory"),
            );
            let zeros = [0; 12];
            for slot in 0..slots {
                bench.device.write(ring.at(slot), 0, &zeros).expect("write");
            }
            let last = slots - 1;
            bench.device.spread(one, ring, last..slots, 12).expect("spread");
            assert_eq!(bench.values(ring.at(last), Element::F32, 3), [1.0, 2.0, 3.0]);
            bench.device.spread(ring.at(last), ring, 0..slots, 12).expect("spread");
            for slot in 0..slots {
                assert_eq!(bench.values(ring.at(slot), Element::F32, 3), [1.0, 2.0, 3.0]);
            }
            let other = bench.floats(&[7.0, 8.0, 9.0]);
            bench.device.spread(other, ring, slots / 2..slots, 4).expect("spread");
            for slot in 0..slots {
                let first = if slot < slots / 2 { 1.0 } else { 7.0 };
                assert_eq!(bench.values(ring.at(slot), Element::F32, 3), [first, 2.0, 3.0]);
            }
            assert!(bench.device.spread(other, ring, 0..slots + 1, 4).is_err());
            assert!(bench.device.write(ring.at(slots), 0, &zeros).is_err());
            assert_eq!(bench.device.guards(), Ok(()));
        }
    }
}

#[test]
fn copies_and_reads_stay_inside_their_buffers() {
    for mut bench in devices() {
        let (a, b) = (bench.floats(&[1.0, 2.0, 3.0]), bench.floats(&[0.0; 3]));
        bench.device.copy(a, b, 8).expect("copy");
        assert_eq!(bench.values(b, Element::F32, 3), [1.0, 2.0, 0.0]);
        let mut bytes = [0; 4];
        bench.device.read(a, 8, &mut bytes).expect("read");
        assert_eq!(f32::from_le_bytes(bytes), 3.0);
        assert!(bench.device.read(a, 9, &mut bytes).is_err());
        assert!(bench.device.write(a, u64::MAX, &bytes).is_err());
        assert!(bench.device.copy(a, b, 13).is_err());
        assert!(bench.device.gather(a, Element::F32, &[3]).is_err());
        assert!(bench.device.poison(a, Element::F32, 4).is_err());
        bench.device.free(a);
        assert!(bench.device.read(a, 0, &mut bytes).is_err());
    }
}

#[test]
fn more_memory_than_there_is_is_refused() {
    for mut bench in devices() {
        assert!(bench.device.allocate(1 << 60).is_err());
        bench.device.allocate(0).expect("an empty buffer is a buffer");
    }
}
