// The mathematical functions of CUDA C++, as the host's C library or the compiler has them.
// Without <cmath>, which costs more to parse than most kernels.
#pragma once

extern "C" int printf(const char *, ...);

#ifndef AUTOBENCH_STD_MATH
extern "C" {
#define AUTOBENCH_UNARY(name)   \
  double name(double) noexcept; \
  float name##f(float) noexcept;
#define AUTOBENCH_BINARY(name)          \
  double name(double, double) noexcept; \
  float name##f(float, float) noexcept;
AUTOBENCH_UNARY(sqrt)
AUTOBENCH_UNARY(cbrt)
AUTOBENCH_UNARY(exp)
AUTOBENCH_UNARY(exp2)
AUTOBENCH_UNARY(expm1)
AUTOBENCH_UNARY(log)
AUTOBENCH_UNARY(log2)
AUTOBENCH_UNARY(log10)
AUTOBENCH_UNARY(log1p)
AUTOBENCH_UNARY(sin)
AUTOBENCH_UNARY(cos)
AUTOBENCH_UNARY(tan)
AUTOBENCH_UNARY(asin)
AUTOBENCH_UNARY(acos)
AUTOBENCH_UNARY(atan)
AUTOBENCH_UNARY(sinh)
AUTOBENCH_UNARY(cosh)
AUTOBENCH_UNARY(tanh)
AUTOBENCH_UNARY(erf)
AUTOBENCH_UNARY(erfc)
AUTOBENCH_UNARY(tgamma)
AUTOBENCH_UNARY(lgamma)
AUTOBENCH_UNARY(fabs)
AUTOBENCH_UNARY(floor)
AUTOBENCH_UNARY(ceil)
AUTOBENCH_UNARY(round)
AUTOBENCH_UNARY(trunc)
AUTOBENCH_UNARY(rint)
AUTOBENCH_BINARY(pow)
AUTOBENCH_BINARY(atan2)
AUTOBENCH_BINARY(fmod)
AUTOBENCH_BINARY(hypot)
AUTOBENCH_BINARY(fmin)
AUTOBENCH_BINARY(fmax)
AUTOBENCH_BINARY(copysign)
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
int abs(int) noexcept;
void *memset(void *, int, __SIZE_TYPE__) noexcept;
void *memcpy(void *__restrict, const void *__restrict, __SIZE_TYPE__) noexcept;
}

#define AUTOBENCH_OVERLOAD(name) \
  static inline float name(float x) { return __builtin_##name##f(x); }
AUTOBENCH_OVERLOAD(sqrt)
AUTOBENCH_OVERLOAD(cbrt)
AUTOBENCH_OVERLOAD(exp)
AUTOBENCH_OVERLOAD(exp2)
AUTOBENCH_OVERLOAD(log)
AUTOBENCH_OVERLOAD(log2)
AUTOBENCH_OVERLOAD(log10)
AUTOBENCH_OVERLOAD(sin)
AUTOBENCH_OVERLOAD(cos)
AUTOBENCH_OVERLOAD(tan)
AUTOBENCH_OVERLOAD(tanh)
AUTOBENCH_OVERLOAD(fabs)
AUTOBENCH_OVERLOAD(floor)
AUTOBENCH_OVERLOAD(ceil)
AUTOBENCH_OVERLOAD(round)
AUTOBENCH_OVERLOAD(trunc)
static inline float pow(float x, float y) { return __builtin_powf(x, y); }
static inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline double abs(double x) { return __builtin_fabs(x); }
#undef AUTOBENCH_UNARY
#undef AUTOBENCH_BINARY
#undef AUTOBENCH_OVERLOAD
#endif

// The host's library declares some of these as well, as functions of its own.
#define rsqrtf ab_rsqrtf
#define rsqrt ab_rsqrt
#define __expf ab_expf
#define __logf ab_logf
#define __sinf ab_sinf
#define __cosf ab_cosf
#define __powf ab_powf
#define sincosf ab_sincosf
static inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline float __expf(float x) { return __builtin_expf(x); }
static inline float __logf(float x) { return __builtin_logf(x); }
static inline float __sinf(float x) { return __builtin_sinf(x); }
static inline float __cosf(float x) { return __builtin_cosf(x); }
static inline float __powf(float x, float y) { return __builtin_powf(x, y); }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
static inline float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline void sincosf(float x, float *s, float *c) {
  *s = __builtin_sinf(x), *c = __builtin_cosf(x);
}
static inline float __int_as_float(int x) {
  float f;
  __builtin_memcpy(&f, &x, sizeof f);
  return f;
}
static inline int __float_as_int(float f) {
  int x;
  __builtin_memcpy(&x, &f, sizeof x);
  return x;
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)(((ab_u64)x * y) >> 32);
}

template <class T>
static inline T __ldg(const T *at) {
  return *at;
}

#define AUTOBENCH_MINMAX(T)                                    \
  static inline T min(T x, T y) { return y < x ? y : x; }      \
  static inline T max(T x, T y) { return x < y ? y : x; }
AUTOBENCH_MINMAX(int)
AUTOBENCH_MINMAX(unsigned)
AUTOBENCH_MINMAX(long)
AUTOBENCH_MINMAX(unsigned long)
AUTOBENCH_MINMAX(ab_i64)
AUTOBENCH_MINMAX(ab_u64)
AUTOBENCH_MINMAX(float)
AUTOBENCH_MINMAX(double)
#undef AUTOBENCH_MINMAX
static inline unsigned min(int x, unsigned y) { return min((unsigned)x, y); }
static inline unsigned min(unsigned x, int y) { return min(x, (unsigned)y); }
static inline unsigned max(int x, unsigned y) { return max((unsigned)x, y); }
static inline unsigned max(unsigned x, int y) { return max(x, (unsigned)y); }

// The vector types of CUDA C++.
#define AUTOBENCH_VECTORS(T, base, align2, align4)                                         \
  struct __attribute__((aligned(align2))) base##2 {                                        \
    T x, y;                                                                                \
  };                                                                                       \
  struct base##3 {                                                                         \
    T x, y, z;                                                                             \
  };                                                                                       \
  struct __attribute__((aligned(align4))) base##4 {                                        \
    T x, y, z, w;                                                                          \
  };                                                                                       \
  static inline base##2 make_##base##2(T x, T y) { return {x, y}; }                        \
  static inline base##3 make_##base##3(T x, T y, T z) { return {x, y, z}; }                \
  static inline base##4 make_##base##4(T x, T y, T z, T w) { return {x, y, z, w}; }
AUTOBENCH_VECTORS(float, float, 8, 16)
AUTOBENCH_VECTORS(double, double, 16, 16)
AUTOBENCH_VECTORS(int, int, 8, 16)
#undef AUTOBENCH_VECTORS
