// Phases: the way to write a barrier that runs fast everywhere. A kernel with phases is a
// sequence (loops allowed, the same for all threads) of
//
//     AUTOBENCH_PHASE { work of one thread }
//
// On the GPU that is the body and a barrier; on the CPU a loop over the block's threads. What
// stands outside of phases is done once per block on the CPU, so it may not depend on threadIdx.
// `continue` leaves a phase early; `break` and `return` may not leave it. Values that a thread
// keeps from one phase to the next are `ab::per_thread<T> x;`, used as `x()` inside phases.
#pragma once

#ifdef AUTOBENCH_CPU

#define AUTOBENCH_PHASE                                                                        \
  ab_whole_block = 1;                                                                          \
  for (int ab_z = 0, ab_nz = blockDim.z; ab_z < ab_nz; ++ab_z)                                 \
    for (int ab_y = 0, ab_ny = blockDim.y; ab_y < ab_ny; ++ab_y)                               \
      for (int ab_x = 0, ab_nx = blockDim.x;                                                   \
           ab_x < ab_nx && (threadIdx.x = ab_x, threadIdx.y = ab_y, threadIdx.z = ab_z, true); \
           ++ab_x)

namespace ab {

template <class T>
struct per_thread {
  T all[1024]; // as many threads as a block can have
  T &operator()() {
    return all[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x];
  }
};

}  // namespace ab

#else

#define AUTOBENCH_PHASE for (bool ab_once = true; ab_once; ab_once = false, __syncthreads())

namespace ab {

template <class T>
struct per_thread {
  T own;
  __device__ T &operator()() { return own; }
};

}  // namespace ab

#endif
