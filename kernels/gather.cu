// Copies in an order that an array of indices gives: gather out[i] = in[index[i]], and its twin
// scatter out[index[i]] = in[i]. Each is an entry of its own. Indices are a permutation.
//
// precision         the format of the elements
// block_size_x      threads per block
// items_per_thread  accesses per thread, a block's width apart
// vector_width      neighbouring indices, and elements in order, moved by one access
#include "autobench/autobench.h"

// 2^24 elements, which every tile divides.
constexpr int tile = block_size_x * items_per_thread * vector_width;
static_assert((1 << 24) % tile == 0, "a tile is whole");

// Short loops whole, so that accesses do not wait for each other.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 8")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

__global__ void gather(precision *__restrict__ out, const precision *__restrict__ in,
                       const int *__restrict__ index)
{
  const int first = blockIdx.x * tile, thread = threadIdx.x;
  out += first;
  index += first;
  WRITTEN_OUT
  for (int item = 0; item < items_per_thread; ++item) {
    const int at = (item * block_size_x + thread) * vector_width;
    const ab::vec<int, vector_width> from = ab::load<vector_width>(index + at);
    ab::vec<precision, vector_width> elements;
    WRITTEN_OUT
    for (int i = 0; i < vector_width; ++i) elements[i] = in[from[i]];
    ab::store(out + at, elements);
  }
}

__global__ void scatter(precision *__restrict__ out, const precision *__restrict__ in,
                        const int *__restrict__ index)
{
  const int first = blockIdx.x * tile, thread = threadIdx.x;
  in += first;
  index += first;
  WRITTEN_OUT
  for (int item = 0; item < items_per_thread; ++item) {
    const int at = (item * block_size_x + thread) * vector_width;
    const ab::vec<int, vector_width> to = ab::load<vector_width>(index + at);
    const ab::vec<precision, vector_width> elements = ab::load<vector_width>(in + at);
    WRITTEN_OUT
    for (int i = 0; i < vector_width; ++i) out[to[i]] = elements[i];
  }
}
