// The angles of an arm with four joints that holds a tool straight down at a target x, y, z: the
// base turns about the vertical, shoulder, elbow and wrist bend. With r the horizontal distance of
// the target from the base and s the height of the wrist above the shoulder,
//
//     turn     = atan2(y, x)
//     elbow    = -acos(c),  c = (r^2 + s^2 - upper^2 - lower^2) / (2 upper lower)
//     shoulder = atan2(s, r) + atan2(lower sqrt(1 - c^2), upper + lower c)
//     wrist    = -pi / 2 - shoulder - elbow
//
// block_size_x        threads per block
// points_per_thread   a block's width apart
// targets_type        the format of the targets
// angles_type         the format of the angles
// intermediates_type  what lengths and cosines are computed in
// functions_type      what roots and inverse functions are computed in
// policy              of roots and inverse functions
#include "autobench/autobench.h"

constexpr int tile = block_size_x * points_per_thread;

// The lengths of the arm: upper and lower link, the base's height, the tool.
constexpr double upper = 1.0, lower = 0.75, base = 0.5, tool = 0.25;
constexpr double right_angle = 1.57079632679489662;

// Intermediates as arguments of a function.
AUTOBENCH_INLINE functions_type argument(intermediates_type x)
{
  return ab::convert<functions_type>(x);
}

AUTOBENCH_INLINE functions_type direction(intermediates_type y, intermediates_type x)
{
  return ab::atan2<ab::policy>(argument(y), argument(x));
}

AUTOBENCH_INLINE void solve(angles_type *angles, const targets_type *x_of,
                            const targets_type *y_of, const targets_type *z_of, long long n, int at)
{
  typedef intermediates_type number;
  const number x = ab::convert<number>(x_of[at]);
  const number y = ab::convert<number>(y_of[at]);
  const number z = ab::convert<number>(z_of[at]);

  const number square = ab::fma(x, x, y * y);
  const number r = ab::convert<number>(ab::sqrt<ab::policy>(argument(square)));
  const number s = z + ab::convert<number>(tool - base);
  const number apart = ab::fma(s, s, square);
  const number cosine = (apart - ab::convert<number>(upper * upper + lower * lower)) *
                        ab::convert<number>(1.0 / (2.0 * upper * lower));
  const number rest = ab::fma(-cosine, cosine, number(1.0f));
  const number sine = ab::convert<number>(ab::sqrt<ab::policy>(argument(rest)));

  const functions_type turn = direction(y, x);
  const functions_type elbow = -ab::acos<ab::policy>(argument(cosine));
  const number link = ab::convert<number>(lower);
  const functions_type shoulder =
      direction(s, r) + direction(link * sine, ab::fma(link, cosine, ab::convert<number>(upper)));
  const functions_type wrist = ab::convert<functions_type>(-right_angle) - shoulder - elbow;
  angles[at] = ab::convert<angles_type>(turn);
  angles[n + at] = ab::convert<angles_type>(shoulder);
  angles[2 * n + at] = ab::convert<angles_type>(elbow);
  angles[3 * n + at] = ab::convert<angles_type>(wrist);
}

__global__ void invk(angles_type *__restrict__ angles, const targets_type *__restrict__ x,
                     const targets_type *__restrict__ y, const targets_type *__restrict__ z,
                     long long n)
{
  // The last block is moved back to end with the last element: what two blocks write is the same,
  // and no element needs to be asked whether it exists.
  const long long own = (long long)blockIdx.x * tile, first = own < n - tile ? own : n - tile;
  const int thread = threadIdx.x;
  for (int item = 0; item < points_per_thread; ++item)
    solve(angles + first, x + first, y + first, z + first, n, item * block_size_x + thread);
}
