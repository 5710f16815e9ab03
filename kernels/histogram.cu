// How many keys of 32 bits fall into each bin. The upper bits of a key are its bin, but for a share
// of `skew` quarters of all keys, told by their lowest bits, that fall into bin 0.
//
// bins              how many there are, a power of two
// skew              quarters of the keys that fall into bin 0 whatever their upper bits
// private_bins      copies of all bins that a block counts in; 0: it counts where all blocks do
// block_size_x      threads per block
// items_per_thread  accesses per thread, a block's width apart
// vector_width      neighbouring keys read by one access
#include "autobench/autobench.h"

// What one block covers; offsets inside it fit 32 bits.
constexpr int tile = block_size_x * items_per_thread * vector_width;
constexpr int own_bins = private_bins > 0 ? private_bins * bins : 1;

__device__ constexpr int digits(int count) { return count > 1 ? 1 + digits(count / 2) : 0; }

AUTOBENCH_INLINE int bin_of(unsigned key)
{
  return (int)(key & 3) < skew ? 0 : (int)(key >> (32 - digits(bins)));
}

// Counts where only this block does: on the CPU, where a block is one thread of the host, nobody
// else is there.
AUTOBENCH_INLINE void count(unsigned *at)
{
#ifdef AUTOBENCH_CPU
  *at += 1;
#else
  atomicAdd(at, 1u);
#endif
}

__global__ void histogram(unsigned *counts, const unsigned *__restrict__ keys, long long n)
{
  __shared__ unsigned own[own_bins];
  const long long first = (long long)blockIdx.x * tile;
  const int here = n - first < tile ? (int)(n - first) : tile;
  keys += first;
  if (private_bins > 0) {
    AUTOBENCH_PHASE {
      for (int at = threadIdx.x; at < own_bins; at += block_size_x) own[at] = 0;
    }
  }
  AUTOBENCH_PHASE {
    const int thread = threadIdx.x;
    unsigned *const to = private_bins > 0 ? own + thread % (private_bins + !private_bins) * bins
                                          : counts;
    if (here == tile) {
      // The same for a whole block: no key needs to be asked whether it exists.
      for (int item = 0; item < items_per_thread; ++item) {
        const int at = (item * block_size_x + thread) * vector_width;
        const ab::vec<unsigned, vector_width> read = ab::load<vector_width>(keys + at);
        for (int i = 0; i < vector_width; ++i) {
          if (private_bins > 0)
            count(to + bin_of(read[i]));
          else
            atomicAdd(to + bin_of(read[i]), 1u);
        }
      }
    } else {
      for (int item = 0; item < items_per_thread * vector_width; ++item) {
        const int at = item * block_size_x + thread;
        if (at >= here) continue;
        if (private_bins > 0)
          count(to + bin_of(keys[at]));
        else
          atomicAdd(to + bin_of(keys[at]), 1u);
      }
    }
  }
  if (private_bins > 0) {
    AUTOBENCH_PHASE {
      for (int bin = threadIdx.x; bin < bins; bin += block_size_x) {
        unsigned sum = own[bin];
        for (int copy = 1; copy < private_bins; ++copy) sum += own[copy * bins + bin];
        if (sum > 0) atomicAdd(counts + bin, sum);
      }
    }
  }
}
