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
AUTOBENCH_INLINE T five_iterations(T x, const coefficients_type *constants,
                                   const coefficients_type *coefficients, long long n)
{
  const T c0 = ab::convert<T>(constants[0]);
  const T c1 = ab::convert<T>(coefficients[0]), c2 = ab::convert<T>(coefficients[n]);
  const T c3 = ab::convert<T>(coefficients[2 * n]), c4 = ab::convert<T>(coefficients[3 * n]);
  for (int iteration = 0; iteration < half_of_iterations; ++iteration) {
    // Horner's rule for the value, and on its sums for the slope.
    const T cubic = ab::fma(c4, x, c3);
    const T square = ab::fma(cubic, x, c2);
    const T linear = ab::fma(square, x, c1);
    const T value = ab::fma(linear, x, c0);
    const T slope = ab::fma(ab::fma(ab::fma(c4, x, cubic), x, square), x, linear);
    x = x - ab::divide<ab::policy>(value, slope);
  }
  return x;
}

__global__ void newton_raphson(roots_type *__restrict__ roots,
                               const coefficients_type *__restrict__ coefficients,
                               const coefficients_type *__restrict__ constants,
                               const estimates_type *__restrict__ estimates, long long n)
{
  // The last block is moved back to end with the last element: what two blocks write is the same,
  // and no element needs to be asked whether it exists.
  const long long own = (long long)blockIdx.x * tile, first = own < n - tile ? own : n - tile;
  ab::per_thread<first_five_type> near;
  for (int item = 0; item < polynomials_per_thread; ++item) {
    const long long from = first + item * block_size_x;
    AUTOBENCH_PHASE {
      const int i = threadIdx.x;
      near() = five_iterations(ab::convert<first_five_type>(estimates[from + i]),
                               constants + from + i, coefficients + from + i, n);
    }
    AUTOBENCH_PHASE {
      const int i = threadIdx.x;
      roots[from + i] = ab::convert<roots_type>(
          five_iterations(ab::convert<last_five_type>(near()), constants + from + i,
                          coefficients + from + i, n));
    }
  }
}
