// C = A B with A n x 256 and B 256 x n, row after row: 2 * 256 operations per element of C, so
// arithmetic sets the pace once the tiles are large enough.
//
// precision                   the format of the elements; sums are kept in f32 or wider
// block_size_x, block_size_y  threads per block
// work_x, work_y              elements of C per thread
// tile_k                      columns of A and rows of B that a block holds at a time
#include "autobench/autobench.h"

constexpr int depth = 256;
constexpr int threads = block_size_x * block_size_y;
constexpr int tile_x = block_size_x * work_x;
constexpr int tile_y = block_size_y * work_y;

__global__ void gemm(precision *__restrict__ c, const precision *__restrict__ a,
                     const precision *__restrict__ b, int n)
{
  typedef ab::compute<precision>::type wide;
  __shared__ wide tile_a[tile_y][tile_k];
  __shared__ wide tile_b[tile_k][tile_x];
  ab::per_thread<wide[work_y][work_x]> sums;
  const int row = blockIdx.y * tile_y, column = blockIdx.x * tile_x;
  // The same for a whole block: inner tiles ask no element whether it exists.
  const bool whole = row + tile_y <= n && column + tile_x <= n;
  a += (long long)row * depth;
  b += column;
  c += (long long)row * n + column;

  AUTOBENCH_PHASE {
    for (int y = 0; y < work_y; ++y)
      for (int x = 0; x < work_x; ++x)
        sums()[y][x] = 0;
  }
  for (int k0 = 0; k0 < depth; k0 += tile_k) {
    AUTOBENCH_PHASE {
      // `at` counts the elements of a tile, `threads` at a time. Its part that neighbours in x
      // share is divided apart from threadIdx.x: so compilers see that they touch neighbours.
      for (int at = threadIdx.y * block_size_x; at < tile_y * tile_k; at += threads) {
        const int y = at / tile_k + threadIdx.x / tile_k, k = at % tile_k + threadIdx.x % tile_k;
        if (block_size_x > tile_k && y >= tile_y) break;
        tile_a[y][k] = whole || row + y < n ? (wide)a[(long long)y * depth + k0 + k] : (wide)0;
      }
      for (int at = threadIdx.y * block_size_x; at < tile_k * tile_x; at += threads) {
        const int k = at / tile_x, x = at % tile_x + threadIdx.x;
        tile_b[k][x] = whole || column + x < n ? (wide)b[(long long)(k0 + k) * n + x] : (wide)0;
      }
    }
    AUTOBENCH_PHASE {
      wide sum[work_y][work_x];
      for (int y = 0; y < work_y; ++y)
        for (int x = 0; x < work_x; ++x)
          sum[y][x] = sums()[y][x];
      AUTOBENCH_UNROLL
      for (int k = 0; k < tile_k; ++k)
        for (int y = 0; y < work_y; ++y)
          for (int x = 0; x < work_x; ++x)
            sum[y][x] += tile_a[threadIdx.y * work_y + y][k] *
                         tile_b[k][x * block_size_x + threadIdx.x];
      for (int y = 0; y < work_y; ++y)
        for (int x = 0; x < work_x; ++x)
          sums()[y][x] = sum[y][x];
    }
  }
  AUTOBENCH_PHASE {
    for (int y = 0; y < work_y; ++y)
      for (int x = 0; x < work_x; ++x) {
        const int i = threadIdx.y * work_y + y, j = x * block_size_x + threadIdx.x;
        if (whole || (row + i < n && column + j < n))
          c[(long long)i * n + j] = ab::convert<precision>(sums()[y][x]);
      }
  }
}
