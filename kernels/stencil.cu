// One step of diffusion on a grid of n x n x n points: every point becomes 4/10 of itself and 1/10
// of the sum of its six neighbours. Outside of the grid everything is 0.
//
// storage_type                              the format of the grid
// compute_type                              what is computed in
// block_size_x, block_size_y, block_size_z  threads per block
// planes_per_thread                         points per thread, one after the other in z
// keep_planes                               1: a thread keeps its point and the one before for the
//                                           next plane; 0: it reads them again
#include "autobench/autobench.h"

constexpr int depth = block_size_z * planes_per_thread;

typedef compute_type number;

// The work of every thread between two barriers. Here threads share nothing, so the GPU needs none.
#ifdef AUTOBENCH_GPU
#define EVERY_THREAD
#else
#define EVERY_THREAD AUTOBENCH_PHASE
#endif

// A point or, outside of the grid, 0. Where all that a block may ask for lies in memory it is read
// in any case: so nothing branches.
template <bool InMemory>
AUTOBENCH_INLINE number point(const storage_type *from, int offset, bool exists)
{
  if (InMemory) {
    const number value = ab::convert<number>(from[offset]);
    return exists ? value : number(0.0f);
  }
  return exists ? ab::convert<number>(from[offset]) : number(0.0f);
}

// The points of a block whose first is (x0, y0, z0).
template <bool InMemory>
AUTOBENCH_INLINE void points(storage_type *__restrict__ to, const storage_type *__restrict__ from,
                             int x0, int y0, int z0, int n)
{
  const int plane = n * n;
  ab::per_thread<number> before, own;
  if (keep_planes) {
    EVERY_THREAD {
      const int z = threadIdx.z * planes_per_thread;
      const int here = z * plane + threadIdx.y * n + threadIdx.x;
      before() = point<InMemory>(from, here - plane, z0 + z > 0);
      own() = ab::convert<number>(from[here]);
    }
  }
  for (int step = 0; step < planes_per_thread; ++step) {
    EVERY_THREAD {
      const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z * planes_per_thread + step;
      const int here = z * plane + y * n + x;
      const number centre = keep_planes ? own() : ab::convert<number>(from[here]);
      const number below =
          keep_planes ? before() : point<InMemory>(from, here - plane, z0 + z > 0);
      const number above = point<InMemory>(from, here + plane, z0 + z + 1 < n);
      const number left = point<InMemory>(from, here - 1, x0 + x > 0);
      const number right = point<InMemory>(from, here + 1, x0 + x + 1 < n);
      const number front = point<InMemory>(from, here - n, y0 + y > 0);
      const number back = point<InMemory>(from, here + n, y0 + y + 1 < n);
      const number sides = ((left + right) + (front + back)) + (below + above);
      to[here] = ab::convert<storage_type>(
          ab::fma(number(0.1), sides, number(number(0.4) * centre)));
      if (keep_planes) {
        before() = centre;
        own() = above;
      }
    }
  }
}

__global__ void stencil(storage_type *__restrict__ out, const storage_type *__restrict__ in, int n)
{
  // The last blocks of an axis are moved back to lie inside: what two blocks write is the same, and
  // no point of a block needs to be asked whether it exists.
  const int x0 = min((int)blockIdx.x * block_size_x, n - block_size_x);
  const int y0 = min((int)blockIdx.y * block_size_y, n - block_size_y);
  const int z0 = min((int)blockIdx.z * depth, n - depth);
  const long long first = ((long long)z0 * n + y0) * n + x0;
  // Neighbours in x and y of what is not in the first or the last plane are at least in memory.
  if (z0 > 0 && z0 + depth < n)
    points<true>(out + first, in + first, x0, y0, z0, n);
  else
    points<false>(out + first, in + first, x0, y0, z0, n);
}
