// Prices of European options after Black and Scholes: a call and a put for every triple of the
// share's price, the strike and the time that is left, at a fixed rate and volatility.
// A logarithm, an exponential, a root, a quotient and two error functions per five numbers moved.
//
// price_type, time_type  the formats of prices and strikes, and of times
// output_type            the format of calls and puts
// compute_type           the format of everything between
// policy                 how the functions are computed
// block_size_x           threads per block
// options_per_thread     options per thread, a block's width apart
#include "autobench/autobench.h"

constexpr int tile = block_size_x * options_per_thread;

// What constants are written in: converted while compiling, so that none is f64 among narrower ones.
typedef ab::compute<compute_type>::type wide;

// The normal distribution's share below d.
static __device__ __forceinline__ compute_type below(compute_type d)
{
  const compute_type half = compute_type(0.5f);
  const compute_type root_half = compute_type(wide(0.70710678118654752440));
  return ab::fma(half, ab::erf<ab::policy>(compute_type(d * root_half)), half);
}

static __device__ __forceinline__ void price(output_type &call, output_type &put,
                                             price_type share_price, price_type strike_price,
                                             time_type time_left)
{
  constexpr double yearly_rate = 0.02, yearly_volatility = 0.30;
  const compute_type rate = compute_type(wide(yearly_rate));
  const compute_type volatility = compute_type(wide(yearly_volatility));
  const compute_type drift =
      compute_type(wide(yearly_rate + 0.5 * yearly_volatility * yearly_volatility));
  const compute_type share = ab::convert<compute_type>(share_price);
  const compute_type strike = ab::convert<compute_type>(strike_price);
  const compute_type time = ab::convert<compute_type>(time_left);
  const compute_type spread = volatility * ab::sqrt<ab::policy>(time);
  const compute_type ratio = ab::divide<ab::policy>(share, strike);
  const compute_type moved = ab::fma(drift, time, ab::log<ab::policy>(ratio));
  const compute_type d1 = ab::divide<ab::policy>(moved, spread);
  const compute_type d2 = d1 - spread;
  const compute_type exercised = below(d2), held = below(d1);
  const compute_type discounted = strike * ab::exp<ab::policy>(compute_type(-rate * time));
  const compute_type one = compute_type(1);
  call = ab::convert<output_type>(compute_type(share * held - discounted * exercised));
  put = ab::convert<output_type>(
      compute_type(discounted * (one - exercised) - share * (one - held)));
}

__global__ void black_scholes(output_type *__restrict__ calls, output_type *__restrict__ puts,
                              const price_type *__restrict__ prices,
                              const price_type *__restrict__ strikes,
                              const time_type *__restrict__ times, long long n)
{
  const long long first = (long long)blockIdx.x * tile;
  const int thread = threadIdx.x;
  calls += first;
  puts += first;
  prices += first;
  strikes += first;
  times += first;
  const int rest = n - first < tile ? (int)(n - first) : tile;
  for (int item = 0; item < options_per_thread; ++item) {
    const int at = item * block_size_x + thread;
    if (at < rest) price(calls[at], puts[at], prices[at], strikes[at], times[at]);
  }
}
