// Loads that wait for each other: from line to line of a buffer, along one cycle that visits every
// `stride` bytes of it in random order. A line of 64 bytes holds, for the cycle of every stride, the
// element to go to next, and eight elements behind it the place of this line in the cycle,
// with the cycle's number above it.
//
// stride        bytes between neighbouring stops
// unroll_loads  loads that are written out
#include "autobench/autobench.h"

constexpr int places = 8;
constexpr int step = stride / 4;
constexpr int warming = 256; // threads
constexpr int together = 8; // loads of a thread that need not wait for each other
// 64 bytes: 0, 128: 1, 256: 2, ...
constexpr int cycle = (stride >= 128) + (stride >= 256) + (stride >= 512) + (stride >= 1024);

#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 16")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

__global__ void chase(unsigned *__restrict__ last, unsigned *__restrict__ seen,
                      const unsigned *__restrict__ lines, long long elements, long long loads)
{
  // All threads read the stops in the order of memory, so that the caches hold what they can.
  ab::per_thread<unsigned> all;
  AUTOBENCH_PHASE { all() = 0; }
  for (long long first = 0; first < elements; first += together * warming * step) {
    AUTOBENCH_PHASE {
      WRITTEN_OUT
      for (int i = 0; i < together; ++i) {
        const int at = (i * warming + threadIdx.x) * step;
        if (at < elements - first) all() ^= lines[first + at + cycle];
      }
    }
  }
  AUTOBENCH_PHASE {
    seen[threadIdx.x] = all();
    if (threadIdx.x == 0) {
      unsigned at = cycle;
      long long left = loads;
      for (; left >= unroll_loads; left -= unroll_loads) {
        WRITTEN_OUT
        for (int next = 0; next < unroll_loads; ++next) at = lines[at];
      }
      for (; left > 0; --left) at = lines[at];
      last[0] = lines[at + places];
    }
  }
}
