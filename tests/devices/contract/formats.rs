//! Formats and mathematics of the portability header, on every backend.

use device::ArgumentValue;
use half::{bf16, f16};
use space::accuracy::Element;

use super::{Bench, devices, int, job, step};

const CONVERT: &str = r"
__global__ void widen(const unsigned short *bits, float *halves, float *exactly, float *bfloats) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  halves[i] = ab::widen_half(bits[i]);
  exactly[i] = ab::widen_half_exactly(bits[i]);
  bfloats[i] = ab::widen_bfloat(bits[i]);
}
__global__ void narrow(const float *x, unsigned short *halves, unsigned short *exactly,
                       unsigned short *bfloats) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  halves[i] = ab::round_half(x[i]);
  exactly[i] = ab::round_half_exactly(x[i]);
  bfloats[i] = ab::round_bfloat(x[i]);
}";

fn bytes(bench: &mut Bench, buffer: device::Buffer, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    bench.device.read(buffer, 0, &mut bytes).expect("read");
    bytes
}

#[test]
fn every_half_widens_to_its_float() {
    for mut bench in devices() {
        let kernel = bench.compile(job(CONVERT, "widen", [256, 1, 1]));
        let input = bench.device.allocate(65536 * 2).expect("memory");
        let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        bench.device.write(input, 0, &all).expect("write");
        let out = [0; 3].map(|_| bench.device.allocate(65536 * 4).expect("memory"));
        let mut arguments = vec![ArgumentValue::Buffer(input)];
        arguments.extend(out.map(ArgumentValue::Buffer));
        let steps = [step([256, 1, 1], [256, 1, 1], arguments)];
        bench.device.run(kernel, &steps).expect("runs");
        for (which, buffer) in out.into_iter().enumerate() {
            let floats = bytes(&mut bench, buffer, 65536 * 4);
            for (bits, float) in floats.chunks_exact(4).enumerate() {
                let found = f32::from_le_bytes(float.try_into().expect("four bytes"));
                let bits = u16::try_from(bits).expect("65536 of them");
                let wanted = match which {
                    2 => bf16::from_bits(bits).to_f32(),
                    _ => f16::from_bits(bits).to_f32(),
                };
                let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
                assert!(same, "{which}: {bits:#06x} became {found}, not {wanted}");
            }
        }
    }
}

#[test]
fn floats_round_to_the_nearest_half_ties_to_even() {
    // Every half, the midpoints between neighbours, the floats next to those, and extreme values.
    let mut floats =
        vec![0.0, f32::MAX, f32::MIN_POSITIVE, 1e-45, f32::INFINITY, 65519.996, 65520.0];
    for bits in 0..0x7c00_u16 {
        let (low, high) = (f16::from_bits(bits).to_f32(), f16::from_bits(bits + 1).to_f32());
        let middle = if high.is_finite() { low / 2.0 + high / 2.0 } else { 65520.0 };
        floats.extend([low, middle, middle.next_up(), middle.next_down()]);
    }
    for bits in (0..0x7f80_u16).step_by(7) {
        let low = f32::from_bits(u32::from(bits) << 16);
        let middle = f32::from_bits(u32::from(bits) << 16 | 0x8000);
        floats.extend([low, middle, middle.next_up(), middle.next_down()]);
    }
    floats.extend(floats.clone().iter().map(|x| -x));
    floats.resize(floats.len().next_multiple_of(256), f32::NAN);
    for mut bench in devices() {
        let kernel = bench.compile(job(CONVERT, "narrow", [256, 1, 1]));
        let input = bench.floats(&floats);
        let out = [0; 3].map(|_| bench.device.allocate(floats.len() as u64 * 2).expect("memory"));
        let mut arguments = vec![ArgumentValue::Buffer(input)];
        arguments.extend(out.map(ArgumentValue::Buffer));
        let blocks = u32::try_from(floats.len() / 256).expect("few blocks");
        let steps = [step([blocks, 1, 1], [256, 1, 1], arguments)];
        bench.device.run(kernel, &steps).expect("runs");
        for (which, buffer) in out.into_iter().enumerate() {
            let halves = bytes(&mut bench, buffer, floats.len() * 2);
            for (&float, half) in floats.iter().zip(halves.chunks_exact(2)) {
                let found = u16::from_le_bytes(half.try_into().expect("two bytes"));
                let (wanted, nan) = match which {
                    2 => (bf16::from_f32(float).to_bits(), bf16::from_bits(found).is_nan()),
                    _ => (f16::from_f32(float).to_bits(), f16::from_bits(found).is_nan()),
                };
                let same = found == wanted || float.is_nan() && nan;
                assert!(same, "{which}: {float} became {found:#06x}, not {wanted:#06x}");
            }
        }
    }
}

#[test]
fn policies_keep_their_promised_errors() {
    let text = r"
    __global__ void exps(const float *x, float *accurate, float *fast, float *approximate) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      accurate[i] = ab::exp<ab::accurate>(x[i]);
      fast[i] = ab::exp<ab::fast>(x[i]);
      approximate[i] = ab::exp<ab::approximate>(x[i]);
    }";
    let inputs: Vec<f32> = (0..4096_u16).map(|i| (f32::from(i) - 2048.0) / 25.0).collect();
    for mut bench in devices() {
        let kernel = bench.compile(job(text, "exps", [64, 1, 1]));
        let x = bench.floats(&inputs);
        let out = [0; 3].map(|_| bench.device.allocate(4096 * 4).expect("memory"));
        let mut arguments = vec![ArgumentValue::Buffer(x)];
        arguments.extend(out.map(ArgumentValue::Buffer));
        bench.device.run(kernel, &[step([64, 1, 1], [64, 1, 1], arguments)]).expect("runs");
        // Rounding x · log2(e) adds an error of up to |x| · 2^-24 to that of the polynomial. NVIDIA
        // promises two units in the last place for expf, and 2 + 1.173 |x| for __expf.
        for (buffer, bound) in out.into_iter().zip([3e-7, 2e-5, 1e-2]) {
            for (&x, value) in inputs.iter().zip(bench.values(buffer, Element::F32, 4096)) {
                let exact = f64::from(x).exp();
                let error = ((value - exact) / exact).abs();
                assert!(error < bound, "exp({x}) = {value}, off by {error:e}");
            }
        }
    }
}

#[test]
fn a_format_is_a_parameter_of_one_source() {
    let text = r"
    __global__ void scale(const precision *x, precision *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i * 4 >= n) return;
      ab::vec<precision, 4> v = ab::load<4>(x + i * 4);
      for (int j = 0; j < 4; ++j)
        v[j] = ab::convert<precision>(3 * (ab::compute<precision>::type)v[j]);
      ab::store(y + i * 4, v);
    }";
    for mut bench in devices() {
        for element in [Element::F64, Element::F32, Element::F16, Element::Bf16] {
            let mut job = job(text, "scale", [64, 1, 1]);
            job.macros = vec![("precision".to_owned(), element.name().to_owned())];
            let kernel = bench.compile(job);
            let count = 1000;
            let [x, y] =
                [0; 2].map(|_| bench.device.allocate(count * element.bytes()).expect("memory"));
            let fill = autobench_sdk::document::Fill::Integer { low: -80, high: 80 };
            let plan = device::FillPlan { fill, seed: 1, argument: 0, element, count };
            bench.device.fill(x, &plan).expect("fills");
            let arguments = vec![ArgumentValue::Buffer(x), ArgumentValue::Buffer(y), int(1000)];
            bench.device.run(kernel, &[step([4, 1, 1], [64, 1, 1], arguments)]).expect("runs");
            let (x, y) = (bench.values(x, element, count), bench.values(y, element, count));
            // Values up to 240 are exact with eight significant bits.
            assert!(x.iter().zip(&y).all(|(x, y)| 3.0 * x == *y), "{element}");
        }
    }
}
