// Number formats: ab::f64, f32, f16, bf16, which have arithmetic of their own, and ab::tf32, e4m3,
// e5m2, which are for storage. All but f64 convert to float without loss, and from any number by
// rounding once, to nearest, ties to even. No vendor header is needed.
#pragma once

namespace ab {

typedef double f64;
typedef float f32;

AUTOBENCH_INLINE ab_u16 round_half_of_double(double x) {
#if defined(__CUDA_ARCH__)
  ab_u16 h;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(x));
  return h;
#else
  return round_half(to_odd(x));
#endif
}

// From integers: `whole` is a float that rounds as the integer does.
#define AUTOBENCH_FORMAT(name, storage, widen, round, round_double, whole)       \
  struct name {                                                                  \
    storage bits;                                                                \
    name() = default;                                                            \
    AUTOBENCH_INLINE name(float x) : bits(round(x)) {}                           \
    AUTOBENCH_INLINE name(double x) : bits(round_double(x)) {}                   \
    AUTOBENCH_INLINE name(int x) : bits(round(whole(x))) {}                      \
    AUTOBENCH_INLINE name(unsigned x) : bits(round(whole(x))) {}                 \
    AUTOBENCH_INLINE name(long x) : bits(round(whole(x))) {}                     \
    AUTOBENCH_INLINE name(unsigned long x) : bits(round(whole(x))) {}            \
    AUTOBENCH_INLINE name(long long x) : bits(round(whole(x))) {}                \
    AUTOBENCH_INLINE name(unsigned long long x) : bits(round(whole(x))) {}       \
    AUTOBENCH_INLINE operator float() const { return widen(bits); }              \
    AUTOBENCH_INLINE static name of_bits(storage bits) {                         \
      name x;                                                                    \
      x.bits = bits;                                                             \
      return x;                                                                  \
    }                                                                            \
  };
#define AUTOBENCH_BFLOAT(x) round_bfloat(to_odd(x))
#define AUTOBENCH_TF32(x) round_tf32(to_odd(x))
#define AUTOBENCH_E4M3(x) round_e4m3(to_odd(x))
#define AUTOBENCH_E5M2(x) round_e5m2(to_odd(x))

// IEEE half.
AUTOBENCH_FORMAT(f16, ab_u16, widen_half, round_half, round_half_of_double, (float))
// bfloat16: the upper half of a float.
AUTOBENCH_FORMAT(bf16, ab_u16, widen_bfloat, round_bfloat, AUTOBENCH_BFLOAT, to_odd)
// A float with 10 bits of fraction, as tensor cores read it.
AUTOBENCH_FORMAT(tf32, ab_u32, float_of_bits, round_tf32, AUTOBENCH_TF32, to_odd)
// 8 bits, of OCP: up to 448, saturating, without infinities.
AUTOBENCH_FORMAT(e4m3, ab_u8, widen_e4m3, round_e4m3, AUTOBENCH_E4M3, (float))
// 8 bits, of OCP: up to 57344, then infinity.
AUTOBENCH_FORMAT(e5m2, ab_u8, widen_e5m2, round_e5m2, AUTOBENCH_E5M2, (float))
#undef AUTOBENCH_FORMAT
#undef AUTOBENCH_BFLOAT
#undef AUTOBENCH_TF32
#undef AUTOBENCH_E4M3
#undef AUTOBENCH_E5M2

// What a format computes in where it is to be wider: `typename ab::compute<T>::type`.
template <class T>
struct compute {
  typedef T type;
};
#define AUTOBENCH_COMPUTES_IN_FLOAT(T) \
  template <>                          \
  struct compute<T> {                  \
    typedef float type;                \
  };
AUTOBENCH_COMPUTES_IN_FLOAT(f16)
AUTOBENCH_COMPUTES_IN_FLOAT(bf16)
AUTOBENCH_COMPUTES_IN_FLOAT(tf32)
AUTOBENCH_COMPUTES_IN_FLOAT(e4m3)
AUTOBENCH_COMPUTES_IN_FLOAT(e5m2)
#undef AUTOBENCH_COMPUTES_IN_FLOAT

template <class To, class From>
struct conversion {
  AUTOBENCH_INLINE static To of(From x) { return (To)(typename compute<From>::type)x; }
};
template <class T>
struct conversion<T, T> {
  AUTOBENCH_INLINE static T of(T x) { return x; }
};

// Between any two formats, also from integers.
template <class To, class From>
AUTOBENCH_INLINE To convert(From x) {
  return conversion<To, From>::of(x);
}

}  // namespace ab

// A parameter's value is its name, also without the namespace: with `#define precision f32`,
// `precision` is a type.
using ab::bf16;
using ab::e4m3;
using ab::e5m2;
using ab::f16;
using ab::f32;
using ab::f64;
using ab::tf32;
typedef signed char i8;
typedef unsigned char u8;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
