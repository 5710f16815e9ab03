// Number formats: ab::f64, ab::f32, ab::f16, ab::bf16. The halves are for storage: they convert to
// float without loss and back by rounding to nearest, ties to even; arithmetic happens in float.
// On the GPU the conversions are inline PTX, so that no vendor header is needed.
#pragma once

#ifdef AUTOBENCH_GPU
#define AUTOBENCH_INLINE __device__ __forceinline__
typedef unsigned short ab_u16;
typedef unsigned int ab_u32;
#else
#define AUTOBENCH_INLINE inline __attribute__((always_inline))
#endif

// _Float16 where a compiler turns it into instructions; else integer arithmetic without branches,
// which vectorises with AVX-512 and is exact everywhere.
#if defined(AUTOBENCH_CPU) && defined(__FLT16_MANT_DIG__)
#if defined(__AVX512FP16__) || (defined(__F16C__) && (defined(__clang__) || !defined(__AVX512F__))) || \
    defined(__ARM_FEATURE_FP16_SCALAR_ARITHMETIC)
#define AUTOBENCH_NATIVE_HALF 1
#endif
#endif

namespace ab {

typedef double f64;
typedef float f32;

AUTOBENCH_INLINE float float_of_bits(ab_u32 bits) {
#ifdef AUTOBENCH_GPU
  return __uint_as_float(bits);
#else
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

AUTOBENCH_INLINE ab_u32 bits_of_float(float x) {
#ifdef AUTOBENCH_GPU
  return __float_as_uint(x);
#else
  ab_u32 bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

// Half to float in integer arithmetic.
AUTOBENCH_INLINE float widen_half_exactly(ab_u16 h) {
  // Numbers: exponent and fraction moved and scaled by 2^112, exact also for subnormals.
  const ab_u32 magnitude = (ab_u32)(h & 0x7fff) << 13, sign = (ab_u32)(h & 0x8000) << 16;
  const ab_u32 scaled = bits_of_float(float_of_bits(magnitude) * 0x1p112f);
  // Infinities and NaN have all exponent bits.
  const ab_u32 special = magnitude | 0x7f800000u | (magnitude & 0x7fffff ? 0x400000u : 0u);
  return float_of_bits((magnitude >= 0x0f800000u ? special : scaled) | sign);
}

// Float to half in integer arithmetic, to nearest, ties to even.
AUTOBENCH_INLINE ab_u16 round_half_exactly(float x) {
  const ab_u32 bits = bits_of_float(x), magnitude = bits & 0x7fffffffu;
  const ab_u16 sign = (ab_u16)((bits >> 16) & 0x8000);
  // Normal: re-biased, rounded by adding half a unit and the lowest kept bit.
  const ab_u32 normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1)) >> 13;
  // Subnormal: added to a half, whose last place is 2^-24; the sum is rounded by the hardware.
  const ab_u32 subnormal = bits_of_float(float_of_bits(magnitude) + 0.5f) - 0x3f000000u;
  const ab_u32 not_a_number = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  ab_u32 h = magnitude < 0x38800000u ? subnormal : normal;
  h = magnitude >= 0x47800000u ? 0x7c00u : h; // 65536 and above
  h = magnitude > 0x7f800000u ? not_a_number : h;
  return (ab_u16)(h | sign);
}

AUTOBENCH_INLINE float widen_half(ab_u16 h) {
#if defined(__CUDA_ARCH__)
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
#elif defined(AUTOBENCH_GPU)
  return (float)__builtin_bit_cast(_Float16, h);
#elif defined(AUTOBENCH_NATIVE_HALF)
  _Float16 x;
  __builtin_memcpy(&x, &h, sizeof x);
  return (float)x;
#else
  return widen_half_exactly(h);
#endif
}

AUTOBENCH_INLINE ab_u16 round_half(float x) {
#if defined(__CUDA_ARCH__)
  ab_u16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
#elif defined(AUTOBENCH_GPU)
  return __builtin_bit_cast(ab_u16, (_Float16)x);
#elif defined(AUTOBENCH_NATIVE_HALF)
  const _Float16 rounded = (_Float16)x;
  ab_u16 h;
  __builtin_memcpy(&h, &rounded, sizeof h);
  return h;
#else
  return round_half_exactly(x);
#endif
}

AUTOBENCH_INLINE float widen_bfloat(ab_u16 b) { return float_of_bits((ab_u32)b << 16); }

AUTOBENCH_INLINE ab_u16 round_bfloat(float x) {
  const ab_u32 bits = bits_of_float(x);
  const ab_u32 rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  const ab_u32 not_a_number = (bits >> 16) | 0x40u;
  return (ab_u16)((bits & 0x7fffffffu) > 0x7f800000u ? not_a_number : rounded);
}

// IEEE half.
struct f16 {
  ab_u16 bits;
  f16() = default;
  AUTOBENCH_INLINE f16(float x) : bits(round_half(x)) {}
  AUTOBENCH_INLINE operator float() const { return widen_half(bits); }
};

// bfloat16: the upper half of a float.
struct bf16 {
  ab_u16 bits;
  bf16() = default;
  AUTOBENCH_INLINE bf16(float x) : bits(round_bfloat(x)) {}
  AUTOBENCH_INLINE operator float() const { return widen_bfloat(bits); }
};

// What a format computes in: `typename ab::compute<T>::type`.
template <class T>
struct compute {
  typedef T type;
};
template <>
struct compute<f16> {
  typedef float type;
};
template <>
struct compute<bf16> {
  typedef float type;
};

// Between any two formats.
template <class To, class From>
AUTOBENCH_INLINE To convert(From x) {
  return (To)(typename compute<To>::type)(typename compute<From>::type)x;
}

}  // namespace ab

// A parameter's value is its name, also without the namespace: with `#define precision f32`,
// `precision` is a type.
using ab::bf16;
using ab::f16;
using ab::f32;
using ab::f64;
typedef signed char i8;
typedef unsigned char u8;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
