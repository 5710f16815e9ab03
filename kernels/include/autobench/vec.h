// N elements moved at once: `ab::vec<T, N>`, loaded and stored as one access where the address is
// aligned to its size (buffers are aligned to 256 bytes).
#pragma once

namespace ab {

template <class T, int N>
#if defined(AUTOBENCH_GPU)
struct __align__(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) vec {
#else
struct vec {
#endif
  T at[N];
  AUTOBENCH_INLINE T &operator[](int i) { return at[i]; }
  AUTOBENCH_INLINE const T &operator[](int i) const { return at[i]; }
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

template <class To, class T, int N>
AUTOBENCH_INLINE vec<To, N> convert(const vec<T, N> &v) {
  vec<To, N> r;
  for (int i = 0; i < N; ++i) r.at[i] = convert<To>(v.at[i]);
  return r;
}

#define AUTOBENCH_VEC_OPERATOR(op)                                                          \
  template <class T, int N>                                                                 \
  AUTOBENCH_INLINE vec<T, N> operator op(const vec<T, N> &x, const vec<T, N> &y) {          \
    vec<T, N> r;                                                                            \
    for (int i = 0; i < N; ++i) r.at[i] = x.at[i] op y.at[i];                               \
    return r;                                                                               \
  }
AUTOBENCH_VEC_OPERATOR(+)
AUTOBENCH_VEC_OPERATOR(-)
AUTOBENCH_VEC_OPERATOR(*)
AUTOBENCH_VEC_OPERATOR(/)
#undef AUTOBENCH_VEC_OPERATOR

}  // namespace ab
