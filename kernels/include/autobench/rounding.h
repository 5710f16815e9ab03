// Formats smaller than float: widening to float, which is exact, and rounding to nearest, ties to
// even. `..._exactly` is integer arithmetic without branches, the same bits everywhere, and
// vectorises; else the device's instructions where it has them.
#pragma once

// _Float16 where a compiler turns it into instructions.
#if defined(AUTOBENCH_CPU) && defined(__FLT16_MANT_DIG__)
#if defined(__AVX512FP16__) || (defined(__F16C__) && (defined(__clang__) || !defined(__AVX512F__))) || \
    defined(__ARM_FEATURE_FP16_SCALAR_ARITHMETIC)
#define AUTOBENCH_NATIVE_HALF 1
#endif
#endif

namespace ab {

// The magnitude of a format with `Fraction` bits of fraction and an exponent biased by `Bias`, from
// a float's without sign; infinities and NaN are the caller's.
template <int Fraction, int Bias>
AUTOBENCH_INLINE ab_u32 round_magnitude(ab_u32 magnitude) {
  constexpr int dropped = 23 - Fraction;
  // Normal: re-biased, rounded by adding half a unit and the lowest kept bit.
  const ab_u32 normal = (magnitude - ((ab_u32)(127 - Bias) << 23) + ((1u << (dropped - 1)) - 1) +
                         ((magnitude >> dropped) & 1)) >> dropped;
  // Subnormal: added to a power of two whose last place is the format's; the hardware rounds.
  constexpr ab_u32 power = (ab_u32)(127 + 1 - Bias + dropped) << 23;
  const ab_u32 subnormal =
      bits_of_float(float_of_bits(magnitude) + float_of_bits(power)) - power;
  return magnitude < ((ab_u32)(128 - Bias) << 23) ? subnormal : normal;
}

AUTOBENCH_INLINE float widen_half_exactly(ab_u16 h) {
  // Numbers: exponent and fraction moved and scaled by 2^112, exact also for subnormals.
  const ab_u32 magnitude = (ab_u32)(h & 0x7fff) << 13, sign = (ab_u32)(h & 0x8000) << 16;
  const ab_u32 scaled = bits_of_float(float_of_bits(magnitude) * 0x1p112f);
  // Infinities and NaN have all exponent bits.
  const ab_u32 special = magnitude | 0x7f800000u | (magnitude & 0x7fffff ? 0x400000u : 0u);
  return float_of_bits((magnitude >= 0x0f800000u ? special : scaled) | sign);
}

AUTOBENCH_INLINE ab_u16 round_half_exactly(float x) {
  const ab_u32 bits = bits_of_float(x), magnitude = bits & 0x7fffffffu;
  const ab_u16 sign = (ab_u16)((bits >> 16) & 0x8000);
  const ab_u32 not_a_number = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  ab_u32 h = round_magnitude<10, 15>(magnitude);
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

AUTOBENCH_INLINE ab_u16 round_bfloat_exactly(float x) {
  const ab_u32 bits = bits_of_float(x);
  const ab_u32 rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  const ab_u32 not_a_number = (bits >> 16) | 0x40u;
  return (ab_u16)((bits & 0x7fffffffu) > 0x7f800000u ? not_a_number : rounded);
}

AUTOBENCH_INLINE ab_u16 round_bfloat(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  ab_u16 b;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b) : "f"(x));
  return b;
#else
  return round_bfloat_exactly(x);
#endif
}

// tf32 keeps the upper 19 bits of a float.
AUTOBENCH_INLINE ab_u32 round_tf32_exactly(float x) {
  const ab_u32 bits = bits_of_float(x);
  const ab_u32 rounded = bits + 0xfffu + ((bits >> 13) & 1);
  return ((bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : rounded) & 0xffffe000u;
}

AUTOBENCH_INLINE ab_u32 round_tf32(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  ab_u32 rounded;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
  return rounded & 0xffffe000u;
#else
  return round_tf32_exactly(x);
#endif
}

// e4m3 has no infinities: what is too large becomes 448, and NaN the positive one.
AUTOBENCH_INLINE ab_u8 round_e4m3_exactly(float x) {
  const ab_u32 bits = bits_of_float(x), magnitude = bits & 0x7fffffffu;
  ab_u32 small = round_magnitude<3, 7>(magnitude);
  small = magnitude >= 0x43e00000u ? 0x7eu : small; // 448 and above
  small |= bits >> 24 & 0x80u;
  return (ab_u8)(magnitude > 0x7f800000u ? 0x7fu : small);
}

AUTOBENCH_INLINE float widen_e4m3_exactly(ab_u8 b) {
  const ab_u32 magnitude = b & 0x7fu;
  const float normal = float_of_bits((magnitude << 20) + 0x3c000000u);
  const float subnormal = float_of_bits((magnitude << 20) + 0x3c800000u) - 0x1p-6f;
  ab_u32 bits = bits_of_float(magnitude < 8 ? subnormal : normal);
  bits = magnitude == 0x7fu ? 0x7fc00000u : bits;
  return float_of_bits(bits | (ab_u32)(b & 0x80u) << 24);
}

// e5m2 is the upper half of an IEEE half, with infinities.
AUTOBENCH_INLINE ab_u8 round_e5m2_exactly(float x) {
  const ab_u32 bits = bits_of_float(x), magnitude = bits & 0x7fffffffu;
  ab_u32 small = round_magnitude<2, 15>(magnitude);
  small = magnitude >= 0x47800000u ? 0x7cu : small; // 65536 and above
  small |= bits >> 24 & 0x80u;
  return (ab_u8)(magnitude > 0x7f800000u ? 0x7eu : small);
}

// NVIDIA's instructions convert pairs, and saturate e5m2.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
AUTOBENCH_INLINE ab_u8 round_e4m3(float x) {
  ab_u16 pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return (ab_u8)pair;
}

AUTOBENCH_INLINE ab_u8 round_e5m2(float x) {
  ab_u16 pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  const ab_u32 bits = bits_of_float(x), magnitude = bits & 0x7fffffffu;
  // 61440, the middle of the largest number and what would follow it, and above.
  const bool infinite = magnitude >= 0x47700000u && magnitude <= 0x7f800000u;
  return (ab_u8)(infinite ? 0x7cu | (bits >> 24 & 0x80u) : pair);
}

AUTOBENCH_INLINE float widen_e4m3(ab_u8 b) {
  ab_u32 halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"((ab_u16)b));
  return widen_half((ab_u16)halves);
}
#else
AUTOBENCH_INLINE ab_u8 round_e4m3(float x) { return round_e4m3_exactly(x); }
AUTOBENCH_INLINE ab_u8 round_e5m2(float x) { return round_e5m2_exactly(x); }
AUTOBENCH_INLINE float widen_e4m3(ab_u8 b) { return widen_e4m3_exactly(b); }
#endif

AUTOBENCH_INLINE float widen_e5m2(ab_u8 b) { return widen_half((ab_u16)(b << 8)); }

}  // namespace ab
