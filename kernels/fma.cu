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
// one over steps: there the loop over threads is the inner one, chain after chain.
#ifdef AUTOBENCH_CPU
constexpr bool threads_inside = ab::is_half<precision>::value;
#else
constexpr bool threads_inside = false;
#endif

__global__ void multiply_add(precision *__restrict__ x, const precision *__restrict__ b,
                             precision a, long long n)
{
  // The last block is moved back to end with the last element: what two blocks write is the same,
  // and no element needs to be asked whether it exists.
  const long long own = (long long)blockIdx.x * tile, first = own < n - tile ? own : n - tile;
  x += first;
  b += first;
  if constexpr (threads_inside) {
    __shared__ precision values[block_size_x];
    for (int chain = 0; chain < tile; chain += block_size_x) {
      AUTOBENCH_PHASE { values[threadIdx.x] = b[chain + threadIdx.x]; }
      for (int step = 0; step < steps; step += unroll_steps) {
        AUTOBENCH_PHASE {
          const precision summand = b[chain + threadIdx.x];
          precision value = values[threadIdx.x];
          WRITTEN_OUT
          for (int next = 0; next < unroll_steps; ++next) value = ab::fma(a, value, summand);
          values[threadIdx.x] = value;
        }
      }
      AUTOBENCH_PHASE { x[chain + threadIdx.x] = values[threadIdx.x]; }
    }
  } else {
    // The chains of a thread, so that halves advance in pairs where the device can.
    typedef ab::vec<precision, chains> numbers;
    AUTOBENCH_PHASE {
      const int thread = threadIdx.x;
      const numbers factor = numbers::all(a);
      numbers summand;
      WRITTEN_OUT
      for (int chain = 0; chain < chains; ++chain)
        summand[chain] = b[chain * block_size_x + thread];
      numbers value = summand;
      for (int step = 0; step < steps; step += unroll_steps) {
        WRITTEN_OUT
        for (int next = 0; next < unroll_steps; ++next) value = ab::fma(factor, value, summand);
      }
      WRITTEN_OUT
      for (int chain = 0; chain < chains; ++chain) x[chain * block_size_x + thread] = value[chain];
    }
  }
}
