//! Errors of every function of the header against f64, in every format and policy: over all values
//! of the half formats, and over many values of f32 and f64.

use half::{bf16, f16};
use space::accuracy::to_odd;

use super::{
    BLOCK,
    references::{FUNCTIONS, Function},
    run, several,
    table::{Cell, compare_or_write},
};
use crate::contract::{Bench, bench::devices_of};

/// Number of samples per function in f32 and f64. Half formats use all 65,536 values, each with
/// `SECOND` second arguments.
const SAMPLES: usize = 3 << 16;
const SECOND: usize = 4;

/// Formats and policies in the order of the table; f32 has no approximate functions of its own.
pub(super) const COLUMNS: [(&str, &str); 9] = [
    ("f64", "accurate"),
    ("f32", "accurate"),
    ("f32", "fast"),
    ("f16", "accurate"),
    ("f16", "fast"),
    ("f16", "approximate"),
    ("bf16", "accurate"),
    ("bf16", "fast"),
    ("bf16", "approximate"),
];

/// One kernel per format and policy; its argument `which` selects the function.
fn text() -> String {
    let mut text = "template <class P, class T> AUTOBENCH_INLINE T sine(T x) { T s, c; \
                    ab::sincos<P>(x, s, c); return s; }\n\
                    template <class P, class T> AUTOBENCH_INLINE T cosine(T x) { T s, c; \
                    ab::sincos<P>(x, s, c); return c; }\n\
                    template <class P, class T> __noinline__ T call(int which, T a, T b) {\n\
                    switch (which) {\n"
        .to_owned();
    for (which, function) in FUNCTIONS.iter().enumerate() {
        text += &format!("case {which}: return {};\n", function.call);
    }
    text += "}\nreturn a;\n}\n\
             template <class P, class T> __global__ void all(const int *which, const T *a, \
             const T *b, T *out) {\nconst int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
             out[i] = call<P>(*which, a[i], b[i]);\n}\n";
    text
}

/// A number format; writes and reads numbers as bytes.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    F64,
    F32,
    F16,
    Bf16,
}

impl Format {
    fn named(name: &str) -> Self {
        match name {
            "f64" => Self::F64,
            "f32" => Self::F32,
            "f16" => Self::F16,
            _ => Self::Bf16,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::F64 => 8,
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    fn write(self, value: f64) -> Vec<u8> {
        match self {
            Self::F64 => value.to_le_bytes().to_vec(),
            Self::F32 => (value as f32).to_le_bytes().to_vec(),
            Self::F16 => f16::from_f32(to_odd(value)).to_le_bytes().to_vec(),
            Self::Bf16 => bf16::from_f32(to_odd(value)).to_le_bytes().to_vec(),
        }
    }

    fn read(self, bytes: &[u8]) -> f64 {
        let two = [bytes[0], bytes[1]];
        match self {
            Self::F64 => f64::from_le_bytes(bytes.try_into().expect("eight bytes")),
            Self::F32 => f32::from_le_bytes(bytes.try_into().expect("four bytes")).into(),
            Self::F16 => f16::from_le_bytes(two).to_f64(),
            Self::Bf16 => bf16::from_le_bytes(two).to_f64(),
        }
    }

    /// Significant digits, exponent of the smallest unit, and exponent from which numbers are
    /// infinite.
    fn shape(self) -> (i32, i32, i32) {
        match self {
            Self::F64 => (53, -1074, 1024),
            Self::F32 => (24, -149, 128),
            Self::F16 => (11, -24, 16),
            Self::Bf16 => (8, -133, 128),
        }
    }

    /// The unit in the last place of a result; for an infinite result, that of the largest number.
    fn unit(self, exact: f64) -> f64 {
        let (digits, least, end) = self.shape();
        let exponent = ((exact.to_bits() >> 52 & 0x7ff) as i32 - 1023).min(end - 1);
        2_f64.powi((exponent - digits + 1).max(least))
    }

    /// Replaces infinity by the power of two above the largest number.
    fn finite(self, value: f64) -> f64 {
        let (_, _, end) = self.shape();
        if self == Self::F64 { value } else { value.clamp(-2_f64.powi(end), 2_f64.powi(end)) }
    }
}

/// A random number between 0 and 1.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / 2_f64.powi(53)
}

/// Arguments: half of them uniform in the function's range, half over all exponents.
fn samples(format: Format, function: &Function) -> (Vec<u8>, Vec<u8>) {
    let mut state = 1;
    let (low, high) = function.even;
    let mut one = || -> f64 {
        let at = random(&mut state);
        if random(&mut state) < 0.5 {
            return low + (high - low) * at;
        }
        let size = 2_f64.powf(-126.0 + 252.0 * at);
        if low < 0.0 && random(&mut state) < 0.5 { -size } else { size }
    };
    let halves = (0..SECOND).flat_map(|_| 0..=u16::MAX).flat_map(u16::to_le_bytes);
    let first: Vec<u8> = match format {
        Format::F64 | Format::F32 => (0..SAMPLES).flat_map(|_| format.write(one())).collect(),
        Format::F16 | Format::Bf16 => halves.collect(),
    };
    let count = first.len() / format.bytes();
    // Most second arguments are near 1, where powers and quotients stay within the format.
    let second = (0..count).flat_map(|at| match at % 4 {
        0 => format.write(one()),
        _ => format.write(8.0 * one().clamp(-1.0, 1.0)),
    });
    let second = second.collect();
    (first, second)
}

/// The largest error of a function, in a format and with a policy.
fn measured(bench: &mut Bench, kernel: device::Kernel, entry: usize, which: usize) -> Cell {
    let (name, policy) = COLUMNS[entry];
    let (format, function) = (Format::named(name), &FUNCTIONS[which]);
    let (first, second) = samples(format, function);
    let count = first.len() / format.bytes();
    let number = i32::try_from(which).expect("few").to_le_bytes();
    let inputs = [&number[..], &first, &second];
    let out = run(bench, kernel, entry, count, &inputs, &[first.len()]);
    let mut worst = Cell { error: 0.0, at: (0.0, 0.0) };
    let all = [&first, &second, &out[0]].map(|bytes| bytes.chunks_exact(format.bytes()));
    let [firsts, seconds, founds] = all;
    for ((a, b), found) in firsts.zip(seconds).zip(founds) {
        let (a, b, found) = (format.read(a), format.read(b), format.read(found));
        let exact = (function.exact)(a, b);
        let told = || format!("{} of {a:e}, {b:e} in {name}, {policy}: {found:e}", function.name);
        if a.is_nan() {
            // Anything to the power of 0 is 1, even NaN.
            assert!(found.is_nan() || exact == 1.0, "{}, not NaN", told());
            continue;
        }
        if !(function.is_inside)(a, b) {
            continue;
        }
        if exact.is_nan() || exact.is_infinite() && (a == 0.0 || a.is_infinite()) {
            let same = found == exact || found.is_nan() && exact.is_nan();
            assert!(same, "{}, not {exact}", told());
            continue;
        }
        let (found, exact) = (format.finite(found), format.finite(exact));
        let unit = if function.is_absolute { 1.0 } else { format.unit(exact) };
        let error = (found - exact).abs() / unit;
        assert!(!found.is_nan(), "{}, not {exact:e}", told());
        if error > worst.error {
            worst = Cell { error, at: (a, b) };
        }
    }
    worst
}

#[test]
fn every_function_keeps_the_error_that_the_documentation_states() {
    let text = text();
    let entry = |(format, policy)| format!("all<ab::{policy}, ab::{format}>");
    let entries = COLUMNS.map(entry);
    for mut bench in devices_of(|name| name == "cpu") {
        let kernel = bench.compile(several(&text, &entries));
        let rows: Vec<[Cell; COLUMNS.len()]> = (0..FUNCTIONS.len())
            .map(|which| std::array::from_fn(|entry| measured(&mut bench, kernel, entry, which)))
            .collect();
        compare_or_write(&rows);
    }
}

#[test]
fn sums_and_maps_of_vectors_are_those_of_their_elements() {
    let text = r"
    __global__ void vectors(const float *x, float *out) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      const ab::vec<ab::f16, 4> v = ab::load_as<ab::f16, 4>(x + 4 * i);
      ab::vec<ab::f16, 4> w = ab::f16(2) * v + ab::vec<ab::f16, 4>::all(ab::f16(1));
      w -= ab::f16(1);
      w *= v;
      out[8 * i] = ab::sum(v);
      out[8 * i + 1] = ab::dot(v, v);
      out[8 * i + 2] = ab::minimum(v);
      out[8 * i + 3] = ab::maximum(v);
      out[8 * i + 4] = ab::sum(w / ab::f16(2));
      out[8 * i + 5] = ab::sum(ab::map(v, [](ab::f16 e) { return 2.0f * e; }));
      out[8 * i + 6] = ab::sum(ab::sqrt<ab::accurate>(v * v));
      out[8 * i + 7] = ab::sum(-ab::fma(v, v, -v));
    }";
    let values: Vec<f32> = (0..4 * BLOCK).map(|i| (i % 13) as f32 - 4.0).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    for mut bench in crate::contract::devices() {
        let kernel = bench.compile(several(text, &["vectors".to_owned()]));
        let count = BLOCK as usize;
        let out = run(&mut bench, kernel, 0, count, &[&bytes], &[count * 32]).remove(0);
        let out: Vec<f32> =
            out.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        for (v, found) in values.chunks_exact(4).zip(out.chunks_exact(8)) {
            let (sum, squares): (f32, f32) = (v.iter().sum(), v.iter().map(|x| x * x).sum());
            let least = v.iter().copied().fold(f32::INFINITY, f32::min);
            let most = v.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sizes = v.iter().map(|x| x.abs()).sum();
            let wanted = [sum, squares, least, most, squares, 2.0 * sum, sizes, sum - squares];
            assert_eq!(found, wanted, "{v:?}");
        }
    }
}
