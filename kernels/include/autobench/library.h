// The accurate functions of f32 and f64: the library's of the device.
#pragma once

namespace ab {

#define AUTOBENCH_OF_ONE(T, name, f) \
  AUTOBENCH_INLINE static T name(T x) { return AUTOBENCH_LIBRARY(f)(x); }
#define AUTOBENCH_ALL(T, suffix)                                                           \
  AUTOBENCH_OF_ONE(T, exp, exp##suffix)                                                    \
  AUTOBENCH_OF_ONE(T, exp2, exp2##suffix)                                                  \
  AUTOBENCH_OF_ONE(T, log, log##suffix)                                                    \
  AUTOBENCH_OF_ONE(T, log2, log2##suffix)                                                  \
  AUTOBENCH_OF_ONE(T, log10, log10##suffix)                                                \
  AUTOBENCH_OF_ONE(T, sin, sin##suffix)                                                    \
  AUTOBENCH_OF_ONE(T, cos, cos##suffix)                                                    \
  AUTOBENCH_OF_ONE(T, tan, tan##suffix)                                                    \
  AUTOBENCH_OF_ONE(T, asin, asin##suffix)                                                  \
  AUTOBENCH_OF_ONE(T, acos, acos##suffix)                                                  \
  AUTOBENCH_OF_ONE(T, atan, atan##suffix)                                                  \
  AUTOBENCH_OF_ONE(T, tanh, tanh##suffix)                                                  \
  AUTOBENCH_OF_ONE(T, erf, erf##suffix)                                                    \
  AUTOBENCH_OF_ONE(T, sqrt, sqrt##suffix)                                                  \
  AUTOBENCH_INLINE static T rsqrt(T x) { return 1 / sqrt(x); }                             \
  AUTOBENCH_INLINE static T reciprocal(T x) { return 1 / x; }                              \
  AUTOBENCH_INLINE static T divide(T x, T y) { return x / y; }                             \
  AUTOBENCH_INLINE static T atan2(T y, T x) { return AUTOBENCH_LIBRARY(atan2##suffix)(y, x); } \
  AUTOBENCH_INLINE static T pow(T x, T y) { return AUTOBENCH_LIBRARY(pow##suffix)(x, y); } \
  AUTOBENCH_INLINE static void sincos(T x, T &s, T &c) {                                   \
    AUTOBENCH_SINCOS(suffix)                                                               \
  }
#ifdef AUTOBENCH_CPU
#define AUTOBENCH_SINCOS(suffix) s = sin(x), c = cos(x);
#else
#define AUTOBENCH_SINCOS(suffix) ::sincos##suffix(x, &s, &c);
#endif

struct library_f32 {
  AUTOBENCH_ALL(float, f)
};
struct library_f64 {
  AUTOBENCH_ALL(double, )
};

#undef AUTOBENCH_SINCOS
#undef AUTOBENCH_ALL
#undef AUTOBENCH_OF_ONE

}  // namespace ab
