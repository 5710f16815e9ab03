// transposed[x][y] = matrix[y][x], n x n: a block reads a tile row after row into shared memory and
// writes it column after column, so that both accesses meet neighbours in memory.
//
// precision        the format of the elements
// tile_size        rows and columns of a block's tile, and threads of a block in x
// rows_per_thread  elements per thread; a block has tile_size / rows_per_thread threads in y
// padding          elements between the rows of the tile, so that columns spread over the banks
#include "autobench/autobench.h"

constexpr int block_rows = tile_size / rows_per_thread;

__global__ void transpose(precision *__restrict__ transposed,
                          const precision *__restrict__ matrix, int n)
{
  __shared__ precision held[tile_size][tile_size + padding];
  const int column = blockIdx.x * tile_size, row = blockIdx.y * tile_size;
  // The same for a whole block: no element needs to be asked whether it exists.
  const bool whole = row + tile_size <= n && column + tile_size <= n;
  matrix += (long long)row * n + column;
  transposed += (long long)column * n + row;
  AUTOBENCH_PHASE {
    const int x = threadIdx.x;
    for (int step = 0; step < rows_per_thread; ++step) {
      const int y = threadIdx.y + step * block_rows;
      if (whole || (row + y < n && column + x < n)) held[y][x] = matrix[y * n + x];
    }
  }
  AUTOBENCH_PHASE {
    const int x = threadIdx.x;
    for (int step = 0; step < rows_per_thread; ++step) {
      const int y = threadIdx.y + step * block_rows;
      if (whole || (column + y < n && row + x < n)) transposed[y * n + x] = held[x][y];
    }
  }
}
