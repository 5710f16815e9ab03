// The squared distances from every point to every centre: distances[k][i] = sum over d of
// (points[d][i] - centres[k][d])^2, with 15 dimensions and 40 centres.
//
// block_size_x       threads per block
// points_per_thread  a block's width apart
// centres_per_step   centres whose distances grow at the same time
// points_type        the format of the points
// centres_type       the format of the centres
// distances_type     the format of the distances, in which they are computed
#include "autobench/autobench.h"

constexpr int dimensions = 15;
constexpr int clusters = 40;
constexpr int tile = block_size_x * points_per_thread;

// Short loops whole, so that arrays become registers.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 16")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

typedef distances_type number;

// A thread's points. On the GPU they are kept in registers; on the CPU they are read again for
// every step, so that there is one short loop for each step inside the loop over threads.
struct own_points {
#ifdef AUTOBENCH_GPU
  number all[points_per_thread][dimensions];
#else
  const points_type *from;
  long long n;
#endif

  AUTOBENCH_INLINE own_points(const points_type *points, long long count) {
#ifdef AUTOBENCH_GPU
    WRITTEN_OUT
    for (int p = 0; p < points_per_thread; ++p)
      WRITTEN_OUT
      for (int d = 0; d < dimensions; ++d)
        all[p][d] = ab::convert<number>(points[d * count + p * block_size_x]);
#else
    from = points, n = count;
#endif
  }

  AUTOBENCH_INLINE number at(int p, int d) const {
#ifdef AUTOBENCH_GPU
    return all[p][d];
#else
    return ab::convert<number>(from[d * n + p * block_size_x]);
#endif
  }
};

// The distances of a thread's points to the centres from k on.
AUTOBENCH_INLINE void one_step(distances_type *distances, const own_points &points,
                               const number (&centre)[dimensions][clusters], int k, long long n)
{
  number sum[points_per_thread][centres_per_step];
  WRITTEN_OUT
  for (int p = 0; p < points_per_thread; ++p)
    WRITTEN_OUT
    for (int c = 0; c < centres_per_step; ++c) sum[p][c] = number(0.0f);
#ifdef AUTOBENCH_GPU
  WRITTEN_OUT
#endif
  for (int d = 0; d < dimensions; ++d)
    WRITTEN_OUT
    for (int p = 0; p < points_per_thread; ++p)
      WRITTEN_OUT
      for (int c = 0; c < centres_per_step; ++c) {
        const number apart = points.at(p, d) - centre[d][k + c];
        sum[p][c] = ab::fma(apart, apart, sum[p][c]);
      }
  WRITTEN_OUT
  for (int c = 0; c < centres_per_step; ++c)
    WRITTEN_OUT
    for (int p = 0; p < points_per_thread; ++p)
      distances[(k + c) * n + p * block_size_x] = sum[p][c];
}

__global__ void kmeans(distances_type *__restrict__ distances,
                       const points_type *__restrict__ points,
                       const centres_type *__restrict__ centres, long long n)
{
  // Dimension after dimension, so that the centres of a step are neighbours.
  __shared__ number centre[dimensions][clusters];
  // The last block is moved back to end with the last element: what two blocks write is the same,
  // and no element needs to be asked whether it exists.
  const long long own = (long long)blockIdx.x * tile, first = own < n - tile ? own : n - tile;
  points += first;
  distances += first;

  AUTOBENCH_PHASE {
    for (int at = threadIdx.x; at < dimensions * clusters; at += block_size_x)
      centre[at % dimensions][at / dimensions] = ab::convert<number>(centres[at]);
  }
#ifdef AUTOBENCH_GPU
  const own_points kept(points + threadIdx.x, n);
  for (int k = 0; k < clusters; k += centres_per_step)
    one_step(distances + threadIdx.x, kept, centre, k, n);
#else
  for (int k = 0; k < clusters; k += centres_per_step) {
    AUTOBENCH_PHASE {
      one_step(distances + threadIdx.x, own_points(points + threadIdx.x, n), centre, k, n);
    }
  }
#endif
}
