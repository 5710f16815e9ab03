// The modified Bessel function of the first kind and order 0 by its series:
// I0(x) = 1 + sum over k from 1 to kmax of t_k, t_0 = 1, t_k = t_{k-1} x^2 / (4 k^2).
// kmax products, quotients and sums per load and store, so arithmetic sets the pace in f64.
//
// input_type, output_type  the formats of x and of I0(x)
// term_type                the format of the running term
// compute_type             the format of x^2 and of the sum
// policy                   how terms are divided
// kmax                     terms after the first
// block_size_x             threads per block
// items_per_thread         elements per thread, a block's width apart
#include "autobench/autobench.h"

constexpr int tile = block_size_x * items_per_thread;

// Terms k to kmax, each written out by the compiler: a loop here would keep the CPU's loop over
// threads from being vectorised.
template <int k>
static __device__ __forceinline__ void add_terms(compute_type &sum, term_type &term,
                                                 term_type square)
{
  if constexpr (k <= kmax) {
    term = ab::divide<ab::policy>(term_type(term * square), ab::convert<term_type>(4 * k * k));
    sum += ab::convert<compute_type>(term);
    add_terms<k + 1>(sum, term, square);
  }
}

static __device__ __forceinline__ output_type i0(input_type input)
{
  const compute_type x = ab::convert<compute_type>(input);
  compute_type sum = compute_type(1);
  term_type term = term_type(1);
  add_terms<1>(sum, term, ab::convert<term_type>(compute_type(x * x)));
  return ab::convert<output_type>(sum);
}

__global__ void bessel(output_type *__restrict__ values, const input_type *__restrict__ points,
                       long long n)
{
  const long long first = (long long)blockIdx.x * tile;
  const int thread = threadIdx.x;
  values += first;
  points += first;
  const int rest = n - first < tile ? (int)(n - first) : tile;
  for (int item = 0; item < items_per_thread; ++item) {
    const int at = item * block_size_x + thread;
    if (at < rest) values[at] = i0(points[at]);
  }
}
