// z[i] = a x[i] + y[i]: two loads and a store per product and sum, so memory sets the pace and the
// formats of the vectors decide over time and error.
//
// x_type            the format of x
// y_type            the format of y and z
// compute_type      the format of a, of the product and of the sum
// block_size_x      threads per block
// items_per_thread  accesses per thread, a block's width apart
// vector_width      neighbouring elements moved by one access
#include "autobench/autobench.h"

// What one block covers; offsets inside it fit 32 bits.
constexpr int tile = block_size_x * items_per_thread * vector_width;

__global__ void axpy(y_type *__restrict__ z, const x_type *__restrict__ x,
                     const y_type *__restrict__ y, compute_type a, long long n)
{
  typedef ab::vec<compute_type, vector_width> access;
  const long long first = (long long)blockIdx.x * tile;
  const int thread = threadIdx.x;
  z += first;
  x += first;
  y += first;
  if (n - first >= tile) {
    // The same for a whole block: no element needs to be asked whether it exists.
    for (int item = 0; item < items_per_thread; ++item) {
      const int at = (item * block_size_x + thread) * vector_width;
      const access factor = ab::convert<compute_type>(ab::load<vector_width>(x + at));
      const access summand = ab::convert<compute_type>(ab::load<vector_width>(y + at));
      const access sum = ab::fma(access::all(a), factor, summand);
      ab::store(z + at, ab::convert<y_type>(sum));
    }
  } else {
    const int rest = (int)(n - first);
    for (int item = 0; item < items_per_thread * vector_width; ++item) {
      const int at = item * block_size_x + thread;
      if (at < rest)
        z[at] = ab::convert<y_type>(
            ab::fma(a, ab::convert<compute_type>(x[at]), ab::convert<compute_type>(y[at])));
    }
  }
}
