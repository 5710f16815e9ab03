// The acceleration of every body by all others, with masses m and d = r_j - r_i:
// a_i = (1 / n) sum over j of m_j d / (d^2 + e^2)^(3/2). The softening e keeps near pairs finite, so
// that a body needs no exception for itself. Twenty operations a pair by convention.
//
// position_type      the format of positions, masses and what is computed of a pair
// sum_type           the format of sums and results
// policy             how the reciprocal root is computed
// block_size_x       threads per block
// tile_bodies        bodies that a block holds at a time
// bodies_per_thread  bodies that a thread accelerates, a block's width apart
// unroll_bodies      bodies per round of the innermost loop
#include "autobench/autobench.h"

constexpr int tile = block_size_x * bodies_per_thread;

__global__ void nbody(sum_type *__restrict__ accelerations,
                      const position_type *__restrict__ positions,
                      const position_type *__restrict__ masses, double share, int n)
{
  // The bodies of a thread, so that halves are computed in pairs where the device can.
  typedef ab::vec<position_type, bodies_per_thread> numbers;
  typedef ab::vec<sum_type, bodies_per_thread> sums_of_bodies;
  __shared__ position_type xs[tile_bodies], ys[tile_bodies], zs[tile_bodies], ms[tile_bodies];
  ab::per_thread<sums_of_bodies> sums_x, sums_y, sums_z;
  // The last block is moved back to end with the last body: what two blocks write is the same, and
  // no body needs to be asked whether it exists.
  const int first = min((int)blockIdx.x * tile, n - tile);
  const position_type softening = ab::convert<position_type>(1.0f / 64);
  const sum_type scale = ab::convert<sum_type>(share);
  const position_type *const positions_y = positions + n, *const positions_z = positions_y + n;

  AUTOBENCH_PHASE {
    sums_x() = sums_y() = sums_z() = sums_of_bodies::all(sum_type(0.0f));
  }
  for (int begin = 0; begin < n; begin += tile_bodies) {
    AUTOBENCH_PHASE {
      for (int at = threadIdx.x; at < tile_bodies; at += block_size_x) {
        // Bodies that fill up the last tile have no mass.
        const bool real = begin + at < n;
        xs[at] = real ? positions[begin + at] : position_type(0.0f);
        ys[at] = real ? positions_y[begin + at] : position_type(0.0f);
        zs[at] = real ? positions_z[begin + at] : position_type(0.0f);
        ms[at] = real ? masses[begin + at] : position_type(0.0f);
      }
    }
    AUTOBENCH_PHASE {
      numbers x, y, z;
      for (int body = 0; body < bodies_per_thread; ++body) {
        const int i = first + body * block_size_x + threadIdx.x;
        x[body] = positions[i];
        y[body] = positions_y[i];
        z[body] = positions_z[i];
      }
      // A tile's own sums, so that little terms meet little sums.
      sums_of_bodies sum_x, sum_y, sum_z;
      sum_x = sum_y = sum_z = sums_of_bodies::all(sum_type(0.0f));
      for (int some = 0; some < tile_bodies; some += unroll_bodies) {
        AUTOBENCH_UNROLL_IN(position_type)
        for (int next = 0; next < unroll_bodies; ++next) {
          const int j = some + next;
          const numbers dx = numbers::all(xs[j]) - x, dy = numbers::all(ys[j]) - y,
                        dz = numbers::all(zs[j]) - z;
          const numbers square =
              ab::fma(dz, dz, ab::fma(dy, dy, ab::fma(dx, dx, numbers::all(softening))));
          const numbers inverse = ab::rsqrt<ab::policy>(square);
          const sums_of_bodies pull =
              ab::convert<sum_type>(inverse * inverse * (inverse * numbers::all(ms[j])));
          sum_x = ab::fma(pull, ab::convert<sum_type>(dx), sum_x);
          sum_y = ab::fma(pull, ab::convert<sum_type>(dy), sum_y);
          sum_z = ab::fma(pull, ab::convert<sum_type>(dz), sum_z);
        }
      }
      const sums_of_bodies all = sums_of_bodies::all(scale);
      sums_x() = ab::fma(sum_x, all, sums_x());
      sums_y() = ab::fma(sum_y, all, sums_y());
      sums_z() = ab::fma(sum_z, all, sums_z());
    }
  }
  AUTOBENCH_PHASE {
    for (int body = 0; body < bodies_per_thread; ++body) {
      const int i = first + body * block_size_x + threadIdx.x;
      accelerations[i] = sums_x()[body];
      accelerations[(long long)n + i] = sums_y()[body];
      accelerations[2LL * n + i] = sums_z()[body];
    }
  }
}
