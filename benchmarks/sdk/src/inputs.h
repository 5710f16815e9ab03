/* The generators of input elements, the same bits as everywhere else in autobench. The element
 * `index` of argument number `argument` (its position among all arguments) is, for a fill of
 *
 *   uniform      autobench_uniform(autobench_bits(seed, argument, index), low, high)
 *   integer      autobench_integer(autobench_bits(seed, argument, index), low, high)
 *   bell         autobench_bell(autobench_bits(seed, argument, index), scale)
 *   permutation  autobench_permutation(seed, argument, index, count)
 *   ramp         autobench_ramp(index, start, step)
 *
 * before it is rounded to the argument's format. */

/* 64 random bits for one element: splitmix64's finalizer over a counter. */
static inline uint64_t autobench_bits(uint64_t seed, uint32_t argument, uint64_t index)
{
  uint64_t z = seed + ((uint64_t)argument + 1) * UINT64_C(0x9E3779B97F4A7C15) +
               index * UINT64_C(0xD1342543DE82EF95);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* [low, high). Through a volatile, so that no compiler fuses the product and the sum. */
static inline double autobench_uniform(uint64_t bits, double low, double high)
{
  volatile double above = (high - low) * ((double)(bits >> 40) / 16777216.0);
  return low + above;
}

/* low ..= high; low when the range is empty. */
static inline int64_t autobench_integer(uint64_t bits, int64_t low, int64_t high)
{
  const uint64_t u = bits >> 32, range = (uint64_t)high - (uint64_t)low + 1;
  if (high <= low) return low;
  return (int64_t)((uint64_t)low + (range == 0 ? u << 32
                                               : u * (range >> 32) +
                                                     (u * (range & UINT32_MAX) >> 32)));
}

/* The sum of four uniforms in [-1/2, 1/2), times scale. */
static inline double autobench_bell(uint64_t bits, double scale)
{
  const uint64_t fields =
      (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
  return ((double)fields / 65536.0 - 2.0) * scale;
}

/* Every value of 0 .. count once; count up to 2^43. */
static inline uint64_t autobench_permutation(uint64_t seed, uint32_t argument, uint64_t index,
                                             uint64_t count)
{
  const uint64_t limit = count < (UINT64_C(1) << 20) ? count : UINT64_C(1) << 20;
  uint64_t factor, offset;
  if (count < 2) return 0;
  factor = autobench_bits(seed, argument, UINT64_C(1) << 63) % limit | 1;
  for (; factor < limit; ++factor) {
    uint64_t a = factor, b = count;
    while (b != 0) {
      const uint64_t rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1) break;
  }
  if (factor >= limit) factor = 1;
  offset = autobench_bits(seed, argument, (UINT64_C(1) << 63) + 1) % count;
  return (factor * index + offset) % count;
}

/* start + step * index, rounded twice. */
static inline double autobench_ramp(uint64_t index, double start, double step)
{
  volatile double travelled = step * (double)index;
  return start + travelled;
}
