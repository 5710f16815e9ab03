// The potential v and the force f on every particle i, from the particles j of its own cube and of
// the up to 26 cubes around it, with charges q and d = r_i - r_j:
//
//     v_i = sum of q_j exp(-a d^2)
//     f_i = sum of 2 a q_j exp(-a d^2) d, minus the gradient of v_i
//
// Cubes have edges of 1 and 256 particles each; positions are relative to the corner of their
// cube. A block has a cube.
//
// block_size_x       threads per block
// staged             particles that a block holds in shared memory at a time; 0: none
// pairs_per_step     steps of the loop over particles that are written out
// positions_type     the format of the positions
// charges_type       the format of the charges
// accumulators_type  what is computed and summed in
// forces_type        the format of potential and force
// policy             of the exponential function
#include "autobench/autobench.h"

constexpr int particles = 256;
constexpr int per_thread = particles / block_size_x;
// Particles of a thread that meet the others at the same time. On the CPU one, so that there is one
// short loop inside the loop over threads, which is then vectorised.
#ifdef AUTOBENCH_GPU
constexpr int together = per_thread;
#else
constexpr int together = 1;
#endif
// Particles whose terms are summed before they are added to what came before.
constexpr int group = staged > 0 ? staged : particles;
constexpr float steepness = 2.0f;

// Short loops whole, so that arrays become registers.
#if defined(AUTOBENCH_CPU) && !defined(__clang__)
#define WRITTEN_OUT _Pragma("GCC unroll 8")
#else
#define WRITTEN_OUT _Pragma("unroll")
#endif

typedef accumulators_type number;

// What a particle has got.
struct gathered {
  number v, x, y, z;
};

AUTOBENCH_INLINE void add_pair(gathered &sum, const number (&own)[3], const number (&other)[4])
{
  const number dx = own[0] - other[0], dy = own[1] - other[1], dz = own[2] - other[2];
  const number square = ab::fma(dz, dz, ab::fma(dy, dy, dx * dx));
  const number term = other[3] * ab::exp<ab::policy>(number(-steepness) * square);
  sum.v = sum.v + term;
  sum.x = ab::fma(term, dx, sum.x);
  sum.y = ab::fma(term, dy, sum.y);
  sum.z = ab::fma(term, dz, sum.z);
}

__global__ void lavamd(forces_type *__restrict__ forces,
                       const positions_type *__restrict__ positions,
                       const charges_type *__restrict__ charges, int edge)
{
  __shared__ number held[4][staged > 0 ? staged : 1];
  ab::per_thread<gathered[per_thread]> sums;
  const int cube = blockIdx.x;
  const int cx = cube % edge, cy = cube / edge % edge, cz = cube / edge / edge;
  const positions_type *const mine = positions + (long long)cube * 3 * particles;

  AUTOBENCH_PHASE {
    for (int p = 0; p < per_thread; ++p)
      sums()[p] = {number(0.0f), number(0.0f), number(0.0f), number(0.0f)};
  }
  for (int beside = 0; beside < 27; ++beside) {
    // The same for the whole block.
    const int shift[3] = {beside % 3 - 1, beside / 3 % 3 - 1, beside / 9 - 1};
    const int x = cx + shift[0], y = cy + shift[1], z = cz + shift[2];
    if (x < 0 || x >= edge || y < 0 || y >= edge || z < 0 || z >= edge) continue;
    const long long from = (long long)((z * edge + y) * edge + x) * particles;
    for (int start = 0; start < particles; start += group) {
      const positions_type *const at = positions + 3 * from + start;
      const charges_type *const q = charges + from + start;
      if (staged > 0) {
        AUTOBENCH_PHASE {
          for (int j = threadIdx.x; j < staged; j += block_size_x) {
            for (int k = 0; k < 3; ++k) held[k][j] = ab::convert<number>(at[k * particles + j]);
            held[3][j] = ab::convert<number>(q[j]);
          }
        }
      }
      for (int first = 0; first < per_thread; first += together) {
        AUTOBENCH_PHASE {
          // Seen from the corner of the other cube.
          number own[together][3];
          gathered sum[together];
          WRITTEN_OUT
          for (int p = 0; p < together; ++p) {
            const int i = (first + p) * block_size_x + threadIdx.x;
            WRITTEN_OUT
            for (int k = 0; k < 3; ++k)
              own[p][k] =
                  ab::convert<number>(mine[k * particles + i]) - number((float)shift[k]);
            sum[p] = {number(0.0f), number(0.0f), number(0.0f), number(0.0f)};
          }
          for (int j = 0; j < group; j += pairs_per_step)
            WRITTEN_OUT
            for (int step = 0; step < pairs_per_step; ++step) {
              number other[4];
              WRITTEN_OUT
              for (int k = 0; k < 3; ++k)
                other[k] = staged > 0 ? held[k][j + step]
                                      : ab::convert<number>(at[k * particles + j + step]);
              other[3] = staged > 0 ? held[3][j + step] : ab::convert<number>(q[j + step]);
              WRITTEN_OUT
              for (int p = 0; p < together; ++p) add_pair(sum[p], own[p], other);
            }
          WRITTEN_OUT
          for (int p = 0; p < together; ++p) {
            gathered &all = sums()[first + p];
            all = {all.v + sum[p].v, all.x + sum[p].x, all.y + sum[p].y, all.z + sum[p].z};
          }
        }
      }
    }
  }
  forces += (long long)cube * 4 * particles;
  AUTOBENCH_PHASE {
    const number scale = number(2.0f * steepness);
    for (int p = 0; p < per_thread; ++p) {
      const gathered all = sums()[p];
      const int i = p * block_size_x + threadIdx.x;
      forces[i] = ab::convert<forces_type>(all.v);
      forces[particles + i] = ab::convert<forces_type>(scale * all.x);
      forces[2 * particles + i] = ab::convert<forces_type>(scale * all.y);
      forces[3 * particles + i] = ab::convert<forces_type>(scale * all.z);
    }
  }
}
