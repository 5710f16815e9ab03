// The potential of point charges on a plane grid of n x n points over the unit square:
// v(x, y) = sum over particles of q / sqrt((x - px)^2 + (y - py)^2 + pz^2).
// The particles lie off the plane, so that no distance is 0. A dozen operations per pair, and
// hardly any memory: arithmetic sets the pace.
//
// position_type               the format of coordinates, distances and their reciprocals
// charge_type                 the format of charges and of what one particle adds
// potential_type              the format of sums and results
// policy                      how the reciprocal root is computed
// block_size_x, block_size_y  threads per block
// points_per_thread           points per thread in x, a block's width apart
// unroll_particles            particles per round of the innermost loop
#include "autobench/autobench.h"

constexpr int tile = 128; // particles that a block holds at a time
constexpr int threads = block_size_x * block_size_y;

__global__ void coulombic(potential_type *__restrict__ potentials,
                          const position_type *__restrict__ particle_x,
                          const position_type *__restrict__ particle_y,
                          const position_type *__restrict__ particle_z,
                          const charge_type *__restrict__ charges, int n, int particles)
{
  typedef ab::compute<position_type>::type wide;
  // The points of a thread, so that halves are computed in pairs where the device can.
  typedef ab::vec<position_type, points_per_thread> distances;
  typedef ab::vec<potential_type, points_per_thread> values;
  __shared__ position_type xs[tile], ys[tile], zs[tile]; // zs holds squares
  __shared__ charge_type qs[tile];
  ab::per_thread<values> sums;
  const int row = blockIdx.y * block_size_y;
  const int column = blockIdx.x * (block_size_x * points_per_thread);

  AUTOBENCH_PHASE {
    sums() = values::all(potential_type(0));
  }
  for (int first = 0; first < particles; first += tile) {
    AUTOBENCH_PHASE {
      for (int at = threadIdx.y * block_size_x; at < tile; at += threads) {
        const int own = at + threadIdx.x;
        if (block_size_x > tile && own >= tile) break;
        // Particles that fill up the last tile have no charge.
        const bool real = first + own < particles;
        xs[own] = real ? particle_x[first + own] : position_type(0);
        ys[own] = real ? particle_y[first + own] : position_type(0);
        const position_type z = real ? particle_z[first + own] : position_type(1);
        zs[own] = z * z;
        qs[own] = real ? charges[first + own] : charge_type(0);
      }
    }
    AUTOBENCH_PHASE {
      const position_type y =
          ab::convert<position_type>((wide)(row + threadIdx.y) / (wide)n);
      distances x;
      for (int point = 0; point < points_per_thread; ++point) {
        const int i = column + point * block_size_x + threadIdx.x;
        x[point] = ab::convert<position_type>((wide)i / (wide)n);
      }
      // A tile's own sum, so that little terms meet little sums.
      values sum = values::all(potential_type(0));
      for (int some = 0; some < tile; some += unroll_particles) {
        AUTOBENCH_UNROLL_IN(position_type)
        for (int next = 0; next < unroll_particles; ++next) {
          const int at = some + next;
          const position_type dy = y - ys[at];
          const distances across = distances::all(ab::fma(dy, dy, zs[at]));
          const distances dx = x - xs[at];
          const distances inverse = ab::rsqrt<ab::policy>(ab::fma(dx, dx, across));
          sum += ab::convert<potential_type>(qs[at] * ab::convert<charge_type>(inverse));
        }
      }
      sums() += sum;
    }
  }
  AUTOBENCH_PHASE {
    const long long j = row + threadIdx.y;
    for (int point = 0; point < points_per_thread; ++point) {
      const int i = column + point * block_size_x + threadIdx.x;
      if (i < n && j < n) potentials[j * n + i] = sums()[point];
    }
  }
}
