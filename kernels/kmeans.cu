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

// Whole loops, so that arrays become registers.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 32")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

__global__ void kmeans(distances_type *__restrict__ distances,
                       const points_type *__restrict__ points,
                       const centres_type *__restrict__ centres, long long n)
{
  // Dimension after dimension, so that the centres of a step are neighbours.
  __shared__ distances_type centre[dimensions][clusters];
  const long long first = (long long)blockIdx.x * tile;
  const int rest = n - first < tile ? (int)(n - first) : tile;
  const bool whole = rest == tile;
  points += first;
  distances += first;

  AUTOBENCH_PHASE {
    for (int at = threadIdx.x; at < dimensions * clusters; at += block_size_x)
      centre[at % dimensions][at / dimensions] = ab::convert<distances_type>(centres[at]);
  }
  AUTOBENCH_PHASE {
    const int thread = threadIdx.x;
    // Points beyond the last are the last.
    distances_type point[points_per_thread][dimensions];
    for (int p = 0; p < points_per_thread; ++p) {
      const int i = p * block_size_x + thread, at = whole || i < rest ? i : rest - 1;
      WRITTEN_OUT
      for (int d = 0; d < dimensions; ++d)
        point[p][d] = ab::convert<distances_type>(points[d * n + at]);
    }
    for (int k = 0; k < clusters; k += centres_per_step) {
      distances_type sum[points_per_thread][centres_per_step];
      for (int p = 0; p < points_per_thread; ++p)
        for (int c = 0; c < centres_per_step; ++c)
          sum[p][c] = distances_type(0.0f);
      WRITTEN_OUT
      for (int d = 0; d < dimensions; ++d)
        for (int c = 0; c < centres_per_step; ++c)
          for (int p = 0; p < points_per_thread; ++p) {
            const distances_type apart = point[p][d] - centre[d][k + c];
            sum[p][c] = ab::fma(apart, apart, sum[p][c]);
          }
      for (int c = 0; c < centres_per_step; ++c)
        for (int p = 0; p < points_per_thread; ++p) {
          const int i = p * block_size_x + thread;
          if (whole || i < rest) distances[(k + c) * n + i] = sum[p][c];
        }
    }
  }
}
