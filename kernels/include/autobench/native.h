// Instructions of GPUs for halves, on their bits: one (ab_u16) or a pair (ab_u32) at a time.
// `native<T>::exists` says whether there are any for a half, `native<T>::pairs` for two,
// `native<T>::extremes` for the lesser and the greater.
#pragma once

namespace ab {

template <class T>
struct native {
  static constexpr bool exists = false, pairs = false, extremes = false;
};

#if defined(__CUDA_ARCH__)

#define AUTOBENCH_PTX_2(name, text, type, c)                   \
  AUTOBENCH_INLINE static type name(type x, type y) {          \
    type r;                                                    \
    asm(text " %0, %1, %2;" : "=" c(r) : c(x), c(y));          \
    return r;                                                  \
  }
#define AUTOBENCH_PTX_3(name, text, type, c)                   \
  AUTOBENCH_INLINE static type name(type x, type y, type z) {  \
    type r;                                                    \
    asm(text " %0, %1, %2, %3;" : "=" c(r) : c(x), c(y), c(z)); \
    return r;                                                  \
  }
#define AUTOBENCH_PTX_BOTH(n, name, text)        \
  AUTOBENCH_PTX_##n(name, text, ab_u16, "h")     \
  AUTOBENCH_PTX_##n(name, text "x2", ab_u32, "r")

#if __CUDA_ARCH__ >= 530
template <>
struct native<f16> {
  static constexpr bool exists = true, pairs = true;
  AUTOBENCH_PTX_BOTH(2, add, "add.f16")
  AUTOBENCH_PTX_BOTH(2, subtract, "sub.f16")
  AUTOBENCH_PTX_BOTH(2, multiply, "mul.f16")
  AUTOBENCH_PTX_BOTH(3, fma, "fma.rn.f16")
#if __CUDA_ARCH__ >= 800
  static constexpr bool extremes = true;
  AUTOBENCH_PTX_BOTH(2, minimum, "min.f16")
  AUTOBENCH_PTX_BOTH(2, maximum, "max.f16")
#else
  static constexpr bool extremes = false;
#endif
};
#endif

#if __CUDA_ARCH__ >= 800
template <>
struct native<bf16> {
  static constexpr bool exists = true, pairs = true;
  static constexpr bool extremes = true;
  AUTOBENCH_PTX_BOTH(3, fma, "fma.rn.bf16")
  AUTOBENCH_PTX_BOTH(2, minimum, "min.bf16")
  AUTOBENCH_PTX_BOTH(2, maximum, "max.bf16")
#if __CUDA_ARCH__ >= 900
  AUTOBENCH_PTX_BOTH(2, add, "add.bf16")
  AUTOBENCH_PTX_BOTH(2, subtract, "sub.bf16")
  AUTOBENCH_PTX_BOTH(2, multiply, "mul.bf16")
#else
  // Before Hopper, as x 1 + y, y (-1) + x and x y - 0.
#define AUTOBENCH_BY_FMA(type, one, minus_one, minus_zero)                                     \
  AUTOBENCH_INLINE static type add(type x, type y) { return fma(x, (type)one, y); }            \
  AUTOBENCH_INLINE static type subtract(type x, type y) { return fma(y, (type)minus_one, x); } \
  AUTOBENCH_INLINE static type multiply(type x, type y) { return fma(x, y, (type)minus_zero); }
  AUTOBENCH_BY_FMA(ab_u16, 0x3f80u, 0xbf80u, 0x8000u)
  AUTOBENCH_BY_FMA(ab_u32, 0x3f803f80u, 0xbf80bf80u, 0x80008000u)
#undef AUTOBENCH_BY_FMA
#endif
};
#endif
#undef AUTOBENCH_PTX_BOTH
#undef AUTOBENCH_PTX_3
#undef AUTOBENCH_PTX_2

#elif defined(AUTOBENCH_GPU)

// AMD: _Float16 and pairs of it.
typedef _Float16 half_pair __attribute__((ext_vector_type(2)));

template <>
struct native<f16> {
  static constexpr bool exists = true, pairs = true, extremes = false;
#define AUTOBENCH_FLOAT16(name, op)                                                        \
  AUTOBENCH_INLINE static ab_u16 name(ab_u16 x, ab_u16 y) {                                \
    return __builtin_bit_cast(                                                             \
        ab_u16, (_Float16)(__builtin_bit_cast(_Float16, x) op __builtin_bit_cast(_Float16, y))); \
  }                                                                                        \
  AUTOBENCH_INLINE static ab_u32 name(ab_u32 x, ab_u32 y) {                                \
    return __builtin_bit_cast(                                                             \
        ab_u32, __builtin_bit_cast(half_pair, x) op __builtin_bit_cast(half_pair, y));     \
  }
  AUTOBENCH_FLOAT16(add, +)
  AUTOBENCH_FLOAT16(subtract, -)
  AUTOBENCH_FLOAT16(multiply, *)
#undef AUTOBENCH_FLOAT16
  AUTOBENCH_INLINE static ab_u16 fma(ab_u16 x, ab_u16 y, ab_u16 z) {
    return __builtin_bit_cast(
        ab_u16, __builtin_fmaf16(__builtin_bit_cast(_Float16, x), __builtin_bit_cast(_Float16, y),
                                 __builtin_bit_cast(_Float16, z)));
  }
  AUTOBENCH_INLINE static ab_u32 fma(ab_u32 x, ab_u32 y, ab_u32 z) {
#pragma clang fp contract(fast)
    return __builtin_bit_cast(ab_u32, __builtin_bit_cast(half_pair, x) *
                                              __builtin_bit_cast(half_pair, y) +
                                          __builtin_bit_cast(half_pair, z));
  }
};

#endif

#ifdef AUTOBENCH_GPU
// Neighbours as a pair, the first in the lower bits, and back.
template <class T>
AUTOBENCH_INLINE ab_u32 pair_of(const T *at) {
#if defined(__CUDA_ARCH__)
  ab_u32 pair;
  asm("mov.b32 %0, {%1, %2};" : "=r"(pair) : "h"(at[0].bits), "h"(at[1].bits));
  return pair;
#else
  return (ab_u32)at[0].bits | (ab_u32)at[1].bits << 16;
#endif
}

template <class T>
AUTOBENCH_INLINE void put_pair(T *at, ab_u32 pair) {
#if defined(__CUDA_ARCH__)
  asm("mov.b32 {%0, %1}, %2;" : "=h"(at[0].bits), "=h"(at[1].bits) : "r"(pair));
#else
  at[0].bits = (ab_u16)pair;
  at[1].bits = (ab_u16)(pair >> 16);
#endif
}
#endif

}  // namespace ab
