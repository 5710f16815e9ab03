// What a device does with its buffers besides running kernels: fills them by the generators of
// benchmarks/sdk/src/inputs.rs, poisons them, looks for poison and NaN, gathers elements. A fill
// gives the same bits as on every other device: an element is a double, none of whose operations
// may be fused, until it is rounded once to its format.
#include "autobench/autobench.h"

typedef unsigned long long word;

// The positions of `Element::ALL`.
enum format {
  is_f64, is_f32, is_tf32, is_f16, is_bf16, is_e4m3, is_e5m2,
  is_i64, is_u64, is_i32, is_u32, is_i8, is_u8
};

enum generator { constant, uniform, integer, bell, permutation, ramp };

// splitmix64's finalizer over a counter.
AUTOBENCH_INLINE word random_bits(word seed, unsigned argument, word index)
{
  word z = seed + ((word)argument + 1) * 0x9E3779B97F4A7C15ull + index * 0xD1342543DE82EF95ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// `low ..= high` from the upper half; the product of 32 and 64 bits in two parts.
AUTOBENCH_INLINE long long integer_of(word bits, long long low, long long high)
{
  if (high <= low) return low;
  const word u = bits >> 32, range = (word)high - (word)low + 1;
  const word above = range == 0 ? u << 32
                                : u * (range >> 32) + (u * (range & 0xffffffffull) >> 32);
  return (long long)((word)low + above);
}

// Four fields of 16 bits in [-1/2, 1/2); exact, also where it is fused.
AUTOBENCH_INLINE double bell_of(word bits)
{
  const word fields =
      (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  return (double)fields / 65536.0 - 2.0;
}

// To the nearest, ties to even; what does not fit becomes the end it is beyond, NaN becomes 0.
template <class T>
AUTOBENCH_INLINE T saturated(double x, T low, T high)
{
  const double whole = rint(x);
  if (whole != whole) return 0;
  if (whole <= (double)low) return low;
  if (whole >= (double)high) return high;
  return (T)whole;
}

AUTOBENCH_INLINE void put(void *to, int format, word i, double x)
{
  switch (format) {
    case is_f64: ((double *)to)[i] = x; break;
    case is_f32: ((float *)to)[i] = (float)x; break;
    case is_tf32: ((ab_u32 *)to)[i] = ab::round_tf32_exactly(ab::to_odd(x)); break;
    case is_f16: ((ab_u16 *)to)[i] = ab::round_half_exactly(ab::to_odd(x)); break;
    case is_bf16: ((ab_u16 *)to)[i] = ab::round_bfloat_exactly(ab::to_odd(x)); break;
    case is_e4m3: ((ab_u8 *)to)[i] = ab::round_e4m3_exactly(ab::to_odd(x)); break;
    case is_e5m2: ((ab_u8 *)to)[i] = ab::round_e5m2_exactly(ab::to_odd(x)); break;
    case is_i64:
      ((long long *)to)[i] =
          saturated<long long>(x, -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll);
      break;
    case is_u64: ((word *)to)[i] = saturated<word>(x, 0, ~0ull); break;
    case is_i32: ((int *)to)[i] = saturated<int>(x, -0x7fffffff - 1, 0x7fffffff); break;
    case is_u32: ((unsigned *)to)[i] = saturated<unsigned>(x, 0, 0xffffffffu); break;
    case is_i8: ((signed char *)to)[i] = (signed char)saturated<int>(x, -128, 127); break;
    case is_u8: ((unsigned char *)to)[i] = (unsigned char)saturated<int>(x, 0, 255); break;
  }
}

AUTOBENCH_INLINE word get(const void *from, int size, word i)
{
  switch (size) {
    case 1: return ((const unsigned char *)from)[i];
    case 2: return ((const ab_u16 *)from)[i];
    case 4: return ((const ab_u32 *)from)[i];
    default: return ((const word *)from)[i];
  }
}

// `base` and `extent` are the constant, low and high - low, the scale, or start and step;
// `low` and `high` the ends of an integer, or a permutation's factor and offset.
__global__ void ab_fill(void *to, int format, int generator, word count, word seed,
                        unsigned argument, double base, double extent, long long low,
                        long long high)
{
  const word stride = (word)gridDim.x * blockDim.x;
  for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    const word bits = random_bits(seed, argument, i);
    double x = base;
    switch (generator) {
      case uniform: x = ab::sum_of_product(base, extent, (double)(bits >> 40) / 16777216.0); break;
      case integer: x = (double)integer_of(bits, low, high); break;
      case bell: x = bell_of(bits) * base; break;
      case permutation: x = (double)(((word)low * i + (word)high) % count); break;
      case ramp: x = ab::sum_of_product(base, extent, (double)i); break;
    }
    put(to, format, i, x);
  }
}

__global__ void ab_poison(void *to, int size, word poison, word count)
{
  const word stride = (word)gridDim.x * blockDim.x;
  for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    switch (size) {
      case 1: ((unsigned char *)to)[i] = (unsigned char)poison; break;
      case 2: ((ab_u16 *)to)[i] = (ab_u16)poison; break;
      case 4: ((ab_u32 *)to)[i] = (ab_u32)poison; break;
      default: ((word *)to)[i] = poison;
    }
}

// `found`: how many are poison and the first of them, how many are NaN and the first of those.
// A NaN is more than `infinity` (the largest number of formats without one) without its sign; for
// integers no pattern is.
__global__ void ab_scan(const void *from, int size, word poison, word infinity, word count,
                        word *found)
{
  const word magnitude = ~0ull >> (65 - 8 * size), none = ~0ull;
  const word stride = (word)gridDim.x * blockDim.x;
  word poisoned = 0, first_poisoned = none, nans = 0, first_nan = none;
  for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    const word bits = get(from, size, i);
    if (bits == poison) {
      ++poisoned;
      first_poisoned = first_poisoned < i ? first_poisoned : i;
    } else if ((bits & magnitude) > infinity) {
      ++nans;
      first_nan = first_nan < i ? first_nan : i;
    }
  }
  if (poisoned) {
    atomicAdd(found, poisoned);
    atomicMin(found + 1, first_poisoned);
  }
  if (nans) {
    atomicAdd(found + 2, nans);
    atomicMin(found + 3, first_nan);
  }
}

__global__ void ab_gather(const void *from, int size, const word *indices, word count, word *bits)
{
  const word stride = (word)gridDim.x * blockDim.x;
  for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    bits[i] = get(from, size, indices[i]);
}

// A sum over words and their positions, which any change of a single word changes.
__global__ void ab_sum(const word *words, word count, word *found)
{
  const word stride = (word)gridDim.x * blockDim.x;
  word sum = 0;
  for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    sum += random_bits(words[i], 0, i);
  atomicAdd(found, sum);
}

// The first slot whose zones, `zone` bytes before and behind it, hold anything but `pattern`;
// `found` is left alone where there is none. `start` is where the first slot's zone starts.
__global__ void ab_zones(const unsigned char *start, word zone, word slot, word stride, word slots,
                         int pattern, word *found)
{
  const word count = 2 * zone * slots, step = (word)gridDim.x * blockDim.x;
  word first = ~0ull;
  for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const word at = i / (2 * zone), byte = i % (2 * zone);
    const word offset = byte < zone ? byte : slot + byte;
    if (start[at * stride + offset] != (unsigned char)pattern && at < first) first = at;
  }
  if (first != ~0ull) atomicMin(found, first);
}
