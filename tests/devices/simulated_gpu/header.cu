// Everything that the precision header has, in a kernel per format.
template <class P, class T>
AUTOBENCH_INLINE T functions(T x, T y) {
  T s, c;
  ab::sincos<P>(x, s, c);
  const T angles = ab::sin<P>(x) + ab::cos<P>(x) + ab::tan<P>(x) + ab::asin<P>(x) +
                   ab::acos<P>(x) + ab::atan<P>(x) + ab::atan2<P>(x, y) + s * c;
  const T powers = ab::exp<P>(x) + ab::exp2<P>(x) + ab::log<P>(x) + ab::log2<P>(x) +
                   ab::log10<P>(x) + ab::pow<P>(x, y) + ab::tanh<P>(x) + ab::erf<P>(x);
  const ab::vec<T, 4> v = ab::exp<P>(ab::vec<T, 4>::all(x)) + ab::vec<T, 4>::all(y);
  const T roots = ab::sqrt<P>(x) + ab::rsqrt<P>(x) + ab::reciprocal<P>(x) + ab::divide<P>(x, y);
  return angles + powers + roots + ab::sum(ab::pow<P>(v, v));
}

template <class T>
AUTOBENCH_INLINE T operators(T x, T y) {
  ab::vec<T, 4> v = ab::vec<T, 4>::all(x), w = v * y - v / y;
  w += v;
  w -= y;
  w = ab::fma(v, x * w + -v, ab::map(w, [](T e) { return e * e; }));
  T r = ab::sum(w) + ab::dot(v, w) + ab::minimum(w) + ab::maximum(v);
  r -= y, r *= y, r /= x;
  r = ab::fma(-r, x, y) + ab::min(x, y) + ab::max(x, y) + ab::abs(x) + ab::floor(y);
  if (x < y || r == x) r = T(0.5f) + T(3) + T(0.25) + T(7u) + T(7ll);
  return r + ab::convert<T>(r * 2.0f);
}

template <class T>
__global__ void all(T *out, const T *in, ab::tf32 *t, ab::e4m3 *a, ab::e5m2 *b, ab::f16 *h,
                    ab::bf16 *g, double *d) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T x = in[i], y = in[i + 1];
  out[i] = functions<ab::accurate>(x, y) + functions<ab::fast>(x, y) +
           functions<ab::approximate>(x, y) + operators(x, y);
  const ab::vec<float, 4> v = ab::load_as<float, 4>(in + 4 * i);
  ab::store_as(t + 4 * i, v);
  ab::store_as(a + 4 * i, v);
  ab::store_as(b + 4 * i, v);
  ab::store_as(h + 4 * i, v);
  ab::store_as(g + 4 * i, v);
  d[i] = t[i] + a[i] * b[i] + h[i] * 0.5 + (h[i] + 1) + g[i] * 2.0f;
  h[i] = ab::convert<ab::f16>(d[i]);
  g[i] = ab::convert<ab::bf16>(h[i]);
  a[i] = ab::floor(ab::convert<ab::e4m3>(d[i]));
  b[i] = ab::max(ab::convert<ab::e5m2>(i), b[i + 1]);
  t[i] = ab::abs(ab::convert<ab::tf32>(ab::convert<int>(h[i])));
}
