// Arithmetic of halves: a half beside the same half stays one, rounded after every operation; by
// the device's instructions, else through float. A half beside anything else widens to float. As
// with float, a GPU's compiler may fuse a product with a sum.
#pragma once

namespace ab {

template <class T>
struct only_half {};
template <>
struct only_half<f16> {
  typedef f16 type;
};
template <>
struct only_half<bf16> {
  typedef bf16 type;
};

template <class T, class U>
struct same {
  static constexpr bool value = false;
};
template <class T>
struct same<T, T> {
  static constexpr bool value = true;
};

// Of the language's own types.
template <class T>
struct is_number {
  static constexpr bool value = same<typename compute<T>::type, T>::value;
};

template <class T>
struct is_half {
  static constexpr bool value = same<T, f16>::value || same<T, bf16>::value;
};

// Float has more than twice the digits, so rounding its result is rounding once.
#define AUTOBENCH_HALF_OPERATOR(op, name)                                         \
  template <class T>                                                              \
  AUTOBENCH_INLINE typename only_half<T>::type operator op(T x, T y) {            \
    if constexpr (native<T>::exists)                                              \
      return T::of_bits(native<T>::name(x.bits, y.bits));                         \
    else                                                                          \
      return T((float)x op(float) y);                                             \
  }
AUTOBENCH_HALF_OPERATOR(+, add)
AUTOBENCH_HALF_OPERATOR(-, subtract)
AUTOBENCH_HALF_OPERATOR(*, multiply)
#undef AUTOBENCH_HALF_OPERATOR

template <class T>
AUTOBENCH_INLINE typename only_half<T>::type operator/(T x, T y) {
  return T((float)x / (float)y);
}

template <class T>
AUTOBENCH_INLINE typename only_half<T>::type operator-(T x) {
  return T::of_bits((ab_u16)(x.bits ^ 0x8000u));
}

// Any number may stand on the right; the sum is rounded to the half.
#define AUTOBENCH_HALF_ASSIGNMENT(op)                                                 \
  template <class T, class U, class = typename only_half<T>::type>                    \
  AUTOBENCH_INLINE T &operator op##=(T &x, U y) {                                     \
    return x = T(x op y);                                                             \
  }
AUTOBENCH_HALF_ASSIGNMENT(+)
AUTOBENCH_HALF_ASSIGNMENT(-)
AUTOBENCH_HALF_ASSIGNMENT(*)
AUTOBENCH_HALF_ASSIGNMENT(/)
#undef AUTOBENCH_HALF_ASSIGNMENT

// x y + z of halves, rounded to odd: the product is exact in a float, and what the sum lost tells
// on which side of it the result lies.
AUTOBENCH_INLINE float fused_to_odd(float x, float y, float z) {
  const float product = x * y, sum = product + z;
  const float back = sum - product;
  const float lost = (product - (sum - back)) + (z - back);
  const ab_u32 bits = bits_of_float(sum);
  const bool inexact = lost < 0 || lost > 0, above = (lost < 0) != (sum < 0);
  return float_of_bits(inexact ? (bits - (above ? 1u : 0u)) | 1u : bits);
}

// x y + z, rounded once where the device can; halves always.
template <class T>
AUTOBENCH_INLINE T fma(T x, T y, T z) {
  if constexpr (native<T>::exists)
    return T::of_bits(native<T>::fma(x.bits, y.bits, z.bits));
  else if constexpr (is_half<T>::value)
    return T(fused_to_odd((float)x, (float)y, (float)z));
  else
    return x * y + z;
}
AUTOBENCH_INLINE float fma(float x, float y, float z) {
#if defined(AUTOBENCH_GPU) || defined(__FP_FAST_FMAF)
  return AUTOBENCH_LIBRARY(fmaf)(x, y, z);
#else
  return x * y + z;
#endif
}
AUTOBENCH_INLINE double fma(double x, double y, double z) {
#if defined(AUTOBENCH_GPU) || defined(__FP_FAST_FMA)
  return AUTOBENCH_LIBRARY(fma)(x, y, z);
#else
  return x * y + z;
#endif
}

// The second where neither is smaller; with a NaN, either. Formats of our own are chosen by their
// bits, which vectorises.
template <class T>
AUTOBENCH_INLINE T min(T x, T y) {
  if constexpr (native<T>::extremes)
    return T::of_bits(native<T>::minimum(x.bits, y.bits));
  else if constexpr (is_number<T>::value)
    return x < y ? x : y;
  else
    return T::of_bits((float)x < (float)y ? x.bits : y.bits);
}
template <class T>
AUTOBENCH_INLINE T max(T x, T y) {
  if constexpr (native<T>::extremes)
    return T::of_bits(native<T>::maximum(x.bits, y.bits));
  else if constexpr (is_number<T>::value)
    return y < x ? x : y;
  else
    return T::of_bits((float)y < (float)x ? x.bits : y.bits);
}

AUTOBENCH_INLINE float abs(float x) { return float_of_bits(bits_of_float(x) & 0x7fffffffu); }
AUTOBENCH_INLINE double abs(double x) { return AUTOBENCH_LIBRARY(fabs)(x); }
template <class T>
AUTOBENCH_INLINE T abs(T x) {
  if constexpr (is_half<T>::value)
    return T::of_bits((ab_u16)(x.bits & 0x7fffu));
  else if constexpr (is_number<T>::value)
    return x < 0 ? -x : x;
  else
    return T(abs((float)x));
}

AUTOBENCH_INLINE float floor(float x) { return AUTOBENCH_LIBRARY(floorf)(x); }
AUTOBENCH_INLINE double floor(double x) { return AUTOBENCH_LIBRARY(floor)(x); }
template <class T>
AUTOBENCH_INLINE T floor(T x) {
  if constexpr (is_number<T>::value)
    return x;
  else
    return T(floor((float)x));
}

}  // namespace ab
