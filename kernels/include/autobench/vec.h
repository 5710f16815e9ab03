// N elements moved at once: `ab::vec<T, N>`, loaded and stored as one access where the address is
// aligned to its size (buffers are aligned to 256 bytes). Operators work element by element; halves
// two at a time where the device has such instructions.
#pragma once

namespace ab {

// The largest power of two that divides the size, 16 at most.
template <int Bytes>
struct alignment {
  static constexpr int value = (Bytes & -Bytes) > 16 ? 16 : Bytes & -Bytes;
};

template <class T, int N>
#if defined(AUTOBENCH_GPU)
struct __align__(alignment<sizeof(T) * N>::value) vec {
#else
struct vec {
#endif
  T at[N];
  AUTOBENCH_INLINE T &operator[](int i) { return at[i]; }
  AUTOBENCH_INLINE const T &operator[](int i) const { return at[i]; }
  // Every element x.
  AUTOBENCH_INLINE static vec all(T x) {
    vec r;
    for (int i = 0; i < N; ++i) r.at[i] = x;
    return r;
  }
};

template <int N, class T>
AUTOBENCH_INLINE vec<T, N> load(const T *from) {
#if defined(AUTOBENCH_GPU)
  return *reinterpret_cast<const vec<T, N> *>(from);
#else
  vec<T, N> v;
  for (int i = 0; i < N; ++i) v.at[i] = from[i];
  return v;
#endif
}

template <int N, class T>
AUTOBENCH_INLINE void store(T *to, const vec<T, N> &v) {
#if defined(AUTOBENCH_GPU)
  *reinterpret_cast<vec<T, N> *>(to) = v;
#else
  for (int i = 0; i < N; ++i) to[i] = v.at[i];
#endif
}

// Two floats to two halves in one instruction: NVIDIA since Ampere.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
AUTOBENCH_INLINE void round_pair(f16 *to, float first, float second) {
  ab_u32 pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  put_pair(to, pair);
}
AUTOBENCH_INLINE void round_pair(bf16 *to, float first, float second) {
  ab_u32 pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  put_pair(to, pair);
}
#elif defined(AUTOBENCH_GPU)
template <class T>
AUTOBENCH_INLINE void round_pair(T *to, float first, float second) {
  to[0] = T(first), to[1] = T(second);
}
#endif

template <class To, class T, int N>
AUTOBENCH_INLINE vec<To, N> convert(const vec<T, N> &v) {
  vec<To, N> r;
#if defined(AUTOBENCH_GPU)
  if constexpr (is_half<To>::value && same<T, float>::value && N % 2 == 0)
    for (int i = 0; i < N; i += 2) round_pair(r.at + i, (float)v.at[i], (float)v.at[i + 1]);
  else
#endif
    for (int i = 0; i < N; ++i) r.at[i] = convert<To>(v.at[i]);
  return r;
}

// Loads and stores with conversion.
template <class To, int N, class T>
AUTOBENCH_INLINE vec<To, N> load_as(const T *from) {
  return convert<To>(load<N>(from));
}
template <class T, class From, int N>
AUTOBENCH_INLINE void store_as(T *to, const vec<From, N> &v) {
  store(to, convert<T>(v));
}

#if defined(AUTOBENCH_GPU)
#define AUTOBENCH_BY_PAIRS(name)                                                              \
  if constexpr (native<T>::pairs && N % 2 == 0)                                               \
    for (int i = 0; i < N; i += 2)                                                            \
      put_pair(r.at + i, native<T>::name(pair_of(x.at + i), pair_of(y.at + i)));              \
  else
#else
#define AUTOBENCH_BY_PAIRS(name)
#endif
// Element by element, with a vector or one number of the same type on either side.
#define AUTOBENCH_VEC_OPERATOR(op, pairs)                                                   \
  template <class T, int N>                                                                 \
  AUTOBENCH_INLINE vec<T, N> operator op(const vec<T, N> &x, const vec<T, N> &y) {          \
    vec<T, N> r;                                                                            \
    pairs                                                                                   \
    for (int i = 0; i < N; ++i) r.at[i] = x.at[i] op y.at[i];                               \
    return r;                                                                               \
  }                                                                                         \
  template <class T, int N>                                                                 \
  AUTOBENCH_INLINE vec<T, N> operator op(const vec<T, N> &x, T y) {                         \
    return x op vec<T, N>::all(y);                                                          \
  }                                                                                         \
  template <class T, int N>                                                                 \
  AUTOBENCH_INLINE vec<T, N> operator op(T x, const vec<T, N> &y) {                         \
    return vec<T, N>::all(x) op y;                                                          \
  }                                                                                         \
  template <class T, int N, class U>                                                        \
  AUTOBENCH_INLINE vec<T, N> &operator op##=(vec<T, N> &x, const U &y) {                    \
    return x = x op y;                                                                      \
  }
AUTOBENCH_VEC_OPERATOR(+, AUTOBENCH_BY_PAIRS(add))
AUTOBENCH_VEC_OPERATOR(-, AUTOBENCH_BY_PAIRS(subtract))
AUTOBENCH_VEC_OPERATOR(*, AUTOBENCH_BY_PAIRS(multiply))
AUTOBENCH_VEC_OPERATOR(/, )
#undef AUTOBENCH_VEC_OPERATOR
#undef AUTOBENCH_BY_PAIRS

template <class T, int N>
AUTOBENCH_INLINE vec<T, N> operator-(const vec<T, N> &x) {
  vec<T, N> r;
  for (int i = 0; i < N; ++i) r.at[i] = -x.at[i];
  return r;
}

template <class T, int N>
AUTOBENCH_INLINE vec<T, N> fma(const vec<T, N> &x, const vec<T, N> &y, const vec<T, N> &z) {
  vec<T, N> r;
#if defined(AUTOBENCH_GPU)
  if constexpr (native<T>::pairs && N % 2 == 0)
    for (int i = 0; i < N; i += 2)
      put_pair(r.at + i, native<T>::fma(pair_of(x.at + i), pair_of(y.at + i), pair_of(z.at + i)));
  else
#endif
    for (int i = 0; i < N; ++i) r.at[i] = fma(x.at[i], y.at[i], z.at[i]);
  return r;
}

// f of every element.
template <class T, int N, class F>
AUTOBENCH_INLINE auto map(const vec<T, N> &v, F f) -> vec<decltype(f(T(v.at[0]))), N> {
  vec<decltype(f(T(v.at[0]))), N> r;
  for (int i = 0; i < N; ++i) r.at[i] = f(v.at[i]);
  return r;
}

// Reductions, from the first element to the last.
template <class T, int N>
AUTOBENCH_INLINE T sum(const vec<T, N> &v) {
  T r = v.at[0];
  for (int i = 1; i < N; ++i) r = r + v.at[i];
  return r;
}
template <class T, int N>
AUTOBENCH_INLINE T dot(const vec<T, N> &x, const vec<T, N> &y) {
  T r = x.at[0] * y.at[0];
  for (int i = 1; i < N; ++i) r = fma(x.at[i], y.at[i], r);
  return r;
}
template <class T, int N>
AUTOBENCH_INLINE T minimum(const vec<T, N> &v) {
  T r = v.at[0];
  for (int i = 1; i < N; ++i) r = min(r, v.at[i]);
  return r;
}
template <class T, int N>
AUTOBENCH_INLINE T maximum(const vec<T, N> &v) {
  T r = v.at[0];
  for (int i = 1; i < N; ++i) r = max(r, v.at[i]);
  return r;
}

}  // namespace ab
