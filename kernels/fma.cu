// Chains of fused multiply-adds, 1024 long and one for each element: x = a x + b[i] with a = -3/4,
// which ends at the fixed point b[i] / (1 - a) whatever the format rounds. Two operations a step and
// hardly any memory: arithmetic sets the pace.
//
// precision     the format of the elements and of the steps
// block_size_x  threads per block
// chains        chains per thread, a block's width apart, that advance side by side
// unroll_steps  steps of a chain that are written out
#include "autobench/autobench.h"

constexpr int steps = 1024;
constexpr int tile = block_size_x * chains;
static_assert(steps % unroll_steps == 0, "all rounds are whole");

// Short loops whole, so that chains become registers.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 16")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

// A half on the CPU is rounded by choices, with which compilers vectorise no loop over threads around
// one over steps: there the loop over threads is the inner one.
#ifdef AUTOBENCH_CPU
constexpr bool threads_inside = ab::is_half<precision>::value;
#else
constexpr bool threads_inside = false;
#endif

// The chains of a thread, so that halves advance in pairs where the device can.
typedef ab::vec<precision, chains> numbers;

AUTOBENCH_INLINE numbers gathered(const precision *from)
{
  numbers all;
  WRITTEN_OUT
  for (int chain = 0; chain < chains; ++chain) all[chain] = from[chain * block_size_x];
  return all;
}

AUTOBENCH_INLINE void scattered(precision *to, const numbers &all)
{
  WRITTEN_OUT
  for (int chain = 0; chain < chains; ++chain) to[chain * block_size_x] = all[chain];
}

AUTOBENCH_INLINE numbers one_round(precision a, numbers value, const numbers &summand)
{
  WRITTEN_OUT
  for (int step = 0; step < unroll_steps; ++step)
    value = ab::fma(numbers::all(a), value, summand);
  return value;
}

__global__ void multiply_add(precision *__restrict__ x, const precision *__restrict__ b,
                             precision a, long long n)
{
  // The last block is moved back to end with the last element: what two blocks write is the same,
  // and no element needs to be asked whether it exists.
  const long long own = (long long)blockIdx.x * tile, first = own < n - tile ? own : n - tile;
  x += first;
  b += first;
  if constexpr (threads_inside) {
    __shared__ precision values[tile];
    AUTOBENCH_PHASE { scattered(values + threadIdx.x, gathered(b + threadIdx.x)); }
    for (int round = 0; round < steps / unroll_steps; ++round) {
      AUTOBENCH_PHASE {
        const int thread = threadIdx.x;
        scattered(values + thread, one_round(a, gathered(values + thread), gathered(b + thread)));
      }
    }
    AUTOBENCH_PHASE { scattered(x + threadIdx.x, gathered(values + threadIdx.x)); }
  } else {
    AUTOBENCH_PHASE {
      const int thread = threadIdx.x;
      const numbers summand = gathered(b + thread);
      numbers value = summand;
      for (int round = 0; round < steps / unroll_steps; ++round)
        value = one_round(a, value, summand);
      scattered(x + thread, value);
    }
  }
}
