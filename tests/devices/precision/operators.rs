//! Operators on half formats return the exact result, rounded once.

use half::{bf16, f16};
use space::accuracy::to_odd;

use super::{bytes_of, halves, run, several};
use crate::contract::devices;

const TEXT: &str = r"
template <class T> __global__ void operators(const T *x, const T *y, const T *z, T *out) {
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  const T a = x[i], b = y[i], c = z[i];
  out[i] = a + b;
  out[n + i] = a - b;
  out[2 * n + i] = a * b;
  out[3 * n + i] = a / b;
  out[4 * n + i] = ab::fma(a, b, c);
  T sum = a, quotient = a;
  sum += b, quotient /= b;
  out[5 * n + i] = sum;
  out[6 * n + i] = quotient;
  // Two at a time.
  const int first = i & ~1, which = i & 1;
  const ab::vec<T, 2> v = ab::load<2>(x + first), w = ab::load<2>(y + first);
  out[7 * n + i] = (v + w)[which];
  out[8 * n + i] = (v - w)[which];
  out[9 * n + i] = (v * w)[which];
  out[10 * n + i] = (v / w)[which];
  out[11 * n + i] = ab::fma(v, w, ab::load<2>(z + first))[which];
  out[12 * n + i] = -a;
  out[13 * n + i] = ab::min(a, b);
  out[14 * n + i] = ab::max(a, b);
  out[15 * n + i] = ab::abs(a);
  out[16 * n + i] = ab::floor(a);
}";

const OPERATORS: [&str; 17] = [
    "+",
    "-",
    "*",
    "/",
    "fma",
    "+=",
    "/=",
    "paired +",
    "paired -",
    "paired *",
    "paired /",
    "paired fma",
    "negated",
    "min",
    "max",
    "abs",
    "floor",
];

/// The exact sum, rounded to odd in f64.
fn sum_to_odd(x: f64, y: f64) -> f64 {
    let sum = x + y;
    let back = sum - x;
    let lost = (x - (sum - back)) + (y - back);
    if lost.is_nan() || lost.abs() == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let above = (lost < 0.0) != (sum < 0.0);
    f64::from_bits((sum.to_bits() - u64::from(above)) | 1)
}

fn exact(operator: usize, x: f64, y: f64, z: f64) -> f64 {
    match operator {
        0 | 5 | 7 => sum_to_odd(x, y),
        1 | 8 => sum_to_odd(x, -y),
        2 | 9 => x * y,
        3 | 6 | 10 => x / y,
        4 | 11 => sum_to_odd(x * y, z),
        12 => -x,
        13 => {
            if x < y {
                x
            } else {
                y
            }
        }
        14 => {
            if y < x {
                x
            } else {
                y
            }
        }
        15 => x.abs(),
        _ => x.floor(),
    }
}

fn next(state: &mut u64) -> u16 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 48) as u16
}

#[test]
fn operators_of_halves_round_once() {
    const COUNT: usize = 1 << 18;
    let mut state = 1;
    let [x, mut y, mut z] =
        [0; 3].map(|_| (0..COUNT).map(|_| next(&mut state)).collect::<Vec<u16>>());
    for at in 0..COUNT {
        // Half of the pairs are close together, where sums cancel and have ties; z is close to the
        // product.
        if at % 2 == 0 {
            y[at] = x[at] ^ (y[at] & 0x83ff);
        }
        if at % 4 < 2 {
            let product = f16::from_bits(x[at]).to_f32() * f16::from_bits(y[at]).to_f32();
            z[at] = f16::from_f32(product).to_bits() ^ (z[at] & 0x8fff);
        }
    }
    let bytes = [&x, &y, &z].map(|bits| bytes_of(bits, u16::to_le_bytes));
    let inputs = [&bytes[0][..], &bytes[1], &bytes[2]];
    for mut bench in devices() {
        let entries = ["operators<ab::f16>".to_owned(), "operators<ab::bf16>".to_owned()];
        let job = several(TEXT, &entries);
        let kernel = bench.compile(job);
        for (entry, name) in entries.iter().enumerate() {
            let is_f16 = entry == 0;
            let widened = |bits: u16| match is_f16 {
                true => f16::from_bits(bits).to_f64(),
                false => bf16::from_bits(bits).to_f64(),
            };
            let rounded = |value: f64| match is_f16 {
                true => f16::from_f32(to_odd(value)).to_f64(),
                false => bf16::from_f32(to_odd(value)).to_f64(),
            };
            let outputs = [COUNT * 2 * OPERATORS.len()];
            let out = run(&mut bench, kernel, entry, COUNT, &inputs, &outputs);
            for (at, found) in halves(&out[0]).enumerate() {
                let (operator, i) = (at / COUNT, at % COUNT);
                let (a, b, c) = (widened(x[i]), widened(y[i]), widened(z[i]));
                let wanted = rounded(exact(operator, a, b, c));
                let found = widened(found);
                // With a NaN, minimum and maximum may return either argument.
                let either = matches!(operator, 13 | 14) && (a.is_nan() || b.is_nan());
                // A product outside of f32's range gives an infinite sum, or loses tiny terms.
                let beyond = !is_f16
                    && matches!(operator, 4 | 11)
                    && !(2_f64.powi(-120)..2_f64.powi(127)).contains(&(a * b).abs());
                let same = found == wanted || found.is_nan() && wanted.is_nan();
                assert!(
                    same || either || beyond,
                    "{name}: {} of {a:e}, {b:e}, {c:e} is {found:e}, not {wanted:e}",
                    OPERATORS[operator]
                );
            }
        }
    }
}
