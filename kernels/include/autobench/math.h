// Mathematics under a policy, so that precision is a parameter: `ab::exp<ab::fast>(x)`.
//   accurate     the library's function; of halves, the f32 one rounded
//   fast         f32: hardware instructions on GPUs, polynomials that vectorise on the CPU; of
//                halves, that rounded
//   approximate  halves: shorter polynomials and bit tricks, about one unit in the last place;
//                f32: as fast
// On f64 every policy is the accurate one. docs/guide/kernels.md has the errors.
#pragma once

namespace ab {

struct accurate {};
struct fast {};
struct approximate {};

#ifdef AUTOBENCH_CPU
template <int Digits>
struct shortened : elementary<Digits>, trigonometry<Digits>, saturating<Digits> {};
#else
// The device's instructions, and polynomials where it has none.
template <int Digits>
struct shortened : hardware {
  typedef trigonometry<Digits> angles;
  AUTOBENCH_INLINE static float asin(float x) { return angles::asin(x); }
  AUTOBENCH_INLINE static float acos(float x) { return angles::acos(x); }
  AUTOBENCH_INLINE static float atan(float x) { return angles::atan(x); }
  AUTOBENCH_INLINE static float atan2(float y, float x) { return angles::atan2(y, x); }
  AUTOBENCH_INLINE static float erf(float x) { return saturating<Digits>::erf(x); }
  AUTOBENCH_INLINE static float tanh(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
    if constexpr (Digits <= 11) return hardware::short_tanh(x);
#endif
    return saturating<Digits>::tanh(x);
  }
};
#endif

// Where the functions of a policy and a format are.
template <class P, class T>
struct functions;
template <class P>
struct functions<P, double> : library_f64 {};
template <class P>
struct functions<P, float> : shortened<24> {};
template <>
struct functions<accurate, float> : library_f32 {};
template <class P>
struct functions<P, f16> : functions<P, float> {};
template <class P>
struct functions<P, bf16> : functions<P, float> {};
template <>
struct functions<approximate, f16> : shortened<11> {};
template <>
struct functions<approximate, bf16> : shortened<8> {};

#define AUTOBENCH_POLICY(f)                               \
  template <class P, class T>                             \
  AUTOBENCH_INLINE T f(T x) {                             \
    return T(functions<P, T>::f(x));                      \
  }                                                       \
  template <class P, class T, int N>                      \
  AUTOBENCH_INLINE vec<T, N> f(const vec<T, N> &x) {      \
    vec<T, N> r;                                          \
    for (int i = 0; i < N; ++i) r.at[i] = f<P>(x.at[i]);  \
    return r;                                             \
  }
AUTOBENCH_POLICY(exp)
AUTOBENCH_POLICY(exp2)
AUTOBENCH_POLICY(log)
AUTOBENCH_POLICY(log2)
AUTOBENCH_POLICY(log10)
AUTOBENCH_POLICY(sin)
AUTOBENCH_POLICY(cos)
AUTOBENCH_POLICY(tan)
AUTOBENCH_POLICY(asin)
AUTOBENCH_POLICY(acos)
AUTOBENCH_POLICY(atan)
AUTOBENCH_POLICY(tanh)
AUTOBENCH_POLICY(erf)
AUTOBENCH_POLICY(sqrt)
AUTOBENCH_POLICY(rsqrt)
AUTOBENCH_POLICY(reciprocal)
#undef AUTOBENCH_POLICY

#define AUTOBENCH_POLICY(f)                                                     \
  template <class P, class T>                                                   \
  AUTOBENCH_INLINE T f(T x, T y) {                                              \
    return T(functions<P, T>::f(x, y));                                         \
  }                                                                             \
  template <class P, class T, int N>                                            \
  AUTOBENCH_INLINE vec<T, N> f(const vec<T, N> &x, const vec<T, N> &y) {        \
    vec<T, N> r;                                                                \
    for (int i = 0; i < N; ++i) r.at[i] = f<P>(x.at[i], y.at[i]);               \
    return r;                                                                   \
  }
AUTOBENCH_POLICY(atan2)
AUTOBENCH_POLICY(pow)
AUTOBENCH_POLICY(divide)
#undef AUTOBENCH_POLICY

template <class P, class T>
AUTOBENCH_INLINE void sincos(T x, T &s, T &c) {
  typename compute<T>::type sine, cosine;
  functions<P, T>::sincos(x, sine, cosine);
  s = T(sine), c = T(cosine);
}
template <class P, class T, int N>
AUTOBENCH_INLINE void sincos(const vec<T, N> &x, vec<T, N> &s, vec<T, N> &c) {
  for (int i = 0; i < N; ++i) sincos<P>(x.at[i], s.at[i], c.at[i]);
}

}  // namespace ab
