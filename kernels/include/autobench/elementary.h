// Exponentials, logarithms and roots without branches, from polynomials and the bits of numbers,
// for results of so many significant digits. They vectorise; on GPUs only those are used that the
// device has no instruction for.
#pragma once

namespace ab {

AUTOBENCH_INLINE float with_sign_of(float x, float y) {
  return float_of_bits((bits_of_float(x) & 0x7fffffffu) | (bits_of_float(y) & 0x80000000u));
}
AUTOBENCH_INLINE float infinity() { return float_of_bits(0x7f800000u); }
AUTOBENCH_INLINE float not_a_number() { return float_of_bits(0x7fc00000u); }
AUTOBENCH_INLINE float nearest_whole(float x) { return AUTOBENCH_LIBRARY(rintf)(x); }

// x 2^n for whole n; in two steps, so that neither 2^128 nor numbers below 2^-126 get lost.
AUTOBENCH_INLINE float scaled(float x, float n) {
  const int whole = (int)n, half = whole >> 1, rest = whole - half;
  return x * float_of_bits((ab_u32)(half + 127) << 23) * float_of_bits((ab_u32)(rest + 127) << 23);
}

AUTOBENCH_INLINE float clamped(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

template <int Digits>
struct elementary : hardware {
  typedef polynomials<Digits> shape;

  AUTOBENCH_INLINE static float exp2(float x) {
    x = clamped(x, -151.0f, 129.0f);
    const float whole = nearest_whole(x);
    return scaled(shape::exp2(x - whole), whole);
  }

  AUTOBENCH_INLINE static float exp(float x) {
    x = clamped(x, -105.0f, 89.5f);
    const float whole = nearest_whole(x * 1.44269504f);
    // log(2) in two parts, of which the first times a whole number is exact.
    const float r = (x - whole * 0.693145752f) - whole * 1.42860677e-6f;
    if constexpr (Digits > 11)
      return scaled(1.0f + (r + r * r * polynomial(r, 0.499999931f, 0.166665148f, 0.0416684568f,
                                                   0.00836941843f, 0.0013813144f)),
                    whole);
    else
      return scaled(shape::exp2(r * 1.44269504f), whole);
  }

  // x = 2^exponent (1 + f) with 1 + f within sqrt(2) of 1, for normal x above 0.
  AUTOBENCH_INLINE static void take_apart(float x, float &exponent, float &f) {
    // Numbers below the smallest normal one are scaled up.
    const bool tiny = x < 0x1p-126f;
    const ab_u32 bits = bits_of_float(tiny ? x * 0x1p24f : x);
    const int power = (int)(bits - 0x3f3504f3u) >> 23;
    exponent = (float)power - (tiny ? 24.0f : 0.0f);
    f = float_of_bits(bits - ((ab_u32)power << 23)) - 1.0f;
  }

  // Of 0, of negative numbers, and of infinity and NaN.
  AUTOBENCH_INLINE static float log_or_special(float x, float log) {
    const float special = x == 0 ? -infinity() : x > 0 ? x : not_a_number();
    return x > 0 && x < infinity() ? log : special;
  }

  AUTOBENCH_INLINE static float log1p_of(float f) {
    return f + f * f * (f * shape::log_rest(f) - 0.5f);
  }

  AUTOBENCH_INLINE static float log2(float x) {
    float exponent, f;
    take_apart(x, exponent, f);
    if constexpr (Digits > 11)
      return log_or_special(x, exponent + log1p_of(f) * 1.44269504f);
    else
      return log_or_special(x, exponent + f * shape::log2_factor(f));
  }
  AUTOBENCH_INLINE static float log(float x) {
    float exponent, f;
    take_apart(x, exponent, f);
    if constexpr (Digits > 11)
      return log_or_special(
          x, exponent * 0.693145752f + (exponent * 1.42860677e-6f + log1p_of(f)));
    else
      return log_or_special(x, (exponent + f * shape::log2_factor(f)) * 0.693147181f);
  }
  AUTOBENCH_INLINE static float log10(float x) {
    float exponent, f;
    take_apart(x, exponent, f);
    if constexpr (Digits > 11)
      return log_or_special(x, exponent * 0.301029996f + log1p_of(f) * 0.434294482f);
    else
      return log_or_special(x, (exponent + f * shape::log2_factor(f)) * 0.301029996f);
  }

  // For x > 0; anything to the power of 0 is 1.
  AUTOBENCH_INLINE static float pow(float x, float y) {
    // y multiplies the logarithm's error.
    const float power = exp2(y * elementary<24>::log2(x));
    return y == 0 ? 1.0f : power;
  }

  AUTOBENCH_INLINE static float rsqrt(float x) {
    if constexpr (Digits > 11) {
      return hardware::rsqrt(x);
    } else {
      // Halving and negating the exponent is right within 4 %; t, near 1, tells how wrong.
      const float guess = float_of_bits(0x5f370000u - (bits_of_float(x) >> 1));
      const float t = x * guess * guess;
      const float factor = Digits > 8 ? polynomial(t, 1.88000428f, -1.25895154f, 0.378943542f)
                                      : polynomial(t, 1.50403865f, -0.503184215f);
      const float special = x == 0 ? infinity() : x > 0 ? 0.0f : not_a_number();
      return x > 0 && x < infinity() ? guess * factor : special;
    }
  }
  AUTOBENCH_INLINE static float sqrt(float x) {
    if constexpr (Digits > 11)
      return hardware::sqrt(x);
    else
      return x == 0 || x == infinity() ? x : x * rsqrt(x);
  }
  AUTOBENCH_INLINE static float reciprocal(float x) {
    if constexpr (Digits > 11) {
      return hardware::reciprocal(x);
    } else {
      const ab_u32 size = bits_of_float(x) & 0x7fffffffu;
      const float guess = float_of_bits(0x7ee00000u - size), t = float_of_bits(size) * guess;
      const float factor = Digits > 8 ? polynomial(t, 3.29859899f, -3.62556406f, 1.32781743f)
                                      : polynomial(t, 2.19906538f, -1.20807023f);
      float result = guess * factor;
      result = size < 0x00400000u ? infinity() : result;
      // What would not be a normal number becomes 0.
      result = size >= 0x7e800000u && size <= 0x7f800000u ? 0.0f : result;
      return with_sign_of(size > 0x7f800000u ? x : result, x);
    }
  }
  AUTOBENCH_INLINE static float divide(float x, float y) {
    if constexpr (Digits > 11)
      return hardware::divide(x, y);
    else
      return x * reciprocal(y);
  }
};

// What the device has the better exponential of.
#ifdef AUTOBENCH_CPU
template <int Digits>
struct quick : elementary<Digits> {};
#else
template <int Digits>
struct quick : hardware {};
#endif

template <int Digits>
struct saturating {
  typedef polynomials<Digits> shape;

  AUTOBENCH_INLINE static float tanh(float x) {
    const float size = abs(x);
    const float large = 1.0f - hardware::divide(2.0f, quick<Digits>::exp(2.0f * min(size, 20.0f)) + 1.0f);
    return with_sign_of(size < 0.625f ? shape::tanh(size) : size == size ? large : x, x);
  }

  AUTOBENCH_INLINE static float erf(float x) {
    const float size = abs(x);
    if constexpr (Digits > 11) {
      const float rest = quick<Digits>::exp(shape::log_of_rest_of_erf(clamped(size, 1.0f, 4.0f)));
      return with_sign_of(size > 1.0f ? 1.0f - rest : shape::erf(size), x);
    } else {
      return with_sign_of(size > 3.0f ? 1.0f : shape::erf(size), x);
    }
  }
};

}  // namespace ab
