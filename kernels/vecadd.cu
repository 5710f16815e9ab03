// c[i] = a[i] + b[i]: two loads and a store per addition, so memory sets the pace.
//
// precision         the format of the elements
// block_size_x      threads per block
// items_per_thread  accesses per thread, a block's width apart
// vector_width      neighbouring elements moved by one access
#include "autobench/autobench.h"

// What one block covers. Offsets inside it are signed 32-bit numbers, which compilers vectorise;
// only the block's first element needs 64 bits.
constexpr int tile = block_size_x * items_per_thread * vector_width;

__global__ void vecadd(precision *__restrict__ c, const precision *__restrict__ a,
                       const precision *__restrict__ b, long long n)
{
  typedef ab::compute<precision>::type wide;
  typedef ab::vec<precision, vector_width> access;
  const long long first = (long long)blockIdx.x * tile;
  const int thread = threadIdx.x;
  c += first;
  a += first;
  b += first;
  if (n - first >= tile) {
    // The same for a whole block: no element needs to be asked whether it exists.
    for (int item = 0; item < items_per_thread; ++item) {
      const int at = (item * block_size_x + thread) * vector_width;
      const access x = ab::load<vector_width>(a + at), y = ab::load<vector_width>(b + at);
      access sum;
      for (int i = 0; i < vector_width; ++i)
        sum[i] = ab::convert<precision>((wide)x[i] + (wide)y[i]);
      ab::store(c + at, sum);
    }
  } else {
    const int rest = (int)(n - first);
    for (int item = 0; item < items_per_thread * vector_width; ++item) {
      const int at = item * block_size_x + thread;
      if (at < rest)
        c[at] = ab::convert<precision>((wide)a[at] + (wide)b[at]);
    }
  }
}
