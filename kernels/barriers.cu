// What barriers cost: a value of every element takes 1024 steps x = a x + b, and every
// `steps_per_barrier` of them the threads of a block pass their values on, each to the next lower
// one. In the end every value is handed back to where it came from.
//
// precision          the format of the values
// steps_per_barrier  steps from one barrier to the next
// block_size_x       threads per block
// values_per_thread  a block's width apart
#include "autobench/autobench.h"

constexpr int steps = 1024;
constexpr int exchanges = steps / steps_per_barrier;
constexpr int tile = block_size_x * values_per_thread;
// How far values have come in the end, and the way back.
constexpr int travelled = exchanges % block_size_x;

// Short loops whole, so that values become registers.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 8")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

// Every value stands twice, a block's width apart, so that the way round the end is no other than
// the rest.
typedef precision row_of_block[values_per_thread][2 * block_size_x];
typedef ab::vec<precision, values_per_thread> numbers;

AUTOBENCH_INLINE void put(row_of_block &held, int thread, const numbers &value)
{
  WRITTEN_OUT
  for (int item = 0; item < values_per_thread; ++item) {
    held[item][thread] = value[item];
    held[item][thread + block_size_x] = value[item];
  }
}

// The steps from one barrier to the next.
AUTOBENCH_INLINE void exchange(row_of_block &to, const row_of_block &from, precision a, precision b)
{
  AUTOBENCH_PHASE {
    const int thread = threadIdx.x;
    numbers value;
    WRITTEN_OUT
    for (int item = 0; item < values_per_thread; ++item) value[item] = from[item][thread + 1];
    for (int step = 0; step < steps_per_barrier; ++step)
      value = ab::fma(numbers::all(a), value, numbers::all(b));
    put(to, thread, value);
  }
}

__global__ void barriers(precision *__restrict__ y, const precision *__restrict__ x, precision a,
                         precision b, long long n)
{
  // Two, so that one barrier parts an exchange from the next.
  __shared__ row_of_block even, odd;
  // The last block is moved back to end with the last element: what two blocks write is the same,
  // and no element needs to be asked whether it exists.
  const long long own = (long long)blockIdx.x * tile, first = own < n - tile ? own : n - tile;
  x += first;
  y += first;
  AUTOBENCH_PHASE {
    numbers value;
    WRITTEN_OUT
    for (int item = 0; item < values_per_thread; ++item)
      value[item] = x[item * block_size_x + threadIdx.x];
    put(even, threadIdx.x, value);
  }
  for (int done = 0; done < exchanges; ++done) {
    if (done % 2 == 0)
      exchange(odd, even, a, b);
    else
      exchange(even, odd, a, b);
  }
  AUTOBENCH_PHASE {
    const int thread = threadIdx.x;
    WRITTEN_OUT
    for (int item = 0; item < values_per_thread; ++item)
      y[item * block_size_x + thread] =
          (exchanges % 2 == 0 ? even : odd)[item][thread + block_size_x - travelled];
  }
}
