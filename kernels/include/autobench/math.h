// Mathematics under a policy, so that precision is a parameter: `ab::exp<ab::fast>(x)`.
//   accurate     the library's function (about one unit in the last place)
//   fast         the hardware's or a short polynomial, relative error about 2^-21
//   approximate  relative error about 2^-10, for halves
// On f64 every policy is the accurate one.
#pragma once

namespace ab {

struct accurate {};
struct fast {};
struct approximate {};

template <class P>
struct terms_of {
  static constexpr int count = 6;
};
template <>
struct terms_of<approximate> {
  static constexpr int count = 3;
};

#ifdef AUTOBENCH_CPU

// 2^x: the whole part goes into the exponent, the rest (within a half of 0) into a Taylor
// polynomial of `terms_of<P>` terms after the first.
template <class P>
AUTOBENCH_INLINE float polynomial_exp2(float x) {
  x = x < -126.0f ? -126.0f : x;
  x = x > 127.99f ? 127.99f : x;
  const float whole = __builtin_rintf(x), r = (x - whole) * 0.693147180559945f;
  float sum = 1.0f;
  if (terms_of<P>::count > 3) {
    sum = 1.0f + r * (1.0f / 6.0f) * sum;
    sum = 1.0f + r * (1.0f / 5.0f) * sum;
    sum = 1.0f + r * (1.0f / 4.0f) * sum;
  }
  sum = 1.0f + r * (1.0f / 3.0f) * sum;
  sum = 1.0f + r * (1.0f / 2.0f) * sum;
  sum = 1.0f + r * sum;
  // In two steps, so that 2^128 does not overflow on the way.
  const int half = (int)whole / 2, rest = (int)whole - half;
  return sum * float_of_bits((ab_u32)(half + 127) << 23) *
         float_of_bits((ab_u32)(rest + 127) << 23);
}

template <class P>
struct functions {
  AUTOBENCH_INLINE static float exp(float x) {
    return polynomial_exp2<P>(x * 1.44269504088896f);
  }
  AUTOBENCH_INLINE static float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
  AUTOBENCH_INLINE static float reciprocal(float x) { return 1.0f / x; }
  AUTOBENCH_INLINE static float sqrt(float x) { return __builtin_sqrtf(x); }
  AUTOBENCH_INLINE static float tanh(float x) {
    const float e = exp(-2.0f * __builtin_fabsf(x));
    return __builtin_copysignf((1.0f - e) / (1.0f + e), x);
  }
  AUTOBENCH_INLINE static float log(float x) { return __builtin_logf(x); }
  AUTOBENCH_INLINE static float sin(float x) { return __builtin_sinf(x); }
  AUTOBENCH_INLINE static float cos(float x) { return __builtin_cosf(x); }
};

#define AUTOBENCH_LIBRARY(f) __builtin_##f

#else

template <class P>
struct functions {
  AUTOBENCH_INLINE static float exp(float x) { return __expf(x); }
  AUTOBENCH_INLINE static float rsqrt(float x) { return rsqrtf(x); }
  AUTOBENCH_INLINE static float reciprocal(float x) { return __fdividef(1.0f, x); }
  AUTOBENCH_INLINE static float sqrt(float x) { return x * rsqrtf(x); }
  AUTOBENCH_INLINE static float tanh(float x) {
    const float e = __expf(-2.0f * fabsf(x));
    return copysignf(__fdividef(1.0f - e, 1.0f + e), x);
  }
  AUTOBENCH_INLINE static float log(float x) { return __logf(x); }
  AUTOBENCH_INLINE static float sin(float x) { return __sinf(x); }
  AUTOBENCH_INLINE static float cos(float x) { return __cosf(x); }
};

#define AUTOBENCH_LIBRARY(f) ::f

#endif

template <>
struct functions<accurate> {
  AUTOBENCH_INLINE static float exp(float x) { return AUTOBENCH_LIBRARY(expf)(x); }
  AUTOBENCH_INLINE static float rsqrt(float x) { return 1.0f / AUTOBENCH_LIBRARY(sqrtf)(x); }
  AUTOBENCH_INLINE static float reciprocal(float x) { return 1.0f / x; }
  AUTOBENCH_INLINE static float sqrt(float x) { return AUTOBENCH_LIBRARY(sqrtf)(x); }
  AUTOBENCH_INLINE static float tanh(float x) { return AUTOBENCH_LIBRARY(tanhf)(x); }
  AUTOBENCH_INLINE static float log(float x) { return AUTOBENCH_LIBRARY(logf)(x); }
  AUTOBENCH_INLINE static float sin(float x) { return AUTOBENCH_LIBRARY(sinf)(x); }
  AUTOBENCH_INLINE static float cos(float x) { return AUTOBENCH_LIBRARY(cosf)(x); }
};

struct doubles {
  AUTOBENCH_INLINE static double exp(double x) { return AUTOBENCH_LIBRARY(exp)(x); }
  AUTOBENCH_INLINE static double rsqrt(double x) { return 1.0 / AUTOBENCH_LIBRARY(sqrt)(x); }
  AUTOBENCH_INLINE static double reciprocal(double x) { return 1.0 / x; }
  AUTOBENCH_INLINE static double sqrt(double x) { return AUTOBENCH_LIBRARY(sqrt)(x); }
  AUTOBENCH_INLINE static double tanh(double x) { return AUTOBENCH_LIBRARY(tanh)(x); }
  AUTOBENCH_INLINE static double log(double x) { return AUTOBENCH_LIBRARY(log)(x); }
  AUTOBENCH_INLINE static double sin(double x) { return AUTOBENCH_LIBRARY(sin)(x); }
  AUTOBENCH_INLINE static double cos(double x) { return AUTOBENCH_LIBRARY(cos)(x); }
};
#undef AUTOBENCH_LIBRARY

#define AUTOBENCH_POLICY(f)                                              \
  template <class P>                                                     \
  AUTOBENCH_INLINE float f(float x) {                                    \
    return functions<P>::f(x);                                           \
  }                                                                      \
  template <class P>                                                     \
  AUTOBENCH_INLINE double f(double x) {                                  \
    return doubles::f(x);                                                \
  }
AUTOBENCH_POLICY(exp)
AUTOBENCH_POLICY(rsqrt)
AUTOBENCH_POLICY(reciprocal)
AUTOBENCH_POLICY(sqrt)
AUTOBENCH_POLICY(tanh)
AUTOBENCH_POLICY(log)
AUTOBENCH_POLICY(sin)
AUTOBENCH_POLICY(cos)
#undef AUTOBENCH_POLICY

}  // namespace ab
