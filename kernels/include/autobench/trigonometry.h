// Trigonometry without branches, from polynomials, for results of so many significant digits.
// Arguments of sin, cos and tan are reduced well up to |x| = 10,000 (for f16: all).
#pragma once

namespace ab {

template <int Digits>
struct trigonometry {
  typedef polynomials<Digits> shape;

  // x less the nearest multiple of pi / 2, and sin and cos of that.
  AUTOBENCH_INLINE static int reduced(float x, float &s, float &c) {
    const float n = nearest_whole(x * 0.636619772f);
    // pi / 2 in parts; products of the first two with n below 2^13 are exact.
    float r = x - n * 1.5703125f;
    if constexpr (Digits > 11)
      r = (r - n * 4.837512969970703125e-4f) - n * 7.54978995489e-8f;
    else
      r = r - n * 4.83826794897e-4f;
    const float square = r * r;
    s = shape::sin(r, square), c = shape::cos(square);
    return (int)n;
  }

  AUTOBENCH_INLINE static float sin(float x) {
    float s, c;
    const int n = reduced(x, s, c);
    return float_of_bits(bits_of_float(n & 1 ? c : s) ^ (ab_u32)(n & 2) << 30);
  }
  AUTOBENCH_INLINE static float cos(float x) {
    float s, c;
    const int n = reduced(x, s, c);
    return float_of_bits(bits_of_float(n & 1 ? s : c) ^ (ab_u32)((n + 1) & 2) << 30);
  }
  AUTOBENCH_INLINE static void sincos(float x, float &sine, float &cosine) {
    float s, c;
    const int n = reduced(x, s, c);
    sine = float_of_bits(bits_of_float(n & 1 ? c : s) ^ (ab_u32)(n & 2) << 30);
    cosine = float_of_bits(bits_of_float(n & 1 ? s : c) ^ (ab_u32)((n + 1) & 2) << 30);
  }
  AUTOBENCH_INLINE static float tan(float x) {
    float s, c;
    const int n = reduced(x, s, c);
    return hardware::divide(n & 1 ? -c : s, n & 1 ? s : c);
  }

  AUTOBENCH_INLINE static float atan(float x) {
    const float size = abs(x);
    const bool large = size > 1.0f;
    const float angle = shape::atan(large ? hardware::reciprocal(size) : size);
    return with_sign_of(large ? 1.57079633f - angle : angle, x);
  }
  AUTOBENCH_INLINE static float atan2(float y, float x) {
    const float high = abs(y), wide = abs(x);
    const bool steep = high > wide;
    const float longer = steep ? high : wide, shorter = steep ? wide : high;
    // 0 / 0 counts as 0, infinity / infinity as 1.
    const float equal = longer == 0 ? 0.0f : 1.0f;
    const float ratio = shorter == longer ? equal : hardware::divide(shorter, longer);
    float angle = shape::atan(ratio);
    angle = steep ? 1.57079633f - angle : angle;
    angle = bits_of_float(x) >> 31 ? 3.14159265f - angle : angle;
    return with_sign_of(angle, y);
  }

  // Beyond 1/2 through asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)).
  AUTOBENCH_INLINE static float asin(float x) {
    const float size = abs(x);
    const bool large = size > 0.5f;
    const float s = large ? 0.5f - 0.5f * size : size * size;
    const float angle = shape::asin(large ? hardware::sqrt(s) : size, s);
    return with_sign_of(large ? 1.57079633f - 2.0f * angle : angle, x);
  }
  AUTOBENCH_INLINE static float acos(float x) {
    const float size = abs(x);
    const bool large = size > 0.5f;
    const float s = large ? 0.5f - 0.5f * size : size * size;
    const float angle = shape::asin(large ? hardware::sqrt(s) : size, s);
    const float near = x < 0 ? 3.14159265f - 2.0f * angle : 2.0f * angle;
    return large ? near : 1.57079633f - with_sign_of(angle, x);
  }
};

}  // namespace ab
