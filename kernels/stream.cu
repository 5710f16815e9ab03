// Streams through memory, which sets their pace: copy z[i] = x[i], scale z[i] = a x[i] and triad
// z[i] = x[i] + a y[i]. Each is an entry of its own.
//
// precision         the format of the elements; products and sums are taken in f32 or wider
// block_size_x      threads per block
// items_per_thread  accesses per thread, a block's width apart
// vector_width      neighbouring elements moved by one access
#include "autobench/autobench.h"

typedef ab::compute<precision>::type wide;

// What one block covers; offsets inside it fit 32 bits.
constexpr int tile = block_size_x * items_per_thread * vector_width;

// What becomes of elements, and the format that it is computed in.
struct copied {
  typedef precision number;
  template <class V>
  AUTOBENCH_INLINE static V of(V x, V, V) {
    return x;
  }
};
struct scaled {
  typedef wide number;
  template <class V>
  AUTOBENCH_INLINE static V of(V x, V, V a) {
    return a * x;
  }
};
struct added {
  typedef wide number;
  template <class V>
  AUTOBENCH_INLINE static V of(V x, V y, V a) {
    return ab::fma(a, y, x);
  }
};

// Makes `Width` neighbours of z. Where the operation does not use y nothing reads it.
template <class Operation, int Width>
AUTOBENCH_INLINE void access(precision *z, const precision *x, const precision *y, double a)
{
  typedef typename Operation::number number;
  typedef ab::vec<number, Width> vector;
  const vector first = ab::load_as<number, Width>(x), second = ab::load_as<number, Width>(y);
  ab::store_as(z, Operation::of(first, second, vector::all(ab::convert<number>(a))));
}

template <class Operation>
AUTOBENCH_INLINE void stream(precision *__restrict__ z, const precision *__restrict__ x,
                             const precision *__restrict__ y, double a, long long n)
{
  const long long first = (long long)blockIdx.x * tile;
  const int thread = threadIdx.x;
  z += first;
  x += first;
  y += first;
  if (n - first >= tile) {
    // The same for a whole block: no element needs to be asked whether it exists.
    for (int item = 0; item < items_per_thread; ++item) {
      const int at = (item * block_size_x + thread) * vector_width;
      access<Operation, vector_width>(z + at, x + at, y + at, a);
    }
  } else {
    const int rest = (int)(n - first);
    for (int item = 0; item < items_per_thread * vector_width; ++item) {
      const int at = item * block_size_x + thread;
      if (at < rest) access<Operation, 1>(z + at, x + at, y + at, a);
    }
  }
}

__global__ void copy(precision *__restrict__ z, const precision *__restrict__ x, long long n)
{
  stream<copied>(z, x, x, 0, n);
}

__global__ void scale(precision *__restrict__ z, const precision *__restrict__ x, double a,
                      long long n)
{
  stream<scaled>(z, x, x, a, n);
}

__global__ void triad(precision *__restrict__ z, const precision *__restrict__ x,
                      const precision *__restrict__ y, double a, long long n)
{
  stream<added>(z, x, y, a, n);
}
