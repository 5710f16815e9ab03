//! Conversions between formats, bit by bit.

use half::{bf16, f16};
use space::accuracy::{E4m3, E5m2, Tf32, to_odd};

use super::{BLOCK, bytes_of, halves, run, several};
use crate::contract::devices;

const TEXT: &str = r"
__global__ void from_double(const double *x, ab::f16 *h, ab::bf16 *b, ab::tf32 *t, ab::e4m3 *e,
                            ab::e5m2 *f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  h[i] = ab::convert<ab::f16>(x[i]);
  b[i] = ab::convert<ab::bf16>(x[i]);
  t[i] = ab::convert<ab::tf32>(x[i]);
  e[i] = ab::convert<ab::e4m3>(x[i]);
  f[i] = ab::convert<ab::e5m2>(x[i]);
}
__global__ void from_float(const float *x, ab::f16 *h, ab::bf16 *b, ab::tf32 *t, ab::e4m3 *e,
                           ab::e5m2 *f) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (i >= (int)(gridDim.x * blockDim.x)) return;
  const ab::vec<float, 2> v = ab::load<2>(x + i);
  ab::store_as(h + i, v);
  ab::store_as(b + i, v);
  ab::store_as(t + i, v);
  ab::store_as(e + i, v);
  ab::store_as(f + i, v);
}
__global__ void from_long(const long long *x, ab::f16 *h, ab::bf16 *b, ab::tf32 *t, ab::e4m3 *e,
                          ab::e5m2 *f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  h[i] = ab::convert<ab::f16>(x[i]);
  b[i] = ab::convert<ab::bf16>(x[i]);
  t[i] = ab::convert<ab::tf32>(x[i]);
  e[i] = ab::convert<ab::e4m3>(x[i]);
  f[i] = ab::convert<ab::e5m2>(x[i]);
}
__global__ void from_int(const int *x, ab::f16 *h, ab::bf16 *b, ab::tf32 *t, ab::e4m3 *e,
                         ab::e5m2 *f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  h[i] = ab::convert<ab::f16>(x[i]);
  b[i] = ab::bf16(x[i]);
  t[i] = ab::tf32(x[i]);
  e[i] = ab::e4m3(x[i]);
  f[i] = ab::e5m2(x[i]);
}
__global__ void widened(const unsigned char *x, float *e, float *f, double *d) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  e[i] = ab::e4m3::of_bits(x[i]);
  f[i] = ab::e5m2::of_bits(x[i]);
  d[i] = ab::convert<double>(ab::e4m3::of_bits(x[i]));
}
__global__ void between(const ab::f16 *h, ab::bf16 *b, ab::f16 *same, ab::e4m3 *e, int *whole) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = ab::convert<ab::bf16>(h[i]);
  same[i] = ab::convert<ab::f16>(h[i]);
  e[i] = ab::convert<ab::e4m3>(h[i]);
  whole[i] = ab::convert<int>(h[i]);
}";
const ENTRIES: [&str; 6] =
    ["from_double", "from_float", "from_long", "from_int", "widened", "between"];

/// Numbers of each small format, and the midpoints next to them, exact and slightly off.
fn samples() -> Vec<f64> {
    let mut all = vec![0.0, 1e-300, 1e300, f64::INFINITY, f64::NAN, 65520.0, 464.0, 61440.0];
    let mut values: Vec<f64> = (0..0x7c00).map(|bits| f16::from_bits(bits).to_f64()).collect();
    values.extend((0..0x7f80).step_by(3).map(|bits| bf16::from_bits(bits).to_f64()));
    values.extend((0..0x7f).map(|bits| E4m3::from_bits(bits).to_f64()));
    values.extend((0..0x7c).map(|bits| E5m2::from_bits(bits).to_f64()));
    for value in values {
        // The midpoint to the next number in f16, bf16, e4m3 and e5m2, for normal values.
        for digits in [3, 4, 8, 11] {
            let middle = value + value * 2_f64.powi(-digits);
            all.extend([middle, middle * (1.0 + 1e-12), middle * (1.0 - 1e-12)]);
        }
        all.extend([value, value + 2_f64.powi(-25), value + 2_f64.powi(-25) * (1.0 + 1e-9)]);
    }
    all.extend(all.clone().iter().map(|x| -x));
    all
}

/// The expected five outputs for a value.
fn wanted(value: f64) -> (f16, bf16, Tf32, E4m3, E5m2) {
    let odd = to_odd(value);
    (
        f16::from_f32(odd),
        bf16::from_f32(odd),
        Tf32::from_f64(value),
        E4m3::from_f64(value),
        E5m2::from_f64(value),
    )
}

fn check(what: &str, values: &[f64], out: &[Vec<u8>]) {
    let (h, b): (Vec<u16>, Vec<u16>) = (halves(&out[0]).collect(), halves(&out[1]).collect());
    for (i, &value) in values.iter().enumerate() {
        let tf32 = out[2][i * 4..i * 4 + 4].try_into().expect("four bytes");
        let found = (
            f16::from_bits(h[i]),
            bf16::from_bits(b[i]),
            Tf32::from_bits(u32::from_le_bytes(tf32)),
            E4m3::from_bits(out[3][i]),
            E5m2::from_bits(out[4][i]),
        );
        if value.is_nan() {
            assert!(found.0.is_nan() && found.1.is_nan() && found.2.to_f64().is_nan(), "{found:?}");
            assert!(found.3.to_bits() == 0x7f && found.4.to_f64().is_nan(), "{found:?}");
        } else {
            let wanted = wanted(value);
            let same = found.0.to_bits() == wanted.0.to_bits()
                && found.1.to_bits() == wanted.1.to_bits()
                && (found.2, found.3, found.4) == (wanted.2, wanted.3, wanted.4);
            assert!(same, "{what} {value:e}: {found:?}, not {wanted:?}");
        }
    }
}

#[test]
fn every_conversion_rounds_once_to_nearest_even() {
    let samples = samples();
    for mut bench in devices() {
        let kernel = bench.compile(several(TEXT, &ENTRIES.map(str::to_owned)));
        let mut doubles = samples.clone();
        doubles.resize(doubles.len().next_multiple_of(BLOCK as usize), f64::NAN);
        let count = doubles.len();
        let outputs = [2, 2, 4, 1, 1].map(|bytes| bytes * count);
        let bytes = bytes_of(&doubles, f64::to_le_bytes);
        check("f64", &doubles, &run(&mut bench, kernel, 0, count, &[&bytes], &outputs));

        let floats: Vec<f32> = doubles.iter().map(|&x| x as f32).collect();
        let wide: Vec<f64> = floats.iter().map(|&x| f64::from(x)).collect();
        let bytes = bytes_of(&floats, f32::to_le_bytes);
        check("f32", &wide, &run(&mut bench, kernel, 1, count, &[&bytes], &outputs));

        // Midpoints of bf16 and tf32 among the integers, and numbers next to them; all exact in
        // f64.
        let mut longs: Vec<i64> = (0..4096).map(|at| at - 2048).collect();
        for shift in 8..52 {
            for odd in [0x101, 0x103, 0x1ff, 0x801, 0x803, 0xfff] {
                longs.extend([-1, 0, 1].map(|by| (odd << shift >> 8) + by));
                longs.extend([-1, 0, 1].map(|by| -(odd << shift >> 8) + by));
            }
        }
        longs.retain(|&x| x.unsigned_abs() < 1 << 53);
        longs.resize(longs.len().next_multiple_of(BLOCK as usize), 0);
        let count = longs.len();
        let outputs = [2, 2, 4, 1, 1].map(|bytes| bytes * count);
        let wide: Vec<f64> = longs.iter().map(|&x| x as f64).collect();
        let bytes = bytes_of(&longs, i64::to_le_bytes);
        check("i64", &wide, &run(&mut bench, kernel, 2, count, &[&bytes], &outputs));
        let ints: Vec<i32> = longs.iter().map(|&x| x as i32).collect();
        let wide: Vec<f64> = ints.iter().map(|&x| f64::from(x)).collect();
        let bytes = bytes_of(&ints, i32::to_le_bytes);
        check("i32", &wide, &run(&mut bench, kernel, 3, count, &[&bytes], &outputs));
    }
}

#[test]
fn eight_bits_widen_to_their_definition() {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    for mut bench in devices() {
        let kernel = bench.compile(several(TEXT, &ENTRIES.map(str::to_owned)));
        let out = run(&mut bench, kernel, 4, 256, &[&all], &[1024, 1024, 2048]);
        for bits in 0..=u8::MAX {
            let at = usize::from(bits);
            let float = |bytes: &[u8]| {
                let four = bytes[at * 4..at * 4 + 4].try_into().expect("four bytes");
                f64::from(f32::from_le_bytes(four))
            };
            let eight = out[2][at * 8..at * 8 + 8].try_into().expect("eight bytes");
            let (e4m3, e5m2) = (E4m3::from_bits(bits).to_f64(), E5m2::from_bits(bits).to_f64());
            let found = [float(&out[0]), f64::from_le_bytes(eight), float(&out[1])];
            for (found, wanted) in found.into_iter().zip([e4m3, e4m3, e5m2]) {
                let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
                assert!(same, "{bits:#04x} became {found}, not {wanted}");
            }
        }
    }
}

#[test]
fn halves_convert_between_each_other() {
    let all: Vec<u16> = (0..=u16::MAX).collect();
    let bytes = bytes_of(&all, u16::to_le_bytes);
    for mut bench in devices() {
        let kernel = bench.compile(several(TEXT, &ENTRIES.map(str::to_owned)));
        let outputs = [1 << 17, 1 << 17, 1 << 16, 1 << 18];
        let out = run(&mut bench, kernel, 5, 1 << 16, &[&bytes], &outputs);
        assert_eq!(out[1], bytes, "the same format keeps its bits");
        for (at, found) in halves(&out[0]).enumerate() {
            let value = f16::from_bits(all[at]);
            let wanted = bf16::from_f32(value.to_f32());
            let found = bf16::from_bits(found);
            assert!(found == wanted || value.is_nan() && found.is_nan(), "{value} became {found}");
            if value.is_finite() {
                assert_eq!(out[2][at], E4m3::from_f64(value.to_f64()).to_bits(), "{value}");
                let four = out[3][at * 4..at * 4 + 4].try_into().expect("four bytes");
                assert_eq!(i32::from_le_bytes(four), value.to_f64() as i32);
            }
        }
    }
}
