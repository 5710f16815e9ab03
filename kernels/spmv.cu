// y = A x with a sparse matrix of n rows in compressed rows: row r has the elements `values` in the
// columns `columns` from starts[r] to below starts[r + 1]. Rows differ in length by a thousand times.
//
// value_type       the format of the matrix and of x
// sum_type         the format of products, sums and y
// block_size_x     threads per block
// threads_per_row  neighbouring threads that share a row
// sums_per_thread  sums that a thread keeps, so that additions need not wait for each other
#include "autobench/autobench.h"

constexpr int rows = block_size_x / threads_per_row;

// Short loops whole, so that arrays become registers.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 8")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

// A thread's part of a row, which begins with element k.
AUTOBENCH_INLINE sum_type part_of_row(const value_type *values, const int *columns,
                                      const value_type *x, int k, int end)
{
  constexpr int step = threads_per_row * sums_per_thread;
  sum_type sums[sums_per_thread];
  WRITTEN_OUT
  for (int s = 0; s < sums_per_thread; ++s) sums[s] = sum_type(0);
  for (; k + (step - threads_per_row) < end; k += step) {
    WRITTEN_OUT
    for (int s = 0; s < sums_per_thread; ++s) {
      const int at = k + s * threads_per_row;
      sums[s] = ab::fma(ab::convert<sum_type>(values[at]), ab::convert<sum_type>(x[columns[at]]),
                        sums[s]);
    }
  }
  for (; k < end; k += threads_per_row)
    sums[0] = ab::fma(ab::convert<sum_type>(values[k]), ab::convert<sum_type>(x[columns[k]]),
                      sums[0]);
  sum_type sum = sums[0];
  WRITTEN_OUT
  for (int s = 1; s < sums_per_thread; ++s) sum += sums[s];
  return sum;
}

__global__ void spmv(sum_type *__restrict__ y, const value_type *__restrict__ values,
                     const int *__restrict__ columns, const int *__restrict__ starts,
                     const value_type *__restrict__ x, int n)
{
  const int first = blockIdx.x * rows;
  if (threads_per_row == 1) {
    AUTOBENCH_PHASE {
      const int row = first + threadIdx.x;
      if (row < n) y[row] = part_of_row(values, columns, x, starts[row], starts[row + 1]);
    }
  } else {
    __shared__ sum_type sums[block_size_x];
    AUTOBENCH_PHASE {
      const int t = threadIdx.x, row = first + t / threads_per_row, lane = t % threads_per_row;
      sums[t] = sum_type(0);
      if (row < n)
        sums[t] = part_of_row(values, columns, x, starts[row] + lane, starts[row + 1]);
    }
    for (int half = threads_per_row / 2; half > 0; half /= 2) {
      AUTOBENCH_PHASE {
        const int t = threadIdx.x;
        if (t % threads_per_row < half) sums[t] += sums[t + half];
      }
    }
    AUTOBENCH_PHASE {
      const int t = threadIdx.x;
      if (t < rows && first + t < n) y[first + t] = sums[t * threads_per_row];
    }
  }
}
