// The sum of n numbers in two launches: every block leaves a partial sum, and one block adds those.
//
// input_type        the format of the numbers
// sum_type          the format of all sums
// block_size_x      threads per block
// items_per_thread  accesses per thread and tile, a block's width apart
// vector_width      neighbouring numbers read by one access
// blocks            blocks that walk over all tiles together; 0: one block for every tile
#include "autobench/autobench.h"

constexpr int tile = block_size_x * items_per_thread * vector_width;

// The work of every thread where threads share nothing: the GPU needs no barrier behind it.
#ifdef AUTOBENCH_GPU
#define EVERY_THREAD
#else
#define EVERY_THREAD AUTOBENCH_PHASE
#endif

// Short loops whole, so that the loop over threads is vectorised.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 8")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

// Writes the sum of what the threads of a block have.
AUTOBENCH_INLINE void add_up(sum_type *to, ab::per_thread<sum_type> &own)
{
  __shared__ sum_type sums[block_size_x];
  AUTOBENCH_PHASE { sums[threadIdx.x] = own(); }
  for (int half = block_size_x / 2; half > 0; half /= 2) {
    AUTOBENCH_PHASE {
      const int t = threadIdx.x;
      if (t < half) sums[t] += sums[t + half];
    }
  }
  AUTOBENCH_PHASE {
    if (threadIdx.x == 0) *to = sums[0];
  }
}

__global__ void partial_sums(sum_type *__restrict__ partial, const input_type *__restrict__ x,
                             long long n)
{
  ab::per_thread<sum_type> own;
  EVERY_THREAD { own() = sum_type(0); }
  const long long step = (long long)gridDim.x * tile;
  for (long long first = (long long)blockIdx.x * tile; first < n; first += step) {
    const input_type *const from = x + first;
    if (n - first >= tile) {
      // The same for a whole tile: no number needs to be asked whether it exists.
      EVERY_THREAD {
        sum_type sum = sum_type(0);
        WRITTEN_OUT
        for (int item = 0; item < items_per_thread; ++item) {
          const int at = (item * block_size_x + threadIdx.x) * vector_width;
          sum += ab::sum(ab::load_as<sum_type, vector_width>(from + at));
        }
        own() += sum;
      }
    } else {
      const int rest = (int)(n - first);
      EVERY_THREAD {
        for (int at = threadIdx.x; at < rest; at += block_size_x)
          own() += ab::convert<sum_type>(from[at]);
      }
    }
  }
  add_up(partial + blockIdx.x, own);
}

__global__ void total(sum_type *__restrict__ sum, const sum_type *__restrict__ partial,
                      long long count)
{
  ab::per_thread<sum_type> own;
  EVERY_THREAD { own() = sum_type(0); }
  for (long long first = 0; first < count; first += block_size_x) {
    EVERY_THREAD {
      if (first + threadIdx.x < count) own() += partial[first + threadIdx.x];
    }
  }
  add_up(sum, own);
}
