// The root of c4 x^4 + c3 x^3 + c2 x^2 + c1 x + c0 per polynomial: ten iterations of Newton
// and Raphson, x - p(x) / p'(x), from a first estimate.
//
// block_size_x            threads per block
// polynomials_per_thread  a block's width apart
// coefficients_type       the format of c1 to c4 and of the constants c0
// estimates_type          the format of the first estimates
// roots_type              the format of the roots
// first_five_type         what iterations 1 to 5 compute in
// last_five_type          what iterations 6 to 10 compute in
// policy                  of the quotient
#include "autobench/autobench.h"

constexpr int degree = 4;
constexpr int half_of_iterations = 5;
constexpr int tile = block_size_x * polynomials_per_thread;

// `x` after five iterations in T.
template <class T>
AUTOBENCH_INLINE T five_iterations(T x, const coefficients_type (&stored)[degree + 1])
{
  T c[degree + 1];
  for (int k = 0; k <= degree; ++k) c[k] = ab::convert<T>(stored[k]);
  AUTOBENCH_UNROLL
  for (int iteration = 0; iteration < half_of_iterations; ++iteration) {
    // Horner's rule for the value, and on its sums for the slope.
    T slope = c[4];
    T value = ab::fma(c[4], x, c[3]);
    slope = ab::fma(slope, x, value);
    value = ab::fma(value, x, c[2]);
    slope = ab::fma(slope, x, value);
    value = ab::fma(value, x, c[1]);
    slope = ab::fma(slope, x, value);
    value = ab::fma(value, x, c[0]);
    x = x - ab::divide<ab::policy>(value, slope);
  }
  return x;
}

AUTOBENCH_INLINE roots_type root(const coefficients_type *const (&rows)[degree + 1],
                                 const estimates_type *estimates, int at)
{
  coefficients_type c[degree + 1];
  for (int k = 0; k <= degree; ++k) c[k] = rows[k][at];
  const first_five_type near = five_iterations(ab::convert<first_five_type>(estimates[at]), c);
  return ab::convert<roots_type>(five_iterations(ab::convert<last_five_type>(near), c));
}

__global__ void newton_raphson(roots_type *__restrict__ roots,
                               const coefficients_type *__restrict__ coefficients,
                               const coefficients_type *__restrict__ constants,
                               const estimates_type *__restrict__ estimates, long long n)
{
  const long long first = (long long)blockIdx.x * tile;
  const int thread = threadIdx.x;
  const coefficients_type *rows[degree + 1] = {constants + first};
  for (int k = 1; k <= degree; ++k) rows[k] = coefficients + (k - 1) * n + first;
  roots += first;
  estimates += first;
  if (n - first >= tile) {
    // The same for a whole block: no element needs to be asked whether it exists.
    for (int item = 0; item < polynomials_per_thread; ++item) {
      const int at = item * block_size_x + thread;
      roots[at] = root(rows, estimates, at);
    }
  } else {
    const int rest = (int)(n - first);
    for (int item = 0; item < polynomials_per_thread; ++item) {
      const int at = item * block_size_x + thread;
      if (at < rest) roots[at] = root(rows, estimates, at);
    }
  }
}
